"""What method "groups" needs of a study: a mean loss of each model in each group, and little else;
without groups rows are units.

No loss of any point is in it, so that it may leave a hospital. Several sites join theirs by adding
up, and the decision is that of all their losses together. Means are relative to the first model,
and sums of squares are of differences of models: a part that all models share, however large,
costs no digits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rivals._core.arrays import LARGEST, common_index, factorised, finite, own
from rivals._core.cautions import warn
from rivals._core.grouping import Grouping, Numbered, noun_of
from rivals._core.losses import (
    NOT_SAID,
    Losses,
    Provenance,
    Study,
    by_groups,
    by_points,
    check_names,
    one_source,
)
from rivals._core.reducer import Reducer, reduced
from rivals._core.setting import one_of
from rivals._core.texts import Refusal, opt
from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals.method.budget import FALLS, shared_training
from rivals.method.error import PairSums, beyond_first

FORMAT = "rivals.GroupSummaries/1"
# Points of one group: sums of more may not be whole numbers any more.
MOST_POINTS = 2**48
# Squares of a file are those of no losses if an eigenvalue is below zero by this part of the
# largest.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class GroupSummaries:
    """The groups of a study, in order of arrival.

    Attributes
    ----------
    models, groups : sequence of str
    sizes : array of int, shape (groups,)
        Points in each group.
    first : array, shape (groups,)
        Mean loss of the first model in each group.
    gaps : array, shape (models, groups)
        Mean loss of each model less that of the first; the first row is zero.
    pairs : PairSums
        Of each pair, the squares of the paired difference about its mean in each group, summed.
    noun : str
        What a group is called.
    source : Provenance
        Where the losses come from.
    variances : array, shape (models, models, groups), or None
        The sampling variance of the difference of each two means in each group, and on the diagonal
        that of each mean, where estimates came with errors of their own; nan where it is unknown.
        None where all follow from `pairs` and `sizes`.
    shared : array, shape (models, models), or None
        What fits without each fold share through their training data (`method.budget`), the mean of
        S_fg S_gf of each pair, on the diagonal of each model alone; None where that is not known.
    rows : bool
        Whether no groups were given: each row is a unit, or each cluster of rows, with its
        influence on the mean over rows in the place of its mean.
    order : "time" or None
        Whether neighbours may be alike: units are then in the order of time.

    Examples
    --------
    >>> from rivals import GroupSummaries, Losses, compare
    >>> site = ["a", "a", "b", "b", "c", "c"]
    >>> losses = {
    ...     "line": Losses([1.0, 1.2, 0.9, 1.1, 1.4, 1.0], groups=site),
    ...     "mean": Losses([2.0, 2.1, 1.7, 2.4, 2.2, 2.0], groups=site),
    ... }
    >>> summary = compare(losses).summary
    >>> GroupSummaries.from_json(summary.to_json()).means.round(2).tolist()
    [[1.1, 1.0, 1.2], [2.05, 2.05, 2.1]]
    """

    models: tuple[str, ...]
    groups: Sequence[str]
    sizes: IntArray
    first: FloatArray
    gaps: FloatArray
    pairs: PairSums
    noun: str = "group"
    source: Provenance = NOT_SAID
    variances: FloatArray | None = None
    shared: FloatArray | None = None
    rows: bool = False
    order: str | None = None

    def __post_init__(self) -> None:
        for name in ("sizes", "first", "gaps", "variances", "shared"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, own(getattr(self, name)))
        sums = self.pairs
        # Without the matrix they would keep a row for each model, all its points.
        closed = (
            PairSums(own(sums.own_scaled), own(sums.whole()))
            if sums.matrix is None
            else replace(sums, own=own(sums.own), matrix=own(sums.matrix))
        )
        object.__setattr__(self, "pairs", closed)
        _check(self)

    @classmethod
    def of_losses(cls, losses: Mapping[str, Losses], groups: Any = None) -> GroupSummaries:
        """Reduce the losses of each model to groups.

        As a site does that shares no losses.
        """
        study = Study.of(losses, groups=groups)
        if study.groups is None:
            raise Refusal(f"{opt.groups} is needed, the label of the group of each point")
        return cls.of(study)

    @classmethod
    def of(cls, study: Study) -> GroupSummaries:
        """From the losses of all models at all points."""
        grouping = study.groups
        if grouping is None:
            return cls._of_rows(study)
        if grouping.further:
            raise Refusal(
                f"{opt['groups']}: GroupSummaries are of one factor; use CellSummaries for several"
            )
        sums = reduced(study.observed, grouping.codes, len(grouping.names))
        return cls(
            *(study.names, grouping.names, *sums, grouping.noun),
            replace(study.source, weights="groups"),
            shared=shared_by_fits(study),
        ).weighted(study.source.weights)

    def weighted(self, weights: str) -> GroupSummaries:
        """Groups that weigh the same, or count by points.

        Groups then have their influences on the mean over points in the place of their means, so
        that all else is as for groups that weigh the same.
        """
        one_of("groups", "points")("weights", weights)
        if weights == self.source.weights:
            return self
        if self.rows:
            raise Refusal(f"{opt.weights(weights)} is about groups; pass {opt.groups} too")
        moved = by_points if weights == "points" else by_groups
        part = self.sizes / self.sizes.mean()
        part = part if weights == "points" else 1.0 / part
        rate = float(np.mean(part**2 / self.sizes) / np.mean(1.0 / self.sizes))
        return replace(
            self,
            first=moved(self.first, self.sizes),
            gaps=moved(self.gaps, self.sizes),
            pairs=self.pairs.scaled(rate),
            source=replace(self.source, weights=weights),
            variances=None if self.variances is None else self.variances * part**2,
        )

    @classmethod
    def of_chunks(
        cls, blocks: Iterable[tuple[Mapping[str, Any], Any]], *, source: Provenance = NOT_SAID
    ) -> GroupSummaries:
        """From blocks of rows, of which none is kept.

        Parameters
        ----------
        blocks : iterable of pairs
            The losses of each model in some rows, by name, and the label of the group of each row.
            Groups may go on in another block.
        source : Provenance
            Where the losses come from.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> def block(site):
        ...     return {"line": rng.normal(size=9), "step": rng.normal(size=9)}, [site] * 9
        >>> GroupSummaries.of_chunks(block(site) for site in "abab").sizes.tolist()
        [18, 18]
        """
        models: tuple[str, ...] = ()
        reducer, noun = Reducer(0), "group"
        for losses, groups in blocks:
            if not models:
                models, reducer = tuple(losses), Reducer(len(losses))
                check_names(list(models))
                noun = noun_of(getattr(groups, "name", None))
            if tuple(losses) != models:
                raise ValueError(
                    f"all blocks must have the same models; got {list(losses)} after {list(models)}"
                )
            codes, labels = factorised(groups, opt["groups"])
            rows = [finite(each, f"model {name!r}") for name, each in losses.items()]
            common_index({**losses, "groups": groups})
            for name, row in zip(models, rows, strict=True):
                if row.shape != codes.shape:
                    raise Refusal(
                        f"model {name!r} has losses of shape {row.shape} for {codes.size} labels "
                        "of groups in one block"
                    )
            reducer.add(rows, codes, labels)
        return cls.of_reducer(reducer, models, noun, source)

    @classmethod
    def of_reducer(
        cls, reducer: Reducer, models: tuple[str, ...], noun: str, source: Provenance
    ) -> GroupSummaries:
        """From the groups of all blocks."""
        if not reducer.labels:
            raise ValueError("there is no row")
        return cls(models, Grouping.of(reducer.labels).names, *reducer.sums, noun, source)

    @classmethod
    def _of_rows(cls, study: Study) -> GroupSummaries:
        """Units are rows; or clusters of rows, whose influences have the mean over rows as theirs,
        u_g = d̄ + (C/n) Σ_{i in g} (d_i − d̄), and so the error that a sandwich has.
        """
        first, gaps = study.observed[0], beyond_first(study.observed)
        point = study.source.point
        names: Sequence[str] = Numbered(first.size)
        sizes, noun = np.ones(first.size, dtype=np.int64), "row" if point == "point" else point
        clusters = study.clusters
        if clusters is not None:
            noun = "cluster" if clusters.noun == "group" else clusters.noun
            names, sizes = clusters.names, clusters.sizes
            first = _influences(first[None, :], clusters)[0]
            gaps = _influences(gaps, clusters)
        size = len(study.names)
        nothing = PairSums(np.zeros(size), np.zeros((size, size)))
        shared = shared_by_fits(study)
        return cls(
            *(study.names, names, sizes, first, gaps, nothing, noun, study.source),
            shared=shared,
            rows=True,
        )

    @property
    def n_groups(self) -> int:
        """How many units there are: groups, or rows."""
        return self.sizes.size

    @property
    def n_points(self) -> int:
        """Points of all groups together."""
        return int(self.sizes.sum())

    @property
    def n_simulations(self) -> int:
        """None: how groups differ takes their place."""
        return 0

    @property
    def means(self) -> FloatArray:
        """The mean loss of each model in each group."""
        return np.asarray(self.first + self.gaps)

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the pooled variances within groups.

        At least 1, also where each group is one point.
        """
        return max(int(self.sizes.sum()) - self.sizes.size, 1)

    @cached_property
    def binary(self) -> bool:
        """Whether every unit is 0 or 1."""
        means = self.means
        return bool(np.all((means == 0.0) | (means == 1.0)))

    @cached_property
    def between(self) -> PairSums:
        """Squares of differences about their means over units, summed."""
        gaps = self.gaps - self.gaps.mean(axis=1, keepdims=True)
        return PairSums.of(self.first - self.first.mean(), gaps)

    def sampling(self, a: IntArray, b: IntArray) -> FloatArray:
        """Sampling variances of differences of means, pairs × groups."""
        if self.variances is not None:
            return np.asarray(self.variances[a, b])
        return np.asarray((self.pairs.of_pairs(a, b) / self.degrees)[:, None] / self.sizes)

    @property
    def own_sampling(self) -> FloatArray:
        """The sampling variance of each mean loss, models × groups."""
        if self.variances is not None:
            return np.asarray(np.einsum("aag->ag", self.variances))
        return np.asarray((self.pairs.own_scaled / self.degrees)[:, None] / self.sizes)

    @cached_property
    def known(self) -> BoolArray:
        """Which pairs can be judged.

        Those of which the sampling variance is known.
        """
        if self.variances is None:
            return np.ones((len(self.models), len(self.models)), dtype=bool)
        return np.asarray(~np.isnan(self.variances).any(axis=2))

    @cached_property
    def magnitude(self) -> FloatArray:
        """Size of losses, beside which rounding is judged."""
        within = np.sqrt(self.pairs.own_scaled / float(self.sizes.sum()))
        return np.asarray(within + np.abs(self.means).max(axis=1))

    def taken(self, groups: Sequence[int]) -> GroupSummaries:
        """Some of the groups, by their places.

        Variances within groups stay those of all.

        For looks at a study as it grows; the pooled variance stays that of all groups.
        """
        places = np.asarray(groups, dtype=np.intp)
        sizes = self.sizes[places]
        part = max(int(sizes.sum()) - sizes.size, 1) / self.degrees
        return replace(
            self,
            groups=self._named(places),
            sizes=sizes,
            first=self.first[places],
            gaps=self.gaps[:, places],
            pairs=self.pairs.scaled(part),
            variances=None if self.variances is None else self.variances[:, :, places],
            shared=None
            if self.shared is None
            else self.shared * (self.sizes.size / sizes.size) ** FALLS,
        )

    def _named(self, places: IntArray) -> Sequence[str]:
        if isinstance(self.groups, Numbered):
            return Numbered(places.size)
        return tuple(self.groups[place] for place in places.tolist())

    def ordered(self, models: Sequence[str]) -> GroupSummaries:
        """The same with models in another order.

        Means are then relative to another first model.
        """
        if set(models) != set(self.models):
            raise ValueError(
                f"sites must have the same models; got {list(models)} and {list(self.models)}"
            )
        if tuple(models) == self.models:
            return self
        places = [self.models.index(name) for name in models]
        both = np.ix_(places, places)
        return replace(
            self,
            models=tuple(models),
            first=self.means[places[0]],
            gaps=self.gaps[places] - self.gaps[places[0]],
            pairs=PairSums(self.pairs.own_scaled[places], self.pairs.whole()[both]),
            variances=None if self.variances is None else self.variances[both],
            shared=None if self.shared is None else self.shared[both],
        )

    @classmethod
    def join(cls, sites: Sequence[GroupSummaries]) -> GroupSummaries:
        """Join the groups of several sites.

        Their models must be the same.

        Examples
        --------
        >>> from rivals import Losses, compare
        >>> def site(name):
        ...     wards = [f"{name} {ward}" for ward in "aabb"]
        ...     losses = {
        ...         "line": Losses([1.0, 1.2, 0.9, 1.1], groups=wards),
        ...         "step": Losses([2.0, 2.1, 1.7, 2.4], groups=wards),
        ...     }
        ...     return GroupSummaries.of_losses(losses)
        >>> GroupSummaries.join([site("north"), site("south")]).groups
        ('north a', 'north b', 'south a', 'south b')
        """
        if not sites:
            raise ValueError("join: no summaries were given")
        first = sites[0]
        sites = [site.ordered(first.models) for site in sites]
        _check_of_one_kind(sites)
        variances = [site.variances for site in sites if site.variances is not None]
        return cls(
            first.models,
            _names_of_all(sites),
            np.concatenate([site.sizes for site in sites]),
            np.concatenate([site.first for site in sites]),
            np.concatenate([site.gaps for site in sites], axis=1),
            PairSums(
                np.sum([site.pairs.own_scaled for site in sites], axis=0),
                np.sum([site.pairs.whole() for site in sites], axis=0),
            ),
            first.noun,
            one_source([site.source for site in sites]),
            np.concatenate(variances, axis=2) if variances else None,
            rows=first.rows,
        )

    def to_json(self) -> str:
        """All of it; floating-point numbers keep every digit.

        A group of one point is warned of: its mean is the loss of that point.
        """
        self._warn_of_single_points()
        plain = {
            "format": FORMAT,
            "models": self.models,
            "groups": len(self.groups) if isinstance(self.groups, Numbered) else self.groups,
            "sizes": self.sizes.tolist(),
            "first": self.first.tolist(),
            "gaps": self.gaps.tolist(),
            "own": self.pairs.own_scaled.tolist(),
            "pairs": self.pairs.whole().tolist(),
            "noun": self.noun,
            "source": asdict(self.source),
        }
        if self.variances is not None:
            unknown = np.isnan(self.variances)
            plain["variances"] = np.where(unknown, None, self.variances).tolist()  # type: ignore[call-overload]
        if self.shared is not None:
            plain["shared"] = self.shared.tolist()
        if self.rows:
            plain["rows"] = True
        if self.order is not None:
            plain["order"] = self.order
        return json.dumps(plain, allow_nan=False)

    def _warn_of_single_points(self) -> None:
        if self.variances is not None:
            return
        if isinstance(self.groups, Numbered):
            warn(
                "there are no groups, so that the losses of all rows are in this file; give "
                f"{opt.groups}, if losses of rows must not leave your site"
            )
            return
        single = [
            name for name, size in zip(self.groups, self.sizes.tolist(), strict=True) if size == 1
        ]
        if single:
            warn(
                f"{self.noun} {single[0]!r} has one point, whose losses are in this file"
                f"{f' (and {len(single) - 1} more)' if len(single) > 1 else ''}; leave it out, or "
                "put it together with another, if losses of points must not leave your site"
            )
        elif int(self.sizes.sum()) - self.sizes.size == 1:
            warn(
                f"{self.noun} {self.groups[0]!r} has two points, whose losses follow from this "
                "file; give more points, if losses of points must not leave your site"
            )

    @classmethod
    def from_json(cls, text: str) -> GroupSummaries:
        """What `to_json` wrote."""
        try:
            found: dict[str, Any] = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"these are no summaries: {error}") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"these are no summaries: the field 'format' is not {FORMAT!r}")
        try:
            return _checked(_from_plain(found))
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"these summaries are not as `to_json` writes them: {error}") from None


