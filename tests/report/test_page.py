"""The page as text: what it holds, how large it is, and that names stay text."""

from __future__ import annotations

import json
import math
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest

import rivals
from pages import HOSTILE, comparison

pytest.importorskip("jinja2", reason='reports need jinja2: pip install "rivals[report]"')
from rivals.comparison.judge import judge, judge_at_each
from rivals.comparison.text import remarks
from rivals.core.verdict import binned_probabilities, probability_matrix
from rivals.report import write_report
from rivals.report.contents import contents
from rivals.report.page import embedded, extreme_losses, notes, repeat


class Structure(HTMLParser):
    """Counts elements, and keeps what would fetch or run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.suspect: list[str] = []
        self.ids: set[str] = set()
        self.references: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attributes:
            if name.startswith("on") or (
                name in ("src", "href", "action") and not (value or "").startswith(("#", "data:,"))
            ):
                self.suspect.append(f"{tag} {name}={value}")
            if name == "id":
                self.ids.add(value or "")
            if name in ("for", "aria-labelledby", "aria-describedby"):
                self.references.extend((value or "").split())


def test_structure_is_safe_and_every_label_points_somewhere(tmp_path):
    page = Structure(
        write_report(comparison(3), tmp_path / "r.html", c=[0.25]).read_text(encoding="utf-8")
    )
    assert page.suspect == []
    assert set(page.references) <= page.ids
    assert page.tags["h1"] == page.tags["main"] == 1


def test_hostile_names_add_no_elements(tmp_path):
    rng = np.random.default_rng(0)
    samples = [tuple(rng.exponential(1 + 0.1 * i, (2, 200))) for i in range(len(HOSTILE))]
    tags = []
    for names in (HOSTILE, [f"model {i}" for i in range(len(HOSTILE))]):
        result = rivals.compare(dict(zip(names, samples, strict=True)), rng=0)
        path = write_report(result, tmp_path / "r.html", c=[0.5], title=names[0])
        page = Structure(path.read_text(encoding="utf-8"))
        assert page.suspect == []
        tags.append(page.tags)
    assert tags[0] == tags[1]
    assert "49" not in re.findall(r"<th scope=\"row\">(.*?)</th>", path.read_text(encoding="utf-8"))


def test_json_cannot_leave_its_element():
    text = embedded(list(HOSTILE))
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == list(HOSTILE)


def test_size_stays_below_two_megabytes_for_ten_models(tmp_path):
    result = comparison(10)  # the page holds curves of fixed length, whatever the number of losses
    assert write_report(result, tmp_path / "r.html").stat().st_size < 2_000_000


def rejected_at(run: dict, threshold: int) -> dict[int, int]:
    """Model → rival, at the threshold in this place; as the page looks it up."""
    return values_at(run["rejected"], threshold)


def values_at(stretches: dict, threshold: int) -> dict:
    return {
        model: value
        for model, found in stretches.items()
        for first, last, value in found
        if first <= threshold <= last
    }


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_embedded_numbers_are_those_of_the_library(law):
    result = comparison(4, law=law, c=1.0, n_simulations=3)
    page = contents(result, c=[0.1, 10.0])
    assert page["c"] == [0.1, 1.0, 10.0]
    sweep = result.sweep([0.1, 1.0, 10.0])
    upper = np.triu_indices(4, k=1)
    place = page["thresholds"].index(result.threshold)
    for run, expected in zip(page["runs"], sweep.comparisons, strict=True):
        np.testing.assert_allclose(run["p"], expected.probability[upper], atol=1e-7)
        assert set(rejected_at(run, place)) == {
            result.names.index(name) for name in expected.rejections
        }
        intervals = [expected.risk_interval(name) for name in result.names]
        shown = np.array([run["low"], run["high"]]).T + result.applied.reference
        np.testing.assert_allclose(shown, intervals, rtol=1e-4, atol=1e-4)
        assert len(run["band"]) == (4 if law == "beta" else 0)


def test_own_settings_are_offered_even_between_the_grid_points():
    page = contents(comparison(2, c=0.3, threshold=0.9973), c=[0.25, 0.5])
    assert page["c"][page["own"]["c"]] == 0.3
    assert page["thresholds"][page["own"]["threshold"]] == 0.9973


def test_diagnostics_are_sentences():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal(400))
    models = {
        "walk": (walk, walk + rng.standard_normal(400)),
        "noise": tuple(rng.normal(50, 1, (2, 400))),
    }
    for order in ("time", None):
        result = rivals.compare(models, order=order, rng=0)
        sentences = {note["model"]: " ".join(note["sentences"]) for note in notes(result)}
        assert ("Autocorrelated" in sentences.get("walk", "")) == (order == "time")
        assert "correlated" not in sentences.get("noise", "")


def test_the_largest_losses_are_listed_and_a_heavy_tail_is_called_one(tmp_path):
    rng = np.random.default_rng(0)
    heavy = 5 + rng.pareto(0.8, 1000)
    light = rng.exponential(size=1000)
    heavy[123] = 1e7
    result = rivals.compare({"heavy": (heavy, 1.1 * heavy), "light": (light, 1.1 * light)}, rng=0)
    rows = {row["model"]: row for row in extreme_losses(result, result.ranking)}
    assert rows["heavy"]["losses"][0] == {"position": 123, "loss": "1e+07"}
    assert (rows["heavy"]["word"], rows["light"]["word"]) == ("do not trust", "good")
    assert any("do not trust the mean" in sentence for sentence in notes(result)[-1]["sentences"])
    text = write_report(result, tmp_path / "r.html").read_text(encoding="utf-8")
    assert '1e+07 <span class="point">(123)</span>' in text


def test_one_simulation_is_remarked_and_several_that_agree_are_not():
    assert any("one simulation" in remark for remark in remarks(comparison(2, n_simulations=1)))
    assert not any("one simulation" in remark for remark in remarks(comparison(2, n_simulations=4)))


@pytest.mark.parametrize("law", ["transport", "groups"])
def test_a_page_takes_less_than_three_seconds(law, tmp_path):
    rng = np.random.default_rng(0)
    observed = rng.exponential(size=(12, 4000))
    if law == "groups":
        models = {f"m{i}": row for i, row in enumerate(observed)}
        result = rivals.compare(models, law=law, groups=np.arange(4000) % 8, rng=0)
    else:
        models = {
            f"m{i}": (row, rng.exponential(size=(16, 4000))) for i, row in enumerate(observed)
        }
        result = rivals.compare(models, rng=0)
    begin = time.process_time()
    write_report(result, tmp_path / "r.html")
    assert time.process_time() - begin < 3.0


def test_two_hundred_models_take_less_than_thirty_seconds(tmp_path):
    rng = np.random.default_rng(0)
    models = {
        f"m{i}": (row, rng.exponential(size=(2, 1000)))
        for i, row in enumerate(rng.exponential(size=(200, 1000)))
    }
    result = rivals.compare(models, rng=0)
    begin = time.process_time()
    path = write_report(result, tmp_path / "r.html")
    assert time.process_time() - begin < 30.0
    assert path.stat().st_size < 10_000_000


def test_diagnostics_stand_under_the_verdict(tmp_path):
    rng = np.random.default_rng(0)
    heavy = 5 + rng.pareto(0.8, 1000)
    light = rng.exponential(size=1000)
    result = rivals.compare({"heavy": (heavy, 1.1 * heavy), "light": (light, 1.1 * light)}, rng=0)
    text = write_report(result, tmp_path / "r.html", title="My models").read_text(encoding="utf-8")
    positions = [
        text.index(f'id="{name}"')
        for name in ("sentence", "remarks", "notes", "controls", "models")
    ]
    assert positions == sorted(positions)
    assert "<h1>My models</h1>" in text


def test_method_of_the_result_writes_the_same(tmp_path):
    result = comparison(2, n=64)
    result.report(tmp_path / "a.html")
    write_report(result, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_pairs_of_many_models_are_those_of_each_pair():
    rng = np.random.default_rng(5)
    centres = rng.normal(0.0, 1.0, 40)
    widths = rng.uniform(0.01, 1.0, 40)
    draws = [
        np.sort(rng.normal(centre, width, 2000))
        for centre, width in zip(centres, widths, strict=True)
    ]
    binned, binned_error = binned_probabilities(draws)
    exact, error = probability_matrix(draws)
    # The same draws: what differs is the order within bins, which must be small beside the Monte
    # Carlo error.
    assert np.max(np.abs(binned - exact)) < 0.1 * error[~np.eye(40, dtype=bool)].max()
    np.testing.assert_allclose(binned_error, error, rtol=0.05, atol=1e-4)
    np.testing.assert_array_equal(binned + binned.T, np.ones((40, 40)))


def test_pairs_of_many_models_without_width_are_certain():
    draws = [np.full(100, value) for value in (1.0, 1.0 + 1e-9, 2.0, 2.0)]
    probability, _ = binned_probabilities(draws)
    np.testing.assert_array_equal(probability[:3, :3], [[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]])
    assert probability[2, 3] == 0.5


def test_notes_that_ask_end_with_their_question_mark():
    rng = np.random.default_rng(0)
    losses = {
        name: (rng.exponential(size=400), rng.exponential(size=400)) for name in "AB"
    }  # of other points, it seems
    sentences = [
        sentence for each in notes(rivals.compare(losses, rng=0)) for sentence in each["sentences"]
    ]
    assert any(sentence.endswith("order?") for sentence in sentences)
    assert not any(sentence.endswith("?.") for sentence in sentences)


def random_models(seed: int) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """A few models of one problem, and groups: some pairs are clear, some close, some unstable."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 200))
    groups = np.arange(n) % int(rng.integers(2, 6))
    common = rng.exponential(size=n)
    n_simulations = int(rng.integers(1, 12))
    models = {}
    for index in range(int(rng.integers(2, 6))):
        level = rng.normal(0.1 * index, 0.1, 9)[groups]
        widths = np.exp(rng.normal(0, 1.2, (n_simulations, 1)))
        simulated = widths * rng.exponential(size=(n_simulations, n))
        observed = common * (1 + 0.1 * index) + level + 0.3 * rng.standard_normal(n)
        models[f"m{index}"] = (observed, simulated)
    return models, groups


@pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")  # of few losses
@pytest.mark.parametrize("law", ["transport", "groups"])
def test_every_verdict_of_the_page_is_that_of_compare(law):
    """At any c and threshold, with who rejects whom, and what is undecided."""
    fates = []
    for seed in range(30):
        models, groups = random_models(seed)
        given = {"law": law, "rng": 0} | ({"groups": groups} if law == "groups" else {})
        rng = np.random.default_rng([seed, 1])
        grid = (2.0 ** rng.uniform(-9, 4, 3)).tolist()
        page = contents(rivals.compare(models, c=0.1, **given), grid)
        for place in rng.choice(len(page["thresholds"]), 3, replace=False).tolist():
            for run, c in zip(page["runs"], page["c"], strict=True):
                there = rivals.compare(models, c=c, threshold=page["thresholds"][place], **given)
                index = there.names.index
                assert rejected_at(run, place) == {
                    index(name): index(found.by) for name, found in there.rejections.items()
                }
                undecided = {index(duel.model): duel.reason for duel in there.undecided}
                assert values_at(run["undecided"], place) == undecided
                fates += ["undecided"] * len(undecided) + ["rejected"] * len(there.rejections)
                fates += ["kept"] * len(there.survivors)
    assert min(fates.count(fate) for fate in ("undecided", "rejected", "kept")) > 8


