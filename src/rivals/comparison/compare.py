"""Which models survive: `compare` and its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from rivals._checks import check_depth, check_positive, check_size, check_threshold, show
from rivals._collect import collect_losses
from rivals._random import entropy_from
from rivals._types import RNG, FloatArray
from rivals.comparison import archive, table
from rivals.comparison.sweep import Sweep
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.core.verdict import decide, probability_matrix
from rivals.losses import Losses

# With 12 000 draws of each risk the standard error of B is at most 0.5 / √12000 = 0.0046, whatever the distributions.
N_DRAWS = 12_000
MAX_DRAWS = 2**18


def compare(
    models: Mapping[str, Any] | Iterable[tuple[str, Any]],
    data: Any = None,
    *,
    c: Any = 1.0,
    threshold: float = 0.95,
    n_draws: int = N_DRAWS,
    max_draws: int = MAX_DRAWS,
    n_synthetic: int | None = None,
    depth: int | None = None,
    loss_unit: str | None = None,
    rng: RNG = None,
) -> Comparison:
    """Find out which models would still be worth keeping if the experiment were repeated.

    Parameters
    ----------
    models : mapping
        Name → `Losses`, or a pair (observed, synthetic) of arrays, or a `Candidate` (with `data`).
    data : optional
        Held-out data for the candidates, in whatever form they understand.
    c : float, or a Calibration
        Sensitivity to the discrepancy between model and data; 1 is the conservative first choice, `calibrate` finds
        a better one. A calibration stands for the c that it chooses, and warns if it was made for other sizes or
        another unit.
    threshold : float
        A model is rejected when a rival of lower empirical risk has a lower risk with more than this probability.
    n_draws : int
        Draws of the risk of each model. Models whose fate hangs on a probability within two standard errors of the
        threshold get more, up to `max_draws`; what is undecided even then is said in the result.
    max_draws : int
    n_synthetic : int, optional
        Points that candidates simulate; as many as `data` has, by default.
    depth : int, optional
        Refinements of the process; by default as deep as the data resolve.
    loss_unit : str, optional
        What the losses are measured in, such as "nats"; compared with that of a calibration.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Fresh entropy is drawn if None; the result remembers it.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> y = rng.standard_normal(2000)
    >>> def gaussian(width):
    ...     return rivals.Candidate(
    ...         loss=lambda y: np.log(width) + (y / width) ** 2 / 2,
    ...         simulate=lambda n, rng: width * rng.standard_normal(n),
    ...     )
    >>> result = rivals.compare({"right": gaussian(1.0), "too wide": gaussian(3.0)}, y, rng=1)
    >>> result.survivors
    ('right',)
    """
    calibration = c if hasattr(c, "choose_c") else None
    c = check_positive(c if calibration is None else calibration.choose_c(), "c")
    threshold = check_threshold(threshold)
    n_draws = check_size(n_draws, "n_draws", least=2)
    max_draws = max(check_size(max_draws, "max_draws"), n_draws)
    depth = None if depth is None else check_depth(depth)
    entropy = entropy_from(rng)
    losses = collect_losses(models, data, n_synthetic, entropy)
    for name, sample in losses.items():
        sample.warn(show(name))
    if calibration is not None:
        calibration.warn(losses, loss_unit)
    return _compare(losses, c, threshold, n_draws, max_draws, depth, entropy)


@dataclass(frozen=True)
class Rejection:
    """Why a model is rejected: by a rival, whose risk is lower with this probability.

    Examples
    --------
    >>> Rejection(by="A", probability=0.98, standard_error=0.001).by
    'A'
    """

    by: str
    probability: float
    standard_error: float


@dataclass(frozen=True)
class Undecided:
    """A duel whose probability is still within two standard errors of the threshold at the largest number of draws.

    Examples
    --------
    >>> Undecided(model="B", by="A", probability=0.951, standard_error=0.001).model
    'B'
    """

    model: str
    by: str
    probability: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Distributions of the risk of several models, and what they say about which to keep.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> losses = {name: tuple(rng.exponential(scale, (2, 1000))) for name, scale in [("A", 1.0), ("B", 3.0)]}
    >>> result = rivals.compare(losses, rng=0)
    >>> result.survivors, result.rejections["B"].by
    (('A',), 'A')
    >>> float(result.probability[0, 1]) > 0.95
    True
    """

    losses: Mapping[str, Losses]
    c: float
    threshold: float
    entropy: int
    n_draws: int
    max_draws: int
    depth: int | None
    reference: float
    excess_risks: tuple[FloatArray, ...] = field(repr=False)
    risk_mean: Mapping[str, float]
    risk_std: Mapping[str, float]
    end_point_share: Mapping[str, float]
    rejections: Mapping[str, Rejection]
    undecided: tuple[Undecided, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return tuple(self.losses)

    @cached_property
    def empirical_risk(self) -> Mapping[str, float]:
        """Name → mean observed loss."""
        return MappingProxyType({name: sample.empirical_risk for name, sample in self.losses.items()})

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """All names, from the lowest empirical risk to the highest."""
        order = np.argsort(_excess_means(self.losses, self.reference), kind="stable")
        return tuple(self.names[index] for index in order)

    @property
    def survivors(self) -> tuple[str, ...]:
        """The names that are not rejected, best first."""
        return tuple(name for name in self.ranking if name not in self.rejections)

    @cached_property
    def risks(self) -> Mapping[str, FloatArray]:
        """Name → draws of the risk."""
        return MappingProxyType(
            {
                name: _read_only(self.reference + excess)
                for name, excess in zip(self.names, self.excess_risks, strict=True)
            }
        )

    @property
    def probability(self) -> FloatArray:
        """[a, b] = P(R_a < R_b) for every pair, in the order of `names`; ½ on the diagonal."""
        return self._matrices[0]

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of `probability`."""
        return self._matrices[1]

    @cached_property
    def _matrices(self) -> tuple[FloatArray, FloatArray]:
        probability, error = probability_matrix([np.sort(excess) for excess in self.excess_risks])
        return _read_only(probability), _read_only(error)

    @cached_property
    def diagnostics(self) -> Mapping[str, tuple[str, ...]]:
        """Name → what one should know before believing the numbers of this model."""
        return MappingProxyType(
            {name: table.diagnostics(self.losses[name], self.end_point_share[name]) for name in self.names}
        )

    def sweep(self, c: Sequence[float]) -> Sweep:
        """The same comparison, on the same losses and random numbers, for several values of c."""
        values = tuple(check_positive(value, f"c[{index}]") for index, value in enumerate(c))
        if not values:
            raise ValueError("sweep needs at least one value of c; got none")
        runs = tuple(
            _compare(self.losses, value, self.threshold, self.n_draws, self.max_draws, self.depth, self.entropy)
            for value in values
        )
        return Sweep(values, runs)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the losses and draws, as plain numbers and text."""
        return {**archive.header(self), "models": table.rows(self), "probability": self.probability.tolist()}

    def to_dataframe(self) -> Any:
        """One row per model, best first (needs pandas)."""
        return table.dataframe(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write losses, draws and settings to one NPZ file; `rivals.load` reads it back."""
        archive.save(self, path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained, interactive HTML page (needs jinja2)."""
        from rivals.report import write_report

        write_report(self, path)

    def __getstate__(self) -> dict[str, Any]:
        # Read-only views of dictionaries cannot be pickled; a result must travel between processes.
        kept = {key: value for key, value in self.__dict__.items() if key in self.__dataclass_fields__}
        return {key: dict(value) if isinstance(value, MappingProxyType) else value for key, value in kept.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            object.__setattr__(self, key, MappingProxyType(value) if isinstance(value, dict) else value)

    def __str__(self) -> str:
        return table.text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table.html(self)


def load(path: str | PathLike[str]) -> Comparison:
    """Read a comparison that `Comparison.save` wrote. Nothing in the file is executed or unpickled.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> losses = {name: tuple(rng.exponential(scale, (2, 1000))) for name, scale in [("A", 1.0), ("B", 3.0)]}
    >>> result = rivals.compare(losses, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(pathlib.Path(folder) / "result.npz")
    ...     again = rivals.load(pathlib.Path(folder) / "result.npz")
    >>> again.survivors == result.survivors
    True
    """
    header, losses, excess_risks = archive.read(path)
    samples = {name: Losses(observed, synthetic) for name, (observed, synthetic) in losses.items()}
    header["rejections"] = MappingProxyType({name: Rejection(**value) for name, value in header["rejections"].items()})
    header["undecided"] = tuple(Undecided(**value) for value in header["undecided"])
    for key in ("risk_mean", "risk_std", "end_point_share"):
        header[key] = MappingProxyType(header[key])
    return Comparison(
        losses=MappingProxyType(samples), excess_risks=tuple(_read_only(draws) for draws in excess_risks), **header
    )


def _compare(
    losses: Mapping[str, Losses],
    c: float,
    threshold: float,
    n_draws: int,
    max_draws: int,
    depth: int | None,
    entropy: int,
) -> Comparison:
    names = tuple(losses)
    # A common reference is subtracted before anything, so that a large offset of all losses costs no digits.
    reference = min(losses.values(), key=lambda sample: sample.empirical_risk).reference
    processes = [_process(sample, c, depth, reference) for sample in losses.values()]
    blocks = [[_draw(process, n_draws, entropy, place, 0)] for place, process in enumerate(processes)]
    draws = [np.sort(block[0]) for block in blocks]

    def more(place: int) -> bool:
        n_more = min(draws[place].size, max_draws - draws[place].size)
        if n_more < 1:
            return False
        blocks[place].append(_draw(processes[place], n_more, entropy, place, len(blocks[place])))
        draws[place] = np.sort(np.concatenate(blocks[place]))
        return True

    rejections, undecided = decide(_excess_means(losses, reference), draws, threshold, more)
    return Comparison(
        losses=MappingProxyType(dict(losses)),
        c=c,
        threshold=threshold,
        entropy=entropy,
        n_draws=n_draws,
        max_draws=max_draws,
        depth=depth,
        reference=reference,
        excess_risks=tuple(_read_only(np.concatenate(block)) for block in blocks),
        risk_mean=MappingProxyType({name: process.risk_mean for name, process in zip(names, processes, strict=True)}),
        risk_std=MappingProxyType({name: process.risk_std for name, process in zip(names, processes, strict=True)}),
        end_point_share=MappingProxyType(
            {name: process.end_point_share for name, process in zip(names, processes, strict=True)}
        ),
        rejections=MappingProxyType(
            {
                names[duel.model]: Rejection(names[duel.rival], duel.probability, duel.standard_error)
                for duel in rejections.values()
            }
        ),
        undecided=tuple(
            Undecided(names[duel.model], names[duel.rival], duel.probability, duel.standard_error) for duel in undecided
        ),
    )


def _process(sample: Losses, c: float, depth: int | None, reference: float) -> HierarchicalBetaProcess:
    return HierarchicalBetaProcess(
        QuantileFunction(sample.observed - reference),
        QuantileFunction(sample.synthetic - reference),
        c=c,
        depth=depth,
        reference=reference,
    )


def _draw(process: HierarchicalBetaProcess, n_draws: int, entropy: int, place: int, block: int) -> FloatArray:
    # Streams are keyed by the model's place and the block, so they depend on nothing else.
    return process.sample_excess_risk(n_draws, np.random.SeedSequence(entropy, spawn_key=(0, place, block)))


def _excess_means(losses: Mapping[str, Losses], reference: float) -> FloatArray:
    return np.array([np.mean(sample.observed - reference) for sample in losses.values()])


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
