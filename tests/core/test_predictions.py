"""Predictions that are kept, and every metric asked afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import rivals
from rivals._core.grouping import Grouping
from rivals._core.predictions import Predictions

metrics = pytest.importorskip("sklearn.metrics")


def events(sizes=(40,) * 12, seed=0, noise=(0.3, 0.6), folds=None):
    """Scores of two models for an event, in groups."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    y = (rng.random(codes.size) < 0.4).astype(float)
    scores = {
        name: np.clip(0.3 + 0.4 * y + each * rng.normal(size=y.size), 0.01, 0.99)[None]
        for name, each in zip(("good", "poor"), noise, strict=True)
    }
    return Predictions(y, scores, groups=Grouping.of(codes, "site"), folds=folds, asked=("brier",))


def test_it_is_a_mapping_from_names_to_losses():
    pred = events()
    assert list(pred) == ["good", "poor"]
    assert len(pred) == 2
    expected = (pred.targets - pred.predicted["good"][0]) ** 2
    np.testing.assert_allclose(pred["good"].observed, expected, rtol=1e-12)
    assert "12 groups" in repr(pred)
    assert rivals.compare(pred).best == "good"


@pytest.mark.parametrize(
    ("loss", "of"),
    [
        ("roc_auc", metrics.roc_auc_score),
        ("average_precision", metrics.average_precision_score),
        ("f1", lambda y, p: metrics.f1_score(y, p > 0.5)),
        ("matthews_corrcoef", lambda y, p: metrics.matthews_corrcoef(y, p > 0.5)),
        (lambda y, p: np.corrcoef(y, p)[0, 1], lambda y, p: np.corrcoef(y, p)[0, 1]),
        (metrics.make_scorer(metrics.max_error, greater_is_better=False), metrics.max_error),
    ],
)
def test_the_table_says_the_metric_itself(loss, of):
    pred = events()
    y, p = pred.targets, {name: each[0] for name, each in pred.predicted.items()}
    sign = 1.0 if of is metrics.max_error else -1.0
    pooled = rivals.compare(pred, loss=loss, weights="points")
    own = rivals.compare(pred, loss=loss)
    for name in pred:
        assert sign * pooled.risk[name] == pytest.approx(of(y, p[name]), rel=1e-9)
        codes = pred.groups.codes
        each = [of(y[codes == g], p[name][codes == g]) for g in range(12)]
        assert sign * own.risk[name] == pytest.approx(np.mean(each), rel=1e-9)
    assert pooled.summary.source.weights == "points"
    shown = dict(zip(pooled.ranking, pooled.table.columns[1].values, strict=True))
    assert shown["good"] == pytest.approx(of(y, p["good"]), rel=1e-9)
    assert "of all points together" in str(pooled)
    assert "the mean of the sites' own" in str(own)


def test_values_of_groups_are_pseudo_values_of_the_pooled_metric():
    pred = events(sizes=(20, 60) * 6)
    result = rivals.compare(pred, loss="roc_auc", weights="points")
    values = -result.summary.means
    y, p = pred.targets, pred.predicted["good"][0]
    assert values[0].mean() == pytest.approx(metrics.roc_auc_score(y, p), rel=1e-12)
    # Leaving a group out moves T by its value, to first order: u_g ≈ T + (G − 1)(T − T_−g).
    codes = pred.groups.codes
    left = np.array([metrics.roc_auc_score(y[codes != g], p[codes != g]) for g in range(12)])
    jackknife = values[0].mean() + 11 * (values[0].mean() - left)
    assert np.corrcoef(values[0], jackknife)[0, 1] > 0.98


def test_rows_without_groups():
    pred = events()
    alone = Predictions(pred.targets, pred.predicted)
    result = rivals.compare(alone, loss="roc_auc")
    assert result.best == "good"
    assert -result.risk["good"] == pytest.approx(
        metrics.roc_auc_score(pred.targets, pred.predicted["good"][0]), rel=1e-12
    )
    by_function = rivals.compare(alone, loss=metrics.roc_auc_score)
    # Half samples of bundles of rows: other units, the same question.
    p, q = (np.asarray(each.probability)[0, 1] for each in (result, by_function))
    assert p == pytest.approx(q, abs=0.1)


def test_a_list_is_one_result_with_a_part_for_each():
    rng = np.random.default_rng(5)
    pred = events(noise=(0.3, 0.4))
    # As good a ranking, with a scale that is off: better by AUC, worse by the Brier score.
    twisted = {"good": pred.predicted["poor"], "poor": pred.predicted["good"] ** 6}
    found = rivals.compare(
        Predictions(pred.targets, twisted, groups=pred.groups), loss=["brier", "roc_auc"], rng=rng
    )
    assert list(found) == ["brier", "roc_auc"]
    assert found["brier"].best == "good"
    assert found["roc_auc"].best == "poor"
    assert "The losses disagree" in found.conclusion
    assert found.conclusion in str(found)
    rows = found.to_records()
    assert [tuple(row) for row in rows] == [found.COLUMNS] * 4
    assert all(0.0 <= row["value"] <= 1.0 for row in rows)
    assert found.to_dict()["losses"]["brier"]["best"] == "good"


