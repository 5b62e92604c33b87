"""Refusals of races."""

from obeying import Case

RIGHT = "a, b = [1., 0., 1.] * 9, [0., 0., 1.] * 9; "
WHOLE = "a, b = [1., 5., 9.] * 9, [0., 0., 1.] * 9; "
SCORERS = "score_a = lambda item: 1.0; score_b = lambda item: 0.0; items = range(9); "
TWO = {"a.csv": "item,model,score\n" + "".join(f"{i // 2},{'ab'[i % 2]},1\n" for i in range(40))}
PREDICTED = {"p.csv": "y_true,a,b\n" + "1,1,0\n0,0,0\n0,1,1\n" * 9}
FOLDS = {"cv.csv": "fold,a,b\n" + "".join(f"{i},0.8{i},0.7{i * i % 10}\n" for i in range(10))}

RATED = {
    "r.csv": "item,who,system,rating\n"
    + "".join(f"{i // 4},{i % 2},{'ab'[i // 2 % 2]},{i * 7 % 5}\n" for i in range(40))
}

CASES = [
    Case(
        "$ outperform compare r.csv --column learner=system --column score=rating",
        "pass «--column learner=system --column item=item --column score=rating --column "
        "sample=who»",
        "$ outperform compare r.csv --column learner=system --column item=item "
        "--column score=rating --column sample=who",
        files=RATED,
    ),
    Case(
        "op.compare('r.csv', learner='system', score='rating')",
        "apart, pass «learner='system', item='item', score='rating', sample='who'»",
        files=RATED,
    ),
    Case(
        "op.compare('y.csv')",
        "If it is a learner, pass «layout='wide'»",
        files={"y.csv": "fold,x,y\n1,.81,.72\n2,.84,.75\n3,.83,.71\n"},
    ),
    Case(
        "$ outperform compare y.csv",
        "otherwise pass «--column y-true=y»",
        files={"y.csv": "task,x,y,z\n1,.81,.72,.7\n2,.84,.75,.8\n3,.83,.71,.9\n"},
    ),
    Case(
        "$ outperform compare y.csv",
        "otherwise remove column 'fold'",
        "$ outperform compare y.csv",
        files={"y.csv": "fold,x,y,z\n1,.81,.72,.7\n2,.84,.75,.8\n3,.83,.71,.9\n"},
        then={"y.csv": "x,y,z\n.81,.72,.7\n.84,.75,.8\n.83,.71,.9\n"},
    ),
    Case(
        "$ outperform race p.csv",
        "if they are scores, list them: «--column learner=a --column learner=b»",
        files=PREDICTED,
    ),
    Case(
        "$ outperform race p.csv",
        "Write 1 for right and 0 for wrong answers",
        "$ outperform race p.csv",
        files=PREDICTED,
        then={"p.csv": "a,b\n" + "1,0\n1,1\n0,0\n" * 9},
    ),
    Case(
        "$ outperform race cv.csv",
        "For scores of splits use outperform compare SCORES",
        "$ outperform compare cv.csv",
        files=FOLDS,
    ),
    Case(
        "op.Items.read('cv.csv')",
        "For scores of splits use outperform.compare(scores)",
        "op.compare(op.Scores.read('cv.csv'))",
        files=FOLDS,
    ),
    Case(
        WHOLE + "op.race(a, b, method='betting')",
        "or use «method='asymptotic'»",
        WHOLE + "op.race(a, b, method='asymptotic')",
    ),
    Case(
        RIGHT + "op.race(a, b, clusters=[1, 2, 3] * 9, method='betting')",
        "Use «method='asymptotic'»",
        RIGHT + "op.race(a, b, clusters=[1, 2, 3] * 9, method='asymptotic')",
    ),
    Case(
        "op.race([0.5, 1, 0], [0, 1, 0], method='e-process')",
        "Use «method='betting'»",
        "op.race([0.5, 1, 0], [0, 1, 0], method='betting')",
    ),
    Case(
        RIGHT + "op.race(a, b, method='e-process', population='these')",
        "Use «method='betting'»",
        RIGHT + "op.race(a, b, method='betting', population='these')",
    ),
    Case(RIGHT + "op.race(a, b, journal='race.jsonl')", "Remove them", RIGHT + "op.race(a, b)"),
    Case(
        "op.race(op.Items.from_arrays({'a': [1, 0], 'b': [1, 1], 'c': [0, 0]}))",
        "Name two: «names=('a', 'b')»",
        "op.race(op.Items.from_arrays({'a': [1, 0], 'b': [1, 1], 'c': [0, 0]}), names=('a', 'b'))",
    ),
    Case(
        SCORERS + "op.race(score_a, score_b)",
        "«race(score_a, score_b, items)»",
        SCORERS + "from outperform import race; race(score_a, score_b, items)",
    ),
    Case(
        SCORERS + "op.race(score_a, score_b, items, clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3])",
        "Score whole clusters as one item each instead",
        SCORERS + "op.race(score_a, score_b, [1, 2, 3])",
    ),
    Case(
        SCORERS + "op.race(score_a, score_b, items, journal='notes.txt')",
        "Pass another path as journal",
        SCORERS + "op.race(score_a, score_b, items, journal='race.jsonl')",
        files={"notes.txt": "not a journal\n"},
    ),
    Case(
        SCORERS + "op.race(score_a, score_b, items, journal='race.jsonl', random_state=1)",
        "different random_state. Pass the same to continue, or another path as journal",
        SCORERS + "op.race(score_a, score_b, items, journal='race.jsonl')",
        before=SCORERS + "op.race(score_a, score_b, items, journal='race.jsonl')",
    ),
    Case(
        SCORERS + "op.race(score_a, score_b, items, journal='race.jsonl')",
        "is damaged; remove it to continue",
        SCORERS + "lines = Path('race.jsonl').read_text().splitlines(True); "
        "Path('race.jsonl').write_text(lines[0]); "
        "op.race(score_a, score_b, items, journal='race.jsonl')",
        before=SCORERS + "op.race(score_a, score_b, items, journal='race.jsonl'); "
        "lines = Path('race.jsonl').read_text().splitlines(True); "
        "Path('race.jsonl').write_text(lines[0] + '[0, null, 1]\\n')",
    ),
    Case(
        SCORERS + "op.race(lambda item: 0.5, score_b, items, method='e-process')",
        "Use «method='betting'»",
        SCORERS + "op.race(lambda item: 0.5, score_b, items, method='betting')",
    ),
    Case(
        RIGHT + "op.race(op.Items.from_arrays({'a': a, 'b': b}), lower_is_better=True)",
        "Pass «lower_is_better=True» when the Items are made, not here",
        RIGHT + "op.race(op.Items.from_arrays({'a': a, 'b': b}, lower_is_better=True))",
    ),
    Case(
        RIGHT + "op.race(op.Items.from_arrays({'a': a, 'b': b}, weights=range(1, 28)))",
        "Pass items without them",
        RIGHT + "op.race(op.Items.from_arrays({'a': a, 'b': b}))",
    ),
    Case(
        "op.race(op.Items.from_arrays({'a': [1, 0, 1]}))",
        "Add the scores of another model",
        "op.race(op.Items.from_arrays({'a': [1, 0, 1], 'b': [0, 1, 1]}))",
    ),
    Case(
        WHOLE + "op.race(a, b)",
        "score as «bounds=(LOW, HIGH)»",
        WHOLE + "LOW, HIGH = 0, 9; op.race(a, b, bounds=(LOW, HIGH))",
    ),
    Case("$ outperform race a.csv a", "Name the two models", "$ outperform race a.csv", files=TWO),
    Case("$ outperform race a.csv b.csv", "check its path", "$ outperform race a.csv", files=TWO),
    Case(
        "$ outperform race a.csv b.csv --figure race.png",
        "add «--force»",
        files={
            "a.csv": "item,model,score\n" + "".join(f"{i},a,{i % 2}\n" for i in range(40)),
            "b.csv": "item,model,score\n" + "".join(f"{i},b,{i % 3 % 2}\n" for i in range(40)),
            "race.png": b"a picture",
        },
    ),
]
