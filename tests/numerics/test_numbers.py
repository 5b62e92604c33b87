"""Nasty numbers: every statistic against 50 digits computed from the very doubles it was given."""

from functools import partial

import mpmath as mp
import numpy as np
import pytest

import outperform as op

DIGITS = 50
HALF = mp.mpf(0.5)


def exact(values):
    """Return doubles as mpmath numbers, digit for digit."""
    return [mp.mpf(float(value)) for value in np.ravel(values)]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(DIGITS):
        yield


# Reference distributions: survival function, and how log p moves with log of the statistic.


def t_tail(t, df):
    x = df / (df + t * t)
    p = mp.betainc(df / 2, mp.mpf(1) / 2, 0, x, regularized=True)
    density = x ** ((df + 1) / 2) / (mp.sqrt(df) * mp.beta(df / 2, mp.mpf(1) / 2))
    return p, abs(2 * t * density / p)


def f_tail(f, df1, df2):
    x = df2 / (df2 + df1 * f)
    p = mp.betainc(df2 / 2, df1 / 2, 0, x, regularized=True)
    density = x ** (df2 / 2) * (1 - x) ** (df1 / 2) / mp.beta(df1 / 2, df2 / 2)
    return p, density / p


def normal_tail(z):
    p = mp.erfc(abs(z) / mp.sqrt(2))
    return p, abs(z) * mp.sqrt(2 / mp.pi) * mp.exp(-z * z / 2) / p


def chi2_tail(x, df):
    p = mp.gammainc(mp.mpf(df) / 2, x / 2, regularized=True)
    return p, (x / 2) ** (mp.mpf(df) / 2) * mp.exp(-x / 2) / mp.gamma(mp.mpf(df) / 2) / p


def quantile(tail, start, target):
    """Refine a quantile by Newton's iteration on log p, whose slope in log x `tail` gives."""
    x = mp.mpf(start)
    for _ in range(4):
        p, slope = tail(x)
        x *= mp.exp((mp.log(p) - mp.log(target)) / slope)
    return x


# What each method should say, from exact differences d (rows as the method reads them).


def pivot(estimate, stderr, tail, condition=1):
    statistic = estimate / stderr
    p, slope = tail(statistic)
    half = quantile(tail, 2, mp.mpf(0.05)) * stderr
    return {
        "estimate": estimate,
        "stderr": stderr,
        "statistic": statistic,
        "log_p": mp.log(p),
        "slope": slope * condition,
        "condition": condition,
        "ends": (estimate - half, estimate + half),
        "size": abs(estimate) + half,
    }


def mean(d):
    return mp.fsum(d) / len(d)


def spread(d):
    centre = mean(d)
    return mp.sqrt(mp.fsum((x - centre) ** 2 for x in d) / (len(d) - 1))


def student(d, factor=None):
    df = mp.mpf(len(d) - 1)
    factor = 1 / mp.mpf(len(d)) if factor is None else factor
    return pivot(mean(d), spread(d) * mp.sqrt(factor), partial(t_tail, df=df))


def first_over_spread(d):
    return pivot(d[0], spread(d), partial(t_tail, df=mp.mpf(len(d) - 1)))


def pairs(d):
    return [d[i] - d[i + 1] for i in range(0, len(d), 2)]


def twofold_t(d):
    gaps = pairs(d)
    stderr = mp.sqrt(mp.fsum(g * g for g in gaps) / (2 * len(gaps)))
    return pivot(d[0], stderr, partial(t_tail, df=mp.mpf(len(gaps))))


def twofold_f(d):
    gaps = pairs(d)
    f = mp.fsum(x * x for x in d) / mp.fsum(g * g for g in gaps)
    p, slope = f_tail(f, mp.mpf(2 * len(gaps)), mp.mpf(len(gaps)))
    return {"estimate": mean(d), "statistic": f, "log_p": mp.log(p), "slope": slope}


