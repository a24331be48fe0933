"""The model confidence set of Hansen, Lunde and Nason.

Which models are not worse than the best, beyond sampling error?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivals._random import RESAMPLES, entropy_from, stream
from rivals._say.arguments import check_size
from rivals._say.naming import naming
from rivals._say.optional import need
from rivals._say.words import show
from rivals._types import RNG, FloatArray, IntArray
from rivals.comparison import rendering
from rivals.criteria.risk import risk
from rivals.criteria.score import Score, Variations, difference
from rivals.losses import Losses
from rivals.models import models_in_turn

VARIATIONS = Variations(in_distribution=True)


def confidence_set(
    losses: Mapping[str, ArrayLike | Losses | Score],
    *,
    level: float = 0.95,
    block: int = 1,
    n_resamples: int = 1000,
    rng: RNG = None,
) -> ConfidenceSet:
    """Return the model confidence set (MCS), with differences to the best model and their errors.

    The set contains the best model with probability `level`, over new samples of the same process.
    The test is that of the package arch (`pip install "rivals[mcs]"`), with the largest
    standardised difference between two models as its statistic.

    Parameters
    ----------
    losses : mapping of str to array_like, rivals.Losses or Score
        The losses of each model on the same held-out points, in the same order; or scores with the
        contribution of each point, as from `loo` and `waic`: then differences are those of the
        elpd.
    level : float
        Models with a p-value of 1 − `level` or less are outside of the set.
    block : int
        Mean length of the blocks that are resampled together. 1 where points are independent; for a
        sequence in time, longer than the losses are correlated.
    n_resamples : int
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    ConfidenceSet

    See Also
    --------
    rivals.compare : which models survive a replication, not only a new sample.
    difference : of two scores, with its error.
    table : all criteria side by side.

    Notes
    -----
    It takes for granted that new data come from the process of the old ones: with more data the set
    shrinks to the best model, however small its advantage. Models with the same losses share one
    p-value.

    References
    ----------
    Hansen, Lunde and Nason (2011), Econometrica 79, 453.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> means = {"A": 0.0, "B": 0.02, "C": 0.5}
    >>> losses = {name: (y - mean) ** 2 / 2 for name, mean in means.items()}
    >>> confidence_set(losses, rng=0).included  # doctest: +SKIP
    ('A', 'B')
    """
    scores = {name: _as_score(name, model) for name, model in dict(models_in_turn(losses)).items()}
    if not 0 < level < 1:
        raise ValueError(f"level must be a probability between 0 and 1; got {level!r}")
    block = check_size(block, "block")
    n_resamples = check_size(n_resamples, "n_resamples", least=100)
    best = min(scores, key=lambda name: _sign(scores[name]) * scores[name].value)
    differences = _differences(scores, best)
    n = np.asarray(scores[best].pointwise).size
    if block > n // 2:
        raise ValueError(
            f"block must be at most half of the {n} points, so that resamples differ; got {block}"
        )
    # Lower is better, in units of one point. Equal models have no error between them, by which the
    # test divides: they enter as one.
    contributions = n * _sign(scores[best]) * np.array([each.pointwise for each in scores.values()])
    distinct, place = np.unique(contributions, axis=0, return_inverse=True)
    place = place.ravel()
    _check_constant(list(scores), distinct, place)
    entropy = entropy_from(rng)
    p_values = np.ones(1)
    if len(distinct) > 1:
        p_values = _test(distinct, level, block, n_resamples, entropy)
    return ConfidenceSet(
        p_values=dict(zip(scores, p_values[place].tolist(), strict=True)),
        differences=differences,
        criterion=scores[best].criterion,
        level=level,
        block=block,
        n_resamples=n_resamples,
        entropy=entropy,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfidenceSet:
    """Which models are not worse than the best, beyond sampling error.

    Attributes
    ----------
    p_values : dict
        Name → the largest level of significance at which the model is still in the set; 1 for the
        last one.
    differences : dict
        Name → the criterion's difference to the best model, and its standard error for independent
        points.
    criterion : str
        "risk", the mean loss, or that of the scores.
    level : float
    block, n_resamples, entropy : int
        What repeats the test.

    See Also
    --------
    confidence_set : makes it.

    Examples
    --------
    >>> found = ConfidenceSet(
    ...     p_values={"A": 1.0, "B": 0.01},
    ...     differences={"A": (0.0, 0.0), "B": (0.2, 0.05)},
    ...     criterion="risk",
    ...     level=0.95,
    ...     block=1,
    ...     n_resamples=1000,
    ...     entropy=0,
    ... )
    >>> found
    model  risk − best  p-value  in the set
    ─────  ───────────  ───────  ──────────
    A      best         1.000    yes
    B      0.2 ± 0.05   0.010    no
    Model confidence set at level 0.95: A.
    >>> found.included, found.excluded
    (('A',), ('B',))
    """

    p_values: dict[str, float]
    differences: dict[str, tuple[float, float | None]]
    criterion: str
    level: float
    block: int
    n_resamples: int
    entropy: int

    @property
    def included(self) -> tuple[str, ...]:
        """Those in the set."""
        # A p-value that equals 1 − level excludes, in spite of rounding: 1 − 0.95 is not 0.05.
        return tuple(name for name, p in self.p_values.items() if p > 1 - self.level + 1e-12)

    @property
    def excluded(self) -> tuple[str, ...]:
        """Those outside of it."""
        return tuple(name for name in self.p_values if name not in self.included)

    @property
    def standard_error(self) -> dict[str, float]:
        """Name → the Monte Carlo standard error of the p-value."""
        return {
            name: float(np.sqrt(p * (1 - p) / self.n_resamples))
            for name, p in self.p_values.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and text."""
        return {**vars(self), "included": list(self.included), "excluded": list(self.excluded)}

    def __str__(self) -> str:
        included = self.included
        lines = []
        for name, p in self.p_values.items():
            in_the_set = "yes" if name in included else "no"
            lines.append([show(name), self._difference(name), f"{p:.3f}", in_the_set])
        table = rendering.text(
            ["model", f"{self.criterion} − best", "p-value", "in the set"], lines
        )
        return (
            f"{table}\nModel confidence set at level {self.level:g}: "
            f"{', '.join(map(show, self.included))}."
        )

    __repr__ = __str__

    def _difference(self, name: str) -> str:
        value, error = self.differences[name]
        if value == 0:
            return "best"
        if error is None:
            return f"{value:.4g}"
        return f"{value:.4g} ± {error:.2g}"


