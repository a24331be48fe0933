"""Method "reversal": another recording, whose instrument may err by sizes that are known.

Assumption. Recordings differ by effects of known size (gain, offset, drift, noise), and by the
points that were drawn. Two recordings differ by the effects of both; so the effects are applied
twice to the observed signal, and all models are judged again.

Formula. P(R_a < R_b − Δ) = mean over draws k of Φ((D_k − Δ)/e_k), D_k the mean of loss_b − loss_a
on the signal of draw k, e_k² = 2 s_k²/n with s_k their standard deviation. There is no c, and no
simulation of a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, ClassVar

import numpy as np

from rivals._core.arrays import finite
from rivals._core.checks import check_size
from rivals._core.law import SOURCE, Law
from rivals._core.losses import Provenance, Study
from rivals._core.seeds import COMPARISON_RECORDINGS, stream
from rivals._core.setting import Setting, number
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import FloatArray, IntArray
from rivals.method.effects import EFFECTS
from rivals.method.reversal import FORGOTTEN, NAMED, chance_behind, moments
from rivals.scenarios import Block, drift, gain, noise, offset
from rivals.scenarios._data import Part, part_of, with_part

# Other recordings that are drawn: P is known to ± .016, and mostly better. Of many models fewer, so
# that their covariances take no more than so many numbers.
N_DRAWS = 1000
FEWEST_DRAWS = 100
MOST_NUMBERS = 2**23
FAR = 10.0

METHOD = (
    "Models were compared by reversal (rivals package): the signal was distorted twice, as it "
    "would differ between two recordings, by {effects}; points were drawn anew. P is the part of "
    "{n_draws} such recordings in which a model has the lower mean loss."
)


@dataclass(frozen=True, eq=False)
class ReversalSummary:
    """Mean losses in each other recording, and how far they move with the points."""

    models: tuple[str, ...]
    source: Provenance
    n_points: int
    effects: tuple[str, ...]
    reference: float
    means: FloatArray  # models, on the data; less the reference
    moved: FloatArray  # recordings × models, likewise
    covariances: FloatArray  # recordings × models × models

    @property
    def n_simulations(self) -> int:
        """None: nothing is simulated by a model."""
        return 0

    @property
    def n_groups(self) -> int:
        """None."""
        return 0


@dataclass(frozen=True)
class Reversal(Law[ReversalSummary]):
    """Another recording, whose instrument errs by known sizes.

    `compare(…, vary=)` makes it.

    Examples
    --------
    >>> import numpy as np, rivals
    >>> from rivals.testbeds.toys import gaussian
    >>> models = {"at 0": gaussian(0.0, 1.0), "at 1": gaussian(1.0, 1.0)}
    >>> y = np.random.default_rng(0).normal(0.2, 1.0, 400)
    >>> result = rivals.compare(models, y, vary={"offset": 0.1}, rng=0)
    >>> result.best, result.method.name
    ('at 0', 'reversal')
    """

    name: ClassVar[str] = "reversal"
    draws: ClassVar[bool] = True
    again: ClassVar[str] = "recording"
    credit: ClassVar[str] = (
        "That models be judged by the distribution of their risk over replications is the idea of "
        f"{SOURCE}."
    )
    summary_type: ClassVar[Any] = ReversalSummary

    def summarise(self, study: Study) -> ReversalSummary:
        raise Refusal(
            "method 'reversal' distorts the signal that candidates are judged on: call "
            "compare(models, data, vary={'gain': 0.02}), with the sizes by which recordings differ"
        )

    def c(self, setting: Setting) -> float:
        """It has none."""
        return nan

    def check_setting(self, setting: Setting) -> None:
        super().check_setting(setting)
        if setting.c is not None:
            raise Refusal(f"{opt['c']} has no meaning beside {opt['vary']}: sizes take its place")

    def risk(self, summary: ReversalSummary) -> FloatArray:
        return summary.reference + summary.means

    def methods(self, summary: ReversalSummary) -> str:
        effects = ", ".join(summary.effects)
        return METHOD.replace("{effects}", effects).replace("{n_draws}", str(len(summary.moved)))

    def width(self, summary: ReversalSummary) -> int:
        return len(summary.moved)

    def differences(
        self, summary: ReversalSummary, setting: Setting, a: IntArray, b: IntArray
    ) -> MixedNormal:
        found = summary.covariances
        variance = found[:, a, a] + found[:, b, b] - 2.0 * found[:, a, b]
        return MixedNormal(
            summary.moved[:, a] - summary.moved[:, b], np.sqrt(np.maximum(variance, 0.0))
        )

    def risks(self, summary: ReversalSummary, setting: Setting) -> MixedNormal:
        own = np.diagonal(summary.covariances, axis1=1, axis2=2)
        return MixedNormal(summary.reference + summary.moved, np.sqrt(own))

    def from_arrays(
        self,
        models: tuple[str, ...],
        source: Provenance,
        plain: dict[str, Any],
        arrays: dict[str, FloatArray],
    ) -> ReversalSummary:
        arrays = {name: finite(array, name) for name, array in arrays.items()}
        size, moved = len(models), arrays["moved"]
        shapes = arrays["means"].shape == (size,) and moved.ndim == 2 and moved.shape[1] == size
        if not shapes or not len(moved) or arrays["covariances"].shape != (*moved.shape, size):
            raise ValueError("its numbers do not fit its models")
        return ReversalSummary(
            models,
            source,
            check_size(plain["n_points"], "n_points", least=2),
            tuple(map(str, plain["effects"])),
            number(-inf, inf)("reference", plain["reference"]),
            **arrays,
        )


@dataclass(frozen=True, eq=False)
class MixedNormal:
    """Normal in each recording, all recordings alike."""

    centre: FloatArray  # recordings × pairs
    spread: FloatArray

    def below(self, value: FloatArray) -> FloatArray:
        return np.asarray(self._each(value).mean(axis=0, keepdims=True))

    def _each(self, value: FloatArray) -> FloatArray:
        return chance_behind(self.centre - value, self.spread)

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        reach = FAR * self.spread.max(axis=0)
        return self.centre.min(axis=0) - reach, self.centre.max(axis=0) + reach

    def error(self, value: FloatArray) -> FloatArray:
        found = self._each(value)
        return np.asarray(found.std(axis=0) / np.sqrt(len(found)))

    def over(self, new_groups: float | None) -> MixedNormal:
        return self


def other_recordings(
    models: Mapping[str, Any], data: Any, vary: Any, signal: Part | None, study: Study, rng: int
) -> ReversalSummary:
    """Judge all models on the signal of other recordings; `study` holds their losses on this."""
    for name, model in models.items():
        if not callable(getattr(model, "loss", None)):
            raise Refusal(
                f"model {name!r} has no loss(data): losses alone cannot say what another signal "
                "would cost; pass Candidates and data"
            )
    seen = part_of(data, signal)
    blocks = blocks_of(vary, seen.size)
    designs = [
        None if block.along is None else part_of(data, block.along, "along") for block in blocks
    ]
    generator = stream(rng, COMPARISON_RECORDINGS)
    reference = float(np.mean(study.observed[0]))
    n_models = len(models)
    n_draws = min(max(MOST_NUMBERS // n_models**2, FEWEST_DRAWS), N_DRAWS)
    moved = np.empty((n_draws, n_models))
    covariances = np.empty((n_draws, n_models, n_models))
    for draw in range(n_draws):
        y = seen
        for block, design in [*zip(blocks, designs, strict=True)] * 2:
            y = block(y, design, generator)
        other = with_part(data, signal, y)
        losses = [
            finite(model.loss(other), f"model {name!r}: losses on a signal that varies as said")
            for name, model in models.items()
        ]
        moved[draw], covariances[draw] = moments(np.stack(losses) - reference)
    return ReversalSummary(
        study.names,
        study.source,
        study.n_points,
        tuple(block.describe() for block in blocks),
        reference,
        np.array([float(np.mean(losses - reference)) for losses in study.observed]),
        moved,
        covariances,
    )


def blocks_of(vary: Any, n_points: int) -> list[Block]:
    """From name → size, or blocks of `rivals.scenarios`."""
    if isinstance(vary, Block):
        vary = [vary]
    if isinstance(vary, Mapping):
        unknown = [name for name in vary if name not in NAMED]
        if unknown:
            raise Refusal(
                f"{opt['vary']}: effects by name are {', '.join(map(repr, NAMED))}; got "
                f"{unknown[0]!r}. Others are blocks of rivals.scenarios"
            )
        vary = [_named(name, size, n_points) for name, size in vary.items()]
    found = list(vary) if isinstance(vary, Sequence) and not isinstance(vary, str) else []
    if not found or not all(isinstance(block, Block) for block in found):
        raise WrongKind(
            f"{opt['vary']} must be a mapping such as {{'gain': 0.02}}, or blocks of "
            f"rivals.scenarios; got {vary!r}"
        )
    for block in found:
        if block.kind not in EFFECTS:
            raise Refusal(f"{opt['vary']}: {block.kind} does not act on a signal; leave it out")
        if block.per == "problem":
            raise Refusal(
                f"{opt['vary']}: a {block.kind} that is the same in all recordings of a problem "
                "reverses nothing; leave it out, or per='problem'"
            )
    return found


def _named(name: str, size: Any, n_points: int) -> Block:
    if name == "coloured noise":
        return noise(size, "coloured", tau=max(FORGOTTEN * n_points, 1.0))
    return {"gain": gain, "offset": offset, "drift": drift}[name](size)
