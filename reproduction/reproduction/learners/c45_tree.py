"""A decision tree as flat arrays: kept, pickled, drawn as text, asked for classes, and cut back.

Mansour's cost cuts it back, its factor chosen as CART chooses a cost-complexity (B-09). A subtree
of s leaves over m items is charged errors/m + c·√(s/m): the penalty is the uniform deviation of the
errors of trees of that size. It becomes a leaf once the leaf costs no more. As c grows from 0 the
tree is cut back at its weakest link, again and again, which gives nested trees; c is the one whose
trees, grown and cut back on nine tenths of the items, err least on the tenth left out. Of equal
ones the largest, so the smallest tree. A constant before the root cancels against c, so none is
needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

SMALL = 1e-6  # J48 takes numbers that differ by less than this as equal
GAP = 1e-5  # no cut between two values nearer than this
MOST_VALUES = 0.3  # a nominal attribute with more values than this share of the items is odd
NEARLY = 1e-3  # a gain this little below the average still takes part
FOLDS = 10  # of the cross-validation that chooses Mansour's factor


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What a tree is grown from: coded attributes, coded classes, and the least branch."""

    X: Any
    """(n, d) float64: numbers, or the codes of nominal values; NaN is missing."""
    y: Any
    """(n,) class codes, 0 … n_classes - 1."""
    nominal: Any
    """(d,) which attributes are nominal."""
    n_values: Any
    """(d,) how many values a nominal attribute has."""
    n_classes: int
    min_items: float = 2.0
    charge: float = 1.0
    """Share of the bits that tell a numeric cut which the cut pays: 1, or 0 in Release 1."""

    def take(self, rows: Any) -> Training:
        return replace(self, X=self.X[rows], y=self.y[rows])

    def class_weights(self, items: tuple[Any, Any]) -> Any:
        rows, weights = items
        return np.bincount(self.y[rows], weights, self.n_classes)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Nodes by number: the root is 0, the children of a node follow one another."""

    attribute: Any
    """The attribute a node asks for; -1 in a leaf."""
    cut: Any
    """The largest number that goes left; NaN where the attribute is nominal."""
    first_child: Any
    n_children: Any
    counts: Any
    """(nodes, classes) weight of the training items of each class."""

    @property
    def n_leaves(self) -> int:
        return int((self.attribute < 0).sum())

    def scores(self, X: Any, nominal: Any) -> Any:
        """Return the class probabilities of coded items; a missing value asks every branch."""
        n = len(X)
        scores = np.zeros((n, self.counts.shape[1]))
        pending = [(0, np.arange(n), np.ones(n))]
        while pending:
            node, rows, weights = pending.pop()
            if self.attribute[node] < 0:
                scores[rows] += weights[:, None] * self._shares(node)
                continue
            asked, first = self.attribute[node], self.first_child[node]
            n_branches = self.n_children[node]
            values = X[rows, asked]
            branch = values if nominal[asked] else values >= self.cut[node] + SMALL
            known = ~np.isnan(values)
            if nominal[asked]:
                known &= (values >= 0) & (values < n_branches)
            branch = np.where(known, branch, -1).astype(int)
            held = self.counts[first : first + n_branches].sum(axis=1)
            for number, share in enumerate(held / held.sum()):
                child, here = first + number, branch == number
                if self.attribute[child] < 0 and held[number] < SMALL:
                    scores[rows[here]] += weights[here][:, None] * self._shares(node)
                    continue
                here |= ~known
                if here.any():
                    passed = np.where(known, weights, weights * share)[here]
                    pending.append((child, rows[here], passed))
        return scores

    def text(self, names: Sequence[str], values: Sequence[Any], classes: Sequence[Any]) -> str:
        """Return the tree as indented rules; a leaf shows (items / errors)."""
        lines: list[str] = []
        self._write(lines, 0, 0, names, values, classes)
        return "\n".join(lines)

    def _write(
        self, lines: list[str], node: int, depth: int, names: Any, values: Any, classes: Any
    ) -> None:
        if self.attribute[node] < 0:
            lines.append("|   " * depth + self._answer(node, node, classes))
            return
        asked, first = self.attribute[node], self.first_child[node]
        for number in range(self.n_children[node]):
            child = first + number
            if np.isnan(self.cut[node]):
                rule = f"{names[asked]} = {values[asked][number]}"
            else:
                rule = f"{names[asked]} {'>' if number else '<='} {self.cut[node]:.6g}"
            if self.attribute[child] < 0:
                lines.append("|   " * depth + f"{rule}: {self._answer(child, node, classes)}")
            else:
                lines.append("|   " * depth + rule)
                self._write(lines, child, depth + 1, names, values, classes)

    def _answer(self, node: int, parent: int, classes: Any) -> str:
        counts = self.counts[node]
        total = counts.sum()
        said = counts if total > SMALL else self.counts[parent]
        winner = int(choose(said[None, :])[0])
        wrong = total - counts[winner]
        return f"{classes[winner]} ({total:.6g}{f'/{wrong:.6g}' if wrong > SMALL else ''})"

    def _shares(self, node: int) -> Any:
        total = self.counts[node].sum()
        return self.counts[node] / total if total > SMALL else self.counts[node] * 0


def choose(scores: Any) -> Any:
    """Return the code of the most probable class of each row; of equals, the first."""
    best = np.zeros(len(scores), np.intp)
    most = np.full(len(scores), -1.0)
    for code in range(scores.shape[1]):
        better = scores[:, code] > most + SMALL
        best[better], most[better] = code, scores[better, code]
    return best


def keep_reachable(tree: Tree, attribute: Any) -> Tree:
    """Return the tree with other attributes asked (-1 makes a leaf), less the nodes cut off."""
    kept, first_child = [0], []
    for node in kept:  # grows while it is read
        below = int(tree.n_children[node]) if attribute[node] >= 0 else 0
        first_child.append(len(kept) if below else -1)
        kept.extend(range(int(tree.first_child[node]), int(tree.first_child[node]) + below))
    asked = attribute[kept]
    return Tree(
        asked.astype(np.int32),
        np.where(asked < 0, np.nan, tree.cut[kept]),
        np.array(first_child, np.int32),
        np.where(asked < 0, 0, tree.n_children[kept]).astype(np.int32),
        tree.counts[kept],
    )


def mansour_tree(
    training: Training, grown: Callable[[Training], Tree], rng: np.random.Generator
) -> Tree:
    """Grow a tree and cut it back by the factor that cross-validation chooses."""
    tree = grown(training)
    links = weakest_links(tree)
    factors = np.unique([factor for factor in links.values() if math.isfinite(factor)])
    if not len(factors):
        return tree
    # A factor between two links stands for every factor between them, as in CART.
    between = np.sqrt(factors[:-1] * factors[1:])
    candidates = np.concatenate([[0.0], between, [np.inf]])
    return cut_back(tree, links, _chosen(training, grown, candidates, rng))


def weakest_links(tree: Tree) -> dict[int, float]:
    """Return, for each split, the least factor at which it is cut back to a leaf."""
    counts = tree.counts.sum(axis=1)
    errors: list[float] = (counts - tree.counts.max(axis=1)).tolist()
    items: list[float] = counts.tolist()
    below = {
        int(node): range(first, first + int(tree.n_children[node]))
        for node in np.flatnonzero(tree.attribute >= 0)
        for first in (int(tree.first_child[node]),)
    }
    above = {child: node for node, children in below.items() for child in children}
    wrong = list(errors)
    leaves = [int(held > SMALL) for held in items]
    strength: dict[int, float] = {}

    def weigh(node: int) -> None:
        """Add up a split's children, and find the factor at which it is not worth its leaves."""
        wrong[node] = sum(wrong[child] for child in below[node])
        leaves[node] = sum(leaves[child] for child in below[node])
        strength[node] = 0.0
        if leaves[node] > 1:
            saved = (errors[node] - wrong[node]) / items[node]
            charged = (math.sqrt(leaves[node]) - 1) / math.sqrt(items[node])
            strength[node] = saved / charged

    for node in sorted(below, reverse=True):  # children come after their parents
        weigh(node)
    links: dict[int, float] = {}
    reached = 0.0
    while strength:
        reached = max(reached, min(strength.values()))
        changed: set[int] = set()
        for node in [n for n, one in strength.items() if one <= reached + SMALL * reached]:
            gone = [one for one in _descendants(below, node) if one in strength]
            links.update(dict.fromkeys(gone, reached))
            for one in gone:
                del strength[one]
            wrong[node], leaves[node] = errors[node], int(items[node] > SMALL)
            while node in above:
                node = above[node]
                changed.add(node)
        for node in sorted(changed & strength.keys(), reverse=True):
            weigh(node)
    return links


