"""Six criteria as a function of the number of data (fig. compare-other-criteria-asymptotics)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals import HierarchicalBetaProcess
from rivals.testbeds import blackbody
from rivals_paper import criteria, nested_mdl
from rivals_paper import nested_families as nested
from rivals_paper.blackbody_bayes import posterior
from rivals_paper.criteria_comparisons import comparisons
from rivals_paper.criteria_picture import draw
from rivals_paper.nested_model import NestedModel, fit_nested
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Reproduction, Task, published
from rivals_paper.risks import probability
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "criteria"
DESCRIPTION = (
    "BIC, evidence, MDL, AIC, elpd and risk distributions of nested families as data accumulate"
)

N_POSTERIOR = 1000
N_COMPLEXITY = 600
N_SIMULATIONS = 32
CHECKED_SIZE = 76

READING = (
    "Each curve is a model's score minus that of the reference (black), against the number of data "
    "L, more of them downwards; left is better. AIC and BIC are in units of two nats, the others "
    "in nats. Blocks: Planck + polynomial (all contain the truth), Rayleigh-Jeans + polynomial "
    "(none does), Planck against Rayleigh-Jeans; in each, as published above corrected. Bands are "
    "one standard error: above of each model's own score, below of the difference. Last column: "
    "distributions of the risk at four L, scaled to equal heights, and beside them B^EMD, the "
    "probability that the reference has the lower risk than the model of that colour. Top: an "
    "example of the data in each variant."
)
DIFFERENCES = [
    "AIC and BIC were computed with parameters fitted to one unrelated spectrum of 100 points; "
    "corrected: fitted to the data themselves, by maximum likelihood. In the Planck family AIC "
    "then does not grow with the number of data.",
    "The prior of the evidence and of the elpd (noise up to 0.5, temperatures from 1000 K, "
    "coefficients of standard deviation 5) excluded the best Rayleigh-Jeans models, whose noise is "
    "1.05 to 1.67 and whose temperature is 255 to 267 K without a polynomial and 25 to 41 K with "
    "two coefficients. Corrected: noise up to 4, temperatures from 10 K, coefficients of standard "
    "deviation 500, which contains these.",
    "Rayleigh-Jeans with four and with six coefficients degenerates, which no prior mends: in all "
    "25 spectra with four and in 19 with six the likelihood rises towards temperature zero and "
    "infinite noise, where the polynomial is the whole model. The corrected AIC, BIC and MDL take "
    "that limit (0.01 K); the corrected evidence and elpd are those of a prior which ends at 10 K, "
    "away from the best fit: one that ends at 0.01 K raises the log evidence by up to 23.",
    "Nested sampling had not converged for six coefficients, nor for Rayleigh-Jeans with four: "
    "with the published prior the exact log evidence of these Rayleigh-Jeans families is 15 to "
    "10000 nats above the stored one, whose stated error is 0.3, and that of the Planck family "
    "with six coefficients differs by up to 10 (the spike at L = 3444).",
    "Posterior samples for the elpd were weighted by the likelihood alone, without the prior "
    "volume; corrected: draws of the posterior. The published picture shows the elpd of the first "
    "row with the opposite sign of the other rows, and with the error of each elpd; corrected: "
    "with that of the difference, point by point, which is far smaller. Both variants are sums "
    "over the L points (WAIC), as the paper's text defines the elpd; its supplement defines a "
    "mean.",
    "MDL: both families were given one complexity, that of the Rayleigh-Jeans family, summed over "
    "data near the true process only; corrected: each family's own, over a stated domain of its "
    "parameters.",
    "Risk distributions: 16384 points were simulated for as few as 64 observed; corrected: as "
    "many. Either rests on one simulation of each model, on which its spread depends much: see "
    "'spread of the risk over simulations'.",
]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers."""
    stored = published("asymptotics")
    jobs = [(law, m, size) for law, m in nested.families() for size in stored["sizes"]]
    example = {
        (law, m): fit_nested(nested.example(), law=law, n_coefficients=m, method="published")
        for law, m in nested.families()
    }
    scores: dict[str, dict[str, Any]] = {}
    elpds: dict[tuple[str, int, int], criteria.Score] = {}
    for index, (law, m, size) in enumerate(track(jobs, "fits and evidences", task.progress)):
        by_name, elpds[law, m, size] = _scores(
            law, m, size, example[law, m], stream(task.seed, index)
        )
        # Against the reference of the row, and for the laws alone against Planck: paired, point by
        # point.
        reference = elpds["planck" if m == 0 else law, 0, size]
        by_name["elpd corrected se of the difference"] = criteria.difference(
            elpds[law, m, size], reference
        )[1]
        for name, value in by_name.items():
            scores.setdefault(nested.key(law, m), {}).setdefault(name, []).append(value)
    risks = _risks(task.seed, task.progress)
    complexities = _complexities(stream(task.seed, len(jobs)), task.progress)
    numbers = {
        "sizes": stored["sizes"],
        "scores": scores,
        "complexity": complexities,
        "risks": _summaries(risks),
    }
    numbers["log evidence of Rayleigh-Jeans with temperatures from 0.01 K"] = {
        nested.key("rayleigh-jeans", m): {
            size: posterior(
                nested.observe(size),
                law="rayleigh-jeans",
                prior=nested.WIDEST_PRIOR,
                n_coefficients=m,
            ).log_evidence
            for size in nested.SIZES_SHOWN
        }
        for m in nested.COEFFICIENTS
    }
    spreads = _spreads(stream(task.seed, len(jobs) + 1))
    numbers["spread of the risk over simulations"] = spreads
    numbers["P(R_Planck < R_Rayleigh-Jeans) over simulations"] = _probabilities(task.seed)
    pairs = {variant: _pairs(by_model) for variant, by_model in risks.items()}
    numbers["B^EMD of the reference"] = {
        variant: {f"{law},{m},{size}": value for (law, m, size), (value, _) in by_model.items()}
        for variant, by_model in pairs.items()
    }
    return Reproduction(
        figure=draw(scores, stored, risks, pairs),
        comparisons=comparisons(stored, scores, risks, pairs, complexities, spreads),
        numbers=numbers,
        settings={
            "c": nested.C,
            "prior": vars(nested.PRIOR),
            "published_prior": vars(nested.PUBLISHED_PRIOR),
            "mdl_domain": {"coefficient": nested_mdl.COEFFICIENT, **nested_mdl.DOMAIN},
            "n_draws": nested.N_DRAWS,
            "n_posterior": N_POSTERIOR,
        },
    )