class Sums(Protocol):
    """Means of groups or cells, and sums of squares within them."""

    @property
    def models(self) -> tuple[str, ...]: ...
    @property
    def noun(self) -> str: ...
    @property
    def sizes(self) -> IntArray: ...
    @property
    def first(self) -> FloatArray: ...
    @property
    def gaps(self) -> FloatArray: ...
    @property
    def pairs(self) -> PairSums: ...
    @property
    def shared(self) -> FloatArray | None: ...


def _from_plain(found: dict[str, Any]) -> GroupSummaries:
    """From the values of JSON, whose kinds the arrays check."""
    given = found["groups"]
    names: Sequence[str] = Numbered(given) if isinstance(given, int) else tuple(given)
    source = Provenance(**found["source"])
    check_plain(found["noun"], names, source)
    sizes = np.array(found["sizes"])
    if sizes.dtype.kind != "i":
        raise TypeError("sizes must be whole numbers")
    variances, shared = found.get("variances"), found.get("shared")
    return GroupSummaries(
        tuple(found["models"]),
        names,
        sizes.astype(np.int64),
        np.array(found["first"], dtype=np.float64),
        np.array(found["gaps"], dtype=np.float64),
        PairSums(
            np.array(found["own"], dtype=np.float64),
            np.array(found["pairs"], dtype=np.float64),
        ),
        found["noun"],
        source,
        None if variances is None else np.array(variances, dtype=np.float64),
        None if shared is None else np.array(shared, dtype=np.float64),
        bool(found.get("rows", False)),
        one_of("time")("order", found["order"]) if "order" in found else None,
    )