def cut_back(tree: Tree, links: dict[int, float], factor: float) -> Tree:
    """Return the tree with every split whose link is no stronger than a factor made a leaf."""
    attribute = tree.attribute.copy()
    attribute[[node for node, link in links.items() if link <= factor]] = -1
    return keep_reachable(tree, attribute)


def _descendants(below: dict[int, range], node: int) -> list[int]:
    """Return a split and the splits below it."""
    found = [node]
    for one in found:
        found += [child for child in below[one] if child in below]
    return found


def _chosen(
    training: Training, grown: Callable[[Training], Tree], candidates: Any, rng: np.random.Generator
) -> float:
    """Return the largest factor of least cross-validated error."""
    n = len(training.y)
    fold = rng.permutation(n) % min(FOLDS, n)
    wrong = np.zeros(len(candidates))
    for number in range(fold.max() + 1):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        tree = grown(training.take(inside))
        links = weakest_links(tree)
        parted = _count_wrong(tree, links, training, outside, candidates, wrong)
        if not len(parted):
            continue
        # Factors between the same two links of this tree cut it back alike.
        alike = np.searchsorted(np.unique(list(links.values())), candidates, side="right")
        alike[np.isnan(candidates)] = -1
        for kind in np.unique(alike):
            same = alike == kind
            smaller = cut_back(tree, links, candidates[same][0])
            said = choose(smaller.scores(training.X[parted], training.nominal))
            wrong[same] += (said != training.y[parted]).sum()
    return float(candidates[np.flatnonzero(wrong == wrong.min())[-1]])


