"""A result: what was decided, shown in every form, all of one decision."""

import json
from math import inf

import numpy as np
import pytest

import rivals
from problems import problem
from rivals import Losses


def plain_rows(result):
    from rivals._result.renderers import plain

    return [{name: plain(v) for name, v in row.items()} for row in result.to_records()]


def in_groups(seed=0, **options):
    return problem(seed, n_models=4, sizes=[20] * 9, left_out=False, **options).compare(rng=0)


GROUPED = in_groups(n_simulations=2)
ALONE = rivals.compare(problem(1, n_models=3, n_simulations=3).without_groups, rng=0)
RESULTS = {
    "groups": GROUPED,
    "without simulations": in_groups(1, n_simulations=0),
    "transport": ALONE,
    "beta": rivals.compare(
        problem(2, n_models=2, n_simulations=1).without_groups,
        method=rivals.laws.Beta(n_draws=500, depth=5),
        rng=0,
    ),
}


@pytest.fixture(params=RESULTS)
def result(request):
    return RESULTS[request.param]


def test_all_forms_tell_the_same_decision(result):
    decisions = {row["model"]: row["decision"] for row in result.table.to_dict()}
    assert tuple(decisions) == result.ranking
    assert {name for name, word in decisions.items() if "rejected" in word.split()[:1]} == set(
        result.rejections
    )
    assert set(result.survivors) | set(result.rejections) == set(result.names)
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["best"] == result.best
    assert found["survivors"] == list(result.survivors)
    assert found["table"] == json.loads(json.dumps(plain_rows(result)))
    assert found["conclusion"] == result.conclusion
    for text in (str(result), result.to_markdown(), result._repr_html_()):
        assert all(name in text for name in result.names)
    assert result.conclusion in str(result)
    assert repr(result) == str(result)


def test_the_screen_is_a_screen(result):
    lines = str(result).splitlines()
    assert len(lines) <= 8 + len(result.names)
    assert max(map(len, lines[: 5 + len(result.names)])) <= 120


def test_differences_are_between_mean_losses_of_one_estimand(result):
    place = {name: row for row, name in enumerate(result.names)}
    first = result.risk[result.ranking[0]]
    for row in result.table.to_dict():
        risk = result.evidence.risk[place[row["model"]]]
        assert next(row[head] for head in row if head.startswith("mean loss over ")) == risk
        over = [value for head, value in row.items() if head.endswith("mean") and "worse" in head]
        assert over == [None if row["model"] == result.ranking[0] else risk - first]


def test_probabilities_of_the_table_are_those_of_the_matrix():
    best = GROUPED.names.index(GROUPED.best)
    for number, head in ((1, "1 new group"), (9, "9 new groups")):
        matrix = GROUPED.over(number)
        for row in GROUPED.table.to_dict():
            value = row[f"P(best wins again) in {head}"]
            other = GROUPED.names.index(row["model"])
            assert value is None if other == best else value == pytest.approx(matrix[best, other])


def test_beside_any_model():
    for name in GROUPED.names:
        rows = {row["model"]: row for row in GROUPED.against(name).to_dict()}
        head = "worse than the best" if name == GROUPED.best else f"worse than {name}"
        for other, row in rows.items():
            low_high = row[f"{head} 90 % interval"]
            if other == name:
                assert low_high is None
            else:
                assert low_high[0] < row[f"{head} mean"] < low_high[1]
    with pytest.raises(ValueError, match="did you mean 'm0'"):
        GROUPED.against("m00")


def test_pairs_are_of_the_matrix():
    rows = GROUPED.pairs.to_dict()
    assert len(rows) == 6
    for row in rows:
        a, b = GROUPED.names.index(row["better"]), GROUPED.names.index(row["worse"])
        assert row["P"] == GROUPED.probability[a, b]
        assert row["difference"] >= 0.0


def test_the_table_of_groups():
    rows = GROUPED.groups_table().to_dict()
    assert [row["group"] for row in rows] == [str(number) for number in range(9)]
    for row in rows:
        losses = {name: row[f"mean loss {name}"] for name in GROUPED.names}
        assert row["lowest"] == min(losses, key=losses.get)
        assert row["points"] == 20
    with pytest.raises(ValueError, match="there are no groups"):
        ALONE.groups_table()


