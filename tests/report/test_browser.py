"""The page in a real Chromium: it shows what the library says, and everybody can use it."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

import rivals
from problems import problem
from rivals.report._screens import axes_of

pytest.importorskip("jinja2", reason='pip install "rivals[report]"')

WIDTHS = (390, 768, 1366, 1920)
NAMES = [
    "</script><script>document.title = 'injected'</script>",
    "m" * 120,
    "a long name " * 12,
    "d",
]


def grouped() -> rivals.Comparison:
    return problem(3, n_models=4, sizes=[20] * 14, n_simulations=2, left_out=True).compare()


def named() -> rivals.Comparison:
    rng = np.random.default_rng(2)
    group = np.array(["school " + "x" * 60, "a", "b", "c", "<i>"])[np.arange(200) % 5]
    base = rng.exponential(size=200)
    models = {name: base + 0.1 * i * rng.uniform(size=200) for i, name in enumerate(NAMES)}
    return rivals.compare(models, groups=group)


def many() -> rivals.Comparison:
    rng = np.random.default_rng(1)
    losses = rng.exponential(size=(70, 240)) + 0.01 * np.arange(70)[:, None]
    models = {f"model {i}": each for i, each in enumerate(losses)}
    return rivals.compare(models, groups=np.arange(240) % 12)


def one_data_set() -> rivals.Comparison:
    return rivals.compare(problem(4, n_models=4, n_simulations=2).without_groups, rng=0)


RESULTS = {"grouped": grouped, "named": named, "many": many, "one": one_data_set}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The result of a name, and its page, each made once."""

    @cache
    def make(name):
        result = RESULTS[name]()
        page = tmp_path_factory.mktemp("report") / "page.html"
        result.report(page)
        return result, page

    return make


@pytest.fixture(params=RESULTS)
def both(request, written):
    return written(request.param)


@pytest.fixture
def result(both):
    return both[0]


@pytest.fixture
def page(both):
    return both[1]


def test_opens_without_errors_on_the_comparison_as_it_was_made(browser, page, result):
    browser.open(page)
    assert browser.errors() == []
    assert browser.rows("models") == result.table.rows
    assert browser.text("#conclusion") == result.conclusion
    assert browser.driver.title.startswith("Which model")


def test_switching_shows_what_compare_says(browser, page, result):
    browser.open(page)
    axes = axes_of(result._decided)
    settings = list(product(*(enumerate(axis.values) for axis in axes)))
    seen = set()
    for place in np.random.default_rng(0).permutation(len(settings))[:12].tolist():
        options = {}
        for axis, (at, value) in zip(axes, settings[place], strict=True):
            browser.choose(axis.option, at)
            options[axis.option] = value
        expected = result.at(**options)
        assert browser.rows("models") == expected.table.rows
        assert browser.text("#conclusion") == expected.conclusion
        seen.add(expected.survivors)
    assert len(seen) > 1
    browser.driver.find_element("id", "reset").click()
    assert browser.rows("models") == result.table.rows
    assert browser.errors() == []


def test_keys_move_sliders_and_switch(browser, written):
    result, page = written("grouped")
    browser.open(page)
    axis = next(axis for axis in axes_of(result._decided) if axis.option == "threshold")
    browser.driver.find_element("id", "threshold").send_keys("\ue014")  # arrow to the right
    higher = result.at(threshold=axis.values[axis.own + 1])
    assert browser.text("#conclusion") == higher.conclusion
    browser.driver.find_element("id", "reset").send_keys("\n")
    radio = browser.driver.find_element("css selector", "input[name=new_groups]:checked")
    radio.send_keys("\ue015")  # arrow down: all groups
    assert browser.text("#conclusion") == result.at(new_groups=np.inf).conclusion


def test_another_model_is_chosen_for_groups_and_as_baseline(browser, written):
    result, page = written("grouped")
    browser.open(page)
    second = result.ranking[2]
    choose = """
        const select = document.getElementById(arguments[0]);
        select.selectedIndex = 1;
        select.dispatchEvent(new Event("input"));
    """
    browser.run(choose, "beside-model")
    assert browser.rows("beside") == result.beside(second).table.rows
    browser.run(choose, "group-model")
    best = list(result.risk).index(result.ranking[0])
    gaps = (
        result._decided.groups.means[list(result.risk).index(second)]
        - result._decided.groups.means[best]
    )
    shown = [row[0] for row in browser.rows("groups")[3:]]
    order = np.argsort(-gaps, kind="stable")
    assert shown == [str(result._decided.groups.groups[place]) for place in order]


def test_the_methods_paragraph_is_copied(browser, written):
    result, page = written("one")
    browser.open(page)
    browser.driver.find_element("id", "copy").click()
    assert browser.run("return getSelection().toString().trim()") == result.methods()


def test_many_models_are_found_by_name(browser, written):
    browser.open(written("many")[1])
    count = "return document.querySelectorAll('#models tbody tr:not(.unseen)').length"
    assert browser.run(count) == 25
    browser.driver.find_element("id", "search").send_keys("model 6")
    assert browser.run(count) == 11
    clear = "const s = document.getElementById('search'); s.value = '';"
    browser.run(f"{clear} s.dispatchEvent(new Event('input'))")
    browser.driver.find_element("id", "unfold").click()
    assert browser.run(count) == 70


def test_javascript_and_template_make_the_same_tables(browser, tmp_path, written):
    """The first view stands as HTML; JavaScript makes it again, and nothing changes."""
    page = written("grouped")[1]
    text = page.read_text(encoding="utf-8")
    (tmp_path / "plain.html").write_text(text.replace("<script>", "<script type='x'>"), "utf-8")
    script = """
        return document.getElementById("models").outerHTML.replace(/>\\s+</g, "><")
            .replace(/ class="[^"]*"/g, "").replace(/([0-9])\\.0%/g, "$1%");
    """
    browser.open(tmp_path / "plain.html")
    plain = browser.run(script)
    offered = "return document.querySelectorAll('select:enabled, #controls:not([hidden])').length"
    assert browser.run(offered) == 0
    browser.open(page)
    assert browser.run(script) == plain


def test_nothing_scrolls_sideways(browser, page):
    browser.open(page)
    for width in WIDTHS:
        inside, needed = browser.widths(width)
        assert needed <= inside, width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, page, scheme):
    axe = pytest.importorskip("axe_core_python.selenium", reason="pip install axe-core-python")
    feature = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", feature)
    browser.open(page)
    found = axe.Axe().run(browser.driver)["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []


def test_on_paper_all_models_stand_and_no_controls(browser, written):
    browser.open(written("many")[1])
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    unseen = """
        return [...document.querySelectorAll("#models tbody tr, #controls")]
            .filter((each) => getComputedStyle(each).display === "none").map((each) => each.id);
    """
    assert browser.run(unseen) == ["controls"]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