def test_verdicts_at_many_thresholds_are_those_at_each():
    """Also under a law that draws, as long as it draws no more."""
    result = comparison(5, law="beta", c=0.05, n_simulations=4, n_draws=4000)
    thresholds = [0.6, 0.8, 0.9, 0.95, 0.99]
    for threshold, verdict in zip(
        thresholds, judge_at_each(result.applied, thresholds), strict=True
    ):
        expected = judge(result.applied.changed(threshold=threshold))
        assert {m: duel.rival for m, duel in verdict.rejections.items()} == {
            m: duel.rival for m, duel in expected.rejections.items()
        }
        assert {d.model for d in verdict.undecided} == {d.model for d in expected.undecided}
        np.testing.assert_array_equal(verdict.stability, expected.stability)


def test_no_slider_where_no_c_changes_the_verdict():
    alike = comparison(3, c=0.3, threshold=0.9999)
    assert contents(alike)["no_c"] == "No c from 0.00391 to 32 changes the verdict."
    assert len(contents(alike)["runs"]) == 1
    assert contents(alike, c=[0.1])["c"] == [0.1, 0.3]  # but to whom names them
    assert contents(comparison(5, n=2000, c=0.02, n_simulations=4))["no_c"] == ""


def test_pages_of_many_models_with_groups_are_quick(tmp_path):
    rng = np.random.default_rng(0)
    groups = np.arange(400) % 8
    common = rng.exponential(size=400)
    models = {
        f"m{i}": (
            common * (1 + 0.001 * i) + rng.normal(0, 0.1, 400),
            rng.exponential(size=(2, 400)),
        )
        for i in range(120)
    }
    result = rivals.compare(models, groups=groups, rng=0)
    begin = time.process_time()
    path = write_report(result, tmp_path / "r.html")
    # Less than a second on an idle machine; with a slider over 27 values of c it was half a minute.
    assert time.process_time() - begin < 8.0
    assert "offers those that you name" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("law", ["transport", "groups"])
