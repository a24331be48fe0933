"""Names from the outside: markup, escapes, formulas, marks of direction, halves of characters; in
everything that shows a name.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from omegas import toy

import rivals
from rivals._say.words import show
from rivals.calibration.store import open_reader
from stress import browser, names

for needed in ("jinja2", "matplotlib", "pandas"):
    pytest.importorskip(needed, reason='needs pip install "rivals[all]"')


@pytest.fixture(scope="module")
def result() -> rivals.Comparison:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        return names.compare(list(names.NAMES.values()))


@pytest.mark.parametrize("check", names.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.filterwarnings("ignore")  # matplotlib warns of characters that its font has not
def test_names_stay_text(result, check):
    check(result)


@pytest.mark.parametrize("name", names.NO_TEXT.values(), ids=list(names.NO_TEXT))
def test_half_of_a_character_is_refused_at_the_border(name, tmp_path):
    """It broke data frames, and would break files, long after the name was taken."""
    with pytest.raises(ValueError, match="half a character") as refusal:
        names.compare([name, "other"])
    str(refusal.value).encode()
    with pytest.raises(ValueError, match="half a character"):
        rivals.calibrate({name: toy}, n_experiments=1, n_data=32, executor=0)
    path = tmp_path / "x.npz"
    names.compare(["a?b", "other"]).save(path)
    with np.load(path) as arrays:
        kept = dict(arrays)
    header = bytes(kept["header"]).replace(b"a?b", json.dumps(name)[1:-1].encode())
    np.savez(path, **kept | {"header": np.frombuffer(header, dtype=np.uint8)})
    with pytest.raises(
        ValueError, match=r"not written by|half a character|cannot be read|checksum|changed"
    ):
        rivals.load(path)


@pytest.mark.parametrize("unit", ["\x1b[31mnats", "nats\n", "\udc80", 3])
def test_a_unit_is_printed_as_it_is_and_must_be_printable(unit, tmp_path):
    with pytest.raises(ValueError, match="unit must be printable text, such as 'nats'; got"):
        rivals.Losses([0.1, 0.2, 0.4], unit=unit)
    samples = [np.random.default_rng(seed).exponential(size=(2, 300)) for seed in range(2)]
    losses = {"a": (samples[0][0], samples[0][1]), "b": (samples[1][0], samples[1][1])}
    with pytest.raises(ValueError, match="loss_unit must be printable text, such as 'nats'; got"):
        rivals.compare(losses, loss_unit=unit)


def test_a_name_of_ten_million_characters_is_shown_in_part_and_at_once():
    """A file of one kilobyte can have such a column, and its refusal took ten seconds."""
    begin = time.process_time()
    shown = show("\0" * 10_000_000)
    assert time.process_time() - begin < 1.0
    assert shown.endswith("… (10000000 characters)")
    assert len(shown) < 100_000


def test_the_status_of_a_foreign_store_does_not_act_on_the_terminal(tmp_path, capsys):
    from rivals.cli.calibrate import _print_status

    settings = {
        "n_data": 32,
        "n_truth": 100,
        "c": [1.0],
        "n_simulations": 2,
        "rng": 0,
        "progress": False,
    }
    store = tmp_path / "x.sqlite"
    calibration = rivals.calibrate(
        {"\x1b[31mred\u202e": toy}, n_experiments=2, store=store, executor=0, **settings
    )
    _print_status(Path(store), as_json=False)
    assert names.acting(capsys.readouterr().out) == []
    assert names.acting(str(calibration)) == []
    with open_reader(store) as reader:
        assert list(reader.status()["omegas"]) == ["\x1b[31mred\u202e"]  # for machines, as it is


@pytest.mark.slow  # tests/report opens a page of hostile names in the browser that it has open
def test_nothing_in_a_name_runs_in_a_browser(tmp_path):
    """And the trap is one: the same markup, unescaped, is caught."""
    with browser.chromium() as driver:
        if driver is None:
            pytest.skip("pages are tested in Chromium, of which there is none here")
        trap = tmp_path / "trap.html"
        trap.write_text("<img src=x onerror=boom()><p onclick=boom()>", encoding="utf-8")
        driver.get(trap.as_uri())
        assert driver.execute_script(browser.TOUCH) >= 2
    assert browser.browse(0.0, 0) == {
        "inputs": 4 * len(names.NAMES),
        "executed": 0,
        "fetched": 0,
        "problems": [],
    }