def _sign(score: Score) -> int:
    """Lower is better of the criterion times this."""
    return 1 if score.lower_is_better else -1


def _as_score(name: str, model: Any) -> Score:
    with naming(name):
        if isinstance(model, Losses):
            model = model.observed
        score = model if isinstance(model, Score) else risk(model)
        if score.pointwise is None or score.standard_error is None:
            raise ValueError(
                f"{score.criterion} has no independent contribution of each data point, "
                "which is resampled; pass losses, or scores of loo or waic"
            )
    return score


def _differences(scores: Mapping[str, Score], best: str) -> dict[str, tuple[float, float | None]]:
    """Each less the best, where all are of one criterion and of the same points."""
    if min(np.asarray(score.pointwise).size for score in scores.values()) < 2:
        raise ValueError(
            "a model confidence set needs the losses of at least two points, hundreds to be "
            "useful; got 1"
        )
    found = {}
    for name, score in scores.items():
        try:
            found[name] = difference(score, scores[best])
        except ValueError as error:
            raise ValueError(f"'{show(name)}' and '{show(best)}': {error}") from None
    return found


def _check_constant(names: list[str], distinct: FloatArray, place: IntArray) -> None:
    rounding = 16 * np.spacing(np.abs(distinct).max())
    for a, b in combinations(range(len(distinct)), 2):
        if np.ptp(distinct[b] - distinct[a]) <= rounding:
            one = show(names[int(np.argmax(place == a))])
            other = show(names[int(np.argmax(place == b))])
            raise ValueError(
                f"'{one}' and '{other}' differ by the same amount at every point, so that their "
                "difference has no sampling error to test against; leave one of them out"
            )


def _test(
    losses: FloatArray, level: float, block: int, n_resamples: int, entropy: int
) -> FloatArray:
    """The p-value of each row of losses."""
    bootstrap = need("arch.bootstrap", extra="mcs", purpose="the model confidence set")
    test = bootstrap.MCS(
        losses.T,
        size=1 - level,
        reps=n_resamples,
        block_size=block,
        method="R",
        bootstrap="stationary",
        seed=stream(entropy, RESAMPLES),
    )
    test.compute()
    found = test.pvalues["Pvalue"]
    return np.array([found.loc[index] for index in range(len(losses))])
