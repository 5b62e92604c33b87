"""Seeds of addresses: what `address_seed` returns, without making a SeedSequence for each."""

from __future__ import annotations

from ..splitting import LEARNER
from ..store.values import Address

__all__ = ["Seeds"]

# NumPy's SeedSequence (O'Neill's seed_seq_fe), whose output NumPy promises never to change.
INIT_A, MULT_A = 0x43B0D7E5, 0x931E8875
INIT_B, MULT_B = 0x8B51F9DD, 0x58F38DED
MIX_L, MIX_R = 0xCA01F9DD, 0x4973F715
WORD = 0xFFFFFFFF
POOL = range(4)


class Seeds:
    """The 32-bit seeds of the addresses of a run.

    A pool of four words is mixed with the words of the random state, then with those of the
    address. All but the last, the fold, are the same for all folds of a repeat.
    """

    def __init__(self, random_state: int) -> None:
        words = [random_state >> shift & WORD for shift in range(0, random_state.bit_length(), 32)]
        words += [0] * (len(POOL) - len(words))
        steps = iter(_steps(len(words) + 4))
        pool = [_hashed(word, next(steps)) for word in words[:4]]
        for source in POOL:
            for target in POOL:
                if source != target:
                    pool[target] = _mixed(pool[target], _hashed(pool[source], next(steps)))
        for word in (*words[4:], LEARNER):
            pool = [_mixed(pool[target], _hashed(word, next(steps))) for target in POOL]
        self._start, self._left = pool, list(steps)
        self._last: tuple[tuple[int, int] | None, int] = None, 0

    def at(self, address: Address) -> int:
        """Return the seed for the learners of one address."""
        known, first = self._last  # read and written whole: threads may ask at once
        if known != address[:2]:
            pool, steps = self._start, iter(self._left)
            for word in address[:2]:
                pool = [_mixed(pool[target], _hashed(word, next(steps))) for target in POOL]
            first = pool[0]
            self._last = address[:2], first
        value = _mixed(first, _hashed(address[2], self._left[2 * len(POOL)])) ^ INIT_B
        value = value * (INIT_B * MULT_B & WORD) & WORD
        return value ^ value >> 16


def _hashed(value: int, step: tuple[int, int]) -> int:
    before, after = step
    value = (value ^ before) * after & WORD
    return value ^ value >> 16


def _mixed(x: int, y: int) -> int:
    value = MIX_L * x - MIX_R * y & WORD
    return value ^ value >> 16


def _steps(n_words: int) -> list[tuple[int, int]]:
    """Return the pairs of constants of each hashing step: four for each word, and twelve."""
    pairs, constant = [], INIT_A
    for _ in range(4 * n_words + 12):
        pairs.append((constant, constant := constant * MULT_A & WORD))
    return pairs
