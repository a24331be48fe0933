"""Several factors: what must hold whatever the losses are."""

import numpy as np
import pytest

import rivals
from rivals import CellSummaries, Losses, compare
from rivals.laws import Factors
from rivals.testing import check_law


def study(n_subjects=12, n_items=9, seed=0, models=3, missing=0.0, repeats=1):
    """Losses of some models, and the labels of subjects and items."""
    rng = np.random.default_rng(seed)
    subject, item = np.divmod(np.repeat(np.arange(n_subjects * n_items), repeats), n_items)
    kept = rng.random(subject.size) >= missing
    subject, item = subject[kept], item[kept]
    losses = {}
    for place in range(models):
        own = rng.standard_normal(n_subjects)[subject] + rng.standard_normal(n_items)[item]
        losses[f"m{place}"] = 5.0 + place + own + rng.standard_normal(subject.size)
    return losses, {"subject": subject, "item": item}


def test_the_conformance_kit():
    pytest.importorskip("jinja2")
    assert check_law(Factors(), n_simulations=0) == 12


@pytest.mark.parametrize(("n_groups", "size"), [(8, 6), (20, 3), (5, 40)])
def test_one_factor_with_groups_of_one_size_is_the_law_of_groups(n_groups, size):
    rng = np.random.default_rng(n_groups)
    school = np.repeat(np.arange(n_groups), size)
    losses = {
        name: lead + rng.standard_normal(n_groups)[school] + rng.standard_normal(school.size)
        for name, lead in (("a", 0.0), ("b", 0.3), ("c", 0.9))
    }
    one = compare(losses, groups=school, method=Factors())
    other = compare(losses, groups=school)
    assert np.allclose(one.probability, other.probability, rtol=0.0, atol=1e-12)
    for new_groups in (1, 5, np.inf):
        several, groups = (each.at(new_groups=new_groups).probability for each in (one, other))
        assert np.allclose(several, groups, rtol=0.0, atol=1e-12)


def test_parts_add_up_to_the_variance_and_are_named():
    losses, labels = study(repeats=2)
    result = compare(losses, groups=labels)
    beside = result.beside("m0")
    assert list(beside.parts) == ["subject", "item", "subject × item", "points", "training"]
    law = result._decided.reduced.differences(result.setting, np.array([0, 0]), np.array([1, 2]))
    total = law.law.budget.seen + law.law.budget.new(1.0)
    assert np.allclose(sum(beside.parts.values()), total, rtol=1e-12)


def test_a_factor_that_is_kept_adds_nothing():
    losses, labels = study()
    both = compare(losses, groups=labels)
    kept = both.at(new_groups={"item": 0})
    assert not kept.beside("m0").parts["item"].any()
    for part in ("subject", "points"):
        assert (both.beside("m0").parts[part] >= kept.beside("m0").parts[part] - 1e-12).all()
    assert (kept.beside("m0").better > both.beside("m0").better).all()


def test_more_new_levels_bring_more_certainty():
    losses, labels = study()
    result = compare(losses, groups=labels)
    found = [
        result.at(new_groups={"subject": n, "item": n}).beside("m0").better for n in (1, 10, 1000)
    ]
    assert (np.diff(found, axis=0) > 0.0).all()
    every = result.at(new_groups=np.inf).beside("m0").better
    assert (every > found[-1]).all()


def test_p_is_of_the_study_repeated_by_default_and_in_any_way_of_saying_it():
    losses, labels = study()
    result = compare(losses, groups=labels)
    assert result.to_dict()["new_groups"] == {"subject": 12, "item": 9}
    for said in (None, {"subject": 12}, {"item": 9, "subject": 12}):
        again = compare(losses, groups=labels, new_groups=said)
        assert np.array_equal(again.probability, result.probability)