def _scores(
    law: str, m: int, size: int, example: NestedModel, rng: np.random.Generator
) -> tuple[dict[str, Any], criteria.Score]:
    """Return all scores of one family for one spectrum, under names that say which variant they
    are, and the elpd.
    """
    data = nested.observe(size)
    regularised = fit_nested(data, law=law, n_coefficients=m, method="published")
    best = nested.best_fit(data, law, m)
    scores: dict[str, Any] = {}
    for suffix, model in (("as published", example), ("refit", regularised), ("corrected", best)):
        pointwise = -model.loss(data)
        scores[f"AIC {suffix}"] = criteria.aic(pointwise, best.n_parameters).value
        scores[f"BIC {suffix}"] = criteria.bic(pointwise, best.n_parameters).value
    theirs = posterior(data, law=law, prior=nested.PUBLISHED_PRIOR, n_coefficients=m)
    ours = posterior(data, law=law, prior=nested.PRIOR, n_coefficients=m)
    elpd = criteria.waic(ours.pointwise(N_POSTERIOR, rng))
    theirs_elpd = criteria.waic(theirs.pointwise(N_POSTERIOR, rng))
    complexity = nested_mdl.complexity(law, m, data.wavelength, rng)
    mdl = criteria.mdl(-best.loss(data), complexity)
    return scores | {
        "logE published prior": theirs.log_evidence,
        "logE corrected": ours.log_evidence,
        "published prior presses": theirs.pressed(),
        "corrected prior presses": ours.pressed(),
        "elpd published prior": theirs_elpd.value,
        "elpd published prior se": theirs_elpd.standard_error,
        "elpd corrected": elpd.value,
        "elpd corrected se": elpd.standard_error,
        "MDL corrected": mdl.value,
        "MDL corrected se": mdl.standard_error,
        "log complexity": complexity.value,
        "best temperature": best.temperature,
        "best noise": best.sigma,
    }, elpd


