"""Segments: within each, the comparison of its rows alone; what they say together."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rivals


def study(worse_on=0.4, n_groups=24, size=60, seed=0):
    """A new model that is better, but for phones."""
    rng = np.random.default_rng(seed)
    shop = np.repeat([f"shop {k}" for k in range(n_groups)], size)
    device = rng.choice(["desk", "phone", "tablet"], size=shop.size, p=[0.7, 0.15, 0.15])
    old = rng.exponential(size=shop.size)
    gap = -0.2 + np.where(device == "phone", 0.2 + worse_on, 0.0)
    new = old + gap + 0.3 * rng.standard_normal(shop.size)
    losses = {name: rivals.Losses(x, left_out=False) for name, x in (("old", old), ("new", new))}
    return losses, shop, device


def test_each_segment_is_the_comparison_of_its_rows():
    losses, shop, device = study()
    found = rivals.compare(losses, groups=shop, by=device).by()
    rows = {row["segment"]: row for row in found.to_records()}
    assert list(found.to_records()[0]) == [
        *("segment", "model", "beside", "share", "difference", "low", "high", "p_better"),
        "outcome",
    ]
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1.0, abs=1e-12)
    for segment, row in rows.items():
        here = device == segment
        part = {
            name: rivals.Losses(each.observed[here], left_out=False)
            for name, each in losses.items()
        }
        alone = rivals.compare(part, groups=shop[here]).beside("new").to_records()
        same = next(each for each in alone if each["model"] == "old")
        assert row["share"] == here.mean()
        for name in ("difference", "low", "high", "p_better"):
            assert row[name] == pytest.approx(same[name], rel=1e-9, abs=1e-12)
        assert row["outcome"] == same["outcome"]


def test_asked_before_or_after_is_one_answer():
    losses, shop, device = study()
    before = rivals.compare(losses, groups=shop, by=device).by()
    after = rivals.compare(losses, groups=shop).by(device)
    assert before.to_records() == after.to_records()
    assert str(before) == str(after)


def test_where_it_is_worse_is_said():
    losses, shop, device = study()
    result = rivals.compare(losses, groups=shop, by=device)
    assert result.best == "new"
    assert "new is worse than old in phone (P > 0.999" in result.by().conclusion
    assert [row["segment"] for row in result.by().worse] == ["phone"]
    assert str(result.by()) in str(result)
    assert len(result.to_dict()["segments"]) == 3
    json.dumps(result.by().to_dict(), allow_nan=False)


def test_options_hold_within_segments():
    losses, shop, device = study()
    result = rivals.compare(losses, groups=shop, by=device).at(margin=5.0, looks="any")
    assert result.by().worse == []
    assert {row["p_better"] < 0.01 for row in result.by().to_records()} == {True}


def test_a_reversal_is_told():
    """Shops 0 to 9 have nine of ten rows of kind x, the others one: a loses where rows are many."""
    rng = np.random.default_rng(0)
    shop = np.repeat(np.arange(20), 100)
    many = shop < 10
    kind = np.where(np.tile(np.arange(100), 20) < np.where(many, 90, 10), "x", "y")
    gap = np.where((kind == "x") == many, 0.5, -1.0) + 0.01 * rng.standard_normal(2000)
    b = rng.exponential(size=2000)
    result = rivals.compare({"a": b + gap, "b": b}, groups=shop)
    found = result.by(kind)
    assert result.best == "b"
    assert {row["difference"] < 0.0 for row in found.to_records()} == {True}
    assert found.reversed == ("a",)
    assert "stand the other way than in every" in found.conclusion
    losses, shop, device = study()
    assert rivals.compare(losses, groups=shop).by(device).reversed == ()


@pytest.mark.parametrize("n_groups", [6, 20])
def test_equal_models_are_seldom_named(n_groups):
    """Raw P is strict: of segments without any difference far fewer than 5 % are named."""
    rng = np.random.default_rng(0)
    shop, segment = np.repeat(np.arange(n_groups), 40), np.tile(np.arange(4), 10 * n_groups)
    named = 0
    for _ in range(150):
        own = rng.standard_normal((n_groups, 4))[shop, segment]
        gap = own + 0.5 * rng.standard_normal(40 * n_groups)
        found = rivals.compare({"a": np.zeros(gap.size), "b": gap}, groups=shop).by(segment)
        named += sum(row["outcome"] in ("better", "worse") for row in found.to_records())
    # 600 segments: 5 % of them would be 30 ± 5.3.
    assert named < 30 - 2 * 5.3


def test_a_hundred_segments():
    rng = np.random.default_rng(0)
    shop, segment = rng.integers(0, 200, 20_000), rng.integers(0, 100, 20_000)
    losses = {name: rng.exponential(size=20_000) for name in ("a", "b", "c")}
    found = rivals.compare(losses, groups=shop).by(segment)
    assert len(found.to_records()) == 200
    assert "more: " in str(found)


def test_rows_of_a_frame_and_of_a_file_may_be_segments(tmp_path):
    pandas = pytest.importorskip("pandas")
    losses, shop, device = study()
    frame = pandas.DataFrame({name: each.observed for name, each in losses.items()})
    frame = frame.assign(shop=shop, Device=device)
    result = rivals.compare(frame, groups="shop", by="Device")
    assert result.by().noun == "device"
    expected = rivals.compare(losses, groups=shop).by(device).to_records()
    assert result.by().to_records() == expected


def test_labels_in_another_order_are_refused():
    pandas = pytest.importorskip("pandas")
    losses, shop, device = study()
    frame = pandas.DataFrame({name: each.observed for name, each in losses.items()})
    result = rivals.compare(frame.assign(shop=shop), groups="shop")
    labels = pandas.Series(device)
    assert len(result.by(labels).to_records()) == 3
    with pytest.raises(ValueError, match="by: the index differs"):
        result.by(labels.iloc[::-1])
    with pytest.raises(ValueError, match="by: the index differs"):
        rivals.compare(frame.assign(shop=shop), groups="shop", by=labels.iloc[::-1])


def test_rows_may_be_the_units():
    losses, _, device = study()
    found = rivals.compare(losses).by(device)
    assert "new is worse than old in phone" in found.conclusion
    assert "rows" in str(found)


def test_segments_are_saved(tmp_path):
    losses, shop, device = study()
    result = rivals.compare(losses, groups=shop, by=device)
    result.save(tmp_path / "result.npz")
    loaded = rivals.load(tmp_path / "result.npz")
    assert loaded.by().to_records() == result.by().to_records()
    assert str(loaded) == str(result)
    with pytest.raises(ValueError, match="holds no losses of points"):
        loaded.by(device)


def test_what_cannot_be_judged_is_refused_by_name():
    losses, shop, device = study()
    result = rivals.compare(losses, groups=shop)
    with pytest.raises(ValueError, match="no segments"):
        result.by()
    with pytest.raises(ValueError, match="10 labels for 1440 points"):
        result.by(device[:10])
    missing = device.astype(object)
    missing[3] = None
    with pytest.raises(ValueError, match="point 3 is missing"):
        result.by(missing)
    with pytest.raises(ValueError, match="all points are in one segment"):
        result.by(np.full(shop.size, "desk"))
    lonely = np.where(shop == "shop 3", "kiosk", device)
    with pytest.raises(ValueError, match=r"'kiosk' has points of 1 group; .* put it together"):
        result.by(lonely)
    with pytest.raises(ValueError, match="10 labels for 1440 points"):
        rivals.compare(losses, groups=shop, by=device[:10])


def test_segments_of_other_methods_are_refused():
    rng = np.random.default_rng(0)
    models = {name: (rng.exponential(size=50), rng.exponential(size=(4, 50))) for name in "ab"}
    with pytest.raises(ValueError, match="method 'transport' does not know them"):
        rivals.compare(models, by=np.tile(["x", "y"], 25), rng=0)


@pytest.mark.parametrize(("tolerated", "outcome"), [(0.1, "failed"), (1.0, "passed")])
def test_a_gate_fails_where_a_segment_is_worse(tolerated, outcome):
    losses, shop, device = study()
    result = rivals.compare(losses, groups=shop, by=device)
    assert result.gate("old").outcome == "passed"
    gate = result.gate("old", no_segment_worse=tolerated)
    assert gate.outcome == outcome
    assert list(gate.worse_in) == (["phone"] if outcome == "failed" else [])
    assert gate.overall == "passed"
    assert "| phone |" in gate.to_markdown()
    plain = json.loads(json.dumps(gate.to_dict(), allow_nan=False))
    assert len(plain["segments"]) == 3
    if outcome == "failed":
        assert str(gate).startswith("failed: new is worse than old by more than 0.1 in phone (P")


def test_a_gate_on_segments_needs_them():
    losses, shop, device = study()
    with pytest.raises(ValueError, match="by="):
        rivals.compare(losses, groups=shop).gate("old", no_segment_worse=0.1)
    with pytest.raises(ValueError, match="no_segment_worse must be at least 0"):
        rivals.compare(losses, groups=shop, by=device).gate("old", no_segment_worse=-1)


def test_a_metric_of_a_segment_is_that_of_its_rows():
    rng = np.random.default_rng(0)
    shop = np.repeat(np.arange(12), 60)
    device = np.where(rng.random(720) < 0.3, "phone", "desk")
    y = rng.integers(0, 2, 720)
    chance = {
        name: 1 / (1 + np.exp(-(gain * (2 * y - 1) + rng.standard_normal(720))))
        for name, gain in (("old", 0.5), ("new", np.where(device == "phone", 0.1, 1.0)))
    }
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": y, "shop": shop, "device": device, **chance})

    def read(rows):
        return rivals.read.predictions(
            rows.drop(columns="device").reset_index(drop=True),
            target="y",
            groups="shop",
            loss="brier",
            left_out=False,
        )

    pred = read(frame)
    result = rivals.compare(pred, loss="roc_auc", weights="points", by=device)
    for name, (_, part) in result.by().parts.items():
        alone = rivals.compare(read(frame[device == name]), loss="roc_auc", weights="points")
        assert part.risk == pytest.approx(alone.risk, abs=1e-12)
    assert "new is worse than old in phone" in result.by().conclusion
    one_class = np.where(y == 1, "x", device)
    with pytest.raises(ValueError, match=r"segment 'desk': model 'old'.*undefined"):
        rivals.compare(pred, loss="roc_auc", weights="points", by=one_class)