def test_nesting_is_found_whichever_factor_comes_first():
    school = np.repeat(np.arange(24), 10)
    rng = np.random.default_rng(1)
    losses = {
        name: lead + rng.standard_normal(24)[school] + rng.standard_normal(240)
        for name, lead in (("a", 0.0), ("b", 0.5))
    }
    factors = {"school": school, "district": school // 4}
    one = compare(losses, groups=factors)
    other = compare(losses, groups=dict(reversed(factors.items())))
    assert one.to_dict()["new_groups"] == other.to_dict()["new_groups"] == {"district": 6}
    assert np.allclose(one.probability, other.probability, rtol=0.0, atol=1e-12)
    assert "6 new districts" in str(one)


def test_where_schools_of_a_district_are_alike_the_inner_level_alone_is_too_sure():
    rng = np.random.default_rng(2)
    school = np.repeat(np.arange(40), 10)
    alike = rng.standard_normal(8)[school // 5]
    noise = rng.standard_normal((2, 400))
    losses = {"a": noise[0], "b": noise[1] + 0.3 + alike}
    best = "a" if np.mean(losses["a"]) < np.mean(losses["b"]) else "b"
    inner = compare(losses, groups=school).beside(best).better
    both = compare(losses, groups={"district": school // 5, "school": school}).beside(best).better
    assert both[0] < inner[0]


def test_the_order_of_rows_models_and_factors_does_not_matter():
    losses, labels = study(missing=0.3, repeats=2)
    result = compare(losses, groups=labels)
    rng = np.random.default_rng(5)
    order = rng.permutation(labels["item"].size)
    turned = compare(
        {name: losses[name][order] for name in reversed(losses)},
        groups={name: labels[name][order] for name in reversed(labels)},
    )
    assert np.allclose(turned.probability[::-1, ::-1], result.probability, atol=1e-9)


def test_a_part_that_all_models_share_costs_no_digits():
    losses, labels = study(missing=0.2)
    shared = 1e9 * np.random.default_rng(0).standard_normal(labels["item"].size)
    large = {name: row + shared for name, row in losses.items()}
    assert np.allclose(
        compare(large, groups=labels).probability,
        compare(losses, groups=labels).probability,
        atol=1e-6,
    )


def test_many_models_are_judged_as_few_are():
    """Above 512 models sums of pairs are made when they are asked for."""
    rng = np.random.default_rng(0)
    subject, item = np.divmod(np.arange(30), 5)
    rows = rng.standard_normal((520, 30))
    labels = {"subject": subject, "item": item}
    found = compare({f"m{i:03}": row for i, row in enumerate(rows)}, groups=labels).summary
    few = CellSummaries.of_losses({f"m{i:03}": Losses(rows[i]) for i in (3, 400)}, labels)
    one = found.moments.of_pairs(np.array([3]), np.array([400])).values
    other = few.moments.of_pairs(np.array([0]), np.array([1])).values
    assert np.allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"person": "subject"}, "'subject' and 'person' put the same points"),
        ({"half": "two"}, "'half' has 2 levels"),
        ({"all": "one"}, "'all' has 1 level,"),
        ({"trial": "each"}, "each of the 108 points has a trial of its own"),
        ({"a": "item", "b": "two"}, "at most 3 are taken together; got 4: subject, item, a, b"),
    ],
)
def test_factors_that_say_nothing_are_refused(change, said):
    losses, labels = study()
    size = labels["item"].size
    made = {
        **labels,
        "two": np.arange(size) % 2,
        "one": np.zeros(size),
        "each": np.arange(size),
    }
    with pytest.raises(ValueError, match=said):
        compare(losses, groups={**labels, **{name: made[of] for name, of in change.items()}})


def test_factors_that_cannot_be_told_apart_are_refused():
    """With a level of the inner factor for each cell, cells cannot be told from it."""
    losses, labels = study(repeats=1)
    cells = np.unique(labels["subject"] * 100 + labels["item"], return_inverse=True)[1]
    again = {name: np.concatenate([row, row[:5] + 0.1]) for name, row in losses.items()}
    labels = {**labels, "cell": cells}
    labels = {name: np.concatenate([codes, codes[:5]]) for name, codes in labels.items()}
    with pytest.raises(ValueError, match="'cell' and 'points' cannot be told apart"):
        compare(again, groups=labels)


@pytest.mark.parametrize(
    ("new_groups", "said"),
    [
        ({"itm": 3}, "there is no factor 'itm'; there are 'subject', 'item'"),
        ({"subject": 0, "item": 0}, "keeps every factor, subject, item"),
        ({"subject": 2.5}, "must be a whole number"),
        ({"subject": -1}, "must be at least 1"),
        ({}, "names no factor"),
    ],
)
def test_what_a_replication_cannot_draw_is_refused(new_groups, said):
    losses, labels = study()
    with pytest.raises(ValueError, match=said):
        compare(losses, groups=labels, new_groups=new_groups)