def check_plain(noun: Any, names: Sequence[Any], source: Provenance) -> None:
    """Refuse names of groups, and what they are called, that are no texts, or cannot be read."""
    if not all(isinstance(name, str) for name in (noun, *names)):
        raise TypeError("noun and groups must be text")
    if not noun.strip():
        raise ValueError("summaries: noun, what a group is called, is empty")
    texts = (noun, *names, *map(str, asdict(source).values()))
    unseen = next((text for text in texts if not text.isprintable()), None)
    if unseen is not None:
        raise ValueError(f"summaries: {unseen[:60]!r} has letters that cannot be printed")


def _checked(summary: GroupSummaries) -> GroupSummaries:
    """Refuse squares that no losses have: they are distances between models, and from zero."""
    check_squares(summary.pairs.own_scaled, summary.pairs.whole())
    return summary


def check_squares(own: FloatArray, pairs: FloatArray) -> None:
    """Of each model, and of the difference of each pair: there are losses that have them."""
    if not np.array_equal(pairs, pairs.T) or np.diagonal(pairs).any():
        raise ValueError(
            "summaries: pairs must be the same in both directions, with a diagonal of 0"
        )
    products = np.linalg.eigvalsh(0.5 * (own[:, None] + own[None, :] - pairs))
    if products[0] < -ROUNDING * max(products[-1], 0.0):
        raise ValueError(
            "summaries: own and pairs are sums of squares of no losses; were they changed?"
        )