def test_weights_may_turn_the_order_and_that_is_said():
    """Four stores of 2000 rows and 36 of 10."""
    rng = np.random.default_rng(0)
    store = np.repeat(np.arange(40), [2000] * 4 + [10] * 36)
    old = rng.normal(size=store.size) ** 2
    new = old + np.where(store < 4, -0.1, 0.2) + 0.01 * rng.normal(size=store.size)
    losses = {"old": old, "new": new}
    alike = rivals.compare(losses, groups=store)
    by_size = rivals.compare(losses, groups=store, weights="points")
    assert (alike.best, by_size.best) == ("old", "new")
    assert "By the mean over points" in alike.conclusion
    assert "where each weighs the same" in by_size.conclusion
    assert by_size.risk["new"] == pytest.approx(new.mean())
    assert by_size.risk["old"] == pytest.approx(old.mean())
    assert "over points" in str(by_size)
    again = rivals.compare(alike.summary, weights="points")
    assert again.risk["new"] == pytest.approx(new.mean())
    back = by_size.summary.weighted("groups")
    np.testing.assert_allclose(back.means, alike.summary.means, atol=1e-10)
    with pytest.raises(ValueError, match="about groups"):
        rivals.compare(losses, weights="points")


def test_an_undefined_metric_is_refused_by_groups_and_goes_on_pooled():
    pred = events()
    y = pred.targets.copy()
    y[pred.groups.codes == 3] = 0.0
    pred = Predictions(y, pred.predicted, groups=pred.groups)
    with pytest.raises(ValueError, match=r"1 of 12 sites, such as '3' \(one class alone\).*points"):
        rivals.compare(pred, loss="roc_auc")
    assert rivals.compare(pred, loss="roc_auc", weights="points").best == "good"


def test_events_that_one_or_two_groups_carry_are_refused():
    pred = events()
    y = np.where(pred.groups.codes < 2, pred.targets, 0.0)
    pred = Predictions(y, pred.predicted, groups=pred.groups)
    with pytest.raises(ValueError, match="events come from one or two of 12 sites"):
        rivals.compare(pred, loss="roc_auc", weights="points")


@pytest.mark.parametrize(
    ("change", "loss", "message"),
    [
        ({}, "roc_acu", "there is no 'roc_acu'"),
        ({}, 3, "expected a name or a function"),
        ({"targets": np.arange(480.0)}, "roc_auc", "of an event, and targets have 480"),
        ({"targets": np.zeros(480)}, "f1", "all rows are 0"),
        ({"kind": "labels"}, "roc_auc", "labels were predicted"),
        ({"predicted": {"good": np.full((1, 480), 1.5)}}, "log", "needs probabilities"),
        ({"predicted": {}, "known": {"log": {}}}, "roc_auc", "only losses were kept"),
        ({}, lambda y, p: 1 / 0, "called as loss"),
        ({}, lambda y, p: np.ones(3), "one number for each of 480"),
    ],
)
def test_what_cannot_be_asked_is_refused(change, loss, message):
    pred = events()
    given = {"targets": pred.targets, "predicted": pred.predicted, "groups": pred.groups}
    with pytest.raises((TypeError, ValueError), match=message):
        Predictions(**given | change).judged(loss, "points")


def test_losses_take_no_loss():
    with pytest.raises(ValueError, match="these are losses"):
        rivals.compare({"a": np.arange(5.0) % 2, "b": np.ones(5)}, loss="roc_auc")


def test_a_gate_says_the_metric_and_the_other_winner():
    pred = events()
    left = Predictions(
        pred.targets, pred.predicted, groups=pred.groups, source=rivals.Provenance(left_out=False)
    )
    gate = rivals.compare(left, loss="roc_auc").gate("poor")
    assert gate.difference > 0.0
    assert gate.low < gate.difference < gate.high
    assert gate.losses[0] == pytest.approx(gate.losses[1] + gate.difference)
    assert "ROC AUC 0." in str(gate)
    rng = np.random.default_rng(0)
    store = np.repeat(np.arange(40), [2000] * 4 + [10] * 36)
    old = rng.normal(size=store.size) ** 2
    new = old + np.where(store < 4, -0.1, 0.2) + 0.01 * rng.normal(size=store.size)
    losses = {
        name: rivals.Losses(each, groups=store, left_out=False)
        for name, each in (("old", old), ("new", new))
    }
    gate = rivals.compare(losses).gate("old")
    assert gate.outcome == "failed"
    assert "By the mean over points" in str(gate)
    assert "new is better than old" in str(gate)


def test_pictures_name_the_metric():
    pytest.importorskip("matplotlib")
    roc, error = (rivals.compare(events(), loss=each) for each in ("roc_auc", "rmse"))
    for result, name, said in (
        (roc, roc.summary.source.loss, "{} lower by"),
        (error, error.summary.source.loss, "difference in {}"),
    ):
        assert rivals.plots.plot_forest(result).get_xlabel() == said.format(name)
        worse = rivals.plots.plot_differences(result).get_xlabel()
        assert worse == f"{name}, worse than the best"
    ax = rivals.plots.plot_costs(roc, {"good": 2.0, "poor": 1.0})
    heights = sorted(float(y) for each in ax.collections for _, y in each.get_offsets())
    assert heights == sorted(-value for value in roc.risk.values())
    assert ax.get_ylabel() == roc.summary.source.loss