def test_new_levels_of_an_inner_factor_are_refused():
    school = np.repeat(np.arange(12), 6)
    losses = {name: np.random.default_rng(i).standard_normal(72) for i, name in enumerate("ab")}
    with pytest.raises(ValueError, match="each school lies in one district and comes with it"):
        compare(
            losses, groups={"district": school // 3, "school": school}, new_groups={"school": 3}
        )


def test_looks_and_other_methods_are_refused():
    losses, labels = study()
    result = compare(losses, groups=labels)
    for ask in (result.looks, lambda: result.at(looks="any")):
        with pytest.raises(ValueError, match="levels of several factors do not"):
            ask()
    with pytest.raises(ValueError, match="several factors are judged by method 'groups'"):
        compare(losses, groups=labels, method="transport")
    with pytest.raises(ValueError, match="names factors, item, and there is one grouping"):
        compare(losses, groups=labels["subject"], new_groups={"item": 0})


def test_left_out_levels_widen_as_is_supposed_and_it_is_said():
    losses, labels = study()
    fixed = compare({n: Losses(row, left_out=False) for n, row in losses.items()}, groups=labels)
    out = compare({n: Losses(row, left_out=True) for n, row in losses.items()}, groups=labels)
    assert (out.beside("m0").parts["training"] > 0.0).all()
    assert (out.beside("m0").better < fixed.beside("m0").better).all()
    assert "nobody has measured" in out.details()


def test_equal_models_are_told_apart_by_nothing():
    losses, labels = study(models=2)
    same = compare({"a": losses["m0"], "b": losses["m0"].copy()}, groups=labels)
    assert np.all(np.asarray(same.probability) == 0.5)
    apart = compare({"a": losses["m0"], "b": losses["m0"] + 1.0}, groups=labels)
    assert apart.probability[0, 1] == 1.0


def test_columns_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    losses, labels = study()
    frame = pandas.DataFrame({**losses, **labels})
    result = compare(losses, groups=labels)
    for groups in (["subject", "item"], {"subject": "subject", "item": labels["item"]}):
        found = compare(
            frame.drop(columns=[] if isinstance(groups, list) else "item"), groups=groups
        )
        assert np.array_equal(found.probability, result.probability)
    with pytest.raises(ValueError, match="no column 'itm'"):
        compare(frame, groups=["subject", "itm"])
    assert np.array_equal(
        compare(frame[list(losses)], groups=frame[["subject", "item"]]).probability,
        result.probability,
    )


def test_what_a_result_says():
    losses, labels = study(n_subjects=15)
    result = compare(losses, groups=labels)
    text = str(result)
    assert text.startswith("3 models, 135 points in 15 subjects × 9 items.")
    assert "15 new subjects × 9 new items" in text
    assert "15 new subjects × the same items" in str(result.at(new_groups={"item": 0}))
    assert result.to_dict()["new_groups"] == {"subject": 15, "item": 9}
    assert rivals.laws.law_of("groups", groups=True, several=True) == Factors()


def test_a_saved_comparison_is_the_same(tmp_path):
    losses, labels = study(missing=0.3)
    result = compare(losses, groups=labels, new_groups={"subject": np.inf, "item": 0})
    result.save(tmp_path / "result.npz")
    again = rivals.load(tmp_path / "result.npz")
    assert str(again) == str(result)
    assert again.setting == result.setting


def test_more_of_the_factor_that_varies_most_is_what_would_help():
    rng = np.random.default_rng(0)
    subject, item = np.divmod(np.arange(300), 10)
    apart = 0.3 + rng.standard_normal(10)[item] + 0.1 * rng.standard_normal(300)
    base = rng.standard_normal(300)
    result = compare({"a": base, "b": base + apart}, groups={"subject": subject, "item": item})
    assert "More items would narrow it most." in result.details()
    kept = result.at(new_groups={"item": 0})
    assert "More subjects would narrow it most." in kept.details()


def test_what_folds_of_the_outermost_factor_share_is_measured():
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    subject, item = np.divmod(np.arange(200), 10)
    X = rng.standard_normal((200, 8))
    y = X[:, 0] + rng.standard_normal(20)[subject] + rng.standard_normal(200)
    models = {"ridge": linear_model.Ridge(1.0), "flat": linear_model.Ridge(1e3)}
    for groups in (subject, {"subject": subject, "item": item}):
        losses = rivals.read.cross_validated(models, X, y, groups=groups, loss="squared", rng=0)
        result = compare(losses, groups={"subject": subject, "item": item})
        assert result.summary.shared is not None
        assert "nobody has measured" not in result.details()