def _count_wrong(
    tree: Tree, links: dict[int, float], training: Training, items: Any, candidates: Any, wrong: Any
) -> Any:
    """Add the errors of all candidates on items that take one way down; return the other items.

    An item stops at the first split that is cut back, so its way down the whole tree answers for
    every factor. An item with a missing value on its way takes several, and needs each tree.
    """
    if np.isnan(candidates).any():
        return items
    held = tree.counts.sum(axis=1)
    said = choose(tree.counts / np.maximum(held, SMALL)[:, None])
    cut_from = np.searchsorted(candidates, list(links.values())).tolist()
    stops = dict(zip(links, cut_from, strict=True))
    y = training.y
    parted, ways = [items[:0]], []
    pending: list[tuple[int, Any, tuple[tuple[int, int], ...]]] = [(0, items, ())]
    while pending:
        node, rows, above = pending.pop()
        asked = int(tree.attribute[node])
        if asked < 0:
            answer = int(said[node]) if held[node] >= SMALL else above[-1][0]
            ways.append((rows, (*above, (answer, 0))))
            continue
        first, n_branches = int(tree.first_child[node]), int(tree.n_children[node])
        values = training.X[rows, asked]
        known = ~np.isnan(values)
        if training.nominal[asked]:
            known &= (values >= 0) & (values < n_branches)
        branch = values if training.nominal[asked] else values >= tree.cut[node] + SMALL
        parted.append(rows[~known])
        way = (*above, (int(said[node]), stops[node]))
        for number in range(n_branches):
            here = rows[known & (branch == number)]
            if len(here):
                pending.append((first + number, here, way))
    steps = [0] * (len(candidates) + 1)  # whole numbers: their sum is exact
    for rows, way in ways:
        end, counts = len(candidates), np.bincount(y[rows], minlength=training.n_classes).tolist()
        for answer, stop in way:
            if stop < end:
                errors = len(rows) - counts[answer]
                steps[stop] += errors
                steps[end] -= errors
                end = stop
    wrong += np.cumsum(steps[:-1])
    return np.concatenate(parted)