def _risks(seed: int, progress: bool) -> dict[str, dict[tuple[str, int, int], Any]]:
    """Return draws of the risk by variant and (law, coefficients, size)."""
    risks: dict[str, dict[tuple[str, int, int], Any]] = {AS_PUBLISHED: {}, CORRECTED: {}}
    jobs = [(law, m, size) for law, m in nested.families() for size in nested.SIZES_SHOWN]
    for index, (law, m, size) in enumerate(track(jobs, "risk distributions", progress)):
        data = nested.observe(size)
        generator = stream(seed, 1000, index)
        regularised = fit_nested(data, law=law, n_coefficients=m, method="published")
        risks[AS_PUBLISHED][law, m, size] = nested.risk_as_published(
            regularised, data, nested.N_DRAWS, generator
        )
        best = nested.best_fit(data, law, m)
        risks[CORRECTED][law, m, size] = nested.risk_corrected(
            best, data, nested.N_DRAWS, generator
        )
    return risks


def _pairs(
    risks: dict[tuple[str, int, int], Any],
) -> dict[tuple[str, int, int], tuple[float, float]]:
    """Return B^EMD of each row's reference against each other model, with its error, by the other's
    name.

    The reference is the law without a polynomial; that of Rayleigh-Jeans without one is Planck.
    """
    return {
        (law, m, size): probability(risks["planck" if m == 0 else law, 0, size], draws)
        for (law, m, size), draws in risks.items()
        if (law, m) != ("planck", 0)
    }


def _spreads(rng: np.random.Generator) -> dict[str, Any]:
    """Return how much (exact) mean and spread of the corrected risk vary from one simulation of the
    model to another.
    """
    spreads = {}
    for m in nested.COEFFICIENTS:
        for law in blackbody.LAWS:
            for size in nested.SIZES_SHOWN:
                data = nested.observe(size)
                model = nested.best_fit(data, law, m)
                processes = [
                    HierarchicalBetaProcess.from_losses(model.losses(data, rng=rng), c=nested.C)
                    for _ in range(N_SIMULATIONS)
                ]
                means, stds = (
                    np.array([getattr(p, name) for p in processes])
                    for name in ("risk_mean", "risk_std")
                )
                quantiles = zip(
                    ("q05", "median", "q95"), np.quantile(stds, [0.05, 0.5, 0.95]), strict=True
                )
                spreads[f"{law},{m},{size}"] = {
                    **dict(quantiles),
                    "mean varies by": means.std(ddof=1),
                    "std varies by": stds.std(ddof=1),
                }
    return spreads


def _probabilities(seed: int) -> dict[str, Any]:
    """Return how much the corrected B^EMD of the laws alone varies from one simulation of both to
    another.
    """
    probabilities = {}
    for size in nested.SIZES_SHOWN:
        data = nested.observe(size)
        models = [nested.best_fit(data, law, 0) for law in blackbody.LAWS]
        values = []
        for index in range(N_SIMULATIONS):
            rng = stream(seed, 2000, size, index)
            values.append(
                probability(*(nested.risk_corrected(model, data, 1024, rng) for model in models))[0]
            )
        quantiles = np.quantile(values, [0.05, 0.5, 0.95])
        probabilities[str(size)] = dict(zip(("q05", "median", "q95"), quantiles, strict=True))
    return probabilities


def _summaries(risks: dict[str, dict[tuple[str, int, int], Any]]) -> dict[str, Any]:
    return {
        variant: {
            f"{law},{m},{size}": {
                "mean": draws.mean(),
                "std": draws.std(),
                "q05": np.quantile(draws, 0.05),
                "q95": np.quantile(draws, 0.95),
            }
            for (law, m, size), draws in by_model.items()
        }
        for variant, by_model in risks.items()
    }


def _complexities(rng: np.random.Generator, progress: bool) -> dict[str, Any]:
    """Return the complexities of both laws without polynomial at one size, three ways."""
    wavelength = nested.observe(CHECKED_SIZE).wavelength
    complexities: dict[str, Any] = {"size": CHECKED_SIZE}
    ways = {
        "own, by Fisher information": lambda law: nested_mdl.complexity(law, 0, wavelength, rng),
        "own, by Monte Carlo": lambda law: nested_mdl.complexity_by_simulation(
            law, wavelength, N_COMPLEXITY, rng
        ),
        "over the published event space": lambda law: nested_mdl.complexity_as_published(
            law, wavelength, N_COMPLEXITY, rng
        ),
    }
    for way in track(list(ways), "complexities", progress):
        for law in blackbody.LAWS:
            score = ways[way](law)
            complexities.setdefault(way, {})[law] = {
                "value": score.value,
                "standard_error": score.standard_error,
            }
    return complexities
