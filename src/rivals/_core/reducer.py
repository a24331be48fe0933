"""Blocks of rows become sums of groups, whatever holds the rows and however many there are.

Of each block: group means, relative to typical losses, and squares of the differences of models
within groups. Two blocks, of one table or of two workers, are joined by what lies between their
means (Chan, Golub and LeVeque 1983); no row is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from rivals._core.types import FloatArray, IntArray
from rivals.method.error import PairSums

# Numbers of a block: what the processor's cache nearly holds; and rows, of however many models.
NUMBERS = 2**18
FEWEST_ROWS = 2**12
# Rows whose means the sums are relative to: any typical loss would do, but for rounding.
TYPICAL = 1000


class GroupSums(NamedTuple):
    """Of the rows of some groups.

    Attributes
    ----------
    sizes : array of int, shape (groups,)
    first : array, shape (groups,)
        Mean loss of the first model.
    gaps : array, shape (models, groups)
        Of each model, less that of the first.
    pairs : PairSums
        Squares of the differences of pairs about their means in each group, summed.
    """

    sizes: IntArray
    first: FloatArray
    gaps: FloatArray
    pairs: PairSums


def rows_at_once(n_models: int) -> int:
    """How many rows a block should have."""
    return max(NUMBERS // n_models, FEWEST_ROWS)


def sums_of_groups(
    losses: Sequence[FloatArray], codes: IntArray, n_groups: int, reference: FloatArray
) -> GroupSums:
    """Of one block, relative to a reference.

    Parameters
    ----------
    losses : sequence of array, shape (rows,)
        Of each model.
    codes : array of int
        The group of each row.
    n_groups : int
        Of which some may have no row in this block.
    reference : array, shape (models,)
        A typical loss of the first model, and differences from it.
    """
    sizes = np.bincount(codes, minlength=n_groups)
    begins = _begins(codes, sizes)
    first = losses[0] - reference[0]
    gaps = np.empty((len(losses), first.size))
    for gap, row, typical in zip(gaps, losses, reference, strict=True):
        np.subtract(row, losses[0], out=gap)
        if gap is not gaps[0]:
            gap -= typical
    gaps[0] = 0.0
    means = np.zeros((len(losses), n_groups))
    mean_first = _centre(first, codes, sizes, begins)
    for mean, gap in zip(means[1:], gaps[1:], strict=True):
        mean[:] = _centre(gap, codes, sizes, begins)
    pairs = PairSums.of(first, gaps, whole=True)
    means[1:] += reference[1:, None]
    return GroupSums(sizes, mean_first + reference[0], means, pairs)


def _begins(codes: IntArray, sizes: IntArray) -> IntArray | None:
    """Where each group begins, if the rows come group by group and none is missing."""
    if not sizes.all() or np.any(codes[1:] < codes[:-1]):
        return None
    return np.asarray(np.cumsum(sizes) - sizes)


def _centre(
    row: FloatArray, codes: IntArray, sizes: IntArray, begins: IntArray | None
) -> FloatArray:
    """The means of groups, which are subtracted from the row."""
    if begins is None:
        means = np.bincount(codes, weights=row, minlength=sizes.size) / np.maximum(sizes, 1)
    else:
        means = np.add.reduceat(row, begins) / sizes
    row -= means.take(codes)
    return np.asarray(means)


def reduced(losses: Sequence[FloatArray], codes: IntArray, n_groups: int) -> GroupSums:
    """Of rows in memory, block by block."""
    reducer = Reducer(len(losses))
    reducer.add(losses, codes, range(n_groups))
    return reducer.sums


class Reducer:
    """The groups of all blocks so far.

    Examples
    --------
    >>> reducer = Reducer(2)
    >>> reducer.add([np.array([1.0, 2.0]), np.array([2.0, 2.0])], np.array([0, 1]), ["b", "a"])
    >>> reducer.add([np.array([3.0, 4.0]), np.array([5.0, 5.0])], np.array([0, 0]), ["a"])
    >>> reducer.labels, reducer.sums.first.tolist()
    (['b', 'a'], [1.0, 3.0])
    """

    def __init__(self, n_models: int) -> None:
        self._places: dict[Hashable, int] = {}
        self._sizes = np.zeros(0)
        self._means = np.zeros((n_models, 0))  # of the first model, and of gaps from it
        self._own = np.zeros(n_models)
        self._matrix = np.zeros((n_models, n_models))
        self._reference: FloatArray | None = None

    @property
    def labels(self) -> list[Hashable]:
        """Of the groups, in the order in which they first appeared."""
        return list(self._places)

    @property
    def sums(self) -> GroupSums:
        """Of all rows."""
        n_groups = len(self._places)
        gaps = self._means[:, :n_groups].copy()
        first = gaps[0].copy()
        gaps[0] = 0.0
        sizes = self._sizes[:n_groups].astype(np.int64)
        return GroupSums(sizes, first, gaps, PairSums(self._own, self._matrix))

    def add(
        self, losses: Sequence[FloatArray], codes: IntArray, labels: Sequence[Hashable]
    ) -> None:
        """The losses of each model in some rows, and the group of each row."""
        if not codes.size:
            return
        if self._reference is None:
            self._reference = typical(losses)
        where = self._where(labels)
        step = max(rows_at_once(len(losses)), 4 * len(labels))
        for begin in range(0, codes.size, step):
            rows = slice(begin, begin + step)
            block = [each[rows] for each in losses]
            self._join(sums_of_groups(block, codes[rows], len(labels), self._reference), where)

    def join(self, sums: GroupSums, labels: Sequence[Hashable]) -> None:
        """The sums of other rows, which may be of the same groups."""
        self._join(sums, self._where(labels))

    def _where(self, labels: Sequence[Hashable]) -> IntArray:
        """The places of groups, some of which may be new."""
        places = self._places
        where = np.fromiter(
            (places.setdefault(label, len(places)) for label in labels), np.intp, len(labels)
        )
        self._grow(len(places))
        return where

    def _join(self, sums: GroupSums, where: IntArray) -> None:
        found = sums.gaps.copy()
        found[0] = sums.first
        before = self._sizes[where]
        total = np.maximum(before + sums.sizes, 1.0)
        apart = found - self._means[:, where]
        self._means[:, where] += (sums.sizes / total) * apart
        self._sizes[where] += sums.sizes
        parts = [sums.pairs]
        if before.any():
            between = np.sqrt(before * sums.sizes / total) * apart
            first, between[0] = between[0].copy(), 0.0
            parts.append(PairSums.of(first, between, whole=True))
        for each in parts:
            self._own += each.own_scaled
            self._matrix += each.whole()

    def _grow(self, n_groups: int) -> None:
        """Room for more groups, twice as many at least, so that few are copied."""
        room = self._sizes.size
        if n_groups > room:
            more = max(n_groups, 2 * room) - room
            self._sizes = np.concatenate([self._sizes, np.zeros(more)])
            nothing = np.zeros((len(self._means), more))
            self._means = np.concatenate([self._means, nothing], axis=1)


def typical(losses: Sequence[FloatArray]) -> FloatArray:
    """A typical loss of the first model, and of differences from it."""
    head = np.stack([row[:TYPICAL] for row in losses])
    head[1:] -= head[0]
    return np.asarray(head.mean(axis=1))
