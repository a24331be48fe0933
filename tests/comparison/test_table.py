"""What a comparison looks like in print, and what its notes tell programs."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys

import numpy as np
import pytest

import rivals
from rivals.comparison import table
from rivals.comparison.table import Column, cells_of, rows_of, shown_columns, sweep_cells
from rivals.testbeds import toys
from samples import unstable_losses

LONG = "gradient boosting with a very long description, depth {}"


def heavy(n_models: int = 4, name: str = "m{}") -> rivals.Comparison:
    """Losses of infinite variance."""
    rng = np.random.default_rng(0)
    models, common = {}, np.abs(rng.standard_t(1.2, 1000))
    for index in range(n_models):
        observed = common * rng.uniform(0.5, 2.0, 1000) + 0.1 * index
        observed[:100] = 0.5
        models[name.format(index)] = (observed, np.abs(rng.standard_t(1.2, (4, 600))))
    return rivals.compare(models, rng=0)


def test_a_result_shows_at_the_prompt_what_it_prints():
    """A data class writes a `__repr__` of its own, unless it is told not to."""
    result = heavy()
    assert repr(result) == str(result)
    swept = result.sweep([0.5, 1.0])
    assert repr(swept) == str(swept)


def test_notes_are_codes_with_texts_in_json():
    result = heavy()
    models = json.loads(json.dumps(result.to_dict()))["models"]
    for model in models:
        assert all(set(note) == {"code", "text"} for note in model["diagnostics"])
        assert {note["code"] for note in model["diagnostics"]} & {"heavy_tail", "very_heavy_tail"}
    best = result.diagnostics[result.ranking[0]]
    position = result.losses[result.ranking[0]].observed.argmax()
    assert f"points {position}, " in best[0].text
    assert "counted from 0" in best[0].text


def test_every_code_is_documented():
    """Codes stand in the source as the first of a pair (code, text), or as the second of (place,
    code, text).
    """
    code = re.compile(
        r'\((?:place, )?"([a-z][a-z_]+)", (?!\d)'
        r'|yield "([a-z][a-z_]+)", '
        r'|"((?:very_)?(?:heavy|few)_[a-z]+)"'
    )
    sources = (
        importlib.import_module(f"rivals.{name}")
        for name in ("comparison.mistakes", "comparison.notes", "laws.base", "laws.beta")
    )
    found = {
        next(filter(None, each))
        for source in sources
        for each in code.findall(inspect.getsource(source))
    }
    assert {"sign", "unit", "few_points", "very_heavy_tail", "ties", "autocorrelated"} <= found
    assert [
        each for each in found if f'"{each}"' not in rivals.Comparison.diagnostics.__doc__
    ] == []


def test_a_data_frame_has_the_notes_as_text():
    pytest.importorskip("pandas")
    assert heavy().to_dataframe()["diagnostics"].str.contains("few losses dominate").all()


@pytest.mark.parametrize("name", ["m{}", LONG])
@pytest.mark.parametrize("n_models", [3, 40])
def test_print_is_at_most_a_hundred_columns_wide(name, n_models):
    result = heavy(n_models, name)
    for printed in (str(result), str(result.pairs), str(result.sweep([0.01, 1.0]))):
        assert max(map(len, printed.splitlines())) <= 100


def test_print_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    result = heavy(3, LONG)
    assert max(map(len, str(result).splitlines())) <= 80
    for name in result.names:  # cut in the table, but whole in the verdict or the notes
        assert name in " ".join(str(result).split())


def test_names_are_cut_in_the_middle_and_stay_different():
    shown = [line.split("  ")[0] for line in str(heavy(3, LONG)).splitlines()[2:5]]
    assert len(set(shown)) == 3
    assert all("…" in name for name in shown)


def test_equal_notes_are_shown_once_and_long_lists_end():
    few = {name: tuple(np.random.default_rng(0).random((2, 200))) for name in "ABCDE"}
    printed = str(rivals.compare(few, rng=0))
    assert printed.count("only 200 losses") == printed.count("all models: only 200 losses") == 1
    printed = str(heavy(40))
    assert "more notes" in printed
    assert "and 28 more" in " ".join(printed.split()) or "Rejected" in printed


def test_a_healthy_model_has_no_notes():
    result = rivals.compare(toys.losses(), rng=0)
    assert set(result.diagnostics.values()) == {()}
    assert "Notes" not in str(result)


def test_probabilities_never_claim_certainty():
    rng = np.random.default_rng(0)
    result = rivals.compare(
        {k: (rng.normal(k == "B", 0.1, 500), rng.normal(k == "B", 0.1, 500)) for k in "AB"}, rng=0
    )
    assert "B" in result.rejections
    assert "1.000" not in str(result)
    assert "1.000" not in str(result.pairs)
    assert "A (> .999)" in str(result)


def test_mean_losses_keep_digits_where_risks_are_wide():
    rng = np.random.default_rng(0)
    losses = {
        name: (rng.normal(5.0 + shift, 0.1, 1000), rng.normal(50.0, 9.0, 1000))
        for name, shift in (("A", 0), ("B", 0.02))
    }
    line = str(rivals.compare(losses, c=10.0, rng=0)).splitlines()[3]
    assert line.split()[1:5] == ["5.0154", "0.0202", "±", "0.0045"]


def test_the_last_line_says_that_points_are_a_series():
    rng = np.random.default_rng(0)
    models = {
        name: tuple(rng.exponential(scale, (2, 400))) for name, scale in (("A", 1.0), ("B", 1.2))
    }
    assert (
        "order 'time', threshold 0.95"
        in str(rivals.compare(models, order="time", rng=0)).splitlines()[-1]
    )


def test_a_sweep_is_printed_by_ranges_with_one_verdict():
    rng = np.random.default_rng(0)
    models = {
        f"m{i}": (rng.normal(0.1 * i, 1.0, 2000), rng.normal(0.5, 1.0, 2000)) for i in range(4)
    }
    result = rivals.compare(models, rng=0)
    values = np.geomspace(1e-6, 10.0, 100)
    sweep = result.sweep(values)
    assert sweep.changes
    lines = str(sweep).splitlines()
    assert lines[2].startswith(f"{values[0]:.3g} … {sweep.changes[0][0]:.3g} ")
    assert len(sweep_cells(sweep)) == len(sweep.changes) + 1
    assert len(sweep.rows()) == 100
    few = result.sweep(values[:3])
    assert [cells[0] for cells in sweep_cells(few)] == [f"{values[0]:.3g} … {values[2]:.3g}"]
    assert [cells[0] for cells in sweep_cells(result.sweep([0.5]))] == ["0.5"]


def test_stability_is_shown_where_a_single_simulation_says_otherwise():
    rng = np.random.default_rng(0)
    clear = {
        name: (rng.normal(mean, 1.0, 1000), rng.normal(mean, 1.0, (8, 1000)))
        for name, mean in (("A", 0.0), ("B", 3.0))
    }
    result = rivals.compare(clear, rng=0)
    assert set(result.stability.values()) == {1.0}
    assert "stable" not in str(result) + result._repr_html_()
    assert [row["stability"] for row in result.to_dict()["models"]] == [1.0, 1.0]
    unclear = rivals.compare(unstable_losses(), c=0.2, threshold=0.9, rng=0)
    assert min(unclear.stability.values()) < 1.0
    assert "stable" in str(unclear).splitlines()[0]
    assert "100%" not in str(unclear)  # and not in the rows where all agree


def seed_of(result: rivals.Comparison) -> bool:
    """Whether the seed is in print, and in the paragraph for a paper."""
    printed = f"rng = {result.entropy}" in str(result)
    assert printed == (f"The seed was {result.entropy}" in result.methods())
    return printed


def test_the_seed_is_printed_where_something_is_random(tmp_path):
    given = toys.losses()
    beta = rivals.laws.Beta(n_draws=500, max_draws=500)
    y = np.random.default_rng(0).standard_normal(400)
    candidates = {"A": toys.gaussian(), "B": toys.gaussian(width=3.0)}
    assert not seed_of(rivals.compare(given))
    assert seed_of(rivals.compare(given, law=beta))
    assert seed_of(rivals.compare(candidates, y))
    for result in (rivals.compare(given), rivals.compare(candidates, y)):
        result.save(tmp_path / "result.npz")
        again = rivals.load(tmp_path / "result.npz")
        assert str(again) == str(result)
        assert seed_of(again.sweep([0.5]).comparisons[0]) == seed_of(result)
        assert again.to_dict()["entropy"] == result.entropy


def test_one_huge_loss_gives_no_digits_to_the_others():
    rng = np.random.default_rng(0)
    models = {
        name: (offset + rng.exponential(size=200), offset + rng.exponential(size=(2, 200)))
        for name, offset in (("A", 5.0), ("B", 3e7))
    }
    rows = rows_of(rivals.compare(models, rng=0))
    first, second = cells_of(rows, shown_columns(rows, notes=True))
    assert len(first[1]) <= len("6.1857")
    assert float(first[1]) == pytest.approx(models["A"][0].mean(), abs=1e-3)
    assert second[1].startswith("3000000")


@pytest.mark.parametrize("place", [1, 8])
def test_a_new_column_is_shown_everywhere_wherever_it_stands_in_the_list(
    place, monkeypatch, tmp_path
):
    column = Column(
        "largest loss",
        "The largest loss on the data.",
        lambda result, name: {"largest": float(result.losses[name].observed.max())},
        lambda row, form: f"{row['largest']:.2f}",
    )
    monkeypatch.setattr(table, "COLUMNS", (*table.COLUMNS[:place], column, *table.COLUMNS[place:]))
    result = heavy()
    largest = result.losses[result.ranking[0]].observed.max()
    printed = str(result)
    heading = printed.splitlines()[0]
    assert "largest loss" in heading
    assert "notes" not in heading
    assert f"{largest:.2f}" in printed.splitlines()[2]
    assert "Notes" in printed.splitlines()
    assert "<th>largest loss</th>" in result._repr_html_()
    assert result.to_dict()["models"][0]["largest"] == largest
    pytest.importorskip("jinja2")
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "largest loss</th>" in page
    assert '">notes</th>' not in page
