"""Plans of several factors: what must hold of the chances."""

import numpy as np
import pytest

from rivals import compare
from rivals.laws import Factors

MORE = {"subject": [5, 20, 80], "item": [5, 20, 80]}


def pilot(lead=0.35, of_item=1.0, seed=1, **options):
    """Two models that are open; items differ most, of which there are few."""
    rng = np.random.default_rng(seed)
    subject, item = np.divmod(np.arange(20 * 8), 8)
    apart = lead + of_item * rng.standard_normal(8)[item] + 0.3 * rng.standard_normal(20)[subject]
    base = rng.standard_normal(160)
    losses = {"a": base, "b": base + apart + 0.3 * rng.standard_normal(160)}
    return compare(losses, groups={"subject": subject, "item": item}, **options)


def chances(plan):
    return {(row["factor"], row["more"]): row["chance"] for row in plan.to_records()}


def test_chances_rise_and_the_factor_that_varies_most_helps_more():
    found = chances(pilot().plan(MORE))
    for factor, numbers in MORE.items():
        row = [found[factor, float(n)] for n in numbers] + [found[factor, np.inf]]
        # The same random numbers serve every design, up to those of degrees of freedom.
        assert (np.diff(row) > -3 * 0.016).all()
    assert found["item", 80.0] > found["subject", 80.0] + 0.1


def test_the_cheapest_design_is_one_that_decides_often_enough_and_no_cheaper_one_of_its_kind():
    result = pilot(lead=0.6)
    open_model = next(name for name in result.ranking if name != result.best)
    plan = result.plan(MORE, cost={"subject": 1, "item": 3})
    found = plan.cheapest[open_model]
    assert found["chance"] >= 0.8
    assert found["cost"] == found["more"]["subject"] + 3 * found["more"]["item"]
    dear = result.plan(MORE, cost={"subject": 1, "item": 3000}).cheapest[open_model]
    assert dear["more"]["item"] <= found["more"]["item"]
    assert "the cheapest design" in plan.conclusion


def test_where_no_design_decides_that_is_said():
    plan = pilot(lead=0.0, new_groups={"subject": 1, "item": 1}).plan(MORE, cost={"item": 1})
    assert list(plan.cheapest.values()) == [None]
    assert "no design that was looked at" in plan.conclusion


def test_one_factor_is_planned_as_groups_are():
    """Chances are drawn: the mean over eight seeds is known to ± .006."""
    rng = np.random.default_rng(1)
    school = np.repeat(np.arange(12), 20)
    losses = {
        name: lead + 0.5 * rng.standard_normal(12)[school] + rng.standard_normal(240)
        for name, lead in (("a", 0.0), ("b", 0.2))
    }
    found = []
    for method in (None, Factors()):
        result = compare(losses, groups=school, method=method)
        drawn = [chances(result.plan([5, 20, 80], rng=seed)) for seed in range(8)]
        found.append([np.mean([each["group", n] for each in drawn]) for n in (5.0, 20.0, 80.0)])
    assert np.allclose(*found, atol=0.04)


def test_rows_have_the_same_columns_as_those_of_groups():
    pytest.importorskip("pandas")
    result = pilot()
    rng = np.random.default_rng(0)
    groups = compare(
        {"a": rng.standard_normal(60), "b": rng.standard_normal(60)}, groups=np.arange(60) % 6
    )
    columns = ["model", "beside", "factor", "more", "chance", "standard_error"]
    assert list(result.plan(MORE).to_dataframe().columns) == columns
    assert list(groups.plan([5]).to_dataframe().columns) == columns


def test_a_plan_repeats_itself_and_says_its_seed():
    result = pilot()
    one, two = result.plan([10], rng=3), result.plan([10], rng=3)
    assert one.to_dict() == two.to_dict()
    assert "rng = 3" in str(one)
    assert "item" in result.plan([10])._repr_html_()


def test_what_is_kept_cannot_become_more():
    kept = pilot(lead=0.2, of_item=0.0, new_groups={"item": 0}, threshold=0.999)
    with pytest.raises(ValueError, match="keeps 'item', whose levels come again"):
        kept.plan({"item": [5]})
    assert {row["factor"] for row in kept.plan([5]).to_records()} == {"subject"}


@pytest.mark.parametrize(
    ("asked", "cost", "said"),
    [
        ({"itm": [5]}, None, "there is no factor 'itm'"),
        ({"item": [0]}, None, "must be whole numbers"),
        ({"item": [5]}, {"case": 1}, "there is no factor 'case'"),
        ({"item": [5]}, {"item": -1}, "cost must be above 0"),
    ],
)
def test_bad_plans_are_refused(asked, cost, said):
    with pytest.raises(ValueError, match=said):
        pilot().plan(asked, cost=cost)


def test_costs_are_of_several_factors():
    rng = np.random.default_rng(0)
    losses = {"a": rng.standard_normal(60), "b": rng.standard_normal(60)}
    result = compare(losses, groups=np.arange(60) % 6)
    with pytest.raises(ValueError, match="there is one grouping alone"):
        result.plan([5], cost={"group": 1})


def test_the_picture_has_a_curve_for_each_factor():
    pytest.importorskip("matplotlib")
    from rivals import plots

    ax = plots.plot_plan(pilot().plan(MORE))
    assert [text.get_text() for text in ax.figure.axes[0].get_legend().get_texts()] == [
        f"{name}, more {factor}s" for name in ("b",) for factor in ("subject", "item")
    ]
