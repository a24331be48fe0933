"""Studies with groups, simulated: what law "groups" needs of each, and what is true of it.

A study is a problem of a family with G groups of 40 to 250 points at hand, and 8 simulations of
both candidates. `studies(family, ...)` draws many and keeps of each the difference in each group,
its sampling variance, the misfit, and how often each candidate is the better one in fresh groups.
They are written to benchmarks/records, so that a run that was interrupted goes on where it was.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import families
import rivals
from rivals.core.sampling_error import mean_error
from rivals.laws.setting import Grouping, Setting
from rivals.method import distance
from rivals.testbeds.blackbody import RadianceModel

FloatArray = npt.NDArray[np.float64]

RECORDS = Path(__file__).parent / "records"
ALL = families.FAMILIES | families.GROUPED | families.SKEWED | families.REVERSED
SIZES = (40, 250)
N_SIMULATIONS = 8
N_FRESH = 3000
C = rivals.laws.Groups.default_c
# The smallest difference that matters: in nats, or in standard deviations between groups.
MARGINS = {"0.05 nats": 0.05, "½ of the spread": 0.5, "the spread": 1.0}


@dataclass(frozen=True, eq=False)
class Studies:
    """Many studies, one per row; differences are the first candidate's losses less the second's.

    Attributes
    ----------
    differences, variances : array, shape (studies, groups)
        Mean in each group, and its sampling variance.
    squares : array, shape (studies, 1 + simulations)
        Sum of W² of both candidates: mean over simulations, and by each alone.
    gap, error : array
        Mean difference over all points, and its standard error were these independent.
    wins : array, shape (studies, 3)
        How often the first is better: in a fresh group, in the mean of G, in that of all.
    margins : array, shape (studies, margins)
    beyond : array, shape (studies, margins, 2)
        How often the mean of G fresh groups is below −margin, and above it.
    seconds : array
        Processor time that the study took.
    """

    differences: FloatArray
    variances: FloatArray
    squares: FloatArray
    gap: FloatArray
    error: FloatArray
    wins: FloatArray
    margins: FloatArray
    beyond: FloatArray
    seconds: FloatArray


def studies(name: str, n_groups: int, count: int, seed: int) -> Studies:
    """So many studies of one family, from the records where they are there."""
    path = RECORDS / _version() / f"{name} {n_groups} {count} {seed}.npz"
    if not path.exists():
        place = list(ALL).index(name)
        streams = [np.random.default_rng([seed, n_groups, place, index]) for index in range(count)]
        rows = [one_study(ALL[name], n_groups, rng) for rng in streams]
        found = Studies(**{key: np.stack([row[key] for row in rows]) for key in rows[0]})
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part.npz")
        np.savez(unfinished, **asdict(found))
        unfinished.rename(path)
    with np.load(path, allow_pickle=False) as kept:
        return Studies(**kept)


def _version() -> str:
    """Of the code that draws and reduces studies: other code does not read these records."""
    reduced_by = [rivals.laws.groups.__file__, rivals.laws.grouped_losses.__file__]
    modules = [families.__file__, __file__, *reduced_by, distance.__file__]
    sources = b"".join(Path(name).read_bytes() for name in modules)
    return hashlib.sha256(sources).hexdigest()[:12]


def one_study(family: families.Family, n_groups: int, rng: np.random.Generator) -> dict[str, Any]:
    """A row of `Studies`."""
    begin = time.process_time()
    problem = families.draw(family, rng)
    losses, group = losses_in_groups(problem, n_groups, rng)
    found = reduced(losses, group, problem.order) | truth(problem, n_groups, rng)
    return found | {"seconds": time.process_time() - begin}


def losses_in_groups(
    problem: families.Problem, n_groups: int, rng: np.random.Generator
) -> tuple[dict[str, rivals.Losses], npt.NDArray[np.int64]]:
    """Observed and simulated losses of both candidates, group after group; the group of each."""
    log_sizes = rng.uniform(np.log(SIZES[0]), np.log(SIZES[1]), n_groups)
    sizes = np.exp(log_sizes).astype(int)
    data = [problem.replicate(n, rng) for n in sizes]
    losses = {}
    for name, model in zip("ab", problem.candidates, strict=True):
        observed = np.concatenate([model.loss(one) for one in data])
        losses[name] = rivals.Losses(observed, simulated_losses(model, sizes, rng))
    return losses, np.repeat(np.arange(n_groups), sizes)


def simulated_losses(model: Any, sizes: npt.NDArray[Any], rng: np.random.Generator) -> FloatArray:
    """Simulations × points."""
    if isinstance(model, RadianceModel):  # the wavelengths of each group span the whole range
        groups = [[model.loss(model.simulate(n, rng)) for n in sizes] for _ in range(N_SIMULATIONS)]
        return np.stack([np.concatenate(one) for one in groups])
    # Points of all other models are independent: one call serves all groups and simulations.
    n_points = int(sizes.sum())
    at_once = model.loss(model.simulate(N_SIMULATIONS * n_points, rng))
    return np.asarray(at_once.reshape(N_SIMULATIONS, n_points))


def reduced(
    losses: dict[str, rivals.Losses], group: npt.NDArray[np.int64], order: str | None
) -> dict[str, Any]:
    """What the law needs of the losses, by the law itself."""
    names = tuple(str(label) for label in range(group.max() + 1))
    setting = Setting(c=C, groups=Grouping(group, names), order=order, n_simulations=N_SIMULATIONS)
    applied = rivals.laws.Groups().apply(list(losses.values()), setting)
    grouped = applied.grouped
    pair = grouped.pairs(np.array([0]), np.array([1]))
    squares = np.concatenate([[grouped.squares.sum()], grouped.singles.sum(axis=0)])
    by_point = losses["a"].observed - losses["b"].observed
    return {
        "differences": np.ldexp(pair.differences[0], grouped.exponent),
        "variances": np.ldexp(pair.variances[0], 2 * grouped.exponent),
        "squares": np.ldexp(squares, 2 * grouped.exponent),
        "gap": applied.empirical[0] - applied.empirical[1],
        "error": mean_error(by_point, order=None, clusters=None),
    }


def truth(problem: families.Problem, n_groups: int, rng: np.random.Generator) -> dict[str, Any]:
    """How often the first candidate is better, and by how much, in fresh groups."""
    first, second = problem.risk(problem.states(N_FRESH, rng))[:2]
    fresh = first - second
    n_repeated = N_FRESH // n_groups
    repeated = fresh[: n_repeated * n_groups].reshape(n_repeated, n_groups).mean(axis=1)
    margins = np.array(list(MARGINS.values()))
    margins[1:] *= fresh.std()
    below = [np.mean(repeated < -margin) for margin in margins]
    above = [np.mean(repeated > margin) for margin in margins]
    return {
        "wins": np.array([_share_won(fresh), _share_won(repeated), _share_won(fresh.mean())]),
        "margins": margins,
        "beyond": np.stack([below, above], axis=1),
    }


def _share_won(differences: FloatArray) -> float:
    """Ties count half."""
    return float(np.mean(0.5 - 0.5 * np.sign(differences)))
