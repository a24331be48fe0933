"""Cells of several factors: sums that sites add up, and files."""

import json

import numpy as np
import pytest

from rivals import CellSummaries, GroupSummaries, Losses, compare
from rivals._core.grouping import Grouping
from rivals.read import summaries


def losses_of(seed=0, size=400, models=3, shared=0.0):
    rng = np.random.default_rng(seed)
    labels = {
        "subject": np.array([f"s{n}" for n in rng.integers(12, size=size)]),
        "item": np.array([f"i{n}" for n in rng.integers(9, size=size)]),
    }
    common = shared * rng.standard_normal(size)
    return {f"m{i}": common + i + rng.standard_normal(size) for i in range(models)}, labels


def cells_of(losses, labels, rows=slice(None)):
    few = {name: Losses(row[rows]) for name, row in losses.items()}
    return CellSummaries.of_losses(few, {name: each[rows] for name, each in labels.items()})


def by_labels(cells, values):
    """Values of cells by the labels of these."""
    names = [[each.names[code] for code in each.codes] for each in cells.factors]
    return dict(zip(zip(*names, strict=True), values.tolist(), strict=True))


@pytest.mark.parametrize("shared", [0.0, 1e6])
def test_sites_that_share_levels_and_cells_join_to_what_all_points_give(shared):
    losses, labels = losses_of(shared=shared)
    sites = [cells_of(losses, labels, slice(a, b)) for a, b in ((0, 90), (90, 300), (300, 400))]
    sites[1] = sites[1].ordered(["m2", "m0", "m1"])
    joined, whole = CellSummaries.join(sites), cells_of(losses, labels)
    size = max(shared, 1.0)
    assert by_labels(joined, joined.sizes) == by_labels(whole, whole.sizes)
    for one, other in zip(joined.gaps, whole.gaps, strict=True):
        found, expected = by_labels(joined, one), by_labels(whole, other)
        assert found.keys() == expected.keys()
        assert np.allclose([found[key] for key in expected], list(expected.values()), atol=1e-9)
    assert np.allclose(joined.pairs.whole(), whole.pairs.whole(), rtol=1e-9)
    assert np.allclose(joined.pairs.own, whole.pairs.own, rtol=1e-9)
    assert np.allclose(
        np.asarray(compare(joined).probability),
        np.asarray(compare(whole).probability),
        atol=1e-12 * size,
    )


def test_files_keep_every_digit(tmp_path):
    losses, labels = losses_of()
    paths = []
    for number, rows in enumerate((slice(0, 200), slice(200, 400))):
        paths.append(tmp_path / f"{number}.json")
        with pytest.warns(match="have one point, whose losses are in this file"):
            text = cells_of(losses, labels, rows).to_json()
        paths[-1].write_text(text, encoding="utf-8")
    again = summaries([str(path) for path in paths])
    sites = [cells_of(losses, labels, rows) for rows in (slice(0, 200), slice(200, 400))]
    expected = CellSummaries.join(sites)
    assert (again.gaps == expected.gaps).all()
    assert (again.pairs.whole() == expected.pairs.whole()).all()
    assert [each.noun for each in again.factors] == ["subject", "item"]


def test_cells_of_several_points_are_not_warned_of(recwarn):
    losses, labels = losses_of(size=4000)
    cells = cells_of(losses, labels)
    assert cells.sizes.min() > 1
    cells.to_json()
    assert not recwarn.list


def test_by_one_factor_they_are_the_groups_of_that_factor():
    losses, labels = losses_of()
    found = cells_of(losses, labels).of_factor("subject")
    few = {name: Losses(row) for name, row in losses.items()}
    expected = GroupSummaries.of_losses(few, Grouping.of(labels["subject"], "subject"))
    order = [found.groups.index(name) for name in expected.groups]
    assert np.allclose(found.means[:, order], expected.means, rtol=1e-12)
    assert (found.sizes[order] == expected.sizes).all()
    assert np.allclose(found.pairs.whole(), expected.pairs.whole(), rtol=1e-12)
    assert cells_of(losses, labels).of_factor().noun == "item"  # of which there are fewest
    with pytest.raises(ValueError, match="no factor 'case'; there are 'subject', 'item'"):
        cells_of(losses, labels).of_factor("case")


def test_every_point_may_weigh_alike():
    losses, labels = losses_of()
    cells = cells_of(losses, labels).weighted("points")
    found = compare(cells).risk
    assert np.allclose([found[name] for name in losses], [row.mean() for row in losses.values()])
    again = compare(losses, groups=labels, weights="points")
    assert np.allclose(list(again.risk.values()), list(found.values()), rtol=1e-12)


def test_sites_that_do_not_fit_are_refused():
    losses, labels = losses_of()
    cells = cells_of(losses, labels)
    groups = GroupSummaries.of_losses(
        {name: Losses(row) for name, row in losses.items()}, labels["subject"]
    )
    with pytest.raises(ValueError, match="1 of 2 sites have groups of one factor"):
        summaries([cells, groups])
    other = cells_of(losses, {"case": labels["item"], "subject": labels["subject"]})
    with pytest.raises(ValueError, match="must have the same factors"):
        CellSummaries.join([cells, other])
    with pytest.raises(ValueError, match="same models"):
        CellSummaries.join([cells, cells_of({**losses, "m9": losses["m0"]}, labels)])
    with pytest.raises(ValueError, match="use CellSummaries for several"):
        GroupSummaries.of_losses({name: Losses(row) for name, row in losses.items()}, labels)


@pytest.mark.filterwarnings("ignore:.*have one point")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda plain: plain["factors"][0]["codes"].__setitem__(0, 99), "not those of its levels"),
        (lambda plain: plain["factors"].append(plain["factors"][0]), "two factors have one name"),
        (lambda plain: plain["sizes"].__setitem__(0, 0), "has no point"),
        (lambda plain: plain["sizes"].__setitem__(0, 0.5), "not as `to_json` writes them"),
        (lambda plain: plain["gaps"][0].__setitem__(0, 1.0), "whose own must be 0"),
        (lambda plain: plain["gaps"].pop(), "gaps has shape"),
        (lambda plain: plain["pairs"][0].__setitem__(1, 0.5), "the same in both directions"),
        (lambda plain: plain["factors"][1]["codes"].pop(), "not one level for each cell"),
        (lambda plain: plain.pop("own"), "not as `to_json` writes them"),
        (lambda plain: plain.update(format="x"), "no summaries"),
    ],
)
def test_files_that_were_changed_are_refused(change, said):
    losses, labels = losses_of(size=60)
    plain = json.loads(cells_of(losses, labels).to_json())
    change(plain)
    with pytest.raises(ValueError, match=said):
        CellSummaries.from_json(json.dumps(plain))
