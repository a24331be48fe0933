"""Models in any form, and how they become losses: the paper's two samples of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._random import COMPARISON_SIMULATION, simulation_streams
from rivals._say.arguments import check_name, check_size
from rivals._say.naming import naming
from rivals._say.rows import OneOrder, row_labels
from rivals._say.samples import check_losses
from rivals._say.words import show
from rivals._types import RNG, FloatArray, Model
from rivals.losses import Losses, few_values, same_by_chance

# What looks like losses and must be read first, by the name of its type: of ArviZ.
READERS = {
    "DataTree": "arviz_tree",
    "InferenceData": "arviz_tree",
    "ELPDData": "kfold_elpd",
}

AnyModel: TypeAlias = "Losses | Model | tuple[npt.ArrayLike, npt.ArrayLike] | npt.NDArray[Any]"


def check_model(model: Any, what: str = "") -> Model:
    """An object with the functions loss(data) and simulate(n, rng)."""
    if callable(getattr(model, "loss", None)) and callable(getattr(model, "simulate", None)):
        checked: Model = model
        return checked
    length = ""
    if isinstance(model, (tuple, list)):
        length = f" of length {len(model)}; pass an array"
    kind = type(model).__name__
    if kind in READERS:
        raise TypeError(
            f"{what}{kind} of ArviZ holds no losses by itself; read them by "
            f"rivals.read.{READERS[kind]}, or with the model by rivals.read.posterior"
        )
    raise TypeError(
        f"{what}expected Losses, a pair (observed, synthetic), or a model with loss(data) and "
        "simulate(n, rng) such as a Candidate, which rivals.read makes of models of other "
        f"libraries; got {kind}{length}"
    )


def models_in_turn(models: Any) -> Iterator[tuple[str, Any]]:
    """Models with their names, from a mapping or from pairs.

    At least two, with different names that are text. One after the other: an iterator of models
    need not hold all of them at once.
    """
    pairs = models.items() if isinstance(models, Mapping) else models
    if not isinstance(pairs, Iterable):
        raise _not_models(models)
    seen: set[str] = set()
    for pair in pairs:
        try:
            name, model = pair
        except (TypeError, ValueError):
            raise _not_models(models) from None
        if not isinstance(name, str) and hasattr(name, "__len__"):  # losses, not a name
            raise _not_models(models)
        if check_name(name) in seen:
            raise ValueError(f"model '{show(name)}' is given twice; names must differ")
        seen.add(name)
        yield name, model
    if len(seen) < 2:
        raise ValueError(
            f"a comparison needs at least two models; got {len(seen)}: "
            f"{[show(name) for name in seen]}"
        )


def _not_models(given: Any) -> TypeError:
    found = (
        f"got {type(given).__name__} without names; pass {{'A': ..., 'B': ...}}, or what "
        "rivals.read.losses_from_files reads"
    )
    if hasattr(given, "columns"):
        found = "got a data frame; if its columns are losses of models, pass dict(frame)"
    return TypeError(
        "models must be a mapping from name to Losses, (observed, synthetic) or Candidate, "
        f"or pairs of these; {found}"
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
        `check(data)` may warn that simulations would not be of these data; `compare` calls it,
        `calibrate` does not.

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
    Losses(3 observed, 3 synthetic, empirical risk 0.25)
    """

    loss: Callable[[Any], npt.ArrayLike]
    simulate: Callable[[int, np.random.Generator], Any]
    check: Callable[[Any], None] | None = None

    def __repr__(self) -> str:
        loss = getattr(self.loss, "__qualname__", type(self.loss).__name__)
        simulate = getattr(self.simulate, "__qualname__", type(self.simulate).__name__)
        return f"{type(self).__name__}(loss={loss}, simulate={simulate})"

    def losses(
        self, data: Any, *, n_synthetic: int | None = None, n_simulations: int = 1, rng: RNG = None
    ) -> Losses:
        """Losses on held-out `data`, and on simulations with as many points (or `n_synthetic`)."""
        return losses_of_model(
            self, data, n_synthetic=n_synthetic, n_simulations=n_simulations, rng=rng
        )


def losses_of_model(
    model: Model,
    data: Any,
    *,
    n_synthetic: int | None = None,
    n_simulations: int = 1,
    rng: RNG = None,
) -> Losses:
    """Losses of any model: on held-out data, and on its own simulations."""
    model = check_model(model)
    if data is None:
        raise ValueError("is a Candidate, so held-out data are needed: call compare(models, data)")
    returned = model.loss(data)
    observed = check_losses(returned, "losses that loss(data) returned")
    index = _labels_of_points(returned, data, observed.size)
    if n_synthetic is None:
        n_synthetic = observed.size
    n_synthetic = check_size(n_synthetic, "n_synthetic", least=2)
    rows = [
        _simulate(model, n_synthetic, generator)
        for generator in simulation_streams(rng, n_simulations)
    ]
    return Losses(observed, rows[0] if n_simulations == 1 else np.stack(rows), index=index)