def averaged(d):
    rows = [d[: len(d) // 2], d[len(d) // 2 :]]
    errors = [spread(row) / mp.sqrt(len(row)) for row in rows]
    weight = mean([1 / e for e in errors])
    t = [mean(row) / e for row, e in zip(rows, errors, strict=True)]
    cancelled = mean([abs(x) for x in t]) / abs(mean(t))
    tail = partial(t_tail, df=mp.mpf(len(rows[0]) - 1))
    return pivot(mean(t) / weight, 1 / weight, tail, cancelled)


def quasi(d):
    rows, columns = 2, len(d) // 2
    grid = [d[:columns], d[columns:]]
    grand = mean(d)
    by_row = [mean(row) - grand for row in grid]
    by_column = [mean(column) - grand for column in zip(*grid, strict=True)]
    ssm = rows * columns * grand**2
    msa = columns * mp.fsum(x * x for x in by_row) / (rows - 1)
    msb = rows * mp.fsum(x * x for x in by_column) / (columns - 1)
    rest = mp.fsum(
        (grid[i][j] - grand - by_row[i] - by_column[j]) ** 2
        for i in range(rows)
        for j in range(columns)
    )
    cells = (rows - 1) * (columns - 1)
    mse = rest / cells
    f = (ssm + mse) / (msa + msb)
    df1 = (ssm + mse) ** 2 / (ssm**2 + mse**2 / cells)
    df2 = (msa + msb) ** 2 / (msa**2 / (rows - 1) + msb**2 / (columns - 1))
    p, slope = f_tail(f, df1, df2)
    found = pivot(grand, mp.sqrt((msa + msb) / (rows * columns)), partial(t_tail, df=df2))
    # Both degrees of freedom are functions of the data too, and p is steep in them.
    return {**found, "statistic": f, "log_p": mp.log(p), "slope": slope + abs(mp.log(p))}


def independent(a, b):
    v1, v2 = (spread(x) ** 2 / len(x) for x in (a, b))
    df = (v1 + v2) ** 2 / (v1**2 / (len(a) - 1) + v2**2 / (len(b) - 1))
    return pivot(mean(a) - mean(b), mp.sqrt(v1 + v2), partial(t_tail, df=df))


# name: (how it is called with two arrays, the truth, the layout of its arrays)
STATISTICS = {
    "paired_t": (partial(op.methods.paired_t, unit="items"), student, (-1,)),
    "corrected_t": (
        partial(op.methods.corrected_t, n_train=90, n_test=10),
        lambda d: student(d, 1 / mp.mpf(len(d)) + mp.mpf(10.0 / 90.0)),
        (-1,),
    ),
    "single_fold_t": (op.methods.single_fold_t, first_over_spread, (-1,)),
    "five_by_two_t": (op.methods.five_by_two_t, twofold_t, (-1, 2)),
    "five_by_two_f": (op.methods.five_by_two_f, twofold_f, (-1, 2)),
    "averaged_t": (op.methods.averaged_t, averaged, (2, -1)),
    "quasi_f": (partial(op.methods.quasi_f, lower_is_better=False), quasi, (2, -1)),
    "unpaired_interval": (op.methods.unpaired_interval, None, (-1,)),
}

RNG = np.random.default_rng(20240229)
NOISE, OTHER = RNG.normal(size=(2, 10))
ALTERNATING = np.array([1, -1] * 5) * 1e8

INPUTS = {
    "ordinary": (0.8 + 0.02 * NOISE, 0.79 + 0.02 * OTHER),
    "1e-6 apart at 1e9": (1e9 + 1e-6 * np.arange(10), 1e9 - 1e-6 * (np.arange(10) % 3)),
    "at 1e-300": (NOISE * 1e-300, OTHER * 1e-300),
    "at 1e300": (NOISE * 1e300, OTHER * 1e300),
    "at 1e154, where squares overflow": (NOISE * 1e154, OTHER * 1e154),
    "at 1e-162, where squares underflow": (NOISE * 1e-162, OTHER * 1e-162),
    "offset 1e15": (1e15 + np.arange(10) ** 2, 1e15 + 2.0 * np.arange(10)),
    "near the largest integers": (2.0**53 - np.arange(10) ** 3, 2.0**53 - 5 * np.arange(10)),
    "differences 1e-12 from constant": (0.81 + 1e-12 * NOISE, np.full(10, 0.80)),
    "inexact differences, near constant": (3 + 1e-10 * NOISE, 1 / 3 + 1e-10 * OTHER),
    "signs that cancel": (ALTERNATING + 1e-8 * NOISE, np.zeros(10)),
    "sums that cancel to the last bit": (ALTERNATING + NOISE * 1e-7, 1e-7 * OTHER),
    "magnitudes 1e-12 to 1e12": (NOISE * 10.0 ** np.arange(-12, 8, 2), OTHER * 1e-12),
    "one outlier": (np.where(np.arange(10) == 4, 1e12, NOISE), OTHER),
    "duplicates": (np.array([0.1, 0.1, 0.3, 0.3, 0.1, 0.1, 0.3, 0.1, 0.1, 0.1]), np.zeros(10)),
    "tiny effect": (NOISE + 1e-14, NOISE[::-1].copy()),
    "p near 1e-100": (1 + 1e-12 * NOISE, 1e-13 * OTHER),
}


def agrees(result, truth, within=1e-13):
    """Compare a result with the truth: statistics relatively, p as its condition allows."""
    for name in ("estimate", "stderr", "statistic"):
        if name in truth:
            want, room = truth[name], within * truth.get("condition", 1)
            assert abs(mp.mpf(getattr(result, name)) - want) <= room * abs(want), name
    off = abs(mp.mpf(result.log_pvalue) - truth["log_p"])
    assert off <= 1e-10 + 1e-14 * truth["slope"] + 1e-15 * abs(truth["log_p"])
    if truth["log_p"] > -700:
        assert (
            abs(mp.mpf(result.pvalue) / mp.exp(truth["log_p"]) - 1)
            <= 1e-10 + 1e-14 * truth["slope"]
        )
    if "ends" in truth:
        for got, want in zip(result.interval(0.95), truth["ends"], strict=True):
            assert abs(mp.mpf(got) - want) <= within * truth["size"]


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("numbers", INPUTS)
def test_nasty_numbers_are_answered_right(statistic, numbers):
    call, truth, layout = STATISTICS[statistic]
    a, b = INPUTS[numbers]
    result = call(a.reshape(layout), b.reshape(layout))
    if truth is None:
        agrees(result, independent(exact(a), exact(b)))
    else:
        agrees(result, truth([x - y for x, y in zip(exact(a), exact(b), strict=True)]))


@pytest.mark.parametrize("numbers", INPUTS)
@pytest.mark.parametrize(
    "method",
    [op.methods.paired_t, op.methods.unpaired_interval, op.methods.wilcoxon, op.methods.sign_test],
)
def test_the_order_of_nasty_numbers_cannot_change_the_last_bit(method, numbers):
    a, b = INPUTS[numbers]
    unit = {"unit": method.unit} if method.unit else {}
    want = method(a, b, **unit).to_json()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(a.size)
        assert method(a[order], b[order], **unit).to_json() == want


@pytest.mark.parametrize("statistic", STATISTICS)
def test_scores_whose_differences_would_overflow_are_refused(statistic):
    call, _, layout = STATISTICS[statistic]
    with pytest.raises(
        op.DataError, match=r"\[.*\] is -?1\.5e\+308; absolute values must not exceed 1e\+305"
    ):
        call(np.full(10, 1.5e308).reshape(layout), np.full(10, -1.5e308).reshape(layout))


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e9 / 7, 1e300])
def test_spread_within_rounding_of_the_scores_gives_no_p_value(unit):
    b = np.array([0.11, 0.23, 0.35, 0.48, 0.52, 0.67, 0.71, 0.80, 0.84, 0.93])
    a, b = unit * np.round(b + 0.01, 2), unit * b
    assert np.ptp(a - b) > 0  # equal but for their last bits
    assert op.methods.paired_t(a, b, unit="items").pvalue is None
    assert op.methods.single_fold_t(a, b).pvalue is None
    # A spread a hundred times as large is evidence.
    assert op.methods.paired_t(a + 1e-13 * unit * NOISE, b, unit="items").pvalue is not None


