"""Influence values: the metric is scikit-learn's, and its error that of fresh samples."""

from __future__ import annotations

import numpy as np
import pytest

from rivals.method.influence import METRICS, half_samples

metrics = pytest.importorskip("sklearn.metrics")

REFERENCE = {
    "accuracy": lambda y, p, w: metrics.accuracy_score(y, p, sample_weight=w),
    "f1": lambda y, p, w: metrics.f1_score(y, p, sample_weight=w),
    "precision": lambda y, p, w: metrics.precision_score(y, p, sample_weight=w),
    "recall": lambda y, p, w: metrics.recall_score(y, p, sample_weight=w),
    "balanced_accuracy": lambda y, p, w: metrics.balanced_accuracy_score(y, p, sample_weight=w),
    "matthews_corrcoef": lambda y, p, w: metrics.matthews_corrcoef(y, p, sample_weight=w),
    "roc_auc": lambda y, p, w: metrics.roc_auc_score(y, p, sample_weight=w),
    "average_precision": lambda y, p, w: metrics.average_precision_score(y, p, sample_weight=w),
    "log": lambda y, p, w: metrics.log_loss(y, p, sample_weight=w),
    "brier": lambda y, p, w: metrics.brier_score_loss(y, p, sample_weight=w),
    "zero-one": lambda y, p, w: metrics.zero_one_loss(y, p, sample_weight=w),
    "squared": lambda y, p, w: metrics.mean_squared_error(y, p, sample_weight=w),
    "absolute": lambda y, p, w: metrics.mean_absolute_error(y, p, sample_weight=w),
    "pinball": lambda y, p, w: metrics.mean_pinball_loss(y, p, sample_weight=w),
    "poisson deviance": lambda y, p, w: metrics.mean_poisson_deviance(y, p, sample_weight=w),
    "gamma deviance": lambda y, p, w: metrics.mean_gamma_deviance(y, p, sample_weight=w),
    "rmse": lambda y, p, w: np.sqrt(metrics.mean_squared_error(y, p, sample_weight=w)),
    "r2": lambda y, p, w: metrics.r2_score(y, p, sample_weight=w),
    "wape": lambda y, p, w: (w * abs(y - p)).sum() / (w * abs(y)).sum(),
    "perplexity": lambda y, p, w: np.exp(metrics.log_loss(y, p, sample_weight=w)),
}


def data(name, n=300, seed=0):
    """Targets and predictions of the kind that a metric needs, with ties."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(float)
    p = np.round(np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=n), 0.05, 0.95), 2)
    needs = METRICS[name].needs
    if needs == "number":
        return np.exp(rng.normal(size=n)), np.exp(rng.normal(size=n))
    return y, (p > 0.4).astype(float) if needs in ("label", "event") else p


def test_every_metric_has_a_reference():
    assert set(REFERENCE) == set(METRICS)


@pytest.mark.parametrize("name", list(REFERENCE))
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_scikit_learn(name, weighted):
    y, p = data(name)
    w = np.random.default_rng(1).exponential(size=y.size) if weighted else np.ones(y.size)
    value, z = METRICS[name].of(y, p, w)
    assert value == pytest.approx(REFERENCE[name](y, p, w), rel=1e-12)
    assert abs(w @ z) / w.sum() < 1e-12 * max(1.0, np.abs(z).max())


@pytest.mark.parametrize("name", list(REFERENCE))
def test_influence_is_the_derivative_by_the_weight_of_a_row(name):
    y, p = data(name, 80)
    _, z = METRICS[name].of(y, p, np.ones(y.size))
    step = 1e-5
    for row in range(0, y.size, 7):
        w = np.ones((2, y.size))
        w[:, row] += [step, -step]
        slope = (REFERENCE[name](y, p, w[0]) - REFERENCE[name](y, p, w[1])) / (2 * step)
        # Central differences are right to step² and to rounding / step.
        assert z[row] / y.size == pytest.approx(slope, abs=1e-8)


def test_pairs_are_compared_within_strata():
    y, p = data("roc_auc")
    strata = np.random.default_rng(2).integers(4, size=y.size)
    value, z = METRICS["roc_auc"].of(y, p + 10.0 * strata, np.ones(y.size), strata)
    pairs = [(y[strata == k].sum(), (1 - y[strata == k]).sum()) for k in range(4)]
    each = [metrics.roc_auc_score(y[strata == k], p[strata == k]) for k in range(4)]
    assert value == pytest.approx(np.average(each, weights=[a * b for a, b in pairs]), rel=1e-12)
    assert abs(z.mean()) < 1e-12


def test_a_pair_within_one_group_comes_once_with_it():
    """Groups taken twice: the group's own share of T is what a bootstrap of groups changes."""
    rng = np.random.default_rng(3)
    units = np.repeat(np.arange(8), 25)
    y, p = data("roc_auc", 200)
    p = p + 0.3 * rng.normal(size=8)[units]
    value, z = METRICS["roc_auc"].of(y, p, np.ones(200), None, units)
    u = value + 8 / 200 * np.bincount(units, z)
    drawn = []
    for _ in range(2000):
        rows = np.concatenate([np.flatnonzero(units == g) for g in rng.integers(8, size=8)])
        drawn.append(metrics.roc_auc_score(y[rows], p[rows]))
    assert u.mean() == pytest.approx(value, abs=0.01)
    # 2000 draws give a standard error to 2 %; first order costs some more with eight groups.
    assert u.std() / np.sqrt(8) == pytest.approx(np.std(drawn), rel=0.12)


@pytest.mark.parametrize("name", ["f1", "r2", "roc_auc"])
def test_half_samples_agree_with_the_closed_form(name):
    units = np.repeat(np.arange(60), 40)
    y, p = data(name, units.size)

    def weighted(w):
        return METRICS[name].of(y, p, w)[0]

    value, z = METRICS[name].of(y, p, np.ones(y.size), None, None)
    u = value + 60 / y.size * np.bincount(units, z)
    halves = half_samples(weighted, value, units, 0.5)
    assert halves.mean() == pytest.approx(value, abs=1e-12)
    assert np.corrcoef(u, halves)[0, 1] > 0.97
    assert halves.std() == pytest.approx(u.std(), rel=0.06)


def test_half_samples_of_a_median_have_its_standard_error():
    """Of many normal units sd(median) = √(π/2n); a jackknife would not get there."""
    x = np.random.default_rng(4).normal(size=2000)

    def median(w):
        order = np.argsort(x)
        return float(x[order][np.searchsorted(np.cumsum(w[order]), 0.5 * w.sum())])

    errors = []
    for seed in range(8):
        x = np.random.default_rng(seed).normal(size=2000)
        halves = half_samples(median, median(np.ones(2000)), np.arange(2000), 0.5)
        errors.append(halves.std() / np.sqrt(2000))
    assert np.mean(errors) == pytest.approx(np.sqrt(np.pi / 4000), rel=0.15)
