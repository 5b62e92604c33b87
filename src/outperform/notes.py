"""The OP codes: all notes that can accompany a result, each with its explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import MethodError, call
from .numerics.measured_sizes import size_range

Severity = Literal["info", "caution", "warning"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of note: its severity, one line, and an explanation.

    Attributes
    ----------
    code : str
        Such as "OP201".
    severity : {"info", "caution", "warning"}
        How much it matters.
    line : str
        One sentence, shown with a result.
    explanation : str
        What `outperform explain` prints.
    lowers : bool
        Whether the evidence is graded "assumed" at most.

    Examples
    --------
    >>> from outperform.extend import Code
    >>> Code("MY101", "caution", "Few splits.", "With few splits the estimate varies.").severity
    'caution'
    """

    code: str
    severity: Severity
    line: str
    explanation: str
    lowers: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A note on one result: a code, with the details of this result.

    Attributes
    ----------
    code : str
        Such as "OP201".
    detail : str
        A sentence instead of the line of the code.

    Examples
    --------
    >>> from outperform.extend import Note
    >>> Note("OP101").severity, Note("OP104", "Only 3 discordant items.").text
    ('caution', 'Only 3 discordant items.')
    """

    code: str
    detail: str = ""

    @property
    def severity(self) -> Severity:
        """The severity of the code: info, caution or warning."""
        return code(self.code).severity

    @property
    def lowers(self) -> bool:
        """Whether the evidence is graded "assumed" at most."""
        return code(self.code).lowers

    @property
    def text(self) -> str:
        """The sentence that is shown: the details of this result, or the line of the code."""
        return self.detail or code(self.code).line

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


_ALL = (
    # 0xx: how the input was read.
    Code(
        "OP001",
        "info",
        "The layout of the scores was inferred.",
        "Part of the input was not specified and had one plausible reading. The note says which; "
        "pass the argument it names to make the choice explicit.",
    ),
    Code(
        "OP002",
        "info",
        "Labelled scores were reordered to match by label.",
        "Scores, losses or predictions have an index with the same unique labels in a different "
        "order. They were aligned by label, not by position. Inputs whose labels differ are "
        "rejected, and so is the default index 0, 1, 2, … next to an index that permutes it. "
        "Items, targets and groups of a run are never reordered: they are paired by position.",
    ),
    Code(
        "OP004",
        "caution",
        "A column identifies every row, like a row name or a row number.",
        "The column has a different text value in every row, or it numbers the rows. Nothing a "
        "learner picks up from it generalizes to other items; if the rows are sorted by class, a "
        "row number reveals the class. Remove the column from the file unless it is a measurement.",
    ),
    Code(
        "OP005",
        "caution",
        "Some predicted labels never occur among the true labels.",
        "No item of the test set has such a label, so these predictions count as wrong. That is "
        "correct if the training set had a class that the test set lacks. If the same class is "
        "spelled in two ways, such as 'yes' and 'Yes', correct predictions are counted as wrong: "
        "use one spelling.",
    ),
    Code(
        "OP006",
        "caution",
        "Splits without a score for every learner were dropped.",
        "A learner had no score on a split, so the split was dropped for every learner, as "
        "drop_incomplete requests. If a learner fails where it would have scored badly, the "
        "remaining scores are too favourable to it. With splits missing from a design, only "
        "corrected_t is available. Run the missing splits if possible.",
    ),
    Code(
        "OP007",
        "caution",
        "Learners appear to be scored on different scales.",
        "The typical score of one learner is more than 30 times that of the others, as with "
        "percentages next to fractions. If all scores are on the same scale, ignore this note; if "
        "not, the differences are meaningless. Convert all scores to one scale.",
    ),
    Code(
        "OP008",
        "caution",
        "The best candidate of a search was selected on the same scores that are compared.",
        "A search selects the candidate with the best mean, and that mean is too optimistic for "
        "new data, more so with more candidates. Comparisons of all candidates, adjusted as a "
        "family, remain valid, because they allow for any of them being the best. Selecting the "
        "best one and comparing it with another model on the same scores is not valid. To "
        "evaluate a tuned model, run the search inside each training set: pass the search itself "
        "as a learner to compare.",
    ),
    Code(
        "OP009",
        "caution",
        "Each pair was judged on the datasets that both learners have.",
        "Some learners have no score on some datasets, and missing='pairwise' was requested. Pairs "
        "are then judged on different numbers of datasets, shown with each pair, and on different "
        "datasets: three pairs may contradict each other, and means over datasets are not "
        "comparable. If learners fail on hard datasets, their remaining scores are too favourable. "
        "Mean ranks and the Friedman test use complete datasets only.",
    ),
    Code(
        "OP010",
        "caution",
        "Datasets without a score for every learner were left out.",
        "missing='complete' keeps only the datasets on which every learner was measured. If a "
        "learner fails where it would have scored badly, the remaining datasets are too favourable "
        "to it, and the result applies to datasets on which all learners can be run.",
    ),
    Code(
        "OP011",
        "info",
        "Datasets of one family count as one.",
        "Datasets derived from the same source, or versions of one problem, are not independent "
        "evidence. The score of a family is the mean over its datasets, and the test counts "
        "families. Remove the column of families to count every dataset.",
    ),
    Code(
        "OP012",
        "caution",
        "Some datasets have the same scores for every learner.",
        "Two datasets agree in every column although learners differ there. That is likely if a "
        "row was copied or one dataset is listed under two names, and then it counts twice. Remove "
        "one of them if it is the same data.",
    ),
    Code(
        "OP013",
        "caution",
        "A learner has the same score on every dataset.",
        "A column that never varies may not hold scores: a number of classes, a constant baseline, "
        "a default that was never replaced. It was named as a learner, so it is compared. Check "
        "the column.",
    ),
    # 1xx: data that cannot carry a test.
    Code(
        "OP101",
        "caution",
        "All differences equal the null value: p = 1.",
        "Up to rounding, every difference equals the hypothesized one; with the null value 0, both "
        "sides have identical scores. There is no evidence against the null hypothesis. Check that "
        "two different learners were scored.",
    ),
    Code(
        "OP102",
        "warning",
        "The differences are constant: no p-value.",
        "All differences are the same non-zero number up to rounding, so the estimated standard "
        "error is zero and the statistic is infinite. Any p-value would be arbitrary. Use more "
        "splits, larger test sets or per-item losses.",
    ),
    Code(  # D-24
        "OP103",
        "caution",
        "A test set has fewer than 30 items.",
        "Dietterich (1998) recommends at least 30 items per test set, so that a difference of "
        "error rates is approximately normal. With fewer, the p-value is only approximate.",
    ),
    Code(  # F-17
        "OP104",
        "info",
        "Few discordant items: the exact test is more reliable.",
        "With at most 10 items on which exactly one side is right, the chi-square approximation is "
        "poor. Use the 'exact' variant, or 'auto', which switches to it in this case.",
    ),
    # 2xx: what the papers say of the method.
    Code(  # D-22, D-55, N-22
        "OP201",
        "warning",
        "This test is discouraged: its Type I error rate is far above α.",
        "Random resamples share training and test items, so their differences are correlated and "
        "the naive variance estimate is far too small; the more resamples, the more false "
        "positives. Use corrected_t on the same scores.",
    ),
    Code(
        "OP202",
        "warning",
        "Uncorrected t-test over repeated cross-validation: inflated Type I error.",
        "Repeats of cross-validation reuse the same items; treating the k·r differences as "
        "independent inflates the Type I error. Use corrected_t on the same scores.",
    ),
    Code(  # D-23, D-55
        "OP203",
        "caution",
        "k-fold t-test: training sets overlap, so the Type I error may be elevated.",
        "Any two training sets of 10-fold cross-validation share 8/9 of their items. Dietterich "
        "(1998) measured up to twice the nominal Type I error with real learners. The test is "
        "powerful, and is useful when missing a difference is the more costly mistake.",
    ),
    Code(  # B-21, B-24
        "OP204",
        "warning",
        "Combining p-values of partitions is discouraged.",
        "The partitions share their data, so their p-values are not independent evidence: "
        "repeating the same p-value often enough makes the combined one arbitrarily small. Use "
        "averaged_t.",
    ),
    Code(  # D-19, D-54, D-55
        "OP205",
        "warning",
        "This test of two proportions ignores the pairing.",
        "Both error rates come from the same test items. This test treats them as independent "
        "samples, and it ignores the variation due to the training set. Use mcnemar on the same "
        "table.",
    ),
    Code(
        "OP206",
        "caution",
        "Reference variant, kept for reproducing the papers.",
        "The method is included because a paper examined it. Its page reports the findings and the "
        "method to use instead.",
    ),
    # 3xx: assumptions under strain.
    Code(  # D-53
        "OP301",
        "caution",
        "Error rates vary strongly between replications.",
        "5x2cv estimates one variance from five replications. When the score of a learner itself "
        "varies strongly between replications, that estimate represents none of them. The note "
        "appears if the mean score of a learner, a rate between 0 and 1, differs by more than 0.3 "
        "between two replications.",
    ),
    Code(  # D-24
        "OP302",
        "info",
        "The estimate and interval are centred on the first difference.",
        "The numerator of the 5x2cv t statistic is the first of the ten differences, not their "
        "mean; the interval inverts the test and is therefore centred there. The mean of all "
        "differences is in details['mean_difference'].",
    ),
    Code(  # D-54
        "OP303",
        "caution",
        "The two sides fail on different items, or error rates are near one half.",
        "The variance estimate of the test of two proportions is least accurate when the two sides "
        "fail on different items and when error rates are near 0.5.",
    ),
    Code(  # D-11
        "OP304",
        "caution",
        "Each dataset is treated as one exact number.",
        "Sign and signed-rank tests over datasets ignore the uncertainty of each comparison. "
        "Dietterich (1998) calls the comparison of algorithms over several domains (question 9) an "
        "open problem.",
    ),
    Code(  # F-08, E-F12
        "OP305",
        "caution",
        "The variance of the differences is not the same for all pairs.",
        "The pooled interval assumes the same variance for every pair (sphericity). A check of the "
        "covariance matrix rejects that assumption here; simultaneous() does not need it.",
    ),
    Code(  # B-06
        "OP306",
        "warning",
        "Some partitions have constant differences.",
        "Their t is 0/0 or infinite. If all folds are equal, it counts as t = 0; a constant "
        "non-zero difference has no t, so the average has no p-value.",
    ),
    Code(  # B-17
        "OP307",
        "info",
        "More partitions are needed for a stable averaged verdict.",
        "The mean of the t values is too close to the critical value, given its variation over "
        "partitions.",
    ),
    Code(  # B-12, B-13, B-29
        "OP308",
        "caution",
        "The verdict depends on the partition.",
        "Single repeats or partitions, tested alone, do not agree: with another seed, one run of "
        "cross-validation would have given a different verdict. The note is evaluated at the "
        "requested α (0.05 by default). Never report a single partition: the verdict is that of "
        "all of them together, and robustness() counts the verdicts of single ones.",
    ),
    Code(  # F-13
        "OP309",
        "caution",
        "Losses of adjacent items are correlated.",
        "In the order of the data, the difference between two learners on one item resembles the "
        "difference on the next: its lag-1 autocorrelation is significant at level 0.001 over the "
        "family. If the order is one of time or space, the items are not independent: p-values are "
        "too small, intervals are too narrow, and random splits leak information between "
        "neighbours (diebold_mariano is a test for time series). Use '5forward', which tests on "
        "later rows, or '10x10cv/grouped' with blocks as groups. If the items are merely sorted, "
        "ignore this note.",
    ),
    Code(  # D-08
        "OP310",
        "caution",
        "The learning curve is not smooth.",
        "Between two consecutive training sizes, a score falls, or a difference moves against its "
        "overall trend from the smallest size to the largest, by more than chance explains: "
        "corrected one-sided t-test at level 0.05, divided among all steps of all curves. "
        "Cross-validation trains on less than all the data, and its result carries over only if "
        "scores change smoothly with the training size.",
    ),
    Code(  # D-06
        "OP311",
        "info",
        "A negative variance component estimate was set to 0.",
        "Variance components of training sets and test items are estimated by comparing mean "
        "squares. If one of them varies little, its estimate can be negative by chance. The "
        "standard error then uses the remaining components, and the negative estimate does not "
        "reduce it.",
    ),
    Code(  # D-24, D-26
        "OP312",
        "caution",
        "The number of replications of 2-fold cross-validation is not five.",
        "The 5x2cv tests were proposed and evaluated with five replications. The formulas extend "
        "to r replications with r degrees of freedom (2r and r for the F-test), but their error "
        "rates were not examined. Use '5x2cv', or corrected_t on '10x10cv'.",
    ),
    Code(
        "OP313",
        "caution",
        "The splits follow no known design: the validity of the test is unknown.",
        "The splits were supplied by the caller, and are neither cross-validation nor random "
        "splits of one size. The test was chosen in the call: corrected_t treats the splits as "
        "random ones with the overall n_test / n_train, resampled_t treats them as independent. "
        "Neither is exact for such splits. Use the design '10x10cv', or a splitter such as "
        "RepeatedStratifiedKFold.",
    ),
    Code(
        "OP314",
        "info",
        "The variance has two components: between splits, and between seeds within a split.",
        "Every split was run with several seeds. A one-way analysis of variance of the "
        "differences estimates how much they vary between splits and between seeds within a "
        "split. If most of the variance is between seeds, more seeds per split make the estimate "
        "more precise; if it is between splits, only more splits or more data help.",
    ),
    Code(
        "OP315",
        "info",
        "The correlation of splits is assumed; these scores cannot check it.",
        "The corrected t-test assumes that the correlation between two splits is n_test / n. It is "
        "higher for feature selection, stumps and nearest neighbours. In our measurements the test "
        f"rejected {size_range('corrected_t')} of true null hypotheses at 5 %, depending on "
        "learners, data and design. The stress p-value is that of the same test with four times "
        "its variance: a test that understates its variance by so much rejects about a third of "
        "true null hypotheses. A run of 5x5cv+20halves measures the correlation instead.",
    ),
    Code(
        "OP316",
        "caution",
        "The verdict would not survive the correlation found for some learners.",
        "p is below α, but the stress p-value is not. The stress p-value is that of the same test "
        "with four times its variance. A run of 5x5cv+20halves on the same learners and data would "
        "settle it.",
    ),
    Code(
        "OP318",
        "caution",
        "Fewer than 20 items of the smaller class: the p-value is only approximate.",
        "An area under the ROC curve rests on the items of the smaller class, however many there "
        "are of the other. DeLong's standard error is estimated from them, and with few is often "
        "too small; Student's t on one less than their number allows for most of that. Measure "
        "more items of the smaller class.",
    ),
    Code(
        "OP319",
        "caution",
        "The first difference and the mean of all differ in sign: no decision.",
        "The statistic of the 5x2cv t-test is the first of its differences, whichever that is. "
        "Where the mean of all of them lies on the other side, a verdict for the learner that won "
        "the first would contradict the scores, so there is none, whatever p is. corrected_t "
        "judges the mean of the same scores.",
    ),
    Code(
        "OP360",
        "info",
        "Items come in clusters; ignoring them gives a different standard error.",
        "Items of one cluster, such as the questions of a subject, tend to be right or wrong "
        "together, so they carry less information than the same number of independent items. The "
        "note compares the cluster-robust standard error with that of independent items.",
    ),
    Code(
        "OP361",
        "caution",
        "Few clusters: the t distribution is a rough approximation.",
        "With fewer than 8 degrees of freedom the variance between clusters is poorly estimated, "
        "and the interval depends on it. An exact test over clusters needs no variance: "
        "cluster_sign_flip.",
    ),
    Code(
        "OP362",
        "info",
        "Exact sign-flip test over the clusters, as a check.",
        "With at most 20 clusters all sign vectors can be counted. The test assumes only that a "
        "cluster is as likely to favour one side as the other; with fewer than 6 clusters it "
        "cannot reach p < 0.05.",
    ),
    Code(
        "OP363",
        "info",
        "How much of the variance lies between items, and how much between samples of an item.",
        "Every item was answered several times. If most of the variance comes from the samples, "
        "more samples per item make the estimate more precise; if it lies between items, only "
        "more items help.",
    ),
    Code(
        "OP364",
        "info",
        "The estimated variance between items is negative; it counts as 0 where it is needed.",
        "The samples of an item vary more than the items' mean differences can explain, which "
        "happens by chance where items hardly differ. For new items the standard error comes from "
        "the mean differences themselves and needs no such estimate; for plans, and for n of N "
        "items in all, the component counts as 0.",
    ),
    Code(
        "OP365",
        "info",
        "How much of the variance comes from items, and how much from prompts or seeds.",
        "Every item was answered under the same conditions. The verdict applies to new items and "
        "new conditions. If most of the variance comes from the conditions, only more conditions "
        "help, not more items.",
    ),
    Code(
        "OP366",
        "caution",
        "One sample of each item: its answer is taken to be fixed.",
        "For n of N items in all, the standard error leaves out how the answers to an item vary "
        "from sample to sample, which cannot be estimated from one sample. If a model answers "
        "differently each time, answer each item several times.",
    ),
    Code(
        "OP320",
        "warning",
        "The learners change between half the data and all of it.",
        "The calibrated t-test measures the variance of a cross-validation between halves of the "
        "data and carries it over to all of them. Item losses differ more than 1.25 times as much "
        "on all data as on half of them, so the learners behave differently there, and the "
        "variance may not carry over. The half-data result next to the verdict does not need this "
        "step: use it, or collect more data.",
        lowers=True,
    ),
    Code(
        "OP321",
        "caution",
        "The noise of partitioning is as large as the variance between halves.",
        "The part of the variance that repeats average out is subtracted, but at least a quarter "
        "of the variance is kept. That lower limit was reached here. More repeats and halvings "
        "estimate both parts more precisely; in the same store, only missing fits are run.",
        lowers=True,
    ),
    Code(
        "OP322",
        "caution",
        "Fewer than 60 items: the error rate of the calibrated t-test was not measured there.",
        "Its error rate was measured on datasets of 60 to 600 items. With fewer, halves have so "
        "few items that learners trained on them say little about learners trained on all data.",
        lowers=True,
    ),
    Code(
        "OP323",
        "info",
        "Item losses are not available: the growth of differences is assumed to be 1.",
        "The calibrated t-test compares how far item losses differ on all data and on half of "
        "them, and widens its variance where they differ more. A metric such as the area under the "
        "curve or F1 has no item losses, so that is not checked.",
    ),
    Code(
        "OP324",
        "caution",
        "These scores come without item losses: whether the variance measured on halves applies to "
        "all data is not checked. Compare the store of the run, which keeps them.",
        "The calibrated t-test compares how far item losses differ on all data and on half of "
        "them, and widens its variance where they differ more. The metric has item losses, or is "
        "not named, but a file or a report has scores only. The growth of differences is taken to "
        "be 1, and the evidence is graded assumed. Compare the store of the run instead. Where the "
        "metric has no item losses, as the area under the curve, name it in a column 'metric'.",
        lowers=True,
    ),
    Code(
        "OP325",
        "warning",
        "The halves of the data do not vary: no p-value.",
        "The variance is measured between disjoint halves of the data, and in every halving both "
        "gave the same difference, so the standard error is zero. Learners that need more items "
        "than half of the data to learn anything cause that. Collect more data.",
        lowers=True,
    ),
    Code(
        "OP326",
        "caution",
        "The verdict assumes that luck with the dataset shrinks as items are added.",
        "A cross-validation varies because its items are a sample, which halves with twice the "
        "items, and because learners are lucky or unlucky with the whole dataset, which need not. "
        "The calibrated t-test measures both between halves of the data and carries them over as "
        "if both halved; trees pruned by a fixed cost are learners whose luck does not shrink. "
        "The stress p-value is that of the same test if none of the luck shrank. p is below α and "
        "the stress p-value is not, so the evidence is graded assumed; no more fits of the same "
        "items can settle it, but more items can.",
        lowers=True,
    ),
    Code(
        "OP330",
        "caution",
        "Mean ranks depend on all learners: the verdict on two may change if others are added.",
        "The difference of two mean ranks, and so Nemenyi's or Bonferroni and Dunn's verdict on "
        "two learners, depends on how the other learners of the table rank (Benavoli, Corani & "
        "Mangili, 2016). The signed-rank test of a pair uses only the scores of these two. "
        "Mean-rank tests are kept to reproduce papers.",
    ),
    Code(
        "OP331",
        "info",
        "Friedman's test and that of Iman and Davenport on the same table.",
        "Both ask whether any learners differ at all. A post-hoc test does not need them: its own "
        "p-values are adjusted for all pairs.",
    ),
    Code(
        "OP340",
        "warning",
        "So few datasets differ that no significant difference at α = 0.05 is possible.",
        "With n datasets that differ, signs or signed ranks have 2ⁿ equally likely outcomes, and "
        "the smallest two-sided p-value is 2/2ⁿ: 0.125 for 4 datasets, 0.0625 for 5, 0.03125 for "
        "6. Adjusting for several pairs needs more. Measure more datasets, or compare learners on "
        "each dataset.",
    ),
    Code(
        "OP341",
        "info",
        "Some datasets are tied; the note says how they were treated.",
        "Wilcoxon dropped pairs without a difference before ranking. Pratt (1959) ranks them "
        "first and then drops them, so that small differences next to many ties do not get a "
        "large weight; this is the default. Demšar (2006) gives half of their ranks to each side.",
    ),
    Code(
        "OP342",
        "info",
        "More than 100 datasets differ: the p-value is a normal approximation, not exact.",
        "For up to 100 datasets the signed-rank test counts all outcomes. For more, a normal "
        "approximation is used, with the variance of the tied ranks. At 101 datasets without ties "
        "its p-value is within 1 % of the exact one near 0.05, and too large by 4 % near 0.01 and "
        "14 % near 0.001, so it is conservative; with more datasets the error is smaller.",
    ),
    Code(
        "OP343",
        "info",
        "p-values are adjusted by Shaffer's method; there are too many learners for Bergmann and "
        "Hommel's.",
        "Over datasets all pairs are adjusted by Bergmann and Hommel's method, which rejects at "
        "least as much as Shaffer's static method, and that at least as much as Holm's. Its cost "
        "grows as 3 to the number of learners, so it is used for up to 13.",
    ),
    Code(
        "OP344",
        "info",
        "Simultaneous intervals over datasets; the note gives their width in standard errors.",
        "All intervals use one critical value: the upper quantile of the largest |t| of all pairs, "
        "drawn by a multiplier bootstrap over datasets. With fewer than 20 datasets it is that of "
        "Bonferroni's t. The draws depend only on the seed; the Monte Carlo error says how far the "
        "quantile would move with other draws.",
    ),
    Code(
        "OP345",
        "info",
        "Posterior probabilities, not p-values: a verdict needs more than 1 − α.",
        "The method gives the posterior probabilities that the first learner is better, "
        "equivalent or worse, for a prior that its page states. A verdict needs a probability "
        "above 1 − α. This is not a significance test: the rate of false verdicts is not "
        "controlled, and probabilities of several pairs are not adjusted for each other. Pass a "
        "region of equivalence (rope) to allow for the verdict equivalent.",
    ),
    Code(
        "OP346",
        "info",
        "Probabilities on the next dataset, not p-values: a verdict needs more than 1 − α.",
        "The hierarchical model of Corani et al. (2017) gives the probabilities that the first "
        "learner is better, equivalent or worse on a new dataset of the same kind, from the splits "
        "of each dataset. They depend on priors, which the page of the method states; the result "
        "reports how much they change with another prior. They are not adjusted for several pairs. "
        "The correlation between splits is taken to be the share of the data used for testing, "
        "unless the calibrated design measured their variance.",
    ),
    Code(
        "OP347",
        "warning",
        "So few datasets that no pair can differ significantly after adjustment.",
        "With n datasets the smallest two-sided p-value of a pair is 2/2ⁿ. Adjusting for m pairs "
        "multiplies the smallest p-value by m, so verdicts at α = 0.05 need 2m/2ⁿ < 0.05: 7 "
        "datasets for 3 pairs, 9 for 10, 11 for 45. Measure more datasets, or compare with a "
        "control, which leaves fewer pairs.",
    ),
    Code(
        "OP369",
        "caution",
        "Items come in clusters, which this method ignores.",
        "Items of one cluster, such as the questions of a subject, tend to be right or wrong "
        "together. A method that treats them as independent overstates its precision: its "
        "standard error can be half of what it should be. The default method for items in "
        "clusters accounts for them.",
    ),
    # 4xx: what the result applies to.
    Code(  # D-14
        "OP401",
        "info",
        "Applies to the fitted models, not to the learning algorithms.",
        "One training set was used (or, with leave-one-out, nearly the same one), so the p-value "
        "does not include the variation between training sets. To compare algorithms, use a design "
        "that trains more than once.",
    ),
    Code(
        "OP402",
        "info",
        "Interval and p-value use different formulas and may disagree.",
        "The interval comes from the companion method named on the method's page. Near the "
        "threshold it may contain the null value although p < α, or exclude it although p ≥ α.",
    ),
    Code(
        "OP403",
        "info",
        "This method has no interval.",
        "The statistic has no direction, or it combines p-values, so there is no interval. For "
        "5x2cv, use five_by_two_t on the same scores.",
    ),
    Code(
        "OP404",
        "info",
        "One pair of a family: p-value and interval are not adjusted.",
        "The comparison that contains this pair adjusts for all its pairs. Its table has the "
        "adjusted p-value, which decides, and after a single-step adjustment the simultaneous "
        "interval.",
    ),
    Code(  # D-13, N-18
        "OP405",
        "caution",
        "No established method for this loss and design.",
        "Dietterich (1998) names intervals for the squared error of one fitted model on a separate "
        "test set and, following DELVE, of a learning algorithm with enough data for disjoint "
        "training sets; for small samples (his questions 2, 4, 6 and 8) no method was established. "
        "The result shown uses the correction for resampled losses of any kind (Nadeau and Bengio, "
        "2003).",
    ),
    Code(
        "OP406",
        "info",
        "The metric is defined on a whole test set; item losses were compared instead.",
        "Tests of fitted models compare item by item, and a metric such as r2 has no value for a "
        "single item. The estimate is the mean difference of the item losses named in the note, "
        "not of the requested metric.",
    ),
    Code(
        "OP407",
        "info",
        "Applies to this split only: the seeds vary, the data do not.",
        "All scores come from one training set and one test set; only the random seed of the "
        "learners varies. The p-value includes that variation only: on another split, another "
        "learner may be better. To compare algorithms on data like these, use a design with many "
        "splits, such as '10x10cv'.",
    ),
    Code(
        "OP408",
        "info",
        "Applies to later rows of this series, predicted by models trained on earlier rows.",
        "Every model was trained on rows before those it was tested on, and the losses of all "
        "test blocks, in order, form one series. The p-value allows for correlation between "
        "neighbours, but not for another series, nor for a change that does not occur in the "
        "tested period.",
    ),
    # 5xx: how the scores were made.
    Code(
        "OP501",
        "caution",
        "Some training sets lack a class that occurs in their test set.",
        "A class is so rare that a split can put all of its items into the test set. No learner "
        "can predict a class it was not trained on: these items count as wrong, and for log loss "
        "the class has probability 0, clipped as in scikit-learn. A stratified design, such as "
        "'10cv/stratified', balances the classes.",
    ),
    Code(
        "OP502",
        "caution",
        "Some training sets contain a single class.",
        "Many classifiers cannot be fitted to a single class; such fits are recorded as failed. "
        "Use a stratified design, fewer folds or more items.",
    ),
    Code(
        "OP503",
        "info",
        "Scored by squared error: r2 needs at least two items in every test set.",
        "Regressors are scored by r2 by default. With a single test item r2 is undefined, so "
        "neg_mean_squared_error was used instead.",
    ),
    Code(
        "OP504",
        "info",
        "A random_state was generated.",
        "No random_state was passed. The generated one is stored with the scores; pass it to "
        "reproduce the same splits and fits bit for bit.",
    ),
    Code(
        "OP505",
        "info",
        "A learner modifies its input arrays.",
        "All learners of a split share read-only rows. A learner that fails because it cannot "
        "write to them is run again with its own copy; the other learners are not affected.",
    ),
    Code(
        "OP506",
        "info",
        "A learner in the store has changed.",
        "The store contains fits of a learner of this name with different parameters, code or "
        "library versions. They remain in the store and are not used: the learner is rerun, and "
        "its new scores are compared.",
    ),
    Code(
        "OP507",
        "info",
        "The time limit can interrupt Python code only.",
        "Fits run in this process, where code that does not return to Python cannot be "
        "interrupted. With isolation, or with at least 2 parallel jobs, fits run in processes that "
        "can be terminated.",
    ),
    Code(
        "OP508",
        "caution",
        "Some training sets have fewer than 10 items.",
        "Learners fitted to a handful of items say little about learners fitted to all of them, "
        "and some learners cannot be fitted at all. Use fewer folds, larger training sets or more "
        "data.",
    ),
    Code(
        "OP509",
        "info",
        "The splitter used the random_state of the run.",
        "A splitter that shuffles and has no random_state of its own draws from NumPy's global "
        "generator. The run seeded that generator with its random_state and restored it "
        "afterwards, so the same call with the same random_state gives the same splits. Set "
        "random_state in the splitter to get the splits that scikit-learn would make with it.",
    ),
    Code(
        "OP510",
        "caution",
        "Learners in the store were fitted with different library versions.",
        "A library can change what the same learner predicts, so the difference may be one between "
        "versions. Run all learners again with the same store: those whose libraries have changed "
        "are fitted anew.",
    ),
    Code(
        "OP511",
        "caution",
        "A learner is fitted without a parameter that others take.",
        "With scikit-learn's metadata routing enabled each learner takes what it requests. A "
        "learner fitted without weights is then compared with one fitted with them; "
        "set_fit_request(sample_weight=True) requests them where a learner can take them.",
    ),
    Code(
        "OP520",
        "caution",
        "Rows have times, and the design shuffles them.",
        "A column of times, or the index, indicates that the rows are ordered in time. Random "
        "splits train on rows later than those they test, which is impossible in practice, and "
        "put neighbours in time on both sides: scores are too optimistic. '5forward' trains on "
        "earlier rows and tests on later ones. If the order has no meaning, ignore this note.",
    ),
    Code(
        "OP521",
        "caution",
        "Forward splits follow the order of the rows, but their times are not sorted.",
        "'5forward' and TimeSeriesSplit use the rows in the given order. If a column of times "
        "does not increase from row to row, the models are trained on later rows and tested on "
        "earlier ones. Sort the rows by time before the run.",
    ),
)

NOTES: dict[str, Code] = {entry.code: entry for entry in _ALL}


def code(name: str) -> Code:
    """Return the entry of an OP code."""
    key = name.strip().upper()
    if key not in NOTES:
        raise MethodError(
            f"Unknown note code {name!r}. Codes appear in the notes of a result, e.g. "
            f"{call('explain', 'OP201')}"
        )
    return NOTES[key]


def register_note(entry: Code) -> Code:
    """Register a note of a plug-in, so that its checks can yield it.

    Parameters
    ----------
    entry : Code
        The code with its texts; the code must be new and in upper case.

    Returns
    -------
    Code
        The same.

    Examples
    --------
    >>> from outperform.extend import Code, Note, register_note
    >>> made = register_note(Code("MY001", "info", "An example.", "It shows how a note is added."))
    >>> Note("MY001").text
    'An example.'
    """
    if NOTES.get(entry.code, entry) != entry or entry.code != entry.code.strip().upper():
        raise MethodError(
            f"The code of a note must be new and in upper case, got {entry.code!r}. Use your own "
            "letters, such as 'MY101'."
        )
    NOTES[entry.code] = entry
    return entry
