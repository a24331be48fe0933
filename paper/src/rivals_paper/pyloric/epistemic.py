"""The 48 epistemic distributions of the neuron example, as they were meant and as they were run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rivals_paper import seeds
from rivals_paper.pyloric.candidates import LABELS, NeuronModel, fit
from rivals_paper.pyloric.integrate import ACCURATE, LOOSE, Solver
from rivals_paper.pyloric.recording import NoiseName, Recording, Rounding, Sessions, observe

if TYPE_CHECKING:
    from rivals import Experiment

PAIRS: Final = (("A", "B"), ("A", "D"), ("C", "D"))
# Bounds of log10 tau (ms), means of ln sigma_i (uA/cm²) and of ln sigma_o (mV), both of standard
# deviation 0.5. The paper attaches units to these logarithms.
CORRELATIONS: Final = {"short": (0.1, 0.2), "long": (1.0, 2.0)}
INPUTS: Final = {"weak": -15.0, "strong": -10.0}
LEVELS: Final = {"low": 0.0, "high": 1.0}
NOISES: Final = ("Gaussian", "Cauchy")
COPIES: Final = 64  # kinds of rounding errors that recordings can have


class Draw(NamedTuple):
    """Parameters of one experiment: the cell that makes the data, input and observation noise."""

    cell: str
    tau: float
    strength: float
    scale: float


@dataclass(frozen=True)
class Condition:
    """Which candidates, and of which kind input and observation noise are.

    Parameters
    ----------
    pair : {("A", "B"), ("A", "D"), ("C", "D")}
    noise : {"Gaussian", "Cauchy"}
        Observation noise.
    level : {"low", "high"}
        Of the observation noise.
    correlation : {"short", "long"}
        Of the input.
    input : {"weak", "strong"}

    Examples
    --------
    >>> condition = Condition(("A", "B"), noise="Cauchy")
    >>> condition.key
    'AvsB|Cauchy|low|short|weak'
    >>> condition.cells
    ('LP 2', 'LP 3')
    """

    pair: tuple[str, str]
    noise: str = "Gaussian"
    level: str = "low"
    correlation: str = "short"
    input: str = "weak"

    def __post_init__(self) -> None:
        known = {
            "pair": PAIRS,
            "noise": NOISES,
            "level": LEVELS,
            "correlation": CORRELATIONS,
            "input": INPUTS,
        }
        for name, choices in known.items():
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name} of a condition is one of {tuple(choices)}; got {getattr(self, name)!r}"
                )

    @property
    def key(self) -> str:
        """Name such as "AvsB|Gaussian|low|short|weak"."""
        return "|".join(
            ["vs".join(self.pair), self.noise, self.level, self.correlation, self.input]
        )

    @property
    def cells(self) -> tuple[str, str]:
        """The cells of both candidates."""
        return LABELS[self.pair[0]], LABELS[self.pair[1]]

    def draw(self, rng: np.random.Generator) -> Draw:
        """Draw the parameters of an experiment.

        One of the two candidates makes the data, each with probability ½.
        """
        cell = self.cells[int(rng.choice(2))]
        tau = 10 ** rng.uniform(*CORRELATIONS[self.correlation])
        strength = np.exp(rng.normal(INPUTS[self.input], 0.5))
        scale = np.exp(rng.normal(LEVELS[self.level], 0.5))
        return Draw(cell, float(tau), float(strength), float(scale))


def conditions() -> tuple[Condition, ...]:
    """All 48, pair by pair.

    Returns
    -------
    tuple of Condition

    Examples
    --------
    >>> len(conditions()), conditions()[0].key
    (48, 'AvsB|Gaussian|low|short|weak')
    """
    return tuple(
        Condition(*choice) for choice in product(PAIRS, NOISES, LEVELS, CORRELATIONS, INPUTS)
    )


@dataclass(frozen=True)
class Corrected:
    """The epistemic distribution of a condition, with errors corrected.

    A function from a generator to an `Experiment`.

    Cauchy noise is Cauchy noise; candidates get the input that the data got; the integrator is
    accurate; digitisation rounds; the constants of the circuit are the documented ones. The width
    of the noise is fitted on another recording. Recordings have rounding errors of their own, drawn
    anew for each experiment: they decide in which state a cell begins.
    More points than a recording has (`n_session`) come from several recordings, each with input and
    noise of its own.

    Parameters
    ----------
    condition : Condition
    solver : Solver
    variant : str
        As in `simulate`.
    own_rounding : bool
        Whether recordings are integrated with rounding errors of their own. If not, the candidate
        that made the data reproduces their trace exactly, as if it knew the state of the cell to
        the last bit, and misses only the noise.
    n_session : int
        Samples of a recording.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> experiment = Corrected(Condition(("A", "B")), n_session=50)(rng)
    >>> len(experiment.observe(100, rng).parts)
    2
    >>> [model.cell for model in experiment.candidates]
    ['LP 2', 'LP 3']
    """

    condition: Condition
    solver: Solver = ACCURATE
    variant: str = "prinz2004"
    own_rounding: bool = True
    n_session: int = 4000

    def __call__(self, rng: np.random.Generator) -> Experiment:
        """Draw an experiment."""
        from rivals import Experiment

        noise: NoiseName = "cauchy" if self.condition.noise == "Cauchy" else "gaussian"
        drawn, solver, variant = self.condition.draw(rng), self.solver, self.variant
        recorder = solver
        if self.own_rounding:
            recorder = solver.with_other_rounding(int(rng.integers(1, COPIES + 1)))
        record = partial(
            _record, drawn, noise=noise, solver=recorder, variant=variant, rounding="round"
        )
        candidates = _fit_pair(
            self.condition.cells,
            record(self.n_session, rng),
            driven=True,
            solver=solver,
            variant=variant,
        )
        return Experiment(observe=partial(_sessions, record, self.n_session), candidates=candidates)


@dataclass(frozen=True)
class Published:
    """The epistemic distribution of a condition as it was run, with the original random numbers.

    All observation noise is Gaussian, candidates get no input, and the solver is loose. The
    original random numbers depend on the index of the experiment, which `calibrate` tells; its own
    generator is not used.

    Parameters
    ----------
    condition : Condition
    solver : Solver
        `LOOSE`, or a copy of it that differs by rounding alone.

    Examples
    --------
    >>> experiment = Published(Condition(("A", "B")))(None, index=3)
    >>> len(experiment.observe(50, None))
    50
    """

    condition: Condition
    solver: Solver = LOOSE

    def __call__(self, rng: object, index: int) -> Experiment:
        """Return experiment number `index` of the original study."""
        from rivals import Experiment

        del rng
        drawn = published_draws(self.condition, index + 1)[index]
        return Experiment(
            observe=partial(record_published, drawn, index, solver=self.solver),
            candidates=partial(
                _fit_pair,
                self.condition.cells,
                driven=False,
                solver=self.solver,
                variant="published",
            ),
        )


def published_draws(condition: Condition, count: int) -> list[Draw]:
    """Parameters of the first `count` experiments of the original study.

    Parameters
    ----------
    condition : Condition
    count : int

    Returns
    -------
    list of Draw
        Named tuples of cell, tau (ms), strength (uA/cm²) and scale (mV).

    Examples
    --------
    >>> [draw.cell for draw in published_draws(Condition(("A", "B")), 4)]
    ['LP 3', 'LP 3', 'LP 2', 'LP 2']
    """
    labels = (
        condition.noise,
        f"{condition.level} noise",
        f"{condition.correlation} input correlations",
        f"{condition.input} input",
    )
    rng = seeds.generator("prinz", "calibration", *condition.pair, *labels)
    return [condition.draw(rng) for _ in range(count)]


def _record(
    drawn: Draw,
    n: int,
    rng: np.random.Generator,
    *,
    noise: NoiseName,
    solver: Solver,
    variant: str,
    rounding: Rounding,
) -> Recording:
    return observe(
        drawn.cell,
        n,
        tau=drawn.tau,
        strength=drawn.strength,
        scale=drawn.scale,
        noise=noise,
        solver=solver,
        variant=variant,
        rounding=rounding,
        rng=rng,
    )


def record_published(
    drawn: Draw, index: int, n: int, rng: object = None, *, solver: Solver = LOOSE
) -> Recording:
    """Record with the original random numbers, which depend on the experiment but not on the
    condition.
    """
    del rng  # part of what `Experiment` asks of a function
    original = seeds.generator("Prinz", "prinz", "calibration", "fit candidates", index)
    return _record(
        drawn,
        n,
        original,
        noise="gaussian",
        solver=solver,
        variant="published",
        rounding="truncate",
    )


def _sessions(
    record: Callable[..., Recording], longest: int, n: int, rng: np.random.Generator
) -> Recording | Sessions:
    """n samples: of one recording, or of several where they are more than one has."""
    if n <= longest:
        return record(n, rng)
    sizes = [longest] * (n // longest) + [n % longest] * bool(n % longest)
    return Sessions(tuple(record(size, rng) for size in sizes))


def _fit_pair(
    cells: tuple[str, str], data: Recording, *, driven: bool, solver: Solver, variant: str
) -> tuple[NeuronModel, NeuronModel]:
    first, second = (
        fit(data, cell, driven=driven, solver=solver, variant=variant) for cell in cells
    )
    return first, second
