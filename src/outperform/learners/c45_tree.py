"""A decision tree as flat arrays: what is kept, pickled, drawn as text and asked for classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .c45_growing import SMALL, Node

__all__ = ["Tree", "choose", "flatten", "keep_reachable"]


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


def flatten(root: Node) -> Tree:
    """Number the nodes of a grown tree, breadth first."""
    nodes, first_child = [root], []
    for node in nodes:  # grows while it is read
        first_child.append(len(nodes) if node.children else -1)
        nodes.extend(node.children)
    return Tree(
        np.array([node.attribute for node in nodes], np.int32),
        np.array([node.cut for node in nodes]),
        np.array(first_child, np.int32),
        np.array([len(node.children) for node in nodes], np.int32),
        np.array([node.counts for node in nodes]),
    )


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
