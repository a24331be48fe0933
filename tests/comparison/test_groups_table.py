"""What happened in each group: the same numbers by hand, and the law of μ and τ by other means."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import rivals

SIZES = np.array([20, 30, 40, 50, 60, 30, 40, 50, 20, 60])
GROUPS = np.repeat([f"town {index}" for index in range(10)], SIZES)


def losses(*, between: float = 0.2, n_models: int = 3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    common = rng.exponential(size=GROUPS.size)
    found = {}
    for index in range(n_models):
        shift = np.repeat(between * rng.standard_normal(10), SIZES)
        found[f"m{index}"] = common + 0.2 * index + shift + 0.5 * rng.random(GROUPS.size)
    return found


def test_differences_errors_and_winners_are_those_of_the_losses():
    models = losses()
    result = rivals.compare(models, groups=GROUPS)
    table = result.groups_table()
    assert table.best == result.ranking[0]
    assert [group.name for group in table.groups] == sorted(set(GROUPS))
    for model in table.models:
        paired = models[model] - models[table.best]
        within = [paired[group.name == GROUPS] for group in table.groups]
        pooled = sum(np.sum((each - each.mean()) ** 2) for each in within)
        sigma = np.sqrt(pooled / (GROUPS.size - 10))
        for group, each in zip(table.groups, within, strict=True):
            assert group.points == each.size
            expected = (each.mean(), sigma / np.sqrt(each.size))
            assert group.difference[model] == pytest.approx(expected, rel=1e-9)
    for group in table.groups:
        means = {name: values[group.name == GROUPS].mean() for name, values in models.items()}
        assert group.winners == (min(means, key=means.get),)


def test_the_spread_is_that_of_the_law_integrated_by_brute_force():
    """μ flat and τ flat: a plain grid of both gives the same quantiles."""
    result = rivals.compare(losses(), groups=GROUPS)
    table = result.groups_table()
    model = table.models[0]
    pairs = np.array([group.difference[model] for group in table.groups])
    tau = np.linspace(0.0005, 3.0, 3000)
    total = tau[:, None] ** 2 + pairs[:, 1] ** 2
    precision = 1.0 / total
    centre = (precision @ pairs[:, 0]) / precision.sum(axis=1)
    misfit = np.sum(precision * (pairs[:, 0] - centre[:, None]) ** 2, axis=1)
    log_weight = -0.5 * (np.log(total).sum(axis=1) + np.log(precision.sum(axis=1)) + misfit)
    weight = np.exp(log_weight - log_weight.max())
    below = np.cumsum(weight) / weight.sum()
    found = table.between[model]
    # The grid of the law has steps of a few per cent in τ, ours of 0.001.
    expected = np.interp([0.05, 0.5, 0.95], below, tau)
    assert (*found.spread_interval[:1], found.spread) == pytest.approx(expected[:2], rel=0.01)
    assert found.spread_interval[1] == pytest.approx(expected[2], rel=0.01)
    assert found.mean == pytest.approx(float(weight @ centre / weight.sum()), rel=0.01)
    assert found.mean_interval[0] < found.mean < found.mean_interval[1]
    # A new group is less certain than the mean of all.
    assert found.new_group[0] < found.mean_interval[0] < found.mean_interval[1] < found.new_group[1]
    # Sizes differ, and the typical variance lies between the smallest and the largest.
    least, most = np.square([pairs[:, 1].min(), pairs[:, 1].max()])
    square = found.spread**2
    assert square / (square + most) < found.i_squared < square / (square + least)


def test_groups_that_differ_by_chance_alone_have_little_between_them():
    alike = rivals.compare(losses(between=0.0), groups=GROUPS).groups_table()
    apart = rivals.compare(losses(between=0.5), groups=GROUPS).groups_table()
    for model in ("m1", "m2"):
        assert alike.between[model].i_squared < 0.75
        assert apart.between[model].i_squared > 0.95


def test_it_is_plain_numbers_and_text():
    result = rivals.compare(losses(), groups=GROUPS)
    table = result.groups_table()
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))["groups_table"]
    assert plain == table.to_dict()
    assert len(plain["groups"]) == 10
    assert str(pickle.loads(pickle.dumps(table))) == str(table)
    assert table.to_markdown().count("town") == 10
    assert table.to_latex().count("\\begin{tabular}") == 2
    assert table._repr_html_().count("<table>") == 2


def test_as_a_data_frame():
    pytest.importorskip("pandas")
    frame = rivals.compare(losses(), groups=GROUPS).groups_table().to_dataframe()
    assert len(frame) == 20
    assert frame.loc["town 3", "points"].tolist() == [50, 50]


def test_a_wide_table_fits_and_says_what_it_leaves_out():
    table = rivals.compare(losses(n_models=12), groups=GROUPS).groups_table()
    text = str(table)
    assert max(map(len, text.splitlines())) <= 100
    assert "more models: to_dataframe() has all." in text
    many = rivals.compare(
        {name: np.tile(each, 3) for name, each in losses().items()}, groups=np.arange(1200) % 30
    ).groups_table()
    assert "… and 22 more groups: to_dataframe() has all." in str(many)


def test_equal_losses_are_not_judged_and_share_the_group():
    models = losses(n_models=2)
    models["twin"] = models["m0"].copy()
    table = rivals.compare(models, groups=GROUPS).groups_table()
    assert table.between["twin"] is None
    assert table.groups[0].winners in {("m0", "twin"), ("m1",)}
    assert "not judged" in str(table)


def test_one_point_in_each_group_has_no_sampling_error():
    rng = np.random.default_rng(0)
    a = rng.exponential(size=30)
    models = {"a": a, "b": a + rng.normal(0.2, 0.1, size=30)}
    table = rivals.compare(models, groups=np.arange(30)).groups_table()
    assert table.between["b"].i_squared is None
    assert table.groups[0].difference["b"][1] == 0.0
    assert " ± 0" not in str(table)
    for text in (str(table), table.to_markdown(), table.to_latex(), table._repr_html_()):
        assert "points" not in text
        assert "I²" not in text
        assert "I$^2$" not in text
        assert "sampling error" not in " ".join(text.split())
    assert table.to_dict()["between"]["b"]["i_squared"] is None


def test_against_a_baseline_differences_change_their_sign_and_winners_stay():
    result = rivals.compare(losses(), groups=GROUPS, rng=0)
    to_best = result.groups_table()
    last = result.ranking[-1]
    table = result.groups_table(against=last)
    assert last not in table.models
    for group, other in zip(to_best.groups, table.groups, strict=True):
        difference, error = group.difference[last]
        assert other.difference[to_best.best] == pytest.approx((-difference, error), rel=1e-12)
        assert other.winners == group.winners
    forth = to_best.between[last]
    back = table.between[to_best.best]
    assert back.mean == pytest.approx(-forth.mean, rel=1e-6)
    assert back.spread == pytest.approx(forth.spread, rel=1e-6)
    assert f"less that of {last}" in " ".join(str(table).split())
    with pytest.raises(ValueError, match="against must be one of"):
        result.groups_table(against="none such")


def test_without_groups_it_is_refused():
    rng = np.random.default_rng(0)
    models = {name: (rng.random(400), rng.random(400)) for name in "ab"}
    result = rivals.compare(models, rng=0)
    with pytest.raises(ValueError, match="has none; compare with groups="):
        result.groups_table()
    assert result.to_dict()["groups_table"] is None
