"""New groups from one fit of a hierarchical model: effects integrated out, whole groups weighed.

The posterior of all data has seen group g. What it says of the population parameters θ alone is
turned into the posterior without g by weights 1/L_g(θ), smoothed by a Pareto tail (PSIS), where

    L_g(θ) = ∫ Π_i p(y_i | θ, u) N(u; centre, sd²) du

is the likelihood of the whole group, its effect u integrated out: in closed form for normal
observations, else by adaptive Gauss–Hermite quadrature. The loss of a group is
−log Σ_s w_s L_g(θ_s), of a point −log Σ_s w_s p(y_i | θ_s). Where the tail is too heavy, k̂ > 0.7,
the weights cannot do it, and the model is fitted again without that group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from rivals._core.cautions import warn
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses
from rivals._core.optional import need
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray, IntArray
from rivals.read._densities import DENSITY
from rivals.read._folds import grouping_in
from rivals.read._frames import listed
from rivals.read._posterior_draws import (
    LARGEST_SHAPE,
    draws_first,
    groups_of,
    relative_efficiency,
)
from rivals.read._rows import take

# Of Gauss–Hermite quadrature: about the effect of a group, and over its whole population.
NODES, WIDE_NODES = 21, 61
# Where an effect lies is looked for within so many standard deviations, with so many draws.
REACH, LOOKED_AT, GRID = 6.0, 25, 241

Draws = Mapping[str, FloatArray]
LogLikelihood = Callable[[Draws, Any, FloatArray], Any]


def leave_groups_out(
    tree: Any,
    data: Any,
    *,
    groups: Any,
    effect: str,
    sd: str | float,
    log_likelihood: LogLikelihood | None = None,
    target: str = "y",
    mean: str | Callable[[Draws, Any], Any] | None = None,
    sigma: str | float | None = None,
    centre: str | float = 0.0,
    refit: Callable[[Any], Any] | None = None,
    joint: bool = True,
) -> Losses:
    """Losses of a hierarchical model on left-out groups, without refits.

    Parameters
    ----------
    tree : DataTree, InferenceData, or mapping of arrays
        The posterior given all data: of PyMC, Bambi, NumPyro, Stan or brms, as ArviZ holds it, or
        the variables themselves, draws first.
    data : data frame or mapping of arrays
        What has an entry for each point is divided into groups.
    groups : array_like or str
        The group of each row, or the name of its column.
    effect : str
        The variable that has a value for each group. It is drawn from the population for a new
        group, and is kept from `log_likelihood` and `mean`.
    sd, centre : str or float
        Of the population of the effect, which is normal: variables of the posterior, or numbers.
    log_likelihood : callable, optional
        `log_likelihood(draws, rows, effect)` returns draws × points: `draws` holds the other
        variables, and `effect` a column of values, one for each draw.
    target, mean, sigma : optional
        In its place, where observations are normal: the name of the observed column, their mean
        without the effect (a variable of the posterior with a value for each point, or
        `mean(draws, rows)`), and their standard deviation.
    refit : callable, optional
        `refit(rows)` returns such a tree for some rows. It is called for groups whose weights are
        not to be trusted (Pareto k̂ above 0.7); without it these are refused.
    joint : bool
        One loss for each group as a whole; False for one of each point.

    Returns
    -------
    Losses

    See Also
    --------
    left_out_posterior : By refits without each group.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat(np.arange(30), 10)
    >>> data = {"y": rng.normal(size=30)[school] + rng.normal(size=300), "school": school}
    >>> draws = {"mu": rng.normal(0.0, 0.2, 1000), "a": rng.normal(size=(1000, 30))}
    >>> leave_groups_out(
    ...     draws, data, groups="school", effect="a", sd=1.0, sigma=1.0,
    ...     mean=lambda draws, rows: draws["mu"][:, None],
    ... )
    Losses(30 points, mean 15.467, 30 groups)
    """
    grouping = grouping_in(data, groups)
    model = _Model(effect, sd, centre, log_likelihood, target, mean, sigma, joint)
    model.check()
    draws = _variables(tree, effect)
    rows = [np.flatnonzero(grouping.codes == code) for code in range(len(grouping.names))]
    likelihoods = [model.of_group(draws, take(data, own), own) for own in rows]
    weights, shapes = _weights(likelihoods, relative_efficiency(tree))
    heavy = np.flatnonzero(~(shapes <= LARGEST_SHAPE)).tolist()
    _tell(heavy, shapes, grouping, refit)
    losses = np.empty(len(rows) if joint else grouping.codes.size)
    for place, own in enumerate(rows):
        found, weight = likelihoods[place], weights[place]
        if place in heavy:
            assert refit is not None
            others = np.flatnonzero(grouping.codes != place)
            again = _variables(refit(take(data, others)), effect)
            found = model.of_group(again, take(data, own), own, refitted=True)
            weight = np.full(len(found.whole), -np.log(len(found.whole)))
        values = found.whole[:, None] if joint else found.points
        losses[[place] if joint else own] = -logsumexp(values + weight[:, None], axis=0)
    kept = grouping if not joint else replace(grouping, codes=np.arange(len(rows)), index=None)
    loss = f"joint {DENSITY.loss}" if joint else DENSITY.loss
    said = replace(DENSITY, loss=loss, left_out=True, n_folds=len(rows), library="ArviZ")
    return Losses(losses, groups=kept, source=said)


@dataclass(frozen=True)
class _Likelihood:
    """Log likelihoods of a group, its effect integrated out: of the whole, and of its points."""

    whole: FloatArray
    points: FloatArray


@dataclass(frozen=True)
class _Model:
    """What is known of a hierarchical model beside its draws."""

    effect: str
    sd: str | float
    centre: str | float
    log_likelihood: LogLikelihood | None
    target: str
    mean: str | Callable[[Draws, Any], Any] | None
    sigma: str | float | None
    joint: bool

    def check(self) -> None:
        """Refuse what says the likelihood twice, or not at all."""
        normal = self.mean is not None and self.sigma is not None
        if (self.log_likelihood is not None) == normal:
            raise Refusal(
                f"{opt['log_likelihood']}: pass {opt.log_likelihood}, or, of normal observations, "
                f"both {opt.mean} and {opt.sigma}"
            )

    def of_group(
        self, draws: Draws, rows: Any, places: IntArray, *, refitted: bool = False
    ) -> _Likelihood:
        """Its log likelihoods given the draws of all other variables."""
        sd, centre = _number(draws, self.sd, "sd"), _number(draws, self.centre, "centre")
        if (sd <= 0.0).any():
            raise Refusal(f"{opt['sd']} of the effect must be above 0; got {sd.min():g}")
        if self.log_likelihood is None:
            return self._normal(draws, rows, places, sd, centre, refitted)

        def at(effect: FloatArray, some: Draws) -> FloatArray:
            found = draws_first(self.log_likelihood(some, rows, effect[:, None]))  # type: ignore[misc]
            if found.shape != (effect.size, places.size):
                raise ValueError(
                    f"log_likelihood returned an array of shape {found.shape}; it must be draws × "
                    f"points, here {(effect.size, places.size)}"
                )
            return found

        points = self._integral(lambda u: at(u, draws), centre, sd, centre, sd, WIDE_NODES)
        middle, width = self._where(at, draws, sd, centre)
        whole = self._integral(
            lambda u: at(u, draws).sum(axis=1, keepdims=True), middle, width, centre, sd, NODES
        )
        return _Likelihood(whole[:, 0], points)

    def _where(
        self, at: Callable[..., FloatArray], draws: Draws, sd: FloatArray, centre: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """About where the effect of a group lies, from a few draws, in units of its population."""
        some = np.linspace(0, sd.size - 1, min(LOOKED_AT, sd.size)).round().astype(np.intp)
        few = {name: values[some] for name, values in draws.items()}
        grid = np.linspace(-REACH, REACH, GRID)
        logs = np.stack(
            [at(centre[some] + sd[some] * z, few).sum(axis=1) - 0.5 * z**2 for z in grid]
        )
        weights = np.exp(logs - logsumexp(logs, axis=0))
        means = grid @ weights
        spread = np.sqrt(np.maximum(grid**2 @ weights - means**2, (grid[1] - grid[0]) ** 2 / 12))
        width = float(np.sqrt(np.mean(spread**2) + np.var(means)))
        return centre + sd * float(means.mean()), sd * width

    @staticmethod
    def _integral(
        at: Callable[[FloatArray], FloatArray],
        middle: FloatArray,
        width: FloatArray,
        centre: FloatArray,
        sd: FloatArray,
        n_nodes: int,
    ) -> FloatArray:
        """log ∫ exp(at(u)) N(u; centre, sd²) du by nodes u = middle + √2 width x."""
        nodes, weights = np.polynomial.hermite.hermgauss(n_nodes)
        total: Any = None
        for x, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            u = middle + np.sqrt(2.0) * width * x
            prior = -0.5 * ((u - centre) / sd) ** 2 - np.log(sd)
            part = at(u) + (prior + np.log(width) + x**2 + np.log(weight))[:, None]
            total = part if total is None else np.logaddexp(total, part)
        return np.asarray(total - 0.5 * np.log(np.pi))

    def _normal(
        self,
        draws: Draws,
        rows: Any,
        places: IntArray,
        sd: FloatArray,
        centre: FloatArray,
        refitted: bool,
    ) -> _Likelihood:
        """y ~ N(mean + u, σ²), u ~ N(centre, sd²): Σ = σ² I + sd² 11′, whose inverse is known."""
        if isinstance(self.mean, str):
            if refitted:
                raise Refusal(
                    f"{opt['mean']}: {self.mean!r} of a fit without a group has no value for its "
                    f"points; pass {opt.mean} as a function of draws and rows"
                )
            mean = _variable(draws, self.mean, "mean")[:, places]
        else:
            assert self.mean is not None
            mean = np.asarray(self.mean(draws, rows), dtype=np.float64)
        noise = _number(draws, self.sigma, "sigma")[:, None] ** 2  # type: ignore[arg-type]
        spread = sd[:, None] ** 2
        away = np.asarray(rows[self.target], dtype=np.float64) - mean - centre[:, None]
        away = np.broadcast_to(away, (sd.size, places.size))
        size = places.size
        whole = noise + size * spread
        squares = (away**2).sum(axis=1, keepdims=True)
        of_sum = away.sum(axis=1, keepdims=True) ** 2
        quadratic = (squares - spread / whole * of_sum) / noise
        determinant = (size - 1) * np.log(noise) + np.log(whole)
        logs = -0.5 * (quadratic + determinant + size * np.log(2.0 * np.pi))
        total = noise + spread
        points = -0.5 * (away**2 / total + np.log(2.0 * np.pi * total))
        return _Likelihood(logs[:, 0], points)


def _variables(tree: Any, effect: str) -> dict[str, FloatArray]:
    """Variables of the posterior, draws first, but for the effects: new groups have others."""
    if "posterior" in groups_of(tree):
        posterior = getattr(tree["posterior"], "dataset", tree["posterior"])
        found = {str(name): draws_first(values) for name, values in posterior.data_vars.items()}
    elif isinstance(tree, Mapping):
        found = {str(name): np.asarray(values, dtype=np.float64) for name, values in tree.items()}
    else:
        raise TypeError(
            "expected a tree of ArviZ with the group 'posterior', or a mapping of its variables; "
            f"got {type(tree).__name__}"
        )
    if effect not in found:
        raise Refusal(
            f"{opt['effect']}: the posterior has no {effect!r}, but {listed(list(found))}"
        )
    sizes = {name: len(values) for name, values in found.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"variables have different numbers of draws: {sizes}")
    return {name: values for name, values in found.items() if name != effect}


def _variable(draws: Draws, name: str, what: str) -> FloatArray:
    if name not in draws:
        raise Refusal(f"{opt[what]}: the posterior has no {name!r}, but {listed(list(draws))}")
    return draws[name]


def _number(draws: Draws, given: str | float, what: str) -> FloatArray:
    """A value for each draw."""
    n_draws = len(next(iter(draws.values())))
    if not isinstance(given, str):
        return np.full(n_draws, float(given))
    found = _variable(draws, given, what)
    if found.size != n_draws:
        raise Refusal(f"{opt[what]}: {given!r} has several values for each draw; one is expected")
    return found.reshape(n_draws)


def _weights(likelihoods: list[_Likelihood], efficiency: float) -> tuple[FloatArray, FloatArray]:
    """Smoothed log weights 1/L_g, groups × draws, and how heavy their tails are."""
    array_stats = need(
        "arviz_stats.base", extra="arviz", purpose="importance sampling (PSIS)"
    ).array_stats
    logs = np.stack([each.whole for each in likelihoods])
    # Where all draws agree, leaving a group out changes nothing.
    weights, shapes = np.full(logs.shape, -np.log(logs.shape[1])), np.zeros(len(logs))
    varies = np.ptp(logs, axis=1) > 0.0
    if varies.any():
        found = array_stats.psislw(logs[varies], r_eff=efficiency, axis=-1)
        weights[varies], shapes[varies] = (np.asarray(each) for each in found)
    return weights, shapes


def _tell(heavy: list[int], shapes: FloatArray, grouping: Grouping, refit: Any) -> None:
    """Which groups are fitted again; or that they would have to be."""
    if not heavy:
        return
    named = listed([f"{grouping.names[place]} ({shapes[place]:.2f})" for place in heavy])
    if refit is None:
        raise Refusal(
            f"{opt['refit']}: the weights of {len(heavy)} of {len(grouping.names)} "
            f"{grouping.noun}s are not to be trusted, since their Pareto k̂ exceeds "
            f"{LARGEST_SHAPE}: {named}; pass {opt.refit}, a function of rows that returns the "
            "posterior of these, which is called for these groups alone; or use "
            "rivals.read.left_out_posterior"
        )
    warn(
        f"{len(heavy)} of {len(grouping.names)} {grouping.noun}s have a Pareto k̂ above "
        f"{LARGEST_SHAPE}, and the model is fitted again without each: {named}"
    )