def _check_of_one_kind(sites: Sequence[GroupSummaries]) -> None:
    first = sites[0]
    losses = {site.source.loss for site in sites if site.source.loss}
    if len(losses) > 1:
        raise ValueError(f"sites must have losses of one kind; got {' and '.join(sorted(losses))}")
    if any((site.variances is None) != (first.variances is None) for site in sites):
        raise ValueError("sites must all have losses, or all have estimates with errors")
    if any(site.order is not None for site in sites[1:]):
        raise ValueError("sites in the order of time cannot be joined: they have no common order")
    if any(site.rows != first.rows for site in sites):
        raise ValueError("some sites have groups and others rows alone; give all of them groups")


def _names_of_all(sites: Sequence[GroupSummaries]) -> Sequence[str]:
    if all(isinstance(site.groups, Numbered) for site in sites):
        return Numbered(sum(site.n_groups for site in sites))
    return tuple(name for site in sites for name in site.groups)


def _influences(rows: FloatArray, clusters: Grouping) -> FloatArray:
    """Of each cluster on the mean over rows; their plain mean is that mean."""
    means = rows.mean(axis=1, keepdims=True)
    beyond = np.stack([np.bincount(clusters.codes, weights=row) for row in rows - means])
    return np.asarray(means + beyond * (clusters.sizes.size / rows.shape[1]))