def test_at_other_options_it_is_the_comparison_with_these():
    given = problem(0, n_models=4, sizes=[20] * 9, left_out=False, n_simulations=2)
    options = {"level": 0.8, "threshold": 0.8, "margin": 0.02, "new_groups": inf}
    direct, later = given.compare(rng=0, **options), GROUPED.at(**options)
    assert str(direct) == str(later)
    np.testing.assert_array_equal(direct.probability, later.probability)
    with pytest.raises(TypeError, match="did you mean 'threshold'"):
        GROUPED.at(treshold=0.9)


def test_a_sweep_is_a_decision_at_each_c():
    swept = ALONE.sweep([0.01, 1.0])
    assert list(swept) == [0.01, 1.0]
    assert swept[1.0].survivors == ALONE.at(c=1.0).survivors


def test_details_have_more_than_the_screen():
    found = GROUPED.details()
    assert "I² =" in found
    assert "With probability 0.9" in found
    assert len(found.splitlines()) == len(set(found.splitlines()))
    assert "seed" not in found
    assert "rng = 0" in RESULTS["beta"].details()


def test_methods_say_what_was_done():
    found = GROUPED.methods()
    assert "budget of variance" in found
    assert "above 0.95" in found
    assert "by more than 0.1" in GROUPED.at(margin=0.1).methods()
    assert "was given" in ALONE.at(c=0.5).methods()
    with pytest.raises(ValueError, match="c has no meaning beside groups"):
        GROUPED.at(c=0.5)
    assert "1 + 2/G times as large" in problem(0, sizes=[9] * 9, left_out=True).compare().methods()


def test_many_models_are_counted_not_listed():
    given = problem(3, n_models=40, sizes=[10] * 8, n_simulations=0, left_out=False).compare()
    text = str(given)
    assert "… and 20 more: result.to_dataframe()" in text
    assert len(text.splitlines()) < 32
    assert len(given.table.to_dict()) == 40


@pytest.mark.parametrize("gap", [0.0, 1e-18])
def test_models_that_are_equal_are_both_kept(gap):
    a = np.random.default_rng(0).exponential(size=60)
    found = rivals.compare({"A": a, "B": a + gap}, groups=np.repeat(range(6), 10))
    assert found.survivors == ("A", "B")
    assert found.probability[0, 1] == 0.5
    assert ("same losses" in found.conclusion) == (gap == 0.0)


def test_pairs_that_nobody_can_judge_are_dashes():
    """Estimates of two differences from a baseline, without what these share."""
    rows = {
        "a": [0.0] * 6,
        "b": [1.0, 1.2, 0.8, 1.1, 0.9, 1.0],
        "c": [2.0, 2.2, 1.8, 2.1, 1.9, 2.0],
    }
    summary = GROUPED.summary
    variances = np.full((3, 3, 6), 0.01)
    variances[1, 2] = variances[2, 1] = np.nan
    gaps = np.array(list(rows.values()))
    given = rivals.GroupSummaries(
        tuple(rows),
        tuple("uvwxyz"),
        np.full(6, 10),
        np.zeros(6),
        gaps,
        type(summary.pairs)(np.zeros(3), np.zeros((3, 3))),
        variances=variances,
    )
    found = rivals.compare(given)
    assert found.rejections.keys() == {"b", "c"}
    assert np.isnan(found.probability[1, 2])
    json.dumps(found.to_dict(), allow_nan=False)
    assert " nan" not in f"{found}{found.against('b')}{found.pairs}{found.details()}{found.ranks()}"


def test_the_sources_of_losses_are_told():
    given = problem(0, n_models=2, sizes=[20] * 9)
    source = rivals.Provenance("negative log density", "nats", True, 3, "gaussian", "pupil", "x")
    labels = given.groups
    losses = {
        name: Losses(each, groups=labels, source=source)
        for name, each in zip("AB", given.observed, strict=True)
    }
    result = rivals.compare(losses)
    assert (
        "180 pupils in 9 groups. Loss: negative log density (nats), groups left out in 3 folds"
        in str(result)
    )
    assert "computed with x" in result.methods()