def _labels_of_points(returned: Any, data: Any, n_points: int) -> Any:
    """The index of the losses, or of the data that they are of: a table, or a pair of them."""
    parts = data if isinstance(data, (tuple, list)) and len(data) == 2 else [data]
    for values in (returned, *parts):
        index = row_labels(values)
        if index is not None and len(index) == n_points:
            return index
    return None


def _simulate(model: Model, n_synthetic: int, rng: np.random.Generator) -> FloatArray:
    simulated = model.simulate(n_synthetic, rng)
    losses = check_losses(
        model.loss(simulated), "losses that loss(simulate(n, rng)) returned", simulated=True
    )
    if losses.size != n_synthetic:
        raise ValueError(
            f"simulate({n_synthetic}, rng) returned data with {losses.size} losses; "
            "it must simulate as many points as requested"
        )
    return losses


def losses_in_turn(
    pairs: Iterable[tuple[str, AnyModel]],
    data: Any,
    *,
    n_simulations: int,
    entropy: int,
    order: OneOrder,
) -> Iterator[tuple[str, Losses]]:
    """Losses of every model with its name, one after the other, with the points in one order.

    They are given, or computed by a candidate with its own random stream.
    """
    first: tuple[str, tuple[int, int]] | None = None
    needs_data = False
    for index, (name, model) in enumerate(pairs):
        seed = np.random.SeedSequence(entropy, spawn_key=(COMPARISON_SIMULATION, index))
        needs_data = needs_data or callable(getattr(model, "simulate", None))
        with naming(name):
            losses = _losses_of(model, data, n_simulations=n_simulations, seed=seed)
        sizes = (losses.n_observed, losses.n_simulations)
        first = first or (name, sizes)
        _check_together(name, sizes, *first)
        rows = order.rows(f"model '{show(name)}'", losses.index)
        yield name, losses if rows is None else losses.taken(rows)
        del losses, model  # whoever asked for them decides how long they live
    if data is not None and not needs_data:
        raise ValueError(
            "data was given, but all models came with their losses; leave it out, "
            "or pass Candidates"
        )


def _losses_of(
    model: Any, data: Any, *, n_simulations: int, seed: np.random.SeedSequence
) -> Losses:
    if isinstance(model, (tuple, list)) and len(model) == 2:
        model = Losses(*model)
    if isinstance(model, Losses):
        _check_simulated(model, given=True)
        return model
    if _is_column(model):  # observed losses alone
        return Losses(model)
    losses = losses_of_model(model, data, n_simulations=n_simulations, rng=seed)
    _check_simulated(losses, given=False)
    if isinstance(model, Candidate) and model.check is not None:
        model.check(data)
    return losses


def _is_column(model: Any) -> bool:
    """Whether it is an array or a column, of any library; those of pyarrow have no shape."""
    if len(getattr(model, "shape", ())) == 1:
        return True
    return hasattr(model, "to_numpy") and not hasattr(model, "shape")


def _check_simulated(losses: Losses, *, given: bool) -> None:
    """Refuse simulations that are the data, or all the same."""
    if losses.may_repeat:
        return
    by_chance = not given and same_by_chance(losses.observed)
    if losses.repeats_itself() and not by_chance:
        remedy = (
            "simulate(n, rng) must draw new data from the model, not return those it is judged on"
        )
        if given:
            remedy = (
                "pass the losses on data that the model simulated itself; if they are, "
                "as those of labels may be, pass Losses(observed, synthetic, may_repeat=True)"
            )
        raise ValueError(
            "the synthetic losses equal the observed ones, value for value, so no misfit can be "
            f"seen; {remedy}"
        )
    if _all_the_same(losses.simulations):
        raise ValueError(
            f"all {losses.n_simulations} simulations have the same losses, so that their spread is "
            "unknown; simulate(n, rng) must draw with the generator rng that it is given, "
            "and rows of synthetic losses must be of different simulations"
        )


def _all_the_same(simulations: FloatArray) -> bool:
    """Whether several simulations have the same losses, and not by chance."""
    if len(simulations) < 2:
        return False
    first = simulations[0]
    if not all(np.array_equal(first, other) for other in simulations[1:]):
        return False
    return not few_values(first) and not same_by_chance(first)


def _check_together(
    name: str, sizes: tuple[int, int], first: str, first_sizes: tuple[int, int]
) -> None:
    """All models must be judged on as many points and with as many simulations as the first one."""
    remedies = {
        "observed losses": "judge all models on the same held-out points",
        "simulation(s)": "give all models the same number",
    }
    for own, other, (what, remedy) in zip(sizes, first_sizes, remedies.items(), strict=True):
        if own != other:
            raise ValueError(
                f"model '{show(name)}' has {own} {what}, but model '{show(first)}' has {other}; "
                f"{remedy}"
            )
