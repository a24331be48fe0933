"""A result: what was decided, shown in every form, all of one decision."""

import json
from math import inf

import numpy as np
import pytest

import rivals
from problems import problem
from rivals import Losses
from samples import rows_of


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
    decisions = {row["model"]: row["decision"] for row in rows_of(result.table)}
    assert tuple(decisions) == result.ranking
    assert {name for name, word in decisions.items() if "rejected" in word.split()[:1]} == set(
        result.rejections
    )
    assert set(result.survivors) | set(result.rejections) == set(result.risk)
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["best"] == result.best
    assert found["survivors"] == list(result.survivors)
    assert found["records"] == json.loads(json.dumps(plain_rows(result)))
    assert found["conclusion"] == result.conclusion
    for text in (str(result), result.to_markdown(), result._repr_html_()):
        assert all(name in text for name in result.risk)
    assert result.conclusion in str(result)
    assert repr(result) == str(result)


def test_the_screen_is_a_screen(result):
    lines = str(result).splitlines()
    assert len(lines) <= 8 + len(result.risk)
    assert max(map(len, lines[: 5 + len(result.risk)])) <= 120


def test_differences_are_between_mean_losses_of_one_estimand(result):
    place = {name: row for row, name in enumerate(result.risk)}
    first = result.risk[result.ranking[0]]
    for row in rows_of(result.table):
        risk = result._decided.evidence.risk[place[row["model"]]]
        assert next(row[head] for head in row if head.startswith("mean loss over ")) == risk
        over = [value for head, value in row.items() if head.endswith("mean") and "worse" in head]
        assert over == [None if row["model"] == result.ranking[0] else risk - first]


def test_probabilities_of_the_table_are_those_of_the_matrix():
    best = list(GROUPED.risk).index(GROUPED.best)
    for number, head in ((1, "1 new group"), (9, "9 new groups")):
        matrix = GROUPED.at(new_groups=number).probability
        for row in rows_of(GROUPED.table):
            value = row[f"P(best wins again) in {head}"]
            other = list(GROUPED.risk).index(row["model"])
            assert value is None if other == best else value == pytest.approx(matrix[best, other])


def test_beside_any_model():
    for name in list(GROUPED.risk):
        rows = {row["model"]: row for row in rows_of(GROUPED.beside(name).table)}
        head = "worse than the best" if name == GROUPED.best else f"worse than {name}"
        for other, row in rows.items():
            low_high = row[f"{head} 90 % interval"]
            if other == name:
                assert low_high is None
            else:
                assert low_high[0] < row[f"{head} mean"] < low_high[1]
    with pytest.raises(ValueError, match="did you mean 'm0'"):
        GROUPED.beside("m00")


def test_p_is_labelled():
    p = GROUPED.probability
    whole = np.asarray(p)
    for a, first in enumerate(GROUPED.risk):
        assert list(p[first]) == list(GROUPED.risk)
        for b, second in enumerate(GROUPED.risk):
            assert p[first, second] == p[a, b] == p[first][second] == whole[a, b]
            assert first in str(p)
    rows = p.to_records()
    assert len(rows) == 12
    assert all(row["p_better"] == p[row["model"], row["beside"]] for row in rows)
    assert p.to_dict()["m0"]["m1"] == p["m0", "m1"]
    with pytest.raises(ValueError, match="did you mean 'm0'"):
        p["m00"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda result: result,
        lambda result: result.probability,
        lambda result: result.beside("m1"),
        lambda result: result.equivalence(0.1),
        lambda result: result.ranks(),
        lambda result: result.looks(),
        lambda result: result.plan([5]),
        lambda result: result.gate("m0", model="m1"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"margin": 0.1}, {"new_groups": 1}, {"looks": "any"}])
def test_columns_never_change(ask, options):
    pandas = pytest.importorskip("pandas")
    result = problem(3, n_models=4, sizes=[20] * 14, left_out=False, n_simulations=0).compare()
    answer = ask(result.at(**options))
    assert all(tuple(row) == answer.COLUMNS for row in answer.to_records())
    frame = answer.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert tuple(frame.columns) == answer.COLUMNS
    assert len(frame) == len(answer.to_records())
    json.dumps(answer.to_dict(), allow_nan=False)
    html = answer._repr_html_()
    assert html.startswith(("<p>", "<table>"))
    assert "\x02" not in html + str(answer)


def test_a_notebook_has_header_and_record():
    result = problem(1, n_models=2, sizes=[30] * 10, noise=0.1).compare()
    html = result._repr_html_()
    opening, *_ = str(result).splitlines()
    assert html.index(opening) < html.index("<table>") < html.index(result.conclusion)


def test_a_comparison_has_what_users_need_and_no_more():
    public = {name for name in dir(GROUPED) if not name.startswith("_")} - {"COLUMNS"}
    assert len(public) < 40, sorted(public)


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


@pytest.mark.parametrize("result", [GROUPED, ALONE, *RESULTS.values()])
def test_methods_name_the_paper_once(result):
    found = result.methods()
    assert found.count("doi:10.1038/s41467-025-64658-7") == 1
    assert ("the misfit and the sensitivity c are" in found) == (result.summary.n_simulations > 0)


def test_many_models_are_counted_not_listed():
    given = problem(3, n_models=40, sizes=[10] * 8, n_simulations=0, left_out=False).compare()
    text = str(given)
    assert "… and 20 more: result.to_dataframe()" in text
    assert len(text.splitlines()) < 32
    assert len(rows_of(given.table)) == 40


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
    assert (
        " nan"
        not in f"{found}{found.beside('b')}{found.probability}{found.details()}{found.ranks()}"
    )


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
