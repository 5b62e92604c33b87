"""Refusals of files whose columns and rows may be read in more than one way, or are none."""

from hints_of_commands import EXPERIMENT, ITEMS, RUN, WIDE, files
from hints_of_files import READ, csv
from obeying import Case

ROWS = "learner,fold,score\n" + "".join(
    f"{who},{k},0.{5 + k}{who == 'a':d}\n" for who in "ab" for k in range(3)
)
KINDS = "target,a_pred,a_prob,b_pred,b_prob\n" + "1,1,.7,1,.5\n0,0,.3,1,.6\n1,0,.4,1,.8\n" * 4
NEGATED = ROWS.replace(",0.", ",-0.").replace("score", "rmse")
TURNED = "name,1,2,3\na,.5,.6,.7\nb,.6,.7,.75\n"
PREDICTED = "id,learner,y_true,prediction\n" + "".join(
    f"{k},{who},{k % 2},{k % 3 % 2 if who == 'a' else k % 2}\n" for who in "ab" for k in range(9)
)
RANKED = "dataset,a,b,c\n" + "1,1,2,3\n2,2,1,3\n3,1,3,2\n4,3,2,1\n5,1,2,3\n"
ACCURACIES = ROWS.replace("score", "accuracy")
LABELLED = "y_true,model_a,model_b\n" + "x,x,y\ny,y,y\ny,x,x\nx,x,x\n" * 3
BOOT = "boot,a,b\n1,.71,.63\n2,.8,.72\n3,.64,.9\n"
MEANS = "a,b\n.5,.6\n.7,.9\n.6,.75\n"
COUNTED = "a,b\n5,0\n7,1\n3,2\n9,3\n"
SIZED = "fold,new,old,depth\n" + "".join(f"{k},.8{k},.7{k},{30 + k % 2}\n" for k in range(4))
PAIRED = "a,b,r,f\n.5,.6,3,7\n.5,.7,3,9\n.4,.6,8,7\n.6,.7,8,9\n"
LONG_PAIRED = "learner,x,z,score\n" + "".join(
    f"{who},{x},{z},.{x}{z}{who == 'a':d}\n" for who in "ab" for x in (3, 4) for z in (5, 7)
)
ANSWERS = "x,learner,item,score\n" + "".join(
    f"{k % 2},{who},{k},{(k % 3 == 0) ^ (who == 'a'):d}\n" for who in "ab" for k in range(6)
)
EPOCHS = "learner,epoch,score\na,1,.5\na,2,.6\nb,1,.7\nb,2,.6\n"
GAPS = "learner,repeat,fold,score\n" + "".join(
    f"{who},{r},{f},.{5 + r}{f}{who == 'a':d}\n"
    for who in "ab" for r in range(3) for f in range(3) if (who, r, f) != ("b", 2, 1)
)  # fmt: skip
ASKED = "doc_id,answer,a,b\n0,2,2,1\n1,0,0,0\n2,1,3,1\n3,3,3,2\n"
LOSSES = "fold,learner,metric,loss\n" + "".join(
    f"{i},{who},accuracy,.{i}{who == 'a':d}\n" for i in range(1, 5) for who in "ab"
)
UNTOLD = "split,a,b\n" + "".join(f"{i},.{60 + i},.{50 + i * i}\n" for i in range(9))
HALVED = "learner,partition,repeat,fold,score\na,0,0,0,.5\na,0,1,0,.6\na,0,2,0,.6\nb,0,0,0,.5\n"
STORED = "$ outperform run e.py --design 3cv --store s.db"

