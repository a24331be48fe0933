"""One rule: what is printed, `critical_c`, a sweep, `compare` at that c, and the page say the same.

All of them ask `comparison.judge`, which includes stability.
"""

import re

import numpy as np
import pytest

import rivals
from rivals.comparison.judge import judge
from rivals.core.verdict import decide
from rivals.method.rule import (
    reject,
    rejecting_rivals,
    rejecting_rivals_at_each,
    simulations_needed,
)
from rivals.report.runs import runs_over_c

PROBLEMS = 200


def problem(seed):
    """Two to five models, with few simulations that disagree; with groups or without."""
    rng = np.random.default_rng(seed)
    n_models = int(rng.integers(2, 6))
    n = 120
    shared = rng.exponential(size=n)
    models = {}
    for number in range(n_models):
        observed = shared + 0.08 * number * rng.random() + 0.4 * rng.standard_normal(n)
        width = rng.uniform(0.8, 1.6, size=(6, 1))
        models[f"m{number}"] = (observed, width * rng.exponential(size=(6, n)))
    options = {"threshold": float(rng.choice([0.7, 0.82, 0.95])), "rng": 0}
    if seed % 3 == 0:
        options["groups"] = np.arange(n) % int(rng.integers(3, 9))
    return models, options


@pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")
@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_all_of_them_agree(seed):
    models, options = problem(seed)
    result = rivals.compare(models, **options)
    critical = dict(zip(result.names, result.applied.critical_c.tolist(), strict=True))
    known = [limit for limit in critical.values() if np.isfinite(limit)]
    values = sorted(
        {2.0**k for k in range(-8, 5, 3)} | {f * c for c in known for f in (0.99, 1.01)}
    )
    swept = result.sweep(values)
    kept = rivals.compare(iter(models.items()), **options, keep_simulations=False)
    # The page of either: what it looks up at each c, at the threshold of the run.
    pages = [
        {run.applied.setting.c: run.fates[0] for run in runs_over_c(each, [each.threshold], values)}
        for each in (result, kept)
    ]
    for c, at_c in zip(values, swept.comparisons, strict=True):
        direct = rivals.compare(models, **options, c=c)
        assert at_c.survivors == direct.survivors
        assert at_c.rejections == direct.rejections
        assert kept.sweep([c]).comparisons[0].survivors == direct.survivors
        for page in pages:
            rejected = {result.names[model] for model in page[c].rejected_by}
            assert rejected == set(direct.rejections)
        for name, limit in critical.items():
            if "groups" not in options:
                assert (name in direct.rejections) == bool(c < limit)  # never below nan
    printed = re.search(
        r"At smaller c there is more to reject: (.*?)\.(?:\s[A-Z]|$)", result.verdict
    )
    said = re.findall(r"(m\d) for c up to ([\d.e-]+)", printed[1]) if printed else []
    for name, number in said:
        assert name in result.survivors
        limit = critical[name]
        assert float(number) == pytest.approx(limit, rel=0.06)  # two digits
        assert name in rivals.compare(models, **options, c=0.99 * limit).rejections


@pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")
@pytest.mark.parametrize("seed", range(40))
def test_the_rule_on_draws_is_the_rule_on_the_matrix(seed):
    rng = np.random.default_rng(seed)
    draws = [np.sort(rng.normal(0.4 * rng.random(), 0.3, 400)) for _ in range(6)]
    risk = rng.random(6)
    threshold = float(rng.choice([0.6, 0.8, 0.95]))
    matrix = np.array([[np.mean(a[:, None] < b[None, :]) for b in draws] for a in draws])
    by_matrix = reject(risk, matrix, threshold)
    by_draws, _ = decide(risk, draws, threshold, lambda model: False)
    assert set(by_draws) == set(by_matrix)


def test_enough_simulations_must_agree():
    """A rejection that 14 of 16 share is undecided; one that 15 share stands."""
    assert simulations_needed(16) == 15
    for seed in range(60):
        models, options = problem(3 * seed + 1)
        applied = rivals.compare(models, **options, c=0.02).applied
        verdict = judge(applied)
        share = applied.rejected_by_simulation(None).mean(axis=0)
        for model in verdict.rejections:
            assert share[model] >= 0.9
        for duel in verdict.unstable:
            assert share[duel.model] < 0.9


def test_several_limits_at_once_are_each_by_itself():
    """Also where rivals tie, probabilities equal a limit, or are missing."""
    rng = np.random.default_rng(0)
    limits = [0.55, 0.7, 0.95, 1.0]
    for _ in range(200):
        size = int(rng.integers(1, 8))
        risk = np.round(rng.normal(size=size), 1)
        evidence = rng.choice([*limits, 0.3, 0.8, 0.99, np.nan], size=(size, size))
        best_first = np.sort(risk)
        found = rejecting_rivals_at_each(best_first, risk, evidence, limits)
        for row, limit in zip(found, limits, strict=True):
            expected = rejecting_rivals(best_first, risk, evidence, limit)
            np.testing.assert_array_equal(row, expected)
