"""Without groups, simulations and calibration the units are rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import plain
import rivals
from rivals import GroupSummaries, Losses


def rows(n=100, seed=0, lead=0.2):
    rng = np.random.default_rng(seed)
    base = rng.exponential(size=n)
    return {"line": base, "mean": base + lead + rng.standard_normal(n)}


def by_hand(losses, part=0.0, coefficient=0.0):
    """Of two models: seen and new by hand, and the prior of two models."""
    d = losses["mean"] - losses["line"]
    variance = d.var(ddof=1) / d.size
    seen, new = variance * (1 + coefficient * part), variance * (1 + part)
    z = plain.score(d.mean(), seen, new, d.size - 1)
    p = plain.learned([z]) * plain.heights(z)
    kept = [s**2 / (1 + s**2) for s in plain.SCALES]
    return p @ [ndtr(z * k / np.sqrt(k + new / seen)) for k in kept] / p.sum()


def test_candidates_fitted_before():
    result = rivals.compare({name: Losses(x, left_out=False) for name, x in rows().items()})
    assert result.method.name == "groups"
    assert result.probability[0, 1] == pytest.approx(by_hand(rows()), abs=1e-10)
    assert "100 new rows" in str(result)
    assert "study" not in str(result)


@pytest.mark.parametrize(("n", "part"), [(40, 0.5), (100, 0.5), (400, 1 / 3), (900, 1 / 3)])
def test_cross_validated_rows_without_fits(n, part):
    source = rivals.Provenance(left_out=True, n_folds=5)
    result = rivals.compare({k: Losses(x, source=source) for k, x in rows(n).items()})
    expected = by_hand(rows(n), part, 2 * 4 / 5 + 0.5)
    assert result.probability[0, 1] == pytest.approx(expected, abs=1e-10)


def test_in_all_three_and_a_half_and_three_times_the_squared_error():
    for n, times in ((100, 3.5), (400, 3.0)):
        source = rivals.Provenance(left_out=True, n_folds=5)
        result = rivals.compare({k: Losses(x, source=source) for k, x in rows(n).items()})
        d = rows(n)["mean"] - rows(n)["line"]
        whole = sum(part[0] for part in result.beside("line").parts.values())
        assert whole / (d.var(ddof=1) / n) == pytest.approx(times, rel=0.02)


def fits_of(losses, fold, rng):
    """Mean losses in each fold, with what the fit of another fold adds."""
    means = np.tile(np.bincount(fold, weights=losses) / np.bincount(fold), (5, 1))
    return means + np.where(np.eye(5, dtype=bool), 0.0, 0.05 * rng.normal(size=(5, 5)))


def test_fits_of_folds_of_rows():
    fold = np.arange(100) % 5
    given, rng = rows(), np.random.default_rng(1)
    fits = {name: fits_of(x, fold, rng) for name, x in given.items()}
    losses = {k: Losses(x, left_out=True, fits=(fits[k], fold)) for k, x in given.items()}
    gap = fits["mean"] - fits["line"]
    centre = (gap.sum(axis=0) - np.diagonal(gap)) / 4
    scores = np.where(np.eye(5, dtype=bool), 0.0, gap - centre) * 4 / 3
    expected = max(np.sum(scores * scores.T) / 20, 0.0)
    found = rivals.compare(losses).summary.shared
    assert found[0, 1] == pytest.approx(expected, rel=1e-9)
    without = {k: Losses(x, left_out=True) for k, x in given.items()}
    assert rivals.compare(without).summary.shared is None


def test_clusters_are_units_and_the_mean_is_over_rows():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(12), np.arange(2, 14))
    losses = rows(cluster.size)
    losses["mean"] = losses["mean"] + rng.normal(size=12)[cluster]
    result = rivals.compare(losses, clusters=cluster)
    assert result.risk["mean"] == pytest.approx(losses["mean"].mean())
    d = losses["mean"] - losses["line"]
    sums = np.bincount(cluster, weights=d - d.mean())
    sandwich = 12 / 11 * np.sum(sums**2) / cluster.size**2
    parts = result.beside("line").parts
    assert sum(part[0] for part in parts.values()) == pytest.approx(2 * sandwich)
    assert "12 new clusters" in str(result)


def test_a_million_rows_take_no_loop_over_rows():
    """Names of rows are never made, and pairs cost no pass over rows."""
    n = 10**6
    rng = np.random.default_rng(0)
    base = rng.exponential(size=n)
    losses = {f"model {i}": base + 0.001 * i + 0.1 * rng.standard_normal(n) for i in range(5)}
    result = rivals.compare(losses)
    assert result.best == "model 0"
    assert not isinstance(result.summary.groups, tuple)
    assert result.method.width(result.summary) < 100


def test_a_file_and_back():
    summary = rivals.compare(rows()).summary
    with pytest.warns(rivals.RivalsWarning, match="losses of all rows are in this file"):
        text = summary.to_json()
    back = GroupSummaries.from_json(text)
    assert back.rows
    np.testing.assert_array_equal(
        rivals.compare(back).probability, rivals.compare(rows()).probability
    )


def test_a_site_that_shares_no_losses_needs_groups():
    with pytest.raises(ValueError, match="groups= is needed"):
        GroupSummaries.of_losses({name: Losses(x) for name, x in rows().items()})


def test_two_rows_show_nothing():
    with pytest.raises(ValueError, match="2 cannot show how much losses differ from row to row"):
        rivals.compare({"a": [1.0, 2.0], "b": [2.0, 3.5]})


def test_more_rows_are_planned_and_looked_at():
    result = rivals.compare(rows(60, lead=0.1))
    assert "in as many new rows" in str(result.plan([100]))
    assert "study" not in str(result.plan([100]))
    assert result.looks().noun == "row"
    assert rivals.compare(rows(60), margin=0.5).equivalence().models == ("mean",)


def items(n=20, better=5, worse=1):
    """0/1 items: so many where the first model alone is right, or the second."""
    first, second = np.zeros(n), np.zeros(n)
    second[:better] = 1.0
    first[better : better + worse] = 1.0
    return {"a": first, "b": second}


def test_few_items_are_counted():
    draws = np.random.default_rng(0).dirichlet([6, 2, 15], 200_000)
    new = np.random.default_rng(1).multinomial(20, draws)
    exact = np.mean(new[:, 0] > new[:, 1]) + 0.5 * np.mean(new[:, 0] == new[:, 1])
    found = rivals.compare(items()).probability[0, 1]
    assert found <= exact + 3 * 0.5 / np.sqrt(200_000)
    by_leads = by_hand({"line": items()["a"], "mean": items()["b"]})
    assert found == pytest.approx(by_leads, abs=1e-9)  # the less sure of both


def test_items_are_counted_below_fifty_alone():
    few, many = (rivals.compare(items(n)) for n in (49, 50))
    for result, counted in ((few, True), (many, False)):
        law = result._decided.reduced.differences(result.setting, np.array([0]), np.array([1]))
        assert law.are_items is counted


def test_an_interval_of_items_excludes_zero_where_p_says_so():
    for better in range(2, 16):
        result = rivals.compare(items(20, better, 0))
        beside = result.beside("a")
        assert (beside.low[0] > 0.0) == (beside.better[0] > 0.95)


@pytest.mark.parametrize("sizes", [1, 5])
def test_ties_that_leave_no_variance_are_counted(sizes):
    """Three units with one difference are three better ones of three, and P is not 1."""
    groups = np.repeat(np.arange(3), sizes)
    base = np.arange(groups.size, dtype=float)
    result = rivals.compare({"a": base, "b": base + 0.25}, groups=groups)
    assert result.probability[0, 1] == pytest.approx(0.8303571, abs=1e-6)
    assert not result.rejections
    beside = result.beside("a")
    assert beside.low[0] < 0.0 < beside.high[0]
    many = np.arange(20.0)
    assert rivals.compare({"a": many, "b": many + 0.25}, groups=np.arange(20)).rejections


def test_one_data_set_answers_both_questions_under_their_own_names():
    """Another place decides; new rows stand beside it, with the P that rows alone have."""
    rng = np.random.default_rng(0)
    given = rows(400)
    drawn = {name: Losses(x, rng.permutation(x) + 0.1, left_out=False) for name, x in given.items()}
    both = rivals.compare(drawn)
    assert both.method.name == "transport"
    assert "at another place" in both.conclusion
    alone = rivals.compare({name: Losses(x, left_out=False) for name, x in given.items()})
    expected = np.asarray(alone.probability[0, 1])
    assert both.to_dict()["p_in_new_rows"][0][1] == pytest.approx(expected, abs=1e-9)
    assert "Another question, 400 new rows from the same place" in both.details()
    assert "study" not in str(both) + both.details()
    assert alone.to_dict()["p_in_new_rows"] is None


def test_folds_of_rows_say_nothing_of_groups():
    """Models had seen other rows of each group: that is said."""
    source = rivals.Provenance(left_out=True, n_folds=5)
    losses = {name: Losses(x, source=source) for name, x in rows().items()}
    with pytest.warns(rivals.RivalsWarning, match="judged on groups that they were fitted to"):
        result = rivals.compare(losses, groups=np.arange(100) // 10)
    assert result.summary.source.left_out is None


@pytest.mark.parametrize("option", [{"order": "time"}, {"clusters": np.arange(100) // 10}])
@pytest.mark.parametrize("method", ["beta", "paper"])
def test_what_does_nothing_is_refused(method, option):
    rng = np.random.default_rng(0)
    losses = {name: (x, rng.permutation(x) + 0.1) for name, x in rows().items()}
    with pytest.raises(ValueError, match="has no sampling error that"):
        rivals.compare(losses, method=method, **option)
