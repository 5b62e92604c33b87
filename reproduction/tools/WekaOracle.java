import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Random;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.Utils;

/**
 * Trains Weka's classifiers on parts of one table and prints what they predict for other parts.
 *
 * Reads commands from standard input, one a line, fields parted by tabs:
 *   data PATH                              the table, an ARFF file with the class last
 *   run CLASS OPTIONS TRAIN TEST           rows parted by commas
 *   folds K SEED AGAIN                     AGAIN is true if training sets are shuffled once more
 * Answers each run with one line, predicted class codes;
 * folds with one line: training and test rows of each fold, as cross-validation has them.
 */
public class WekaOracle {
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    Instances table = null;
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] field = line.split("\t", -1);
      if (field[0].equals("data")) {
        table = new Instances(new BufferedReader(new FileReader(field[1])));
        table.setClassIndex(table.numAttributes() - 1);
      } else if (field[0].equals("folds")) {
        boolean again = Boolean.parseBoolean(field[3]);
        answers.println(
            folds(table, Integer.parseInt(field[1]), Long.parseLong(field[2]), again));
        answers.flush();
      } else {
        Instances train = rows(table, field[3]);
        Classifier model =
            (Classifier) Utils.forName(Classifier.class, field[1], Utils.splitOptions(field[2]));
        model.buildClassifier(train);
        answers.println(answer(model, rows(table, field[4])));
        answers.flush();
      }
    }
  }

  private static String folds(Instances table, int count, long seed, boolean again) {
    Instances copy = new Instances(table);
    for (int row = 0; row < copy.numInstances(); row++) {
      copy.instance(row).setWeight(row + 1); // what tells a row from others when it has moved
    }
    Random random = new Random(seed);
    copy.randomize(random);
    copy.stratify(count);
    StringBuilder text = new StringBuilder();
    for (int fold = 0; fold < count; fold++) {
      Instances train =
          again ? copy.trainCV(count, fold, random) : copy.trainCV(count, fold);
      text.append(listed(train)).append(' ').append(listed(copy.testCV(count, fold))).append(' ');
    }
    return text.toString();
  }

  private static String listed(Instances part) {
    StringBuilder text = new StringBuilder();
    for (int at = 0; at < part.numInstances(); at++) {
      text.append(at == 0 ? "" : ",").append((int) part.instance(at).weight() - 1);
    }
    return text.toString();
  }

  private static Instances rows(Instances table, String chosen) {
    Instances part = new Instances(table, 0);
    for (String row : chosen.split(",")) {
      part.add(table.instance(Integer.parseInt(row)));
    }
    return part;
  }

  private static String answer(Classifier model, Instances test) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < test.numInstances(); i++) {
      text.append((int) model.classifyInstance(test.instance(i))).append(' ');
    }
    return text.toString();
  }
}
