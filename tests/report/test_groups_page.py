"""The page of grouped data: its conclusion, three questions as a switch, every group by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rivals
from rivals._say.words import probability_text
from rivals.comparison.horizon import new_groups
from rivals.report.contents import contents
from rivals.report.groups import MOST_AT_EACH_HORIZON, horizons_of


def schools(n_models=3, simulations=4, seed=1):
    """One model that loses in all schools, and one that loses in most."""
    rng = np.random.default_rng(seed)
    school = np.repeat([f"St. {name}" for name in "ABCDEFGHIJKLMNOP"], 40)
    place = np.repeat(np.arange(16), 40)
    a = rng.exponential(size=school.size)
    models = {"line": a}
    for number in range(1, n_models):
        effect = rng.normal(0.25 * number, 0.3, 16)[place]
        models[f"model {number}"] = a + effect + 0.3 * rng.standard_normal(school.size)
    if simulations:
        shape = (simulations, school.size)
        models = {name: (own, 1.2 * rng.exponential(size=shape)) for name, own in models.items()}
    return models, school


@pytest.fixture(scope="module")
def result():
    models, school = schools()
    losses = {
        name: rivals.Losses(*pair, groups=school, group_name="school")
        for name, pair in models.items()
    }
    return rivals.compare(losses, rng=0)


@pytest.fixture(scope="module")
def page(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("groups") / "page.html"
    result.report(path)
    return path


@pytest.mark.parametrize("asked", [None, 1, 40, math.inf])
def test_every_horizon_has_the_verdicts_of_compare(asked):
    models, school = schools()
    own = rivals.compare(models, groups=school, new_groups=asked, margin=0.02, rng=0)
    horizons = horizons_of(own)
    assert next(iter(horizons.values())) is own
    for label, other in horizons.items():
        setting = other.applied.setting
        direct = rivals.compare(
            models, groups=school, new_groups=setting.new_groups, margin=0.02, rng=0
        )
        assert label == new_groups(setting)
        assert other.rejections == direct.rejections
        np.testing.assert_array_equal(other.probability, direct.probability)


def test_of_many_models_only_the_run_is_offered():
    models, school = schools(n_models=MOST_AT_EACH_HORIZON + 1, simulations=0)
    many = rivals.compare(models, groups=school, rng=0)
    assert contents(many)["others"] == []
    assert contents(rivals.compare(dict(list(models.items())[:3]), groups=school, rng=0))["others"]


def test_without_groups_there_is_none_of_it():
    models, _ = schools()
    found = contents(rivals.compare(models, rng=0), c=[0.1])
    assert found["groups"] is None
    assert found["others"] == []


def test_the_conclusion_stands_on_top_and_the_switch_asks_another_question(browser, page, result):
    browser.open(page)
    assert browser.text("#conclusion") == result.conclusion
    shown = browser.texts(".horizons label")
    assert [text.strip() for text in shown] == [
        "16 new schools (the run)",
        "one new school",
        "all schools to come",
    ]
    for place, (_, other) in enumerate(horizons_of(result).items()):
        browser.driver.execute_script(
            "document.querySelectorAll('input[name=horizon]')[arguments[0]].click()", place
        )
        marked = "counts" in browser.texts("#models tbody tr:first-child td")
        assert marked == (place == 0)  # else the switch above the table says it
        kept = ", ".join(other.survivors)
        assert kept in browser.text("#sentence")
        hidden = browser.driver.execute_script(
            "return document.querySelector('#conclusion').hasAttribute('hidden')"
        )
        assert hidden is (place > 0)
    browser.driver.execute_script("document.querySelector('#reset').click()")
    assert browser.text("#conclusion") == result.conclusion
    assert browser.logs()[0] == []


def test_every_group_is_named_in_the_picture_and_in_the_list(browser, page, result):
    browser.open(page)
    titles = browser.texts("#groups svg g > title")
    names = result.applied.groups.names
    assert sum(any(title.startswith(f"{name} (") for title in titles) for name in names) == 16
    assert browser.texts("#group-list tbody th") == list(names)
    won = int(result.won[result.names.index("line"), result.names.index("model 1")])
    assert f"in {won} of 16" in browser.text("#groups-description")
    browser.driver.execute_script(
        """
        const chosen = document.querySelector('#beside');
        chosen.value = arguments[0];
        chosen.dispatchEvent(new Event('change'));
        """,
        str(result.names.index("model 2")),
    )
    assert "model 2" in browser.text("#groups-title")


def test_every_model_beside_a_baseline(browser, page, result):
    """The last model at first; then the one that is chosen, at the horizon of the switch."""
    browser.open(page)
    for name in (result.ranking[-1], "line"):
        against = result.against(name)
        browser.driver.execute_script(
            """
            const chosen = document.querySelector('#baseline');
            if (chosen.value === arguments[0]) return;
            chosen.value = arguments[0];
            chosen.dispatchEvent(new Event('change'));
            """,
            str(result.names.index(name)),
        )
        assert browser.texts("#beside-baseline tbody th") == list(against.models)
        cells = browser.texts("#beside-baseline tbody td")
        for row, model in enumerate(against.models):
            difference, probability, won = cells[3 * row : 3 * row + 3]
            value, error = against.difference[model]
            assert float(difference.split(" ± ")[0]) == pytest.approx(value, abs=error)
            assert probability == probability_text(against.probability[model])
            assert won == f"{against.won[model]} of 16"
    browser.driver.execute_script("document.querySelectorAll('input[name=horizon]')[1].click()")
    asked = horizons_of(result)
    other = list(asked.values())[1].against("line")
    cells = browser.texts("#beside-baseline tbody td")
    assert cells[1::3] == [probability_text(other.probability[name]) for name in other.models]


def test_the_margin_is_in_the_rule(browser, tmp_path):
    models, school = schools()
    rivals.compare(models, groups=school, margin=0.05, loss_unit="nats", rng=0).report(
        tmp_path / "margin.html"
    )
    browser.open(tmp_path / "margin.html")
    assert "by more than the margin" in " ".join(browser.text("#threshold-help").split())
