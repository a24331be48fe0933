"""Models in any form, and how they become losses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import finite
from rivals._core.checks import check_size, name_of
from rivals._core.grouping import MOST_FACTORS, Grouping, noun_of
from rivals._core.losses import Losses, check_names
from rivals._core.optional import need
from rivals._core.seeds import COMPARISON_SIMULATION, simulation_streams
from rivals._core.texts import Refusal, WrongKind, either, opt, text_of
from rivals._core.types import RNG, FloatArray, Model

# What looks like losses and must be read first, by the name of its type: of ArviZ.
TREES = ("DataTree", "InferenceData", "ELPDData")
# Columns that are what models predict, and columns of summaries: neither is a model.
TARGETS = ("y", "target", "actual", "label", "truth", "y_true", "ground_truth")
# One number for many points, and better the higher: neither the losses of points, nor a model.
SCORES = ("accuracy", "acc", "balanced_accuracy", "auc", "roc_auc", "r2", "r²", "f1", "score")
SUMMARIES = ("mean", "sem", "se", "sd", "std", "size", "n", "count")
# Losses with fewer values than this repeat by chance, as those of labels and counts.
FEW_VALUES = 20
# A column of no fewer rows may be a running number of these.
LEAST_COUNTED = 10
# A simulation of labels that are so nearly certain equals the data by chance: exp(−sum) is how
# often.
SURE = 10.0
SUMMARISE = either(
    "rivals.read.summaries(frame, estimate=, error=, groups=)",
    "`rivals summarise` with --estimate, --error and --groups",
)


@dataclass(frozen=True)
class Candidate:
    """A model, as two functions.

    Parameters
    ----------
    loss : callable
        `loss(data)` returns an array with one loss per data point. The data may have any form that
        this function and `simulate` agree on.
    simulate : callable
        `simulate(n, rng)` returns n simulated data points in the same form, drawn with the
        generator `rng`.
    check : callable, optional
        `check(data)` may warn that simulations would not be of these data; `compare` calls it.

    See Also
    --------
    Losses : what a candidate is judged by.
    rivals.read : candidates from the models of other libraries.

    Examples
    --------
    >>> import numpy as np
    >>> model = Candidate(
    ...     loss=lambda y: y**2 / 2, simulate=lambda n, rng: rng.standard_normal(n)
    ... )
    >>> model.losses(np.array([0.1, -1.0, 0.7]), rng=0)
    Losses(3 points, mean 0.25, 1 × 3 simulated)
    """

    loss: Callable[[Any], npt.ArrayLike]
    simulate: Callable[[int, np.random.Generator], Any]
    check: Callable[[Any], None] | None = None

    def losses(
        self, data: Any, *, n_points: int | None = None, n_simulations: int = 1, rng: RNG = None
    ) -> Losses:
        """Losses on held-out `data`, and on simulations.

        Simulations have as many points as the data, or `n_points`.
        """
        return losses_of_model(self, data, n_points=n_points, n_simulations=n_simulations, rng=rng)


def losses_of_model(
    model: Model,
    data: Any,
    *,
    n_points: int | None = None,
    n_simulations: int = 1,
    rng: RNG = None,
) -> Losses:
    """Losses of any model: on held-out data, and on its own simulations."""
    observed = model.loss(data)
    values = finite(observed, "losses that loss(data) returned")
    size = values.size if n_points is None else check_size(n_points, "n_points", least=2)
    if not n_simulations:
        return Losses(observed)
    rows = [_simulate(model, size, rng) for rng in simulation_streams(rng, n_simulations)]
    losses = Losses(observed, np.stack(rows))
    if np.array_equal(rows[0], values) and not repeats_by_chance(values):
        raise ValueError(
            "simulated losses equal the observed ones, value for value; simulate(n, rng) must draw "
            "new data, not return those it is judged on"
        )
    if n_simulations > 1 and np.array_equal(rows[0], rows[1]) and not repeats_by_chance(rows[0]):
        raise ValueError(
            "all simulations are the same; simulate(n, rng) must draw with the generator rng that "
            "it is given"
        )
    return losses


def _simulate(model: Model, size: int, rng: np.random.Generator) -> FloatArray:
    losses = finite(
        model.loss(model.simulate(size, rng)), "losses that loss(simulate(n, rng)) returned"
    )
    if losses.shape != (size,):
        raise ValueError(
            f"simulate({size}, rng) returned data with losses of shape {losses.shape}; it must "
            "simulate as many points as asked for"
        )
    return losses


def repeats_by_chance(losses: FloatArray) -> bool:
    """Whether losses take so few values, or are so nearly certain, that a simulation may equal
    them.
    """
    few = np.unique(losses).size <= min(FEW_VALUES, losses.size / 2)
    certain = losses.min() >= 0.0 and losses.sum() < SURE
    return bool(few or certain)


def losses_of_all(models: Any, data: Any, *, n_simulations: int, entropy: int) -> dict[str, Losses]:
    """The losses of every model: given, or computed by a candidate with its own random stream."""
    named = [(name_of(name), model) for name, model in _named(models)]
    check_names([name for name, _ in named])
    losses = {}
    needs_data = False
    for place, (name, model) in enumerate(named):
        if _is_model(model):
            needs_data = True
            if data is None:
                raise ValueError(
                    f"model {name!r} is a Candidate, so held-out data are needed: "
                    "compare(models, data)"
                )
        try:
            losses[name] = _losses_of(model, data, n_simulations, entropy, place)
        except (TypeError, ValueError) as error:
            kind = WrongKind if isinstance(error, TypeError) else Refusal
            raise kind(f"model {name!r}: {text_of(error)}") from error
    if data is not None and not needs_data:
        raise ValueError(
            "data was given, but all models came with their losses; leave it out, or pass "
            "Candidates"
        )
    return losses


def _losses_of(model: Any, data: Any, n_simulations: int, entropy: int, place: int) -> Losses:
    if isinstance(model, Losses):
        return model
    is_list = isinstance(model, (tuple, list))
    if is_list and len(model) == 2 and hasattr(model[0], "__len__"):
        return _checked_pair(Losses(*model))
    if _is_model(model):
        seed = np.random.SeedSequence(entropy, spawn_key=(COMPARISON_SIMULATION, place))
        losses = losses_of_model(model, data, n_simulations=n_simulations, rng=seed)
        if isinstance(model, Candidate) and model.check is not None:
            model.check(data)
        return losses
    kind = type(model).__name__
    if kind in TREES:
        raise TypeError(
            f"{kind} of ArviZ holds no losses by itself; read them by rivals.read.posterior"
        )
    if is_list or np.ndim(model) == 1 or hasattr(model, "to_numpy"):
        return Losses(model)
    raise TypeError(
        "expected Losses, a pair (observed, simulated), observed losses, or a model with "
        "loss(data) and simulate(n, rng) such as a Candidate, which rivals.read makes of models of "
        f"other libraries; got {kind}"
    )


def _checked_pair(losses: Losses) -> Losses:
    for simulated in losses.simulated:
        if np.array_equal(simulated, losses.observed) and not repeats_by_chance(simulated):
            raise ValueError(
                "simulated losses equal the observed ones, value for value; pass the losses of "
                "data that the model simulated itself"
            )
    return losses


def _is_model(model: Any) -> bool:
    return callable(getattr(model, "loss", None)) and callable(getattr(model, "simulate", None))


# ---------------------------------------------------------------- mappings and data frames


def _named(models: Any) -> list[tuple[Any, Any]]:
    """Names and models, of a mapping, of pairs, or of the columns of a data frame."""
    if isinstance(models, Mapping):
        return list(models.items())
    if is_frame(models):
        return columns_of(models)
    if isinstance(models, Iterable) and not isinstance(models, (str, bytes)):
        pairs = list(models)
        if all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            return pairs
    raise WrongKind(
        f"{opt['models']} must be a mapping from name to losses, a data frame with a "
        "column of losses for "
        f"each model, or GroupSummaries; got {type(models).__name__}"
    )


def is_held(models: Any) -> bool:
    """Whether other libraries hold them: trees of ArviZ, paths to these, reports of skore."""
    if hasattr(models, "reports_"):
        return True
    if not isinstance(models, Mapping) or hasattr(models, "judged"):
        return False
    return bool(models) and all(
        type(each).__name__ in TREES
        or isinstance(each, (str, bytes, PathLike))
        or hasattr(each, "ml_task")
        for each in models.values()
    )


def is_frame(models: Any) -> bool:
    """Whether it is a data frame of some library."""
    return not isinstance(models, Mapping) and hasattr(models, "columns")


def columns_of(frame: Any) -> list[tuple[Any, Any]]:
    """Names and columns; those of pandas keep their index."""
    if hasattr(frame, "iloc"):
        if getattr(frame.columns, "nlevels", 1) > 1:
            raise TypeError(
                "the columns of the data frame have several levels (a MultiIndex); give each one "
                "name: frame.columns = ['_'.join(map(str, each)) for each in frame.columns]"
            )
        named = list(frame.items())
    else:
        narwhals = need("narwhals", extra="table", purpose="data frames")
        table = narwhals.from_native(frame)
        if isinstance(table, narwhals.LazyFrame):
            table = table.collect()
        named = [(column.name, column.to_native()) for column in table.iter_columns()]
    names = [name for name, _ in named]
    twice = {str(name) for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"the data frame has several columns called {', '.join(sorted(twice))}")
    return named


def split_frame(frame: Any, labels: dict[str, Any]) -> tuple[dict[Any, Any], dict[str, Any]]:
    """The columns that are models, and those that `labels` names, as groups="school"."""
    columns = dict(columns_of(frame))
    found = dict(labels)
    taken: set[Any] = set()
    for what, given in labels.items():
        if isinstance(given, str):
            found[what] = Grouping.of(_column(columns, given, what), noun_of(given))
            taken.add(given)
            continue
        is_list = isinstance(given, (list, tuple)) and any(
            isinstance(name, str) and name in columns for name in given[:MOST_FACTORS]
        )
        if is_list:
            given = {name: name for name in given}
        if isinstance(given, Mapping):
            names = [name for name in given.values() if isinstance(name, str)]
            found[what] = {
                factor: _column(columns, name, what) if isinstance(name, str) else name
                for factor, name in given.items()
            }
            taken.update(names)
    models = {name: column for name, column in columns.items() if name not in taken}
    _check_are_losses(models)
    _refuse_running_numbers(models)
    return models, found


def _column(columns: Mapping[Any, Any], name: str, what: str) -> Any:
    if name in columns:
        return columns[name]
    near = get_close_matches(name, [str(each) for each in columns], n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"{what}: the data frame has no column {name!r}; it has "
        f"{', '.join(map(str, columns))}{meant}"
    )


def _refuse_running_numbers(columns: dict[Any, Any]) -> None:
    """A column that counts its rows, among those that nobody named, is no loss."""
    for name, values in columns.items():
        counted = np.asarray(values)
        is_whole = counted.dtype.kind in "iu" and counted.size >= LEAST_COUNTED
        if is_whole and counted[0] in (0, 1) and np.all(np.diff(counted) == 1):
            raise Refusal(
                f"model {name!r}: a running number of the rows is no loss; leave this column out, "
                "or pass a mapping {name: losses, …}"
            )


def _check_are_losses(names: Collection[Any]) -> None:
    """Refuse columns of a data frame that by their names are no losses of a model."""
    for name in names:
        if str(name).lower() in TARGETS:
            use = either(f"rivals.read.predictions(frame, target={name!r})", f"--target {name}")
            raise Refusal(
                f"a column is called {name!r}, so these seem to be predictions, not losses; use "
                f"{use}, or leave this column out"
            )
    refuse_scores(names, "pass a mapping {name: frame[name], …}")
    # A model may well be called "mean", but not beside one called "sem".
    summaries = [name for name in names if str(name).lower() in SUMMARIES]
    if len(summaries) > 1:
        raise Refusal(
            f"columns are called {', '.join(map(repr, summaries))}, which seem to be no models; "
            f"for means and their errors use {SUMMARISE}; if they are models after all, "
            f"pass a mapping {{name: frame[name], …}}"
        )


def refuse_scores(names: Iterable[Any], remedy: str, where: str = "") -> None:
    """Refuse columns that nobody called models, and that by their names are scores."""
    for name in names:
        if str(name).lower() in SCORES:
            raise Refusal(
                f"{where}a column is called {name!r}, which seems to be a score, better the "
                "higher; give a column of losses, better the lower, for each model, such as "
                "1 − accuracy, with a row for each point or fold, or leave this column out; if it "
                f"is a model after all, {remedy}"
            )