@pytest.mark.requirement("B-23")
def test_tiny_p_values_keep_their_ranks():
    found = op.methods.wilcoxon_combination([1e-20, -1e-30, 0.2])
    assert (found.details["positive_sum"], found.details["negative_sum"]) == (3, 3)


LONG = {
    # n, the effect in standard deviations, log p about
    "n = 2": (2, 3.0, -2),
    "n = 100,000": (100_000, 0.02, -20),
    "p near 1e-300": (400, 2.0, -690),
    "log p near -5000": (1000, 150.0, -5000),
    "log p near -40,000": (3000, 1000.0, -40_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("size", LONG)
def test_small_and_great_n_and_p_beyond_underflow(size):
    n, effect, about = LONG[size]
    rng = np.random.default_rng(n)
    a = effect + rng.normal(size=n)
    a = a - (a.mean() - effect)
    result = op.methods.paired_t(a, unit="items")
    agrees(result, student(exact(a)))
    assert result.log_pvalue == pytest.approx(about, rel=0.6)
    if about < -745:
        assert result.pvalue == 0
        assert "p = 0" not in str(result)


@pytest.mark.parametrize("mu0", [0.8, 1e-9, -3.0, 1e6])
def test_a_null_value_is_taken_off_before_anything_is_rounded_badly(mu0):
    a = mu0 + 0.02 * NOISE
    truth = student([x - mp.mpf(mu0) for x in exact(a)])
    result = op.methods.paired_t(a, mu0=mu0, unit="items")
    off = abs(mp.mpf(result.statistic) / truth["statistic"] - 1)
    assert off <= 1e-15 * max(1, abs(mu0) / abs(float(truth["estimate"])))


def test_conservative_z_of_nasty_numbers():
    for unit in (1e-300, 1e-9, 1.0, 1e9, 1e300):
        whole, halves = unit * NOISE[:5], unit * np.stack([NOISE, OTHER], axis=1)
        gaps = [mp.mpf(x) - mp.mpf(y) for x, y in halves.tolist()]
        stderr = mp.sqrt(mp.fsum(g * g for g in gaps) / (2 * len(gaps)))
        agrees(
            op.methods.conservative_z(whole, halves), pivot(mean(exact(whole)), stderr, normal_tail)
        )


# Counts up to 10¹².

TABLES = {
    "small": (3, 9, 2, 40),
    "one discordant item": (0, 1, 0, 5),
    "all items discordant": (0, 900, 1000, 0),
    "ten million": (10**6, 4 * 10**6, 4 * 10**6 + 9000, 10**6),
    "10¹², nearly all right": (3, 10**6, 10**6 + 7000, 10**12),
    "10¹², nearly all wrong": (10**12, 10**6, 10**6 + 7000, 3),
    "10¹², all discordant": (0, 5 * 10**11, 5 * 10**11 + 4 * 10**6, 0),
    "p near 1e-300": (10, 100_000, 117_000, 10**6),
    "log p near -5000": (10, 100_000, 150_000, 10**6),
}


def table_truth(cells, variant):
    n00, n01, n10, n11 = (mp.mpf(int(x)) for x in cells)
    n, discordant = n00 + n01 + n10 + n11, n01 + n10
    p_a, p_b = (n00 + n01) / n, (n00 + n10) / n
    if variant in ("continuity", "plain"):
        room = 1 if variant == "continuity" else 0
        root = max(abs(n01 - n10) - room, mp.mpf(0)) / mp.sqrt(discordant)
        p, slope = normal_tail(root) if root else (mp.mpf(1), mp.mpf(0))
        statistic, stderr = root**2, mp.sqrt(discordant) / n
    elif variant == "corrected":
        statistic = mp.sign(n10 - n01) * max(abs(n01 - n10) - 1, mp.mpf(0)) / mp.sqrt(discordant)
        p, slope = normal_tail(statistic) if statistic else (mp.mpf(1), mp.mpf(0))
        stderr = mp.sqrt(discordant) / n
    else:
        pooled = (p_a + p_b) / 2
        stderr = mp.sqrt(2 * pooled * (1 - pooled) / n)
        statistic = (p_b - p_a) / stderr
        p, slope = normal_tail(statistic)
    truth = {"estimate": (n10 - n01) / n, "stderr": stderr, "statistic": statistic}
    if variant not in ("continuity", "plain"):
        spread = mp.sqrt((p_a * (1 - p_a) + p_b * (1 - p_b)) / n)
        half = spread * quantile(normal_tail, 2, mp.mpf(0.05))
        truth["ends"] = (truth["estimate"] - half, truth["estimate"] + half)
        truth["size"] = abs(truth["estimate"]) + half
    return {**truth, "log_p": mp.log(p), "slope": slope}


@pytest.mark.parametrize("counts", TABLES)
@pytest.mark.parametrize("variant", ["continuity", "plain"])
def test_mcnemar_of_any_counts(variant, counts):
    cells = TABLES[counts]
    result = op.methods.mcnemar(table=np.reshape(cells, (2, 2)), variant=variant)
    agrees(result, table_truth(cells, variant))


@pytest.mark.parametrize("counts", TABLES)
@pytest.mark.parametrize("variant", ["plain", "corrected"])
def test_proportions_of_any_counts(variant, counts):
    cells = TABLES[counts]
    result = op.methods.proportions(table=np.reshape(cells, (2, 2)), variant=variant)
    agrees(result, table_truth(cells, variant if variant == "corrected" else "pooled"))


def log_pmf(k, n, p):
    k, n = mp.mpf(k), mp.mpf(n)
    ways = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
    return ways + k * mp.log(p) + (n - k) * mp.log1p(-p)


def log_ratio_sum(k, n, p=HALF):
    """Return log P(X ≤ k) / P(X = k) for k below the mean, from ratios of neighbours."""
    odds = np.longdouble(mp.nstr((1 - p) / p, 30))
    total, term = np.longdouble(1), np.longdouble(1)
    while k > 0 and term > 1e-22 * total:
        here = k - np.arange(min(k, 1 << 17)).astype(np.longdouble)
        terms = term * np.cumprod(here / (n - here + 1) * odds)
        total, term, k = total + terms.sum(), terms[-1], k - terms.size
    return mp.log(mp.mpf(repr(float(total))))


COUNTED = {
    "5 of 20": (5, 20),
    "none of 30": (0, 30),
    "400 of 1000": (400, 1000),
    "p near 1e-300": (100_000, 217_000),
    "log p near -5000": (100_000, 250_000),
    "10⁹": (5 * 10**8 - 10**5, 10**9),
    "10¹²": (5 * 10**11 - 10**6, 10**12),
    "10¹², ten standard errors": (5 * 10**11 - 5 * 10**6, 10**12),
}


@pytest.mark.parametrize("counts", COUNTED)
def test_counted_p_values_have_nine_digits_at_any_n(counts):
    fewer, discordant = COUNTED[counts]
    table = [[7, fewer], [discordant - fewer, 11]]
    here = log_pmf(fewer, discordant, HALF)
    below, half = here + log_ratio_sum(fewer, discordant), here - mp.log(2)
    for variant, log_tail in (("exact", below), ("mid-p", mp.log(mp.exp(below) - mp.exp(half)))):
        result = op.methods.mcnemar(table=table, variant=variant)
        assert abs(result.log_pvalue - (log_tail + mp.log(2))) <= 1e-9
        wins = [mp.mpf(i) for i in (discordant - fewer, fewer)]
        assert result.estimate == pytest.approx(
            float((wins[0] - wins[1]) / (discordant + 18)), rel=1e-14
        )


ACCURACIES = [(0, 10), (10, 10), (1, 2), (83, 100), (1, 10**6), (999_999, 10**6)]
LARGE = [(83 * 10**10, 10**12), (10**12 - 5, 10**12), (7, 10**12)]


@pytest.mark.parametrize(("correct", "n"), ACCURACIES + LARGE)
def test_wilson_intervals_of_any_counts(correct, n):
    z = quantile(normal_tail, 2, mp.mpf(0.05))
    p, count = mp.mpf(correct) / n, mp.mpf(n)
    middle = p + z * z / (2 * count)
    half = z * mp.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    low, high = op.methods.accuracy_interval(correct, n).interval(0.95)
    for got, want in ((low, middle - half), (high, middle + half)):
        want = want / (1 + z * z / count)
        assert abs(mp.mpf(got) - want) <= 1e-13 * want + mp.mpf(10) ** -45


@pytest.mark.slow
@pytest.mark.parametrize(("correct", "n"), ACCURACIES + LARGE)
def test_clopper_pearson_intervals_leave_half_of_alpha_in_each_tail(correct, n):
    low, high = op.methods.accuracy_interval(correct, n, variant="clopper-pearson").interval(0.95)
    assert (low == 0) == (correct == 0)
    assert (high == 1) == (correct == n)
    # The lower limit for right items is the mirrored upper limit for wrong ones.
    for k, p, limit in ((correct, mp.mpf(high), high), (n - correct, 1 - mp.mpf(low), low)):
        if k == n:
            continue
        here = log_pmf(k, n, p)
        log_tail = here + log_ratio_sum(k, n, p)
        # The derivative of the tail in p is pmf · (n − k) / p; the limit may be off by 1e-13.
        room = 1e-13 * limit * mp.exp(here - log_tail) * (n - k) / (1 - p)
        assert abs(log_tail - mp.log(mp.mpf(0.025))) <= room + 1e-12


# Right and wrong of several models; p-values.


@pytest.mark.parametrize("items", [4, 50, 3000])
def test_cochran_q(items):
    rng = np.random.default_rng(items)
    right = (rng.random((items, 4)) < [0.9, 0.7, 0.6, 0.5]).astype(int)
    columns, rows = right.sum(axis=0).tolist(), right.sum(axis=1).tolist()
    total, k = sum(columns), 4
    top = (k - 1) * (k * sum(c * c for c in columns) - total**2)
    q = mp.mpf(top) / (k * total - sum(r * r for r in rows))
    p, slope = chi2_tail(q, k - 1)
    agrees(op.methods.cochran_q(right), {"statistic": q, "log_p": mp.log(p), "slope": slope})


@pytest.mark.parametrize(
    "p_values",
    [
        [0.15, 0.1, 0.1],
        [1.0, 1.0],
        [1e-300, 1e-12, 0.5],
        [1e-5] * 400,
        [0.999999] * 50,
        [5e-324, 1.0],
    ],
    ids=["three", "ones", "tiny", "many", "near one", "the smallest double"],
)
def test_fisher_combination(p_values):
    x = -2 * mp.fsum(mp.log(p) for p in exact(p_values))
    p, slope = chi2_tail(x, 2 * len(p_values)) if x else (mp.mpf(1), mp.mpf(0))
    agrees(
        op.methods.fisher_combination(p_values),
        {"statistic": x, "log_p": mp.log(p), "slope": slope},
    )
