"""What models predicted for the same rows, kept: every metric is a question afterwards."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import Points
from rivals._core.cautions import warn
from rivals._core.grouping import Grouping
from rivals._core.losses import NOT_SAID, Fits, Losses, Provenance
from rivals._core.optional import need
from rivals._core.texts import Refusal, WrongKind, naming, opt
from rivals._core.types import FloatArray, IntArray
from rivals.method.influence import ALIASES, FAY, METRICS, Metric, Needs, half_samples, of_means

# What was predicted: numbers, with their deviations, labels, or probabilities of all classes.
Kind: TypeAlias = Literal["numbers", "deviations", "labels", "probabilities"]

# As good as so many groups must hold the rows of each class: what comes from one or two cannot show
# how much it varies.
FEWEST_CARRIERS = 2.5
# A part of the rows that rounding does not explain.
MANY_LOWER = 0.1
# How many groups an error names.
NAMED = 3


class Elsewhere(NamedTuple):
    """What the fits of one folding predict for the same rows, left out or not.

    Attributes
    ----------
    rows : array of int
    predicted : mapping
        Name → array, folds × rows (× classes).
    """

    rows: IntArray
    predicted: Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Mapping[str, Losses]):
    """What models predicted for the same rows: fitted once, judged by any metric.

    A mapping from name to `Losses`, those of the first loss that was asked for; `compare` takes it
    with `loss=`, one or a list.

    Attributes
    ----------
    targets : array
        What came true.
    predicted : mapping
        Name → array, foldings × rows (× classes).
    kind : str
        "numbers", "deviations", "labels" or "probabilities".
    asked : tuple
        The losses that were asked for.
    known : mapping
        Of those that need more than predictions: name of the loss → losses of each model.
    groups : Grouping, optional
    folds : array of int, foldings × rows, optional
        Which fold left each row out.
    classes : array, optional
        Of labels.
    columns : data frame or mapping, optional
        Other columns of the same rows.
    elsewhere : tuple of Elsewhere
        For each folding, what its fits predict for rows that they were fitted to as well.
    source : Provenance
        What is true of all losses.
    index : optional
        Labels of the rows, of pandas.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals import compare
    >>> y = np.array([0, 1] * 40)
    >>> noise = np.random.default_rng(0).normal(size=(2, 80))
    >>> pred = Predictions(y, {"good": (y + 0.5 * noise[0])[None], "poor": noise[1][None]})
    >>> round(-pred.judged("roc_auc")["good"].mean, 3)
    0.936
    """

    targets: npt.NDArray[Any]
    predicted: Mapping[str, npt.NDArray[Any]]
    kind: Kind = "numbers"
    asked: tuple[Any, ...] = ("squared",)
    known: Mapping[str, Mapping[str, Losses]] = field(default_factory=dict)
    groups: Grouping | None = None
    folds: IntArray | None = None
    classes: npt.NDArray[Any] | None = None
    columns: Any = None
    elsewhere: tuple[Elsewhere, ...] = ()
    source: Provenance = NOT_SAID
    index: Any = None

    def __getitem__(self, name: str) -> Losses:
        return self._first[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.predicted) or tuple(*list(self.known.values())[:1])

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", {len(self.groups.names)} groups"
        kept = self.kind if self.predicted else "losses"
        return f"Predictions({', '.join(self)}: {kept} for {self.targets.size} rows{groups})"

    @property
    def _first(self) -> dict[str, Losses]:
        kept = self.__dict__.get("kept")
        if kept is None:
            kept = self.__dict__["kept"] = self.judged()
        return dict(kept)

    def judged(self, loss: Any = None, weights: str = "groups") -> dict[str, Losses]:
        """The losses of each model by one metric.

        Parameters
        ----------
        loss : str, callable or scorer, optional
            The first that was asked for by default.
        weights : {"groups", "points"}
            Of a metric that is no mean over rows: the mean of the groups' own, or that of all rows
            together.
        """
        loss = self.asked[0] if loss is None else loss
        if isinstance(loss, str) and ALIASES.get(loss, loss) in self.known:
            return dict(self.known[ALIASES.get(loss, loss)])
        if not self.predicted:
            raise Refusal(
                f"{opt['loss']}: only losses were kept, {', '.join(map(repr, self.known))}, since "
                f"the fits gave distributions; name another {opt.loss} where models are fitted"
            )
        first = next(iter(self.predicted.values()))[0]
        metric = self._metric(loss, first)
        several = self.groups is not None and bool(self.groups.further) and not metric.is_mean
        weights = "points" if several else weights  # no cell has a metric of its own
        own = self.groups is not None and weights == "groups" and not metric.is_mean
        source = replace(
            self.source,
            loss=metric.name,
            unit=self.source.unit or metric.unit,
            noise="",
            metric="higher" if metric.higher else "" if metric.is_mean else "lower",
            weights=weights if several else self.source.weights,
        )
        sign = -1.0 if metric.higher else 1.0
        judged = {}
        for name in self.predicted:
            with naming(f"model {name!r}") if name else nullcontext():
                values, fits = self._values(metric, name, own)
                if fits is not None:
                    fits = [each._replace(means=sign * each.means) for each in fits]
                observed = Points(sign * values, self.index)
                judged[name] = Losses(observed, groups=self.groups, source=source, fits=fits)
        return judged

    def taken(self, rows: IntArray) -> Predictions:
        """Of some of the rows, without what fits predict elsewhere."""
        return replace(
            self,
            targets=self.targets[rows],
            predicted={name: each[:, rows] for name, each in self.predicted.items()},
            known={},
            groups=self.groups and self.groups.taken(rows),
            folds=None if self.folds is None else self.folds[:, rows],
            columns=None,
            elsewhere=(),
            index=None,
        )

    def column(self, name: str) -> Any:
        """A column that was kept, such as that of segments."""
        if hasattr(self.columns, "grouping"):
            return self.columns.grouping(name)
        names = list(getattr(self.columns, "columns", self.columns) or ())
        if name not in names:
            raise Refusal(
                f"the predictions keep no column {name!r}; they have "
                f"{', '.join(map(str, names)) or 'none'}"
            )
        return self.columns[name]

    # ------------------------------------------------------------ from rows to influence values

    def _values(self, metric: Metric, name: str, own: bool) -> tuple[FloatArray, list[Fits] | None]:
        """One value for each row, the mean over foldings; and what fits without each fold have."""
        values, fits = [], []
        rows = np.arange(self.targets.size)
        for place, predicted in enumerate(self.predicted[name]):
            found = self._of_rows(metric, predicted, rows, place, own)
            values.append(found)
            if metric.closed:
                fits.append(self._everywhere(metric, name, place, own, found))
        whole = np.asarray(np.mean(values, axis=0))
        complete = len(fits) == len(values) and all(each is not None for each in fits)
        return whole, [each for each in fits if each is not None] if complete else None

    def _of_rows(
        self, metric: Metric, predicted: npt.NDArray[Any], rows: IntArray, place: int, own: bool
    ) -> FloatArray:
        """T + z of some rows: T of all of them, or of their own group."""
        y, p = self._given(metric, predicted, rows)
        if metric.losses is not None:
            return np.asarray(metric.losses(y, p), dtype=np.float64)
        codes = None if self.groups is None else self.groups.codes[rows]
        if own and codes is not None:
            return self._of_own_groups(metric, y, p, codes)
        strata = None if self.folds is None else self.folds[place][rows]
        if codes is not None and metric.needs in ("score", "event"):
            self._check_carried(metric, y, codes)
        value, z = metric.of(y, p, np.ones(rows.size), strata, codes)
        if not np.isfinite(value):
            raise Refusal(f"{opt['loss']}: {metric.name} is undefined: {_why(metric, y)}")
        if z is not None:
            return value + z
        units = np.arange(rows.size) if codes is None else codes
        names, at, sizes = np.unique(units, return_inverse=True, return_counts=True)
        found = half_samples(lambda w: metric.of(y, p, w, strata)[0], value, at, metric.reach)
        if not np.isfinite(found).all():
            raise Refusal(
                f"{opt['loss']}: {metric.name} is undefined for half of the "
                f"{'rows' if self.groups is None else self.groups.noun + 's'}: {_why(metric, y)}; "
                "few of them carry it: take a loss that is defined for any rows, such as 'log'"
            )
        # A group counts by its size among all rows: `weights="points"` gives its value back.
        return np.asarray((value + (found - value) * rows.size / (sizes * names.size))[at])

    def _of_own_groups(
        self, metric: Metric, y: npt.NDArray[Any], p: npt.NDArray[Any], codes: IntArray
    ) -> FloatArray:
        found = np.empty(codes.size)
        undefined = []
        order = np.argsort(codes, kind="stable")
        names, begins = np.unique(codes[order], return_index=True)
        for code, here in zip(names, np.split(order, begins[1:]), strict=True):
            value, z = metric.of(y[here], p[here], np.ones(here.size))
            found[here] = value if z is None else value + z
            if not np.isfinite(value):
                undefined.append(self._noun_and_names[1][code])
        if undefined:
            noun = self._noun_and_names[0]
            raise Refusal(
                f"{metric.name} is undefined in {len(undefined)} of {names.size} {noun}s, such as "
                f"{', '.join(map(repr, undefined[:NAMED]))} ({_why(metric, y, there=True)}), so "
                f"that the mean of the {noun}s' own cannot be had; ask for that of all rows "
                f"together: {opt.weights('points')}"
            )
        return found

    @property
    def _noun_and_names(self) -> tuple[str, tuple[str, ...]]:
        assert self.groups is not None
        return self.groups.noun, self.groups.names

    def _check_carried(self, metric: Metric, y: FloatArray, codes: IntArray) -> None:
        """Refuse a class that one or two groups carry: the metric would look certain."""
        noun, _ = self._noun_and_names
        for label, what in ((1, "events"), (0, "non-events")):
            part = np.bincount(codes, y == label)
            carriers = int(np.count_nonzero(part))
            if carriers and part.sum() ** 2 / np.sum(part**2) < FEWEST_CARRIERS:
                raise Refusal(
                    f"{opt['loss']}: nearly all of the {int(part.sum())} {what} come from one or "
                    f"two of {np.unique(codes).size} {noun}s, so that {metric.name} would look "
                    f"certain: how much it varies between {noun}s cannot be seen; judge by 'log' "
                    "or 'brier'"
                )

    def _everywhere(
        self, metric: Metric, name: str, place: int, own: bool, values: FloatArray
    ) -> Fits | None:
        """The fits of one folding on all units, where they were kept and can be judged."""
        if place >= len(self.elsewhere) or self.folds is None:
            return None
        there = self.elsewhere[place]
        fold = self.folds[place]
        unit = None if self.groups is None else self.groups.codes
        try:
            found = [
                self._of_rows(metric, each, there.rows, place, own)
                for each in there.predicted[name]
            ]
        except (TypeError, ValueError):
            return None
        return fits_of(np.stack(found), there.rows, unit, fold, values)

    def _given(
        self, metric: Metric, predicted: npt.NDArray[Any], rows: IntArray
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Targets and predictions of some rows, as a metric needs them."""
        targets = self.targets[rows]
        needs, kind = metric.needs, self.kind
        if needs == "number":
            if kind in ("labels", "probabilities"):
                raise Refusal(
                    f"{opt['loss']}: {metric.name} is of numbers, and {kind} were predicted"
                )
            return targets, predicted[:, 0] if kind == "deviations" else predicted
        if kind == "deviations":
            raise Refusal(f"{opt['loss']}: {metric.name} is of labels, and numbers were predicted")
        if needs == "label":
            return targets, self._labels(predicted)
        if needs == "probabilities" and kind == "probabilities":
            return np.searchsorted(self._classes, targets), predicted
        event = self._event(metric)
        y = np.asarray(targets == event, dtype=np.float64)
        if needs == "event":
            return y, np.asarray(self._labels(predicted) == event, dtype=np.float64)
        if kind == "labels":
            raise Refusal(
                f"{opt['loss']}: {metric.name} needs probabilities or scores, and labels were "
                f"predicted; ask for it where models predict: {opt.loss([*self.asked, '…'])}"
            )
        p = predicted[:, 1] if kind == "probabilities" else predicted
        if needs == "probabilities" and not np.all((p >= 0.0) & (p <= 1.0)):
            raise Refusal(
                f"{opt['loss']}: {metric.name} needs probabilities, and predictions lie between "
                f"{p.min():g} and {p.max():g}"
            )
        return y, p

    @property
    def _classes(self) -> npt.NDArray[Any]:
        return np.unique(self.targets) if self.classes is None else self.classes

    def _labels(self, predicted: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Labels; of probabilities the most probable, of a number for an event that at one half."""
        if self.kind == "probabilities":
            return np.asarray(self._classes[np.argmax(predicted, axis=1)])
        if self.kind == "numbers" and set(self._classes.tolist()) <= {0, 1}:
            return np.asarray(predicted >= 0.5, dtype=np.float64)
        return predicted

    def _event(self, metric: Metric) -> Any:
        """The second of two classes."""
        classes = self._classes
        if classes.size > 2:
            raise Refusal(
                f"{opt['loss']}: {metric.name} is of an event, and targets have {classes.size} "
                f"values; of several classes take an average, as 'f1_macro' or 'roc_auc_ovr'"
            )
        if classes.size < 2:
            raise Refusal(
                f"{opt['loss']}: {metric.name} is undefined: all rows are {classes.tolist()[0]!r}"
            )
        return classes[1]

    # ------------------------------------------------------------ metrics by name or function

    def _metric(self, loss: Any, predicted: npt.NDArray[Any]) -> Metric:
        """A metric from its name, a scorer of scikit-learn, or a function."""
        if isinstance(loss, Metric):
            return loss
        is_scorer = hasattr(loss, "_score_func")
        if isinstance(loss, str):
            name = ALIASES.get(loss, loss)
            if name in METRICS:
                if name in ("log", "perplexity") and self.kind in ("numbers", "deviations"):
                    self._check_events(name)
                return METRICS[name]
            loss = scorer_of(loss)
        elif not callable(loss) and not is_scorer:
            raise WrongKind(
                f"{opt['loss']}: expected a name or a function; got {type(loss).__name__}"
            )
        needs: Needs = "number" if self.kind in ("numbers", "deviations") else "label"
        if hasattr(loss, "_score_func"):
            if loss._response_method != "predict" and self.kind != "numbers":
                needs = "score" if self._classes.size == 2 else "probabilities"
            options, sign, function = loss._kwargs, loss._sign, loss._score_func
            name = getattr(function, "__name__", "metric")
            if needs == "number" and sign < 0:
                y, p = self._given(Metric("", METRICS["squared"].of), predicted, self._rows)
                rows = _of_each_row(function, name, options, y, p)
                if rows is not None:
                    return rows
            return _of_function(function, name, needs, higher=sign > 0, options=options)
        y, p = self._given(Metric("", METRICS["squared"].of, needs), predicted, self._rows)
        return _of_any(loss, y, p, needs)

    @property
    def _rows(self) -> IntArray:
        return np.arange(self.targets.size)

    def _check_events(self, name: str) -> None:
        """Of numbers, the log loss is that of an event; densities need a noise, when they are
        fitted.
        """
        if not set(self._classes.tolist()) <= {0, 1}:
            raise Refusal(
                f"{opt['loss']}: {name!r} of numbers needs their noise, which is fitted where "
                f"models predict; read them with {opt.loss('log')}"
            )


def fits_of(
    losses: FloatArray,
    rows: IntArray,
    unit: IntArray | None,
    fold: IntArray,
    observed: FloatArray,
) -> Fits | None:
    """Mean losses in all units from some rows of each; where a fit was left out, from all rows.

    Parameters
    ----------
    losses : array, shape (folds, asked rows)
        Of each fold's fit.
    rows, unit, fold
        The asked rows; the group and the fold of every row. Without groups the rows of a fold are
        taken together.
    observed : array
        Losses of every row, left out.
    """
    n_folds = len(losses)
    of_rows = unit is None
    unit = fold if unit is None else unit
    n_units = int(unit.max()) + 1
    size = np.bincount(unit[rows], minlength=n_units)
    if n_folds < 3 or size.min() == 0 or not np.isfinite(losses).all():
        return None
    means = np.stack([np.bincount(unit[rows], each, n_units) / size for each in losses])
    of_unit = np.zeros(n_units, dtype=np.intp)
    of_unit[unit] = fold
    whole = np.bincount(unit, observed, n_units) / np.bincount(unit, minlength=n_units)
    means[of_unit, np.arange(n_units)] = whole
    return Fits(means, fold if of_rows else of_unit, of_rows)


def _why(metric: Metric, y: npt.NDArray[Any], there: bool = False) -> str:
    if metric.needs in ("score", "event"):
        return "one class alone" if there or np.ptp(y) == 0 else "a denominator is zero"
    return "a denominator is zero, or it does not exist for so few rows"


def scorer_of(name: str) -> Any:
    """A scorer of scikit-learn by its name."""
    metrics = need("sklearn.metrics", extra="sklearn", purpose=f"the metric {name!r}")
    try:
        return metrics.get_scorer(name)
    except ValueError:
        raise Refusal(
            f"{opt['loss']}: there is no {name!r}; choose {', '.join(map(repr, METRICS))}, the "
            "name of a scorer of scikit-learn, or pass a function (targets, predictions)"
        ) from None


def _of_function(
    function: Callable[..., Any],
    name: str,
    needs: Needs,
    *,
    higher: bool,
    options: Mapping[str, Any] | None = None,
) -> Metric:
    """Any metric(y_true, y_pred[, sample_weight]), which is told by half samples."""
    said = dict(options or {})
    weighted = "sample_weight" in _parameters_of(function)

    def of(
        y: Any, p: Any, w: FloatArray, strata: Any = None, units: Any = None
    ) -> tuple[float, None]:
        try:
            with np.errstate(all="ignore"):
                if weighted:
                    return float(function(y, p, sample_weight=w, **said)), None
                return float(function(y[w > 0.0], p[w > 0.0], **said)), None
        except (ValueError, IndexError, ZeroDivisionError):
            return float("nan"), None

    reach = FAY if weighted else 1.0
    return Metric(name.replace("_", " "), of, needs, higher, closed=False, reach=reach)


def _of_each_row(
    function: Any, name: str, options: Mapping[str, Any], y: FloatArray, p: FloatArray
) -> Metric | None:
    """A metric of scikit-learn that is a mean over rows: it tells each as an output of its own.

    None where it does not, or where it is no mean, as the root of one.
    """
    asked = {**options, "multioutput": "raw_values"}
    if "multioutput" in options or not {"multioutput", "sample_weight"} <= _parameters_of(function):
        return None

    def losses(y: FloatArray, p: FloatArray) -> FloatArray:
        return np.asarray(function(y[None], p[None], **asked), dtype=np.float64)

    try:
        each = losses(y, p)
        weights = (1.0, np.arange(1.0, y.size + 1.0))
        for w in (np.broadcast_to(weight, y.shape) for weight in weights):
            whole = function(y, p, sample_weight=w, **options)
            if not np.isclose(whole, each @ w / w.sum(), rtol=1e-9, atol=0.0):
                return None
    except (TypeError, ValueError):
        return None
    return of_means(name.replace("_", " "), lambda y, p: (losses(y, p),))


def _parameters_of(function: Any) -> set[str]:
    """The names of what it takes; none where it does not tell."""
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return set()


def _of_any(function: Any, y: npt.NDArray[Any], p: npt.NDArray[Any], needs: Needs) -> Metric:
    """A function: a loss of each row, or a metric; higher is better where it is so of the targets
    themselves.
    """
    name = str(getattr(function, "__name__", "metric"))
    name = "" if name == "<lambda>" else name
    try:
        value = function(y, p)
    except Exception as error:
        raise Refusal(
            f"{opt['loss']}: {type(error).__name__}: {error}; it is called as "
            "loss(targets, predictions)"
        ) from error
    if np.shape(value) == y.shape:
        perfect = np.asarray(function(y, y))
        if perfect.shape == y.shape and np.mean(np.asarray(value) < perfect) > MANY_LOWER:
            warn(
                f"loss {name}: many predictions have a lower loss than the targets themselves "
                "would; lower must be better: is it a score, as R² or an accuracy, or an error "
                "with its sign?"
            )
        return of_means(name.replace("_", " "), lambda y, p: (function(y, p),), needs=needs)
    if np.shape(value) != ():
        raise Refusal(
            f"{opt['loss']}: {name} gave an array of shape {np.shape(value)}; it must give one "
            f"number, or one number for each of {y.size} rows"
        )
    try:
        higher = float(function(y, y)) > float(value)
    except Exception:
        higher = False
    return _of_function(function, name, needs, higher=higher)
