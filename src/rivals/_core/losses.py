"""What each model lost at each held-out point, the groups of the points, and where losses come
from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import Points, common_index, finite, index_of, numbers
from rivals._core.cautions import warn
from rivals._core.checks import check_printable
from rivals._core.grouping import Grouping
from rivals._core.setting import one_of
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import FloatArray, IntArray

# Means of the same losses are alike to this part of them.
SAME = 1e-6


@dataclass(frozen=True)
class Provenance:
    """Where losses come from.

    Sentences and the decision depend on it.

    Attributes
    ----------
    loss, unit : str
        As "negative log density" and "nats".
    left_out : bool or None
        Whether each group was predicted by models that were fitted to the other groups, and hence
        share training data; None where nobody said.
    n_folds : int
        How many folds of groups; 0 where nobody said.
    noise : str
        The distribution that was assumed about predictions, as "gaussian".
    point : str
        What one point is called, as "pupil".
    library : str
        What fitted the models, as "scikit-learn".
    metric : {"", "lower", "higher"}
        Which is better of a metric that is no mean loss, as RMSE or ROC AUC. Where higher is,
        losses are its negative, and tables show the metric itself.
    weights : str
        "groups" where each group weighs the same, "points" where it counts by its size.
    alone : bool
        Whether each point was left out alone, by a model that has seen the others of its group.
    repeats : int
        How often groups or rows were divided into folds; losses are means over these.

    Examples
    --------
    >>> import rivals
    >>> rivals.Provenance(loss="absolute error", unit="points", left_out=True).unit
    'points'
    """

    loss: str = ""
    unit: str = ""
    left_out: bool | None = None
    n_folds: int = 0
    noise: str = ""
    point: str = "point"
    library: str = ""
    metric: str = ""
    weights: str = "groups"
    repeats: int = 1
    alone: bool = False

    def __post_init__(self) -> None:
        texts = (self.loss, self.unit, self.noise, self.point, self.library)
        if not all(isinstance(each, str) for each in texts):
            raise TypeError(f"loss, unit, noise, point and library must be text; got {texts}")
        check_printable("loss, unit, noise, point and library", texts)
        if self.left_out not in (True, False, None):
            raise WrongKind(f"{opt['left_out']} must be True, False or None; got {self.left_out!r}")
        for name, least in (("n_folds", 0), ("repeats", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise TypeError(f"{name} must be a whole number, {least} or more; got {value!r}")
        if not isinstance(self.alone, bool):
            raise TypeError(f"alone must be True or False; got {self.alone!r}")
        one_of("", "lower", "higher")("metric", self.metric)
        one_of("groups", "points")("weights", self.weights)


NOT_SAID = Provenance()


class Fits(NamedTuple):
    """The fits of one folding, judged everywhere: what they share through their training data.

    Attributes
    ----------
    means : array, shape (folds, groups), or (folds, folds) of rows
        The mean loss of the fit of each fold in every group; without groups, in the rows that each
        fold leaves out. In a `Study` a third axis has the models.
    fold : array of int, shape (groups,) or (points,)
        Which fold leaves out each group; without groups, each row.
    of_rows : bool
        Whether there are no groups.
    """

    means: FloatArray
    fold: IntArray
    of_rows: bool = False

    @property
    def part(self) -> IntArray:
        """The fold that leaves out each column of `means`."""
        return np.arange(len(self.means)) if self.of_rows else self.fold


@dataclass(frozen=True, eq=False, repr=False)
class Losses:
    """Losses of one model at held-out points.

    Parameters
    ----------
    observed : array_like, shape (points,)
        The loss at each held-out point: lower is better. Usually the negative log likelihood.
    simulated : array_like, shape (points,) or (simulations, points), optional
        The same loss of the same model at points that it simulated itself. With three groups or
        more, none are needed.
    groups : array_like or Grouping, optional
        The group of each point (school, site, subject): `compare` uses it.
    source : Provenance
        Where the losses come from.
    left_out : bool, optional
        Whether each group was predicted by models fitted to the other groups; part of `source`.
    unit : str, optional
        Of the losses, as "nats"; part of `source`.
    fits : array_like, pair, or list of these, optional
        Of left-out groups: the mean loss of each fold's fit in every group, folds × groups; P then
        counts what these fits share through their training data, and supposes nothing. Where a fold
        leaves out several groups, a pair of this matrix and the fold of each group; without groups,
        of a matrix folds × folds and the fold of each row; of several foldings, a list.

    See Also
    --------
    Candidate : a model as two functions, from which losses are computed.
    compare : finds which models would win again.

    Examples
    --------
    >>> losses = Losses([0.3, 1.2, 0.7, 0.4], groups=["a", "a", "b", "b"])
    >>> round(losses.mean, 3)
    0.65
    """

    observed: FloatArray
    simulated: FloatArray
    groups: Grouping | None
    source: Provenance
    index: Any
    fits: tuple[Fits, ...]

    def __init__(
        self,
        observed: npt.ArrayLike,
        simulated: npt.ArrayLike | None = None,
        *,
        groups: Any = None,
        source: Provenance = NOT_SAID,
        left_out: bool | None = None,
        unit: str | None = None,
        fits: Any = None,
    ) -> None:
        said = {"left_out": left_out, "unit": unit}
        known: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
        set_field = object.__setattr__  # the class is frozen
        set_field(self, "observed", _vector(observed))
        set_field(self, "simulated", _matrix(simulated, self.observed.size))
        set_field(self, "groups", _grouping_of(groups, self.observed.size, "groups"))
        set_field(self, "source", replace(source, **known) if known else source)
        set_field(self, "index", common_index({"the points": observed, "groups": groups}))
        set_field(self, "fits", _fits_of(fits, self.observed, self.groups))

    @classmethod
    def from_log_likelihood(
        cls, observed: npt.ArrayLike, simulated: npt.ArrayLike | None = None, **options: Any
    ) -> Losses:
        """From log likelihoods, where higher is better.

        Examples
        --------
        >>> Losses.from_log_likelihood([-1.0, -2.0], [-1.5, -0.5]).observed
        array([1., 2.])
        """
        drawn = None if simulated is None else numbers(simulated, "simulated log likelihoods")
        turned = Points(-numbers(observed, "observed log likelihoods"), index_of(observed))
        return cls(turned, None if drawn is None else -drawn, **options)

    @property
    def n_points(self) -> int:
        """Number of held-out points."""
        return self.observed.size

    @property
    def n_simulations(self) -> int:
        """Number of simulations."""
        return len(self.simulated)

    @cached_property
    def reference(self) -> float:
        """A typical observed loss, to subtract before anything is computed."""
        return float(np.median(self.observed))

    @cached_property
    def mean(self) -> float:
        """Mean observed loss.

        Computed about the median: an offset then costs no digits.
        """
        return self.reference + float(np.mean(self.observed - self.reference))

    def __repr__(self) -> str:
        parts = [f"{self.n_points} points", f"mean {self.mean:.5g}"]
        if self.n_simulations:
            parts.append(f"{self.n_simulations} × {self.simulated.shape[1]} simulated")
        if self.groups is not None:
            parts.append(f"{len(self.groups.names)} groups")
        return f"Losses({', '.join(parts)})"


def _vector(observed: npt.ArrayLike) -> FloatArray:
    found = finite(observed, "observed losses")
    if found.ndim != 1:
        raise ValueError(
            f"observed losses must be one number for each point; got an array of shape "
            f"{found.shape}; simulated losses, which may have several rows, come second"
        )
    if found.size < 2:
        raise ValueError(f"observed losses: need two points or more; got {found.size}")
    return found


def _matrix(simulated: npt.ArrayLike | None, n_points: int) -> FloatArray:
    """Simulated losses, a row for each simulation; no row without any."""
    if simulated is None:
        return np.empty((0, 0))
    found = np.atleast_2d(finite(simulated, "simulated losses"))
    if found.ndim != 2:
        raise ValueError(
            f"simulated losses must be (simulations, points); got an array of shape {found.shape}"
        )
    if not found.size:
        return np.empty((0, 0))
    rows, columns = found.shape
    if columns < 2:
        raise ValueError(f"simulated losses: need two points or more; got shape {found.shape}")
    if rows == n_points != columns and columns < rows:
        raise ValueError(
            f"simulated losses: shape {found.shape} means {rows} simulations of {columns} points, "
            f"for {n_points} observed points; is the matrix transposed? Pass its .T"
        )
    return found


def _grouping_of(labels: Any, n_points: int, what: str) -> Grouping | None:
    if labels is None:
        return None
    grouping = Grouping.of(labels, what=what)
    if grouping.codes.size != n_points:
        raise Refusal(f"{opt[what]}: {grouping.codes.size} labels for {n_points} points")
    return grouping


@dataclass(frozen=True, eq=False)
class Study:
    """The losses of all models at the same points.

    Attributes
    ----------
    names : tuple of str
    observed : tuple of array
        Of each model; no copies, since they may be large.
    simulated : tuple of array
        Of each model, simulations × points.
    groups : Grouping or None
    source : Provenance
    order : "time" or None
        Whether the points are a series.
    clusters : Grouping or None
        Points that depend on each other, where these are not replications.
    segments : Grouping or None
        Which of some fixed kinds, such as devices, each point is of.
    index : pandas.Index or None
        The labels of the rows that the points came with.
    again : callable or None
        The study of some of the points, by a metric that is no mean over points.
    """

    names: tuple[str, ...]
    observed: tuple[FloatArray, ...]
    simulated: tuple[FloatArray, ...]
    groups: Grouping | None
    source: Provenance
    order: str | None = None
    clusters: Grouping | None = None
    fits: tuple[Fits, ...] = ()
    segments: Grouping | None = None
    index: Any = None
    again: Callable[[IntArray], Study] | None = None

    @classmethod
    def of(
        cls,
        losses: Mapping[str, Losses],
        *,
        groups: Any = None,
        order: str | None = None,
        clusters: Any = None,
        by: Any = None,
        weights: str | None = None,
    ) -> Study:
        """From the losses of each model, which must be of the same points."""
        check_names(list(losses))
        given = list(losses.values())
        _check_alike(losses)
        n_points = given[0].n_points
        of_models = {f"model {name!r}": each for name, each in losses.items()}
        together = {**of_models, "groups": groups, "clusters": clusters, "by": by}
        index = common_index(together)
        carried = [each.groups for each in given if each.groups is not None]
        grouping = _grouping_of(groups, n_points, "groups")
        if grouping is None and carried:
            grouping = carried[0]
            _check_same_groups(losses, grouping)
        source = one_source([each.source for each in given])
        if grouping is not None and not carried and source.left_out and source.n_folds:
            warn(
                "models were judged on groups that they were fitted to: folds left out points, so "
                f"that P is too sure of new groups; pass {opt.groups} where losses are read, and "
                "whole groups are left out"
            )
            source = replace(source, left_out=None)
        if weights is not None:
            if grouping is None:
                raise Refusal(f"{opt.weights(weights)} is about groups; pass {opt.groups} too")
            source = replace(source, weights=weights)
        return cls(
            tuple(losses),
            tuple(each.observed for each in given),
            tuple(each.simulated for each in given),
            grouping,
            source,
            order,
            _clusters(clusters, n_points),
            _fits(given, grouping),
            _grouping_of(by, n_points, "by"),
            index,
        )

    def shares(self) -> list[Fits]:
        """The fits of each folding, as values of units: where groups count by their points, their
        influences on the mean over points.
        """
        if self.groups is None or self.source.weights == "groups":
            return list(self.fits)
        found = []
        for each in self.fits:
            of_groups = np.moveaxis(each.means, 1, -1)
            means = np.moveaxis(by_points(of_groups, self.groups.sizes), -1, 1)
            found.append(each._replace(means=means))
        return found

    def taken(self, points: IntArray) -> Study:
        """Some of the points, without simulations, and without what fits of folds lost in all."""
        if self.again is not None:
            return self.again(points)
        return replace(
            self,
            observed=tuple(each[points] for each in self.observed),
            simulated=tuple(np.empty((0, 0)) for _ in self.names),
            groups=self.groups and self.groups.taken(points),
            clusters=self.clusters and self.clusters.taken(points),
            segments=None,
            fits=(),
            index=None,
        )

    @property
    def n_points(self) -> int:
        """Of the data."""
        return self.observed[0].size

    @property
    def n_simulations(self) -> int:
        """Of each model."""
        return len(self.simulated[0])

    @cached_property
    def reference(self) -> float:
        """A typical loss of the best model. It is subtracted first: an offset costs no digits."""
        best = int(np.argmin([losses.mean() for losses in self.observed]))
        return float(np.median(self.observed[best]))


def by_points(means: FloatArray, sizes: Any) -> FloatArray:
    """From means of groups, the last axis, to their influences on the mean over points, which is
    the plain mean of these: u_g = T + (G n_g/N)(m_g − T), T = Σ n_g m_g/N.

    Examples
    --------
    >>> by_points(np.array([1.0, 4.0]), np.array([3, 1])).tolist()
    [0.625, 2.875]
    """
    part = sizes / np.mean(sizes)
    whole = np.mean(part * means, axis=-1, keepdims=True)
    return np.asarray(whole + part * (means - whole))


def by_groups(values: FloatArray, sizes: Any) -> FloatArray:
    """From influences on the mean over points back to the means of groups.

    Examples
    --------
    >>> by_groups(np.array([0.625, 2.875]), np.array([3, 1])).tolist()
    [1.0, 4.0]
    """
    whole = np.mean(values, axis=-1, keepdims=True)
    return np.asarray(whole + np.mean(sizes) / sizes * (values - whole))


def _fits_of(given: Any, observed: FloatArray, groups: Grouping | None) -> tuple[Fits, ...]:
    """Of each folding, checked against the losses that they come with."""
    if given is None:
        return ()
    found = [_folding_of(each, observed.size, groups) for each in _listed(given)]
    if groups is None:
        parts = [np.bincount(each.fold) for each in found]
        own = sum(np.diagonal(each.means) @ part for each, part in zip(found, parts, strict=True))
        own, expected = np.array([own / observed.size]), np.array([observed.mean()])
    else:
        own = sum(each.means[each.fold, np.arange(each.fold.size)] for each in found)
        expected = np.bincount(groups.codes, weights=observed) / groups.sizes
    apart = np.abs(np.asarray(own) / len(found) - expected)
    wrong = apart > SAME * (np.ptp(observed) + np.abs(observed).max())
    if wrong.any():
        first = int(wrong.argmax())
        where = "" if groups is None else f" of {groups.noun} {groups.names[first]!r}"
        raise Refusal(
            f"{opt['fits']}: where a fit was left out its mean loss must be that of the losses; "
            f"{where} it is {np.asarray(own)[first] / len(found):g}, and that of the losses is "
            f"{expected[first]:g}; are folds, groups, or the two axes in another order?"
        )
    return tuple(found)


def _listed(given: Any) -> list[Any]:
    """The foldings: of a matrix of numbers there is one, also where it is a list of lists."""
    several = isinstance(given, list) and all(
        isinstance(each, tuple) or np.ndim(each) == 2 for each in given
    )
    return given if several else [given]


def _folding_of(given: Any, n_points: int, groups: Grouping | None) -> Fits:
    means, fold = given[:2] if isinstance(given, tuple) else (given, None)
    means = finite(means, "fits")
    noun = "row" if groups is None else groups.noun
    n_units = n_points if groups is None else len(groups.names)
    if fold is None:
        fold = np.arange(n_units)
    fold = np.asarray(fold)
    n_folds = len(means) if means.ndim else 0
    if means.shape != (n_folds, n_folds if groups is None else n_units):
        raise Refusal(
            f"{opt['fits']}: expected the mean loss of the fit of each fold "
            f"{'in the rows of each' if groups is None else f'in each of {n_units} {noun}s'}; got "
            f"an array of shape {means.shape}"
        )
    if fold.shape != (n_units,) or set(fold.tolist()) != set(range(n_folds)):
        raise Refusal(
            f"{opt['fits']}: the fold of each {noun} must be {n_units} whole numbers from 0 to "
            f"{n_folds - 1}, in the order of the {noun}s; got {fold.tolist()[:8]}"
            + ("; pass a pair: means, and the fold of each" if n_folds != n_units else "")
        )
    if n_folds < 3:
        raise Refusal(
            f"{opt['fits']}: {n_folds} folds cannot show what their fits share, since no third is "
            "there to compare with; leave it out, or use three folds or more"
        )
    return Fits(means, fold.astype(np.intp), groups is None)


def _fits(given: list[Losses], grouping: Grouping | None) -> tuple[Fits, ...]:
    """Of all models, where all have those of the same folds of these units; else none."""
    foldings = [each.fits for each in given]
    carried = given[0].groups
    if not all(foldings) or len({len(each) for each in foldings}) > 1:
        return ()
    if (grouping is None) != (carried is None):
        return ()
    if grouping is not None and carried is not None:
        factors = (grouping, *grouping.factors)  # folds may leave out the levels of one
        if not any(carried.same_as(each) for each in factors):
            return ()
    found = []
    for of_models in zip(*foldings, strict=True):
        fold = of_models[0].fold
        if not all(np.array_equal(each.fold, fold) for each in of_models):
            return ()
        means = np.stack([each.means for each in of_models], axis=2)
        found.append(of_models[0]._replace(means=means))
    return tuple(found)


def check_names(names: list[Any]) -> None:
    """Two models or more, with names that people can tell apart."""
    if len(names) < 2:
        raise ValueError(f"a comparison needs two models or more; got {len(names)}: {names}")
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"the name of a model must be a text; got {name!r}")
    check_printable("models", names)
    seen: dict[str, str] = {}
    for name in names:
        shown = " ".join(name.split())  # a blank is a blank, of whatever kind
        shown = shown if shown.isprintable() else "".join(filter(str.isprintable, shown))
        if shown in seen:
            invisible = "" if name == seen[shown] else ", but for letters one cannot see"
            raise ValueError(f"two models are called {shown!r}{invisible}")
        seen[shown] = name


def _check_alike(losses: Mapping[str, Losses]) -> None:
    """All models at as many points, in one order, and with as many simulations as the first."""
    first_name, first = next(iter(losses.items()))
    for name, each in losses.items():
        if each.n_points != first.n_points:
            raise ValueError(
                f"model {name!r} has {each.n_points} observed losses, but model {first_name!r} has "
                f"{first.n_points}; judge all models at the same points"
            )
        if each.n_simulations != first.n_simulations:
            raise ValueError(
                f"model {name!r} has {each.n_simulations} simulations, but model {first_name!r} "
                f"has {first.n_simulations}; give all models the same number"
            )


def _check_same_groups(losses: Mapping[str, Losses], grouping: Grouping) -> None:
    for name, each in losses.items():
        if each.groups is None:
            raise Refusal(
                f"model {name!r} carries no groups, but others do; pass {opt.groups} for "
                "all, or give "
                "every model its groups"
            )
        if each.groups is not grouping and not each.groups.same_as(grouping):
            raise ValueError(
                f"model {name!r} carries other groups than the models before it; all models must "
                "be judged at the same points in the same order"
            )


def one_source(sources: list[Provenance]) -> Provenance:
    """What all models say alike; what differs in name alone is left open."""
    first = sources[0]
    for other in sources[1:]:
        if other.unit and first.unit and other.unit != first.unit:
            raise ValueError(
                f"losses are in {first.unit} and in {other.unit}; give all models one unit"
            )
        if other.left_out != first.left_out:
            raise Refusal(
                "some losses are of left-out groups and others are not, or do not say so; the "
                f"same must hold for all models: Losses(..., {opt.left_out(True)})"
            )
    same = {
        name: getattr(first, name)
        for name in Provenance.__dataclass_fields__
        if all(getattr(other, name) == getattr(first, name) for other in sources)
    }
    units = [each.unit for each in sources if each.unit]
    noises = dict.fromkeys(each.noise for each in sources if each.noise)
    return replace(Provenance(**same), unit=units[0] if units else "", noise=" or ".join(noises))


def _clusters(clusters: Any, n_points: int) -> Grouping | None:
    grouping = _grouping_of(clusters, n_points, "clusters")
    if grouping is not None and len(grouping.names) < 2:
        raise Refusal(
            f"{opt['clusters']}: all points are in one, but their sampling error needs two "
            "or more; leave "
            "clusters out"
        )
    return grouping