def test_the_page_is_right_where_simulations_were_not_kept(law):
    """At another c the law needs what was kept of them, or it takes another prior."""
    rng = np.random.default_rng(5)
    groups = np.arange(400) % 6
    levels = rng.normal(0, 0.3, (2, 6))
    models = {
        name: (rng.exponential(size=400) + shift + level[groups], rng.exponential(size=(4, 400)))
        for name, shift, level in zip("AB", (0.0, 0.3), levels, strict=True)
    }
    settings = {"law": law, "rng": 0} | ({"groups": groups} if law == "groups" else {})
    grid = [2.0**-6, 0.25, 4.0]
    dropped = rivals.compare(models, **settings, keep_simulations=False)
    page = contents(dropped, grid)
    for run, c in zip(page["runs"], grid, strict=True):
        expected = rivals.compare(models, c=c, **settings)
        assert run["p"] == pytest.approx([expected.probability[0, 1]], abs=1e-7)


@pytest.mark.parametrize(
    "changes", [{}, {"margin": 0.05}, {"new_groups": 1}, {"new_groups": np.inf}]
)
def test_the_call_on_the_page_repeats_the_run(changes):
    rng = np.random.default_rng(2)
    groups = np.arange(400) % 5
    losses = {name: rng.exponential(size=400) + 0.1 * k for k, name in enumerate("AB")}
    result = rivals.compare(losses, groups=groups, rng=3, **changes)
    provenance, command = repeat(result)
    # Nothing is random here: there is no seed to tell, nor what is not set.
    assert "seed (rng)" not in provenance
    assert "rng=" not in command
    assert all(value not in ("", "none", "None") for value in provenance.values())
    names = {"rivals": rivals, "math": math, "losses": losses, "groups": groups}
    again = eval(command, names)
    np.testing.assert_array_equal(again.probability, result.probability)
    settings = {"entropy": 3} | result.applied.settings()
    assert again.applied.settings() | {"entropy": 3} == settings