def shared_by_fits(study: Study) -> FloatArray | None:
    """What fits share through their training data, where they were judged everywhere; the mean over
    foldings.
    """
    if not study.fits:
        return None
    of_foldings = [shared_training(each.means, each.part) for each in study.shares()]
    return np.asarray(np.mean(of_foldings, axis=0))


def _check(summary: GroupSummaries) -> None:
    """The same for summaries of losses, of files, and of other sites."""
    check_names(list(summary.models))
    n_groups = len(summary.groups)
    if not isinstance(summary.groups, Numbered) and len(set(summary.groups)) < n_groups:
        seen: set[str] = set()
        twice = next(name for name in summary.groups if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(
            f"{summary.noun} {twice!r} is there twice; give every {summary.noun} a name of its own"
        )
    check_sums(summary, len(summary.groups))
    _check_variances(summary)


def check_sums(summary: Sums, n_groups: int) -> None:
    """Shapes and sizes of means and sums of squares, of groups or of cells."""
    n_models = len(summary.models)
    shapes = {
        "sizes": (summary.sizes, (n_groups,)),
        "first": (summary.first, (n_groups,)),
        "gaps": (summary.gaps, (n_models, n_groups)),
        "own": (summary.pairs.own, (n_models,)),
    }
    if summary.pairs.matrix is not None:
        shapes["pairs"] = (summary.pairs.matrix, (n_models, n_models))
    if summary.shared is not None:
        shapes["shared"] = (summary.shared, (n_models, n_models))
    for name, (array, shape) in shapes.items():
        if array.shape != shape:
            raise ValueError(f"summaries: {name} has shape {array.shape}; expected {shape}")
        are_squares = name in ("own", "pairs", "shared")
        largest = LARGEST**2 if are_squares else LARGEST
        least = 0.0 if are_squares else -LARGEST
        # A nan is neither at most nor at least anything.
        if not array.size or (array.max() <= largest and array.min() >= least):
            continue
        if not np.isfinite(array).all():
            raise ValueError(f"summaries: {name} has numbers that are missing or infinite")
        if are_squares and array.min() < 0.0:
            raise ValueError(f"summaries: {name} are squares, and cannot be negative")
        raise ValueError(f"summaries: {name} are beyond {largest:g}; rescale the loss")
    if not n_groups:
        raise ValueError("summaries: there is no group")
    if summary.sizes.min() < 1 or summary.sizes.max() > MOST_POINTS:
        raise ValueError(f"summaries: a {summary.noun} has no point, or more than {MOST_POINTS:g}")
    if np.any(summary.gaps[0] != 0.0):
        raise ValueError("summaries: gaps are relative to the first model, whose own must be 0")


def _check_variances(summary: GroupSummaries) -> None:
    """Of estimates: known for a model and one other at least, and above zero."""
    variances = summary.variances
    if variances is None:
        return
    n_models = len(summary.models)
    if variances.shape != (n_models, n_models, len(summary.groups)):
        raise ValueError(f"summaries: variances have shape {variances.shape}")
    if np.isinf(variances).any() or np.any(variances <= 0.0):
        raise ValueError("summaries: a variance is infinite, zero or negative")
    if not np.array_equal(variances, variances.transpose(1, 0, 2), equal_nan=True):
        raise ValueError("summaries: variances of pairs must be the same in both directions")
    alone = np.flatnonzero(summary.known.sum(axis=1) == np.diagonal(summary.known))
    if alone.size:
        raise ValueError(
            f"summaries: of model {summary.models[alone[0]]!r} no difference from another has a "
            "known variance"
        )
