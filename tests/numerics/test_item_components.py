"""Samples of items: moments, pass@k, and intervals of paired proportions."""

import numpy as np
import pytest
from golden_items import ITEMS, numbers_in

import outperform as op
from outperform.numerics.item_components import best_samples, moments, pass_at_k
from outperform.numerics.paired_proportions import (
    bonett_price,
    newcombe_interval,
    newcombe_tails,
)

Z = 1.959963984540054


@pytest.mark.parametrize("case", ITEMS["pass_at_k"]["input"]["cases"])
def test_pass_at_k_is_unbiased(case):
    n, c, k = (int(x) for x in numbers_in(case))
    want = ITEMS["pass_at_k"]["expected"][case]
    assert float(pass_at_k(n, c, k)) == pytest.approx(want, rel=1e-12)


def test_pass_at_k_refuses_more_samples_than_there_are():
    with pytest.raises(op.DataError, match="between 1 and the 5 samples"):
        pass_at_k(5, 2, 6)


def test_moments_leave_out_samples_that_are_not_there():
    found = moments(np.array([[1.0, 0.0, 1.0], [0.3, 0.3, np.nan], [0.5, np.nan, np.nan]]))
    assert found.mean.tolist() == pytest.approx([2 / 3, 0.3, 0.5])
    assert found.variance[:2].tolist() == pytest.approx([1 / 3, 0.0])
    assert np.isnan(found.variance[2])
    assert found.size.tolist() == [3, 2, 1]


def test_the_best_number_of_samples_balances_cost_and_variance():
    assert best_samples(0.01, 0.16) == pytest.approx(4.0)
    assert best_samples(0.01, 0.16, item_cost=4) == pytest.approx(8.0)
    assert best_samples(0.5, 0.1) == 1.0
    assert best_samples(-0.1, 0.1) == np.inf


def test_newcombes_interval_is_that_of_his_paper():
    # Newcombe (1998), Statistics in Medicine 17, 2635-2650: 36, 12, 2, 0 by method 10
    low, high = newcombe_interval(36, 12, 2, 0, Z)
    assert (round(float(low), 4), round(float(high), 4)) == (0.0569, 0.3404)


def test_newcombes_tails_invert_his_interval():
    for cells in ((36, 12, 2, 0), (3, 0, 5, 2), (0, 4, 4, 0), (20, 0, 0, 5)):
        for z in (0.5, Z, 3.0):
            low, high = newcombe_interval(*cells, z)
            _, greater = newcombe_tails(*cells, low)
            less, _ = newcombe_tails(*cells, high)
            if abs(float(low)) < 1 and abs(float(high)) < 1 and high > low:
                for tail in (less, greater):
                    assert tail == pytest.approx(
                        float(
                            newcombe_tails(36, 12, 2, 0, newcombe_interval(36, 12, 2, 0, z)[0])[1]
                        ),
                        rel=1e-6,
                    )


def test_bonett_and_price_add_an_item_to_each_count():
    centre, stderr = bonett_price(12, 2, 50)
    p, q = 13 / 52, 3 / 52
    assert float(centre) == pytest.approx(p - q, rel=1e-14)
    assert float(stderr) == pytest.approx(((p + q - (p - q) ** 2) / 52) ** 0.5, rel=1e-14)