CASES = [
    Case("$ outperform compare s.csv --require outperform", "did you mean «'outperforms'»",
         "$ outperform compare s.csv --require 'outperforms'", files(s_csv=WIDE)),
    Case("$ outperform compare s.db --layout wide", "are for files of scores",
         "$ outperform compare s.db", files(e_py=EXPERIMENT), before=STORED),
    Case("$ outperform check s.db --incomplete", "add «--export scores.csv»",
         files=files(e_py=EXPERIMENT), before=STORED),
    Case(RUN.replace("--learner tree", "--learner =tree"), "write «--learner NAME=tree»",
         RUN.replace("--learner tree", "--learner NAME=tree"), files(data_csv=ITEMS)),
    # What columns are.
    Case('Scores.read("s.csv", lerner="who")', "learner='model', score='acc'",
         "Scores.read('s.csv', learner='model', score='acc')",
         csv(ROWS.replace("learner,fold,score", "model,fold,acc"))),
    Case(READ, "add the true labels as a column y_true", "", csv("a,b\nx,y\nz,w\nx,y\n"),
         csv("y_true,a,b\nx,x,y\nw,z,w\nx,x,y\n")),
    Case(READ, "«frame.set_index('name').T.to_csv('scores.csv', index_label='fold')»",
         "frame = pd.read_csv('s.csv'); frame.set_index('name').T.to_csv('scores.csv', "
         "index_label='fold'); Scores.read('scores.csv')", csv(TURNED)),
    Case(READ, "list them: «learner=['1', '2', '3']»", files=csv(TURNED)),
    Case(READ, "«frame.set_index('learner').T.to_csv('scores.csv', index_label='dataset')»",
         "frame = pd.read_csv('s.csv'); frame.set_index('learner').T.to_csv('scores.csv', "
         "index_label='dataset'); Scores.read('scores.csv')",
         csv("learner,iris,wine\na,.5,.6\nb,.6,.7\n")),
    Case(READ, "pass «learner='who', fold='lap', score='gain'»",
         files=csv(ROWS.replace("learner,fold,score", "who,lap,gain"))),
    Case(READ, "it may be a summary of them or a split. If it is a summary, remove it", "",
         csv(MEANS), csv(MEANS.removesuffix(".6,.75\n"))),
    Case(READ, "if it is a split, list the learners: «learner=['a', 'b']»", files=csv(MEANS)),
    Case("$ outperform compare s.csv", "«--column learner=a --column learner=b»",
         "$ outperform compare s.csv --column learner=a --column learner=b",
         csv(",a,b\n0,.5,.6\n1,.7,.9\n2,.6,.75\n")),
    Case(READ, "Run them again, or leave out these runs and every split that then lacks a score: "
         "«drop_incomplete=True»", "Scores.read('s.csv', drop_incomplete=True)",
         csv("learner,fold,score,state\na,0,.5,ok\na,1,.6,crashed\na,2,.7,ok\na,3,.6,ok\n"
             "b,0,.5,ok\nb,1,.8,ok\nb,2,.7,ok\nb,3,.5,ok\n")),
    Case("Scores.read('s.csv', drop_incomplete=True)", "Run them again", READ,
         csv("learner,fold,score,state\na,0,.5,failed\na,1,.6,failed\n"),
         csv("learner,fold,score,state\na,0,.5,ok\na,1,.6,ok\n")),
    # Counts and bootstrap samples.
    Case(READ, "Write one row per item with its true label and the label that each model "
         "predicted: y_true,model_a,model_b", "", csv("tn,fp,fn,tp\n5,1,2,6\n"), csv(LABELLED)),
    Case(READ, "if it is the confusion matrix of one model, write one row per item", "",
         csv("5,1\n2,6\n"), csv(LABELLED)),
    Case(READ, "use «op.methods.mcnemar(table=[[5, 1], [2, 6]])»",
         "op.methods.mcnemar(table=[[5, 1], [2, 6]])",
         csv("5,1\n2,6\n")),
    Case("$ outperform compare s.csv", "Test them in Python: «op.methods.mcnemar(table=[[6, "
         "2], [1, 5]])»",
         "op.methods.mcnemar(table=[[6, 2], [1, 5]])", csv(",b right,b wrong\na right,5,1\na "
         "wrong,2,6\n")),
    Case(READ, "its rows are classes, not splits. Write one row per item", "",
         csv(",precision,recall,f1-score,support\n0,.9,.8,.85,50\n1,.7,.9,.8,50\n"),
         csv(LABELLED)),
    Case(READ, "such as the accuracy: «frame[['model', 'fold']].assign(accuracy=(frame['tp'] + "
         "frame['tn']) / frame[['tn', 'fp', 'fn', 'tp']].sum(axis=1)).to_csv('scores.csv', "
         "index=False)»",
         "frame = pd.read_csv('s.csv'); frame[['model', 'fold']].assign(accuracy=(frame['tp'] + "
         "frame['tn']) / frame[['tn', 'fp', 'fn', 'tp']].sum(axis=1)).to_csv('scores.csv', "
         "index=False); Scores.read('scores.csv')",
         csv("model,fold,tn,fp,fn,tp\na,0,5,1,2,6\na,1,4,2,1,7\nb,0,3,3,2,6\nb,1,4,2,2,6\n")),
    Case("$ outperform compare s.csv",
         "pass «--column fold=boot --design 3xresampled@0.37»",
         "$ outperform compare s.csv --column fold=boot --design 3xresampled@0.37", csv(BOOT)),
    Case(READ, "write one row per item instead", "", csv(BOOT), csv(LABELLED)),
    Case('op.compare("s.csv")', "are not splits: provide the predictions for every item",
         'op.compare("s.csv")', csv("a,b\n" + ".71,.63\n.8,.72\n.64,.9\n" * 40), csv(LABELLED)),
    Case(READ, "If it numbers the folds, pass «fold='b'»", files=csv(COUNTED)),
    Case(READ, "list them: «learner=['a', 'b']»", files=csv(COUNTED)),
    Case(READ, "list the others: «learner=['new', 'old']»", files=csv(SIZED)),
    Case(READ, "list them all: «learner=['new', 'old', 'depth']»", files=csv(SIZED)),
    Case(READ, "pass «repeat='r', fold='f'»", files=csv(PAIRED)),
    Case(READ, "these two number the splits, pass «repeat='x', fold='z'»", files=csv(LONG_PAIRED)),
    Case(READ, "Write all scores with a percent sign, or none", "",
         csv("fold,a,b\n0,90%,80\n1,91%,70\n"), csv("fold,a,b\n0,90%,80%\n1,91%,70%\n")),
    Case(READ, "Write as many decimals in every cell (999.000)", "",
         csv("fold,rmse\n0,999\n1,1.234\n"), csv("fold,rmse\n0,999.000\n1,1.234\n")),
    Case(READ, "or no point (1234)", "",
         csv("fold,rmse\n0,999\n1,1.234\n"), csv("fold,rmse\n0,999\n1,1234\n")),
    Case(READ, "leave the cell empty and pass «drop_incomplete=True»",
         "Scores.read('s.csv', drop_incomplete=True)",
         csv(ACCURACIES.replace("b,1,0.60", "b,1,-1")),
         csv(ACCURACIES.replace("b,1,0.60", "b,1,"))),
    Case(READ, "with a percent sign, or all as fractions", "",
         csv(ACCURACIES.replace("b,1,0.60", "b,1,60")), csv(ACCURACIES)),
    Case(READ, "If rank 1 is the best, pass «lower_is_better=True»", files=csv(RANKED)),
    Case(READ, "otherwise «lower_is_better=False»", files=csv(RANKED)),
    # Predictions one below the other.
    Case(READ, "Keep one column of predictions", "",
         csv(PREDICTED.replace("prediction", "pred,prob").replace("\n", ",.5\n")
             .replace("prob,.5", "prob")), csv(PREDICTED)),
    Case(READ, "in the columns learner, fold and score", "",
         csv("id,fold,learner,y_true,prediction\n0,0,a,1,1\n1,1,a,0,1\n0,0,b,1,0\n1,1,b,0,0\n"),
         csv(ROWS)),
    Case(READ, "Add a column 'id'", "", csv(PREDICTED.replace("id,", "host,", 1)), csv(PREDICTED)),
    Case(READ, "leave them out with «drop_incomplete=True»",
         files=csv(PREDICTED.replace("8,b,0,0\n", ""))),
    Case(READ, "Correct the file", "", csv(PREDICTED.replace("8,b,0,0", "8,b,1,0")),
         csv(PREDICTED)),
    # What rows are.
    Case(READ, "Write one finite number in the cell: 0.51", "",
         csv(ROWS.replace("0.51", "**0.51**")), csv(ROWS)),
    Case(READ, "«frame.groupby(['learner', 'dataset'], as_index=False)['score'].mean()"
         ".to_csv('scores.csv', index=False)»",
         "frame = pd.read_csv('s.csv'); frame.groupby(['learner', 'dataset'], as_index=False)"
         "['score'].mean().to_csv('scores.csv', index=False); Scores.read('scores.csv')",
         csv(ANSWERS.replace("x,", "dataset,", 1))),
    Case(READ, "if 1 means correct, pass «layout='correct'»",
         files=csv("error_a,error_b\n1,0\n0,1\n1,1\n")),
    Case(READ, "Keep one row per learner and item", "", csv(ANSWERS + "0,a,0,1\n"),
         csv(ANSWERS)),
    Case(READ, "leave the others out with «drop_incomplete=True»",
         files=csv(ANSWERS + "0,a,9,1\n")),
    Case(READ, "Keep one row per split and number the splits", "", csv(EPOCHS), csv(ROWS)),
    Case(READ, "if this column numbers the folds, pass «fold='epoch'»", files=csv(EPOCHS)),
    Case(READ, "such as learner,fold,score", "", csv("learner,score\na,.5\nb,.6\n"), csv(ROWS)),
    Case(READ, "such as learner,fold,score", "", csv("learner,mean,std\na,.5,.1\nb,.6,.2\n"),
         csv(ROWS)),
    Case(READ, "Write one row per split", "", csv("fold,a,b\nmean,.5,.6\nstd,.1,.1\n"),
         csv(WIDE)),
    Case(READ, "Remove those rows", "", csv(ROWS + "a,final,.5\nb,final,.6\n"), csv(ROWS)),
    Case('Scores.read("s.csv", drop_incomplete=True)', "at least 2 are required. Run the missing",
         "", csv("learner,fold,score\na,0,.5\na,1,.6\nb,0,.5\n"), csv(ROWS)),
    Case('Scores.read("s.csv", drop_incomplete=True, design="3*3cv")',
         "needs every split. Run the missing splits", "",
         csv(GAPS.replace("repeat", "partition")),
         csv(GAPS.replace("repeat", "partition") + "b,2,1,.71\n")),
    Case('op.compare(Scores.read("s.csv", drop_incomplete=True), design="5*2cv")',
         "needs every split. Run the missing splits",
         'op.compare(Scores.read("s.csv"), design="5*2cv")', csv(UNTOLD + "9,.51,\n"),
         csv(UNTOLD + "9,.51,.6\n")),
    Case('op.compare(Scores.read("s.csv", drop_incomplete=True), method="repeated_kfold_t")',
         "Use «method='corrected_t'»", files=csv(GAPS)),
    Case(READ, "Pass the right one: «y_true='class'»", "Scores.read('s.csv', y_true='class')",
         csv("class,a,b\n1,1,0\n0,1,0\n1,0,1\n")),
    Case(READ, "or «layout='correct'»", "Scores.read('s.csv', layout='correct')",
         csv("class,a,b\n1,1,0\n0,1,0\n1,0,1\n")),
    Case(READ, "If so, pass «y_true='answer'»", "Scores.read('s.csv', y_true='answer')",
         csv(ASKED)),
    Case(READ, "if not, rename the column", 'Scores.read("s.csv", design="4cv")', csv(ASKED),
         csv(ASKED.replace("answer", "c").replace("doc_id", "fold"))),
    Case('Scores.read("s.csv", score="loss")', "Pass «lower_is_better=True»",
         'Scores.read("s.csv", score="loss", lower_is_better=True)', csv(LOSSES)),
    Case('Scores.read("s.csv", score="loss")', "otherwise rename the column",
         'Scores.read("s.csv", score="gain")', csv(LOSSES), csv(LOSSES.replace("loss", "gain"))),
    Case('Scores.read("s.csv", limits={"scores": 5})', "raise the limit: «limits={'scores': 20}»",
         files=csv(WIDE)),
    Case(READ, "List one kind of column: «learner=['a_prob', 'b_prob']»", files=csv(KINDS)),
    Case(READ, "or «learner=['a_pred', 'b_pred']»", files=csv(KINDS)),
    Case(READ, "Pass «lower_is_better=False»", files=csv(NEGATED)),
    Case(READ, "otherwise «lower_is_better=True»", files=csv(NEGATED)),
]  # fmt: skip
