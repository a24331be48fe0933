"""What the page looks up is what `compare` says, at every setting; nothing is injected."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import product

import numpy as np
import pytest

import rivals
from problems import beside_a_baseline, problem
from rivals._result import account
from rivals.report._groups import MOST_GROUPS
from rivals.report._rows import bars, ticks
from rivals.report._screens import MOST_ROWS, axes_of
from rivals.testbeds import toys

pytest.importorskip("jinja2", reason='pip install "rivals[report]"')
from rivals.report._page import contents, own_screen, render

HOSTILE = ["</script><script>alert(1)</script>", "<b>&amp;\"'`", "$x$ {{ 7 * 7 }}"]


def one_data_set(seed: int, law: str) -> rivals.Comparison:
    shapes = problem(seed, sizes=[40, 40, 40], n_simulations=3)
    return rivals.compare(shapes.without_groups, method=law, rng=seed)


def grouped(seed: int) -> rivals.Comparison:
    return problem(seed, left_out=bool(seed % 2)).compare()


MAKERS = {
    "transport": lambda seed: one_data_set(seed, "transport"),
    "beta": lambda seed: one_data_set(seed, "beta"),
    "groups": grouped,
}


def rows_of(data, columns):
    return list(zip(*(data["columns"][number]["cells"] for number in columns), strict=True))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("law", MAKERS)
def test_every_screen_is_what_the_library_says(law, seed):
    """Of random problems, some of the settings: table, heads, conclusion, track record, number."""
    result = MAKERS[law](seed)
    data = contents(result._decided)
    axes = axes_of(result._decided)
    settings = list(product(*(axis.values for axis in axes)))
    assert len(settings) == len(data["screens"])
    some = np.random.default_rng(seed).permutation(len(settings))[:12]
    for place in {own_screen(data), *some.tolist()}:
        options = dict(zip((axis.option for axis in axes), settings[place], strict=True))
        expected = result.at(**options)
        columns, _, conclusion, record, covered, n_kept = data["screens"][place]
        assert rows_of(data, columns) == expected.table.rows
        heads = [(each.over, each.head) for each in expected.table.columns]
        shown = [data["columns"][number] for number in columns]
        assert [(each["over"], each["head"]) for each in shown] == heads
        assert data["texts"][conclusion] == expected.conclusion
        assert data["texts"][record] == " ".join(account.track_record(expected._decided))
        assert data["texts"][covered] == " ".join(account.covered(expected._decided, "difference"))
        assert n_kept == len(expected.survivors)


@pytest.mark.parametrize("seed", range(2))
def test_screens_are_those_of_a_comparison_made_anew(seed):
    shapes = problem(seed)
    result = shapes.compare()
    data = contents(result._decided)
    axes = axes_of(result._decided)
    settings = list(product(*(axis.values for axis in axes)))
    for place in np.random.default_rng(seed).permutation(len(settings))[:5].tolist():
        options = dict(zip((axis.option for axis in axes), settings[place], strict=True))
        again = shapes.compare(**options)
        columns, _, conclusion, *_ = data["screens"][place]
        assert rows_of(data, columns) == again.table.rows
        assert data["texts"][conclusion] == again.conclusion


@pytest.mark.parametrize("law", MAKERS)
def test_the_first_screen_is_the_comparison_as_it_was_made(law):
    result = MAKERS[law](0).at(threshold=0.93, margin=0.0 if law == "beta" else 0.037)
    data = contents(result._decided)
    columns, _, conclusion, *_ = data["screens"][own_screen(data)]
    assert rows_of(data, columns) == result.table.rows
    assert data["texts"][conclusion] == result.conclusion


def test_pairs_whose_error_is_not_known_are_neither_drawn_nor_offered():
    """Estimates without covariance: pairs other than those beside the baseline are unknown."""
    pytest.importorskip("narwhals")
    result = rivals.compare(beside_a_baseline())
    data = contents(result._decided)
    assert [each["model"] for each in data["groups"]["models"]] == ["base"]
    assert render(result).count("NaN") == 0


def test_another_number_of_new_groups_is_a_question_of_its_own():
    result = grouped(1).at(new_groups=37)
    (questions,) = [axis for axis in axes_of(result._decided) if axis.option == "new_groups"]
    assert len(questions.values) == 4
    assert questions.labels[questions.own].startswith("37 new")


def test_groups_are_those_of_the_forest_plot():
    result = grouped(3)
    best = list(result.risk).index(result.ranking[0])
    data = contents(result._decided)
    for each in data["groups"]["models"]:
        other = list(result.risk).index(each["model"])
        gaps = result._decided.groups.means[other] - result._decided.groups.means[best]
        order = np.argsort(-gaps, kind="stable")
        names = data["columns"][each["columns"][0]]["cells"][each["n_answers"] :]
        assert names == [str(result._decided.groups.groups[place]) for place in order]


def test_without_groups_simulations_or_many_models_the_page_offers_less():
    options = {
        law: {axis.option for axis in axes_of(make(1)._decided)} for law, make in MAKERS.items()
    }
    assert options["transport"] == {"threshold", "c", "margin"}
    assert options["beta"] == {"threshold", "c"}
    assert {"new_groups", "threshold", "margin"} <= options["groups"]
    assert contents(MAKERS["beta"](0)._decided)["groups"] is None


# ---------------------------------------------------------------- the text


def hostile() -> rivals.Comparison:
    rng = np.random.default_rng(0)
    group = np.array(["</td><script>x</script>", "a & b", "c", "d"])[np.arange(80) % 4]
    losses = rng.exponential(size=80)
    models = {name: losses + 0.2 * i * rng.uniform(size=80) for i, name in enumerate(HOSTILE)}
    return rivals.compare(models, groups=group)


def test_names_stay_text():
    page = render(hostile())
    assert page.count("<script") == page.count("</script>") == 2
    assert page.count("<b>") == 0
    for name in HOSTILE:
        assert name in unescape(page)


def test_data_are_json_without_markup():
    page = render(hostile())
    text = page.split('id="data">')[1].split("</script>")[0]
    assert not set("<>&'") & set(text)
    assert [each["model"] for each in json.loads(text)["beside"]]


def test_the_policy_names_the_very_script_and_style():
    """Nothing else may run, and nothing is fetched."""
    page = render(hostile())
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert " on" not in "".join(re.findall(r"<\w+( on\w+)=", page))


def test_details_methods_and_conclusion_stand_as_html():
    result = grouped(5)
    page = unescape(re.sub(r"<script.*", "", render(result), flags=re.DOTALL))
    assert result.conclusion in page
    assert result.methods() in page
    for line in result.details().splitlines():
        assert line in page
    for row in result.table.rows:
        for cell in row:
            assert f">{cell}<" in page


def test_many_models_and_very_many_groups_stay_small(tmp_path):
    """The largest are cut, with a sentence."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(12), 10)
    losses = rng.exponential(size=(MOST_ROWS + 5, group.size)).round(3)
    many = rivals.compare({f"m{i}": each for i, each in enumerate(losses)}, groups=group)
    assert contents(many._decided)["axes"] == []
    page = render(many)
    assert len(page) < 1.2e6
    assert "and 5 more" in page
    groups = np.arange(20_000)
    pair = rng.exponential(size=groups.size)
    wide = rivals.compare(
        {"a": pair, "b": pair + 0.1 * rng.uniform(size=groups.size)}, groups=groups
    )
    text = render(wide)
    assert len(text) < 4e5
    assert f"the {MOST_GROUPS // 2} with the largest" in text


