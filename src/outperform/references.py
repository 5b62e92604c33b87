"""The papers behind the methods: how they are named, and their BibTeX entries."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import MethodError, did_you_mean

PAPERS = {
    "dietterich": "Dietterich (1998), Approximate statistical tests for comparing supervised "
    "classification learning algorithms",
    "bradford-brodley": "Bradford & Brodley (2001), The effect of instance-space partition on "
    "significance",
    "bouckaert-frank": "Bouckaert & Frank (2004), Evaluating the replicability of significance "
    "tests for comparing learning algorithms",
    "nadeau-bengio": "Nadeau & Bengio (2003), Inference for the generalization error",
    "feelders-verkooijen": "Feelders & Verkooijen (1995), Which method learns most from the data?",
    "alpaydin": "Alpaydin (1999), Combined 5x2 cv F test for comparing supervised classification "
    "learning algorithms",
    "cochran": "Cochran (1950), The comparison of percentages in matched samples",
    "mauchly": "Mauchly (1940), Significance test for sphericity of a normal n-variate "
    "distribution",
    "mcnemar": "McNemar (1947), Note on the sampling error of the difference between correlated "
    "proportions or percentages",
    "tango": "Tango (1998), Equivalence test and confidence interval for the difference in "
    "proportions for the paired-sample design",
    "delong": "DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more "
    "correlated receiver operating characteristic curves",
    "wilcoxon": "Wilcoxon (1945), Individual comparisons by ranking methods",
    "hodges-lehmann": "Hodges & Lehmann (1963), Estimates of location based on rank tests",
    "holm": "Holm (1979), A simple sequentially rejective multiple test procedure",
    "hochberg": "Hochberg (1988), A sharper Bonferroni procedure for multiple tests of "
    "significance",
    "benjamini-hochberg": "Benjamini & Hochberg (1995), Controlling the false discovery rate",
    "outperform": "outperform (2026), The calibrated test: measuring how splits correlate",
    "dunn": "Dunn (1961), Multiple comparisons among means",
    "diebold-mariano": "Diebold & Mariano (1995), Comparing predictive accuracy",
    "lazarus-lewis-stock-watson": "Lazarus, Lewis, Stock & Watson (2018), HAR inference: "
    "recommendations for practice",
    "hommel": "Hommel (1988), A stagewise rejective multiple test procedure based on a modified "
    "Bonferroni test",
    "shaffer": "Shaffer (1986), Modified sequentially rejective multiple test procedures",
    "bergmann-hommel": "Bergmann & Hommel (1988), Improvements of general multiple test procedures "
    "for redundant systems of hypotheses",
    "pratt": "Pratt (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures",
    "bell-mccaffrey": "Bell & McCaffrey (2002), Bias reduction in standard errors for linear "
    "regression with multi-stage samples",
    "pustejovsky-tipton": "Pustejovsky & Tipton (2018), Small-sample methods for cluster-robust "
    "variance estimation and hypothesis testing in fixed effects models",
    "fagerland": "Fagerland, Lydersen & Laake (2013), The McNemar test for binary matched-pairs "
    "data: mid-p and asymptotic are better than exact conditional",
    "newcombe": "Newcombe (1998), Improved confidence intervals for the difference between "
    "binomial proportions based on paired data",
    "bonett-price": "Bonett & Price (2012), Adjusted Wald confidence interval for a difference of "
    "binomial proportions based on paired data",
    "fisher": "Fisher (1935), The design of experiments",
    "miller": "Miller (2024), Adding error bars to evals: a statistical approach to language model "
    "evaluations",
    "efron": "Efron (1987), Better bootstrap confidence intervals",
    "bradley-terry": "Bradley & Terry (1952), Rank analysis of incomplete block designs: I. The "
    "method of paired comparisons",
    "waudby-smith-ramdas": "Waudby-Smith & Ramdas (2024), Estimating means of bounded random "
    "variables by betting",
    "welch": "Welch (1947), The generalization of 'Student's' problem when several different "
    "population variances are involved",
    "friedman": "Friedman (1937), The use of ranks to avoid the assumption of normality implicit "
    "in the analysis of variance",
    "iman-davenport": "Iman & Davenport (1980), Approximations of the critical region of the "
    "Friedman statistic",
    "nemenyi": "Nemenyi (1963), Distribution-free multiple comparisons",
    "demsar": "Demšar (2006), Statistical comparisons of classifiers over multiple data sets",
    "garcia-herrera": "García & Herrera (2008), An extension on 'Statistical comparisons of "
    "classifiers over multiple data sets' for all pairwise comparisons",
    "benavoli-ranks": "Benavoli, Corani & Mangili (2016), Should we really use post-hoc tests "
    "based on mean-ranks?",
    "benavoli-signed-rank": "Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian "
    "Wilcoxon signed-rank test based on the Dirichlet process",
    "benavoli-tutorial": "Benavoli, Corani, Demšar & Zaffalon (2017), Time for a change: a "
    "tutorial for comparing multiple classifiers through Bayesian analysis",
    "corani": "Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Statistical comparison of "
    "classifiers through Bayesian hierarchical modelling",
    "mogstad": "Mogstad, Romano, Shaikh & Wilhelm (2024), Inference for ranks with applications "
    "to mobility across neighbourhoods and academic achievement across countries",
    "chernozhukov": "Chernozhukov, Chetverikov & Kato (2013), Gaussian approximations and "
    "multiplier bootstrap for maxima of sums of high-dimensional random vectors",
}

ADJUSTMENT_PAPERS = {
    "hommel": "hommel",
    "shaffer": "shaffer",
    "bergmann-hommel": "bergmann-hommel",
    "holm": "holm",
    "hochberg": "hochberg",
    "benjamini-hochberg": "benjamini-hochberg",
    "bonferroni": "dunn",
    "single-step": "dunn",
    "studentized maximum modulus": "feelders-verkooijen",
    "studentized range": "feelders-verkooijen",
    "nemenyi": "nemenyi",
    "max-t": "chernozhukov",
}

ALSO = {
    "corrected_t": ("bouckaert-frank",),
    "calibrated_t": ("nadeau-bengio",),
    "mcnemar": ("mcnemar", "tango"),
    "mcnemar_mid_p": ("mcnemar", "tango"),
    "cluster_t": ("pustejovsky-tipton",),
    "diebold_mariano": ("lazarus-lewis-stock-watson",),
    "wilcoxon": ("wilcoxon", "hodges-lehmann"),
    "friedman": ("demsar",),
    "iman_davenport": ("demsar",),
    "rank_z": ("demsar", "benavoli-ranks"),
}
"""What a method rests on beside the paper it is registered with."""

_Entry = tuple[str, dict[str, str]]
_ENTRIES: dict[str, _Entry] = {
    "dietterich": ("article", {
        "author": "Dietterich, Thomas G.",
        "title": "Approximate Statistical Tests for Comparing Supervised Classification Learning "
        "Algorithms",
        "journal": "Neural Computation", "year": "1998", "volume": "10", "number": "7",
        "pages": "1895--1923",
    }),
    "bradford-brodley": ("article", {
        "author": "Bradford, Jeffrey P. and Brodley, Carla E.",
        "title": "The Effect of Instance-Space Partition on Significance",
        "journal": "Machine Learning", "year": "2001", "volume": "42", "number": "3",
        "pages": "269--286",
    }),
    "bouckaert-frank": ("inproceedings", {
        "author": "Bouckaert, Remco R. and Frank, Eibe",
        "title": "Evaluating the Replicability of Significance Tests for Comparing Learning "
        "Algorithms",
        "booktitle": "Advances in Knowledge Discovery and Data Mining ({PAKDD})",
        "series": "Lecture Notes in Computer Science", "volume": "3056", "year": "2004",
        "pages": "3--12", "publisher": "Springer",
    }),
    "nadeau-bengio": ("article", {
        "author": "Nadeau, Claude and Bengio, Yoshua",
        "title": "Inference for the Generalization Error",
        "journal": "Machine Learning", "year": "2003", "volume": "52", "number": "3",
        "pages": "239--281",
    }),
    "feelders-verkooijen": ("inproceedings", {
        "author": "Feelders, Ad and Verkooijen, William",
        "title": "Which Method Learns Most from the Data? {M}ethodological Issues in the Analysis "
        "of Comparative Studies",
        "booktitle": "Fifth International Workshop on Artificial Intelligence and Statistics",
        "year": "1995", "pages": "219--225",
    }),
    "alpaydin": ("article", {
        "author": "Alpaydin, Ethem",
        "title": "Combined 5 x 2 cv {F} Test for Comparing Supervised Classification Learning "
        "Algorithms",
        "journal": "Neural Computation", "year": "1999", "volume": "11", "number": "8",
        "pages": "1885--1892",
    }),
    "cochran": ("article", {
        "author": "Cochran, William G.",
        "title": "The Comparison of Percentages in Matched Samples",
        "journal": "Biometrika", "year": "1950", "volume": "37", "number": "3/4",
        "pages": "256--266",
    }),
    "mauchly": ("article", {
        "author": "Mauchly, John W.",
        "title": "Significance Test for Sphericity of a Normal n-Variate Distribution",
        "journal": "The Annals of Mathematical Statistics", "year": "1940", "volume": "11",
        "number": "2", "pages": "204--209",
    }),
    "mcnemar": ("article", {
        "author": "McNemar, Quinn",
        "title": "Note on the Sampling Error of the Difference between Correlated Proportions or "
        "Percentages",
        "journal": "Psychometrika", "year": "1947", "volume": "12", "number": "2",
        "pages": "153--157",
    }),
    "delong": ("article", {
        "author": "DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.",
        "title": "Comparing the Areas under Two or More Correlated Receiver Operating "
        "Characteristic Curves: A Nonparametric Approach",
        "journal": "Biometrics", "year": "1988", "volume": "44", "number": "3",
        "pages": "837--845",
    }),
    "tango": ("article", {
        "author": "Tango, Toshiro",
        "title": "Equivalence Test and Confidence Interval for the Difference in Proportions for "
        "the Paired-Sample Design",
        "journal": "Statistics in Medicine", "year": "1998", "volume": "17", "number": "8",
        "pages": "891--908",
    }),
    "wilcoxon": ("article", {
        "author": "Wilcoxon, Frank",
        "title": "Individual Comparisons by Ranking Methods",
        "journal": "Biometrics Bulletin", "year": "1945", "volume": "1", "number": "6",
        "pages": "80--83",
    }),
    "hodges-lehmann": ("article", {
        "author": "Hodges, Joseph L. and Lehmann, Erich L.",
        "title": "Estimates of Location Based on Rank Tests",
        "journal": "The Annals of Mathematical Statistics", "year": "1963", "volume": "34",
        "number": "2", "pages": "598--611",
    }),
    "holm": ("article", {
        "author": "Holm, Sture",
        "title": "A Simple Sequentially Rejective Multiple Test Procedure",
        "journal": "Scandinavian Journal of Statistics", "year": "1979", "volume": "6",
        "number": "2", "pages": "65--70",
    }),
    "hochberg": ("article", {
        "author": "Hochberg, Yosef",
        "title": "A Sharper {B}onferroni Procedure for Multiple Tests of Significance",
        "journal": "Biometrika", "year": "1988", "volume": "75", "number": "4",
        "pages": "800--802",
    }),
    "benjamini-hochberg": ("article", {
        "author": "Benjamini, Yoav and Hochberg, Yosef",
        "title": "Controlling the False Discovery Rate: A Practical and Powerful Approach to "
        "Multiple Testing",
        "journal": "Journal of the Royal Statistical Society: Series B", "year": "1995",
        "volume": "57", "number": "1", "pages": "289--300",
    }),
    "outperform": ("misc", {
        "author": "{The outperform developers}",
        "title": "The Calibrated Test: Measuring how Splits Correlate",
        "year": "2026", "note": "Documentation of the Python package outperform",
    }),
    "dunn": ("article", {
        "author": "Dunn, Olive Jean",
        "title": "Multiple Comparisons among Means",
        "journal": "Journal of the American Statistical Association", "year": "1961",
        "volume": "56", "number": "293", "pages": "52--64",
    }),
    "diebold-mariano": ("article", {
        "author": "Diebold, Francis X. and Mariano, Roberto S.",
        "title": "Comparing Predictive Accuracy",
        "journal": "Journal of Business and Economic Statistics", "year": "1995",
        "volume": "13", "number": "3", "pages": "253--263",
    }),
    "lazarus-lewis-stock-watson": ("article", {
        "author": "Lazarus, Eben and Lewis, Daniel J. and Stock, James H. and Watson, Mark W.",
        "title": "{HAR} Inference: Recommendations for Practice",
        "journal": "Journal of Business and Economic Statistics", "year": "2018",
        "volume": "36", "number": "4", "pages": "541--559",
    }),
    "hommel": ("article", {
        "author": "Hommel, Gerhard",
        "title": "A Stagewise Rejective Multiple Test Procedure Based on a Modified {B}onferroni "
        "Test",
        "journal": "Biometrika", "year": "1988", "volume": "75", "number": "2",
        "pages": "383--386",
    }),
    "shaffer": ("article", {
        "author": "Shaffer, Juliet Popper",
        "title": "Modified Sequentially Rejective Multiple Test Procedures",
        "journal": "Journal of the American Statistical Association", "year": "1986",
        "volume": "81", "number": "395", "pages": "826--831",
    }),
    "bergmann-hommel": ("incollection", {
        "author": "Bergmann, Beate and Hommel, Gerhard",
        "title": "Improvements of General Multiple Test Procedures for Redundant Systems of "
        "Hypotheses",
        "booktitle": "Multiple Hypotheses Testing", "year": "1988", "pages": "100--115",
        "publisher": "Springer",
    }),
    "pratt": ("article", {
        "author": "Pratt, John W.",
        "title": "Remarks on Zeros and Ties in the {W}ilcoxon Signed Rank Procedures",
        "journal": "Journal of the American Statistical Association", "year": "1959",
        "volume": "54", "number": "287", "pages": "655--667",
    }),
    "bell-mccaffrey": ("article", {
        "author": "Bell, Robert M. and McCaffrey, Daniel F.",
        "title": "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples",
        "journal": "Survey Methodology", "year": "2002", "volume": "28", "number": "2",
        "pages": "169--181",
    }),
    "pustejovsky-tipton": ("article", {
        "author": "Pustejovsky, James E. and Tipton, Elizabeth",
        "title": "Small-Sample Methods for Cluster-Robust Variance Estimation and Hypothesis "
        "Testing in Fixed Effects Models",
        "journal": "Journal of Business and Economic Statistics", "year": "2018",
        "volume": "36", "number": "4", "pages": "672--683",
    }),
    "fagerland": ("article", {
        "author": "Fagerland, Morten W. and Lydersen, Stian and Laake, Petter",
        "title": "The {M}c{N}emar Test for Binary Matched-Pairs Data: Mid-$p$ and Asymptotic are "
        "Better than Exact Conditional",
        "journal": "BMC Medical Research Methodology", "year": "2013", "volume": "13",
        "pages": "91",
    }),
    "newcombe": ("article", {
        "author": "Newcombe, Robert G.",
        "title": "Improved Confidence Intervals for the Difference between Binomial Proportions "
        "Based on Paired Data",
        "journal": "Statistics in Medicine", "year": "1998", "volume": "17", "number": "22",
        "pages": "2635--2650",
    }),
    "bonett-price": ("article", {
        "author": "Bonett, Douglas G. and Price, Robert M.",
        "title": "Adjusted {W}ald Confidence Interval for a Difference of Binomial Proportions "
        "Based on Paired Data",
        "journal": "Journal of Educational and Behavioral Statistics", "year": "2012",
        "volume": "37", "number": "4", "pages": "479--488",
    }),
    "fisher": ("book", {
        "author": "Fisher, Ronald A.",
        "title": "The Design of Experiments",
        "publisher": "Oliver and Boyd", "year": "1935",
    }),
    "miller": ("misc", {
        "author": "Miller, Evan",
        "title": "Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations",
        "year": "2024", "note": "arXiv:2411.00640",
    }),
    "efron": ("article", {
        "author": "Efron, Bradley",
        "title": "Better Bootstrap Confidence Intervals",
        "journal": "Journal of the American Statistical Association", "year": "1987",
        "volume": "82", "number": "397", "pages": "171--185",
    }),
    "bradley-terry": ("article", {
        "author": "Bradley, Ralph Allan and Terry, Milton E.",
        "title": "Rank Analysis of Incomplete Block Designs: {I}. {T}he Method of Paired "
        "Comparisons",
        "journal": "Biometrika", "year": "1952", "volume": "39", "number": "3/4",
        "pages": "324--345",
    }),
    "waudby-smith-ramdas": ("article", {
        "author": "Waudby-Smith, Ian and Ramdas, Aaditya",
        "title": "Estimating Means of Bounded Random Variables by Betting",
        "journal": "Journal of the Royal Statistical Society: Series B", "year": "2024",
        "volume": "86", "number": "1", "pages": "1--27",
    }),
    "welch": ("article", {
        "author": "Welch, Bernard L.",
        "title": "The Generalization of `{S}tudent's' Problem when Several Different Population "
        "Variances are Involved",
        "journal": "Biometrika", "year": "1947", "volume": "34", "number": "1/2",
        "pages": "28--35",
    }),
    "friedman": ("article", {
        "author": "Friedman, Milton",
        "title": "The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis "
        "of Variance",
        "journal": "Journal of the American Statistical Association", "year": "1937",
        "volume": "32", "number": "200", "pages": "675--701",
    }),
    "iman-davenport": ("article", {
        "author": "Iman, Ronald L. and Davenport, James M.",
        "title": "Approximations of the Critical Region of the {F}riedman Statistic",
        "journal": "Communications in Statistics -- Theory and Methods", "year": "1980",
        "volume": "9", "number": "6", "pages": "571--595",
    }),
    "nemenyi": ("phdthesis", {
        "author": "Nemenyi, Peter B.",
        "title": "Distribution-Free Multiple Comparisons",
        "school": "Princeton University", "year": "1963",
    }),
    "demsar": ("article", {
        "author": "Dem{\\v s}ar, Janez",
        "title": "Statistical Comparisons of Classifiers over Multiple Data Sets",
        "journal": "Journal of Machine Learning Research", "year": "2006", "volume": "7",
        "pages": "1--30",
    }),
    "garcia-herrera": ("article", {
        "author": "Garc{\\'i}a, Salvador and Herrera, Francisco",
        "title": "An Extension on `{S}tatistical Comparisons of Classifiers over Multiple Data "
        "Sets' for All Pairwise Comparisons",
        "journal": "Journal of Machine Learning Research", "year": "2008", "volume": "9",
        "pages": "2677--2694",
    }),
    "benavoli-ranks": ("article", {
        "author": "Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca",
        "title": "Should We Really Use Post-Hoc Tests Based on Mean-Ranks?",
        "journal": "Journal of Machine Learning Research", "year": "2016", "volume": "17",
        "number": "5", "pages": "1--10",
    }),
    "benavoli-signed-rank": ("inproceedings", {
        "author": "Benavoli, Alessio and Mangili, Francesca and Corani, Giorgio and Zaffalon, "
        "Marco and Ruggeri, Fabrizio",
        "title": "A {B}ayesian {W}ilcoxon Signed-Rank Test Based on the {D}irichlet Process",
        "booktitle": "International Conference on Machine Learning ({ICML})", "year": "2014",
        "pages": "1026--1034",
    }),
    "benavoli-tutorial": ("article", {
        "author": "Benavoli, Alessio and Corani, Giorgio and Dem{\\v s}ar, Janez and Zaffalon, "
        "Marco",
        "title": "Time for a Change: a Tutorial for Comparing Multiple Classifiers Through "
        "{B}ayesian Analysis",
        "journal": "Journal of Machine Learning Research", "year": "2017", "volume": "18",
        "number": "77", "pages": "1--36",
    }),
    "corani": ("article", {
        "author": "Corani, Giorgio and Benavoli, Alessio and Dem{\\v s}ar, Janez and Mangili, "
        "Francesca and Zaffalon, Marco",
        "title": "Statistical Comparison of Classifiers through {B}ayesian Hierarchical "
        "Modelling",
        "journal": "Machine Learning", "year": "2017", "volume": "106", "number": "11",
        "pages": "1817--1837",
    }),
    "mogstad": ("article", {
        "author": "Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel",
        "title": "Inference for Ranks with Applications to Mobility across Neighbourhoods and "
        "Academic Achievement across Countries",
        "journal": "The Review of Economic Studies", "year": "2024", "volume": "91",
        "number": "1", "pages": "476--518",
    }),
    "chernozhukov": ("article", {
        "author": "Chernozhukov, Victor and Chetverikov, Denis and Kato, Kengo",
        "title": "Gaussian Approximations and Multiplier Bootstrap for Maxima of Sums of "
        "High-Dimensional Random Vectors",
        "journal": "The Annals of Statistics", "year": "2013", "volume": "41", "number": "6",
        "pages": "2786--2819",
    }),
}  # fmt: skip


def papers_of(method: str, paper: str, adjust: str | None = None) -> tuple[str, ...]:
    """Return the keys of the papers that a method and an adjustment rest on, each once."""
    keys = [paper, *ALSO.get(method, ()), ADJUSTMENT_PAPERS.get(adjust or "", "")]
    return tuple(dict.fromkeys(key for key in keys if key in _ENTRIES))


def cited(key: str) -> str:
    """Return a paper as it is cited in a sentence: "Nadeau & Bengio, 2003"."""
    authors, _, rest = PAPERS[_known(key)].partition(" (")
    return f"{authors}, {rest[:4]}"


def bibtex(keys: Iterable[str]) -> str:
    """Return the BibTeX entries of papers, one after the other."""
    return "\n\n".join(_entry(_known(key)) for key in keys)


def _entry(key: str) -> str:
    kind, fields = _ENTRIES[key]
    lines = [f"  {name:<9} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key}{fields['year']},", *lines, "}"])


def _known(key: str) -> str:
    if key not in _ENTRIES:
        raise MethodError(f"Unknown paper {key!r}; {did_you_mean(key, _ENTRIES)}")
    return key
