"""The OP codes: everything worth saying beside a result, each with its explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import MethodError

Severity = Literal["info", "caution", "warning"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of note: how serious it is, one line, and why it is said."""

    code: str
    severity: Severity
    line: str
    explanation: str
    lowers: bool = False
    """Whether a verdict it is said of is no longer measured, but assumed."""


@dataclass(frozen=True, slots=True)
class Note:
    """A code with what was seen here."""

    code: str
    detail: str = ""

    @property
    def severity(self) -> Severity:
        return code(self.code).severity

    @property
    def lowers(self) -> bool:
        return code(self.code).lowers

    @property
    def text(self) -> str:
        """The line said to the reader: what was seen here, or the code's own line."""
        return self.detail or code(self.code).line

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


_ALL = (
    # 0xx: how the input was read.
    Code(
        "OP001",
        "info",
        "The layout of the scores was inferred.",
        "Something about the input was not said and had one sensible reading. The note names it; "
        "pass the argument it names to make it explicit.",
    ),
    Code(
        "OP002",
        "info",
        "Labelled scores were put in the same order by their labels.",
        "Scores, losses or predictions carry an index with the same unique labels in another "
        "order. They were aligned by label, not by position. Labels that differ are refused, and "
        "so is the default index 0, 1, 2, … beside one that shuffles it. Items, targets and "
        "groups of a run are never moved: they are paired by position.",
    ),
    Code(
        "OP003",
        "info",
        "Greater was taken to be better.",
        "The method takes losses or scores. Unless lower_is_better=True is passed, greater is "
        "better, here as everywhere. For losses and errors pass lower_is_better=True: the sign of "
        "the estimate turns, the two-sided p-value does not change.",
    ),
    Code(
        "OP004",
        "caution",
        "A column tells every row apart, as a name or number of the row does.",
        "Each row has a word of its own there, or the column counts the rows. A learner can learn "
        "nothing from it that holds for other items; where rows are sorted by class, a count "
        "gives the class away. Leave the column out of the file unless it was measured.",
    ),
    Code(
        "OP005",
        "caution",
        "Some predicted labels never occur among the true ones.",
        "No item of the test set has such a label, so these predictions count as wrong. That is "
        "right where the training set had a class that the test set lacks. Where labels are "
        "written in two ways, such as 'yes' and 'Yes', a learner is called wrong that was right: "
        "write them alike.",
    ),
    Code(
        "OP006",
        "caution",
        "Splits that lack a score of some learner were left out.",
        "A learner had no score there, so the split was left out for every learner, as "
        "drop_incomplete=True asks. If a learner fails where it would have scored badly, what is "
        "left flatters it. Designs of which splits are missing are judged by corrected_t alone. "
        "Run the missing splits where that is possible.",
    ),
    Code(
        "OP007",
        "caution",
        "Learners are scored on different scales.",
        "The typical score of a learner is more than 30 times that of the others, as percentages "
        "are beside fractions. If all are on one scale, nothing is wrong; if not, the differences "
        "mean nothing. Write all scores on one scale.",
    ),
    Code(
        "OP008",
        "caution",
        "The best candidate of a search was chosen by the scores that are judged.",
        "A search picks the candidate with the best mean, and that mean is too high for new data: "
        "the more candidates, the more. Comparisons of all candidates, adjusted as a family, stay "
        "valid, for they allow for any of them being the best. Picking the best one and comparing "
        "it with another model on the same scores is not valid. To judge a tuned model, run the "
        "search inside each training set: pass the search itself as a learner to compare.",
    ),
    # 1xx: data that cannot carry a test.
    Code(
        "OP101",
        "caution",
        "The two sides scored the same everywhere: p = 1.",
        "Every difference equals the hypothesised one, up to rounding. Nothing speaks against the "
        "null hypothesis. Check that two different learners were scored.",
    ),
    Code(
        "OP102",
        "warning",
        "The differences do not vary: no p-value.",
        "All differences are the same non-zero number up to rounding, so the estimated standard "
        "error is zero and the statistic infinite. Any p-value would be made up. More splits, "
        "larger test sets or per-item losses would give the test something to measure.",
    ),
    Code(  # D-24
        "OP103",
        "caution",
        "Fewer than 30 items in a test set.",
        "Dietterich asks for at least 30 points per test set, so that a difference of "
        "error rates is close to normal. Below that the p-value is rough.",
    ),
    Code(  # F-17
        "OP104",
        "info",
        "Few discordant items: the exact test is the safer one.",
        "With at most 10 items on which exactly one side is right, the chi-square approximation "
        "is poor. Ask for variant='exact', or variant='auto', which switches there.",
    ),
    # 2xx: what the papers say of the method.
    Code(  # D-22, D-55, N-22
        "OP201",
        "warning",
        "This test is discouraged: its Type I error rate is far above α.",
        "Random resamples share training and test items, so their differences are correlated and "
        "the plain variance is far too small; the more resamples, the more false positives. "
        "Use corrected_t on the same scores.",
    ),
    Code(
        "OP202",
        "warning",
        "Uncorrected t over repeated cross-validation: inflated Type I error.",
        "Repeats of cross-validation reuse the same items; treating the k·r differences as "
        "independent inflates Type I error. Use corrected_t on the same scores.",
    ),
    Code(  # D-23, D-55
        "OP203",
        "caution",
        "k-fold t: training sets overlap, Type I error may be elevated.",
        "Any two training sets of 10-fold cross-validation share 8/9 of their items. Dietterich "
        "measured up to twice the nominal Type I error with real learners; the test is powerful, "
        "and of use when missing a difference is the worse mistake.",
    ),
    Code(  # B-21, B-24
        "OP204",
        "warning",
        "Combining p-values of partitions is discouraged.",
        "The partitions share their data, so their p-values are not independent evidence: "
        "repeating the same p often enough makes it as small as you like. Use "
        "averaged_t.",
    ),
    Code(  # D-19, D-54, D-55
        "OP205",
        "warning",
        "This test of two proportions ignores the pairing.",
        "Both error rates come from the same test items. The plain test treats them as "
        "independent samples and ignores variation of the training set. Use "
        "mcnemar on the same table.",
    ),
    Code(
        "OP206",
        "caution",
        "Reference variant, kept for reproducing the papers.",
        "The method is here because a paper studied it. Its page says what was found and which "
        "method to use instead.",
    ),
    # 3xx: assumptions under strain.
    Code(  # D-53
        "OP301",
        "caution",
        "Error rates vary wildly between replications.",
        "5x2cv estimates one variance from five replications. When a learner's score itself jumps "
        "from one replication to the next, that estimate speaks for none of them. It is "
        "said where the mean score of a learner, a rate between 0 and 1, differs by more than 0.3 "
        "between two replications.",
    ),
    Code(  # D-24
        "OP302",
        "info",
        "The estimate and interval are centred on the first difference.",
        "The numerator of the 5x2cv t is the first of the ten differences, not their mean; the "
        "interval inverts the test and so is centred there. The mean of all differences is "
        "in details['mean_difference'].",
    ),
    Code(  # D-54
        "OP303",
        "caution",
        "Regions of poor performance differ, or error rates are near one half.",
        "The variance of the plain two-proportions test is most wrong when the two sides fail on "
        "different items and when error rates are near .5.",
    ),
    Code(  # D-11
        "OP304",
        "caution",
        "Each dataset counts as one exact number.",
        "Sign and signed-rank tests over datasets ignore how uncertain each comparison is; "
        "Dietterich calls question 9 open.",
    ),
    Code(  # F-08, E-F12
        "OP305",
        "caution",
        "The differences of some pairs vary more than others.",
        "The pooled interval gives every pair the same variance (sphericity). A "
        "check of the covariance matrix speaks against that here; simultaneous() needs no such "
        "assumption.",
    ),
    Code(  # B-06
        "OP306",
        "warning",
        "Some partitions have differences that do not vary.",
        "Their t is 0/0 or infinite. Where all folds are equal it counts as t = 0; a "
        "constant non-zero difference has no t, so the average has no p-value.",
    ),
    Code(  # B-17
        "OP307",
        "info",
        "More partitions are needed before the averaged verdict is secure.",
        "The mean of the t values is too near the threshold for its own spread over partitions.",
    ),
    Code(  # B-12, B-13, B-29
        "OP308",
        "caution",
        "The verdict depends on the partition.",
        "Single repeats, or partitions, judged on their own do not agree: with another seed one "
        "run of cross-validation would have said something else. It is said at "
        "the α that is asked, .05 unless another is. Never report one partition: all of "
        "them together are the answer, and robustness() counts what single ones say.",
    ),
    Code(  # F-13
        "OP309",
        "caution",
        "Losses of neighbouring items are correlated.",
        "In the order of the data, the difference of two learners on one item resembles that on "
        "the next: its lag-1 autocorrelation is larger than chance allows at the level .001 over "
        "the family. If the order is one of time or place, items are not independent: p-values "
        "are too small, intervals too narrow and random splits leak from neighbour to neighbour "
        "(diebold_mariano is a test for series). Use '5forward', which tests on later rows, or "
        "'10x10cv/grouped' with blocks as groups. If the items are merely sorted, nothing is "
        "wrong.",
    ),
    Code(  # D-08
        "OP310",
        "caution",
        "The learning curve is not smooth.",
        "From one training size to the next a score falls, or a difference turns back against its "
        "way from the smallest size to the largest, by more than chance allows: corrected "
        "one-sided t at the level .05, divided among all steps of all curves. Cross-validation "
        "trains on less than all the data, and its answer carries over only where scores change "
        "smoothly with the training size.",
    ),
    Code(  # D-06
        "OP311",
        "info",
        "A variance component was estimated below 0 and set to 0.",
        "Mean squares are compared to estimate how much training sets and test items vary. "
        "Where one of them varies little, chance can put its estimate below zero. The standard "
        "error is then built from the other parts, and is not made smaller by it.",
    ),
    Code(  # D-24, D-26
        "OP312",
        "caution",
        "Another number of replications of 2-fold cross-validation than five.",
        "The 5x2cv tests were proposed and studied with five replications. The formulas "
        "extend to r replications with r degrees of freedom, 2r and r for the F, but how "
        "often they err then was not studied. Use '5x2cv', or corrected_t on '10x10cv'.",
    ),
    Code(
        "OP313",
        "caution",
        "The splits follow no known design: how well the test holds is not known.",
        "The splits were given, and are neither cross-validation nor random splits of one size. "
        "The test was named in the call: corrected_t takes the splits for random ones with "
        "n_test / n_train of all of them together, resampled_t takes them for independent. Both "
        "are exact for neither; use design='10x10cv', or a splitter such as "
        "RepeatedStratifiedKFold.",
    ),
    Code(
        "OP314",
        "info",
        "The variance is taken apart: between splits, and between the seeds of a split.",
        "Every split was run with several seeds. A one-way analysis of variance of the differences "
        "says how much they vary from split to split and from seed to seed within a split. Where "
        "seeds vary most, more seeds for each split sharpen the estimate; where splits do, only "
        "more splits or data help.",
    ),
    Code(
        "OP315",
        "caution",
        "The rectangular window gave no positive variance: the Bartlett window was used.",
        "Diebold and Mariano's own estimate of the long-run variance adds up autocovariances and "
        "may come out negative. Bartlett's weights cannot; use weights='bartlett' to begin with.",
    ),
    Code(
        "OP320",
        "warning",
        "The learners change between half the data and all of it.",
        "The calibrated t-test measures the variance of a cross-validation between halves of the "
        "data and carries it over to all of them. Item losses differ more than 1.25 times as much "
        "on all data as on half of them, so the learners are in another regime there, and the "
        "variance may not carry over. The half-data result beside the verdict needs no such step: "
        "read that, or get more data.",
        lowers=True,
    ),
    Code(
        "OP321",
        "caution",
        "The noise of partitioning is as large as the variance between halves.",
        "What repeats average out is taken off the variance, which is kept from falling below a "
        "quarter. It would have fallen below: the estimate rests on that floor. More repeats and "
        "halvings measure both parts better. In the same store, only what is missing is run.",
        lowers=True,
    ),
    Code(
        "OP322",
        "caution",
        "Fewer than 60 items: the calibrated t-test was not measured there.",
        "Its error rate was measured on datasets of 60 to 600 items. With fewer, halves hold so "
        "few items that learners trained on them say little about those trained on all.",
        lowers=True,
    ),
    Code(
        "OP323",
        "info",
        "The metric is not a mean of item losses: the growth of differences is unknown.",
        "The calibrated t-test compares how far item losses differ on all data and on half of "
        "them, and widens its variance where they differ more. A metric such as the area under "
        "the curve or F1 has no loss for a single item, so the growth is taken to be 1.",
    ),
    # 4xx: what the result speaks of.
    Code(  # D-14
        "OP401",
        "info",
        "Speaks of the fitted models, not of the learning algorithms.",
        "One training set was used (or, with leave-one-out, nearly the same one), so the variation "
        "that another training set would bring is not in the p-value. To compare "
        "algorithms, use a design that trains again.",
    ),
    Code(
        "OP402",
        "info",
        "Interval and p-value use different formulas and may disagree.",
        "The interval comes from the companion named on the method's page, so near the threshold "
        "it may contain the null value though p < α, or the reverse.",
    ),
    Code(
        "OP403",
        "info",
        "There is no interval with this method.",
        "The statistic can only be too large, or combines p-values; it gives no interval. On 5x2cv "
        "use five_by_two_t on the same scores.",
    ),
    Code(
        "OP404",
        "info",
        "One pair of a family: its own p-value and interval, not adjusted.",
        "The comparison it was taken from adjusts for all its pairs; its table holds the adjusted "
        "p-value, which decides, and after a single-step adjustment the simultaneous interval.",
    ),
    Code(  # D-13, N-18
        "OP405",
        "caution",
        "No established method for this loss and design.",
        "Dietterich names intervals for the squared error of one fitted model on a separate test "
        "set and, by DELVE, of a learning algorithm with data enough for disjoint training sets; "
        "for small samples (his questions 2, 4, 6 and 8) none was established. What is "
        "given carries the correction made for resampled losses of any kind.",
    ),
    Code(
        "OP406",
        "info",
        "The metric is of a whole test set; losses of single items were judged.",
        "Tests of fitted models compare item by item, and a metric such as r2 has no value for one "
        "item. The estimate is the mean difference of the item losses named in the note, not of "
        "the metric that was asked for.",
    ),
    Code(
        "OP407",
        "info",
        "Applies to this split only: the seeds vary, the data do not.",
        "All scores come from one training set and one test set, and what varies is the random "
        "seed of the learners. The p-value holds that variation alone: with another split another "
        "learner may be better. To compare algorithms on data like these, use a design with many "
        "splits, such as '10x10cv'.",
    ),
    Code(
        "OP408",
        "info",
        "Applies to later rows of this series, tested by models that were trained on earlier ones.",
        "Every model was trained on rows before those it was tested on, and the losses of all test "
        "blocks, in their order, are one series. The p-value allows for correlated neighbours, but "
        "not for another series, nor for a change that the tested period does not hold.",
    ),
    # 5xx: how the scores were made.
    Code(
        "OP501",
        "caution",
        "Some training sets lack a class that is tested.",
        "A class so rare that a split can leave all of it on the test side. No learner can name a "
        "class it has not met: these items count as wrong, and for log loss the class has "
        "probability 0, clipped as scikit-learn does. A stratified design, such as "
        "'10cv/stratified', keeps classes even.",
    ),
    Code(
        "OP502",
        "caution",
        "Some training sets hold one class only.",
        "Many classifiers refuse to learn from one class; those cells are recorded as failed. Use "
        "a stratified design, fewer folds or more items.",
    ),
    Code(
        "OP503",
        "info",
        "Scored by squared error: r2 needs two items in every test set.",
        "Regressors are scored by r2 unless scoring is passed. With a single test item r2 is not "
        "defined, so neg_mean_squared_error was used instead.",
    ),
    Code(
        "OP504",
        "info",
        "random_state was drawn.",
        "No random_state was passed. The one that was drawn is kept with the scores: pass it to "
        "make the same splits and fits again, bit by bit.",
    ),
    Code(
        "OP505",
        "info",
        "A learner writes into what it is given.",
        "Rows are shared by all learners of a split and locked. A learner that fails because it "
        "cannot write into them is run again with a copy of its own; the others are not touched.",
    ),
    Code(
        "OP506",
        "info",
        "A learner of the store has changed.",
        "The store holds cells of a learner of this name with other parameters, code or library "
        "versions. They stay in the store and are not used: the learner is run anew, and what it "
        "scores now is what is compared. A change in a module that its code imports is not seen; "
        "after one, give the learner a new name or start a new store.",
    ),
    Code(
        "OP507",
        "info",
        "The time limit stops Python code only.",
        "Cells run in this process, where code that does not return to Python cannot be stopped. "
        "With isolate=True or n_jobs of at least 2 they run in processes that can be ended.",
    ),
    Code(
        "OP508",
        "caution",
        "Some training sets hold fewer than 10 items.",
        "Learners fitted to a handful of items say little about learners fitted to all of them, "
        "and some refuse. Use fewer folds, larger training sets or more data.",
    ),
    Code(
        "OP509",
        "info",
        "A splitter drew its splits with the run's random_state.",
        "A splitter that shuffles and has no random_state of its own draws from NumPy's global "
        "generator. That was seeded by the run's random_state, and given back as it was, so the "
        "same call with the same random_state gives the same splits. Set random_state in the "
        "splitter to get the splits that scikit-learn would make with it.",
    ),
    Code(
        "OP520",
        "caution",
        "Rows carry times, and the design shuffles them.",
        "A column of times, or the index, says that rows come one after the other. Random splits "
        "train on rows that are later than those they test, which a model in use cannot do, and "
        "neighbours in time end up on both sides: scores come out too good. '5forward' trains on "
        "earlier rows and tests on later ones. If the order means nothing, ignore this.",
    ),
    Code(
        "OP521",
        "caution",
        "Forward splits follow the order of the rows, but their times are not sorted.",
        "'5forward' and TimeSeriesSplit take rows in the order they are given. Where a column of "
        "times does not rise from row to row, later rows are trained on and earlier ones tested. "
        "Sort the rows by time before the run.",
    ),
)

NOTES: dict[str, Code] = {entry.code: entry for entry in _ALL}


def code(name: str) -> Code:
    """Return the entry of an OP code, or an error that names the near ones."""
    key = name.strip().upper()
    if key not in NOTES:
        raise MethodError(
            f"{name!r} is no OP code. The notes of a result name theirs, as in explain('OP201')"
        )
    return NOTES[key]


def register_note(entry: Code) -> Code:
    """Let the checks of a plug-in say a note of its own: `yield Note("MY101")`."""
    if NOTES.get(entry.code, entry) != entry or entry.code != entry.code.strip().upper():
        raise MethodError(
            f"The code of a note must be new and in capitals, got {entry.code!r}; use letters of "
            "your own, such as 'MY101'."
        )
    NOTES[entry.code] = entry
    return entry
