"""Arithmetic that knows no noun of ours: sums, tails, distributions, ranks, counts of pairs."""