def test_writes_all_or_nothing(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("old")
    broken = rivals.compare(toys.losses(), rng=0)
    object.__setattr__(broken._decided.reduced, "summary", None)
    with pytest.raises(AttributeError):
        broken.report(file)
    assert file.read_text() == "old"
    rivals.compare(toys.losses(), rng=0).report(file)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_without_jinja2_the_extra_is_named(monkeypatch, tmp_path):
    result = rivals.compare(toys.losses(), rng=0)

    def refuse(name):
        raise ImportError(name=name)

    monkeypatch.setattr("rivals._core.optional.import_module", refuse)
    with pytest.raises(ImportError, match=r"rivals\[report\]"):
        result.report(tmp_path / "page.html")


# ---------------------------------------------------------------- what is drawn


@pytest.mark.parametrize("seed", range(20))
def test_bars_lie_where_the_numbers_are(seed):
    """To a thousandth of the axis."""
    rng = np.random.default_rng(seed)
    centres = (10.0 ** rng.uniform(-6, 6)) * rng.standard_normal(5)
    half = np.abs(centres).max() * rng.uniform(size=5)
    drawn = bars(centres.tolist(), list(zip(centres - half, centres + half, strict=True)))
    rows = np.array(drawn["rows"], dtype=float)
    fit = np.polyfit(centres, rows[:, 2], 1)
    expected = np.polyval(fit, np.stack([centres - half, centres + half, centres], axis=1))
    np.testing.assert_allclose(rows, expected, atol=2.0)
    for at, label in drawn["ticks"]:
        assert at == pytest.approx(np.polyval(fit, float(label)), abs=2.0)


@pytest.mark.parametrize("seed", range(20))
def test_ticks_are_few_and_round(seed):
    low = np.random.default_rng(seed).normal() * 10.0**seed / 1e10
    high = low + 10.0 ** (seed - 10)
    found = [value for value, _ in ticks(low, high)]
    assert 1 <= len(found) <= 5
    assert low <= min(found) <= max(found) <= high


def test_what_is_not_known_is_not_drawn():
    drawn = bars([0.0, None, 1.0], [None, None, (float("nan"), 2.0)])
    assert [row[2] for row in drawn["rows"]][1] is None
    assert bars([None], [None])["rows"] == [[None, None, None]]


# ---------------------------------------------------------------- a calibration


@pytest.fixture(scope="module")
def calibration() -> rivals.Calibration:
    options = {"n_data": 100, "n_experiments": 600, "n_truth": 4000, "progress": False}
    return rivals.calibrate(toys.omega, c=[2**-8, 1.0], rng=0, **options)


def test_a_calibration_shows_its_curve_and_keeps_its_c(calibration):
    """Its points are those of the curve; c cannot be changed, since the curve holds at this one."""
    y = np.random.default_rng(1).normal(0.1, 1.0, 100)
    models = {"a": toys.gaussian(-0.1), "b": toys.gaussian(0.1)}
    result = rivals.compare(models, y, c=calibration, rng=0)
    assert "c" not in {axis.option for axis in axes_of(result._decided)}
    page = render(result)
    assert unescape(page).count(calibration.methods()) >= 1
    curve = calibration.curve(result.c)
    drawn = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="1.4"/>', page)
    expected = np.transpose([curve.predicted, 1.0 - np.asarray(curve.observed)])
    np.testing.assert_allclose(np.array(drawn, dtype=float) / 100.0, expected, atol=1e-4)
    assert f"Each point: {curve.counts.min()} experiments or more" in page
