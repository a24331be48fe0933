"""`rivals calibrate`: scenarios by name, stores, and what they are used for."""

from __future__ import annotations

import contextlib
import inspect
import json
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

import rivals as library
from terminal import rivals, written

SCENARIOS = """
from rivals import Experiment
from rivals.testbeds import toys

print("a remark of the module")


def calm(rng, spread=2.0):
    mean = rng.normal(0.0, spread)

    def observe(n, rng):
        print("a remark of the simulator")
        return mean + rng.standard_normal(n)

    return Experiment(observe=observe, candidates=(toys.gaussian(-1.0), toys.gaussian(1.0)))


both = {"first": calm, "second": lambda rng: calm(rng, 4.0)}
"""
SMALL = (
    *("--n-data", 100, "--n-experiments", 300, "--c", "2^-12,2^-6", "--n-truth", 4000),
    *("--n-simulations", 2, "--rng", 0),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_scenarios", raising=False)
    written(tmp_path, SCENARIOS, "my_scenarios.py")
    return tmp_path


def test_options_and_defaults_are_those_of_the_library():
    from rivals.cli.calibrate import calibrate

    ours = inspect.signature(calibrate).parameters
    for name, theirs in inspect.signature(library.calibrate).parameters.items():
        if name != "scenarios":
            default = None if theirs.default is inspect.Parameter.empty else theirs.default
            assert ours[name].default == default, name


def test_run_store_status_and_use(folder):
    run = rivals("calibrate", "my_scenarios:calm", *SMALL, "--store", "study.sqlite")
    assert run.status == 0, run.out
    assert "a remark of the simulator" not in run.out
    assert "calm" in run.out  # the scenario is called as its function
    shown = rivals("calibrate", "study.sqlite")
    assert shown.out == run.out
    found = json.loads(rivals("calibrate", "study.sqlite", "--json").out)
    calibration = library.Calibration.open("study.sqlite")
    assert found["chosen"]["c"] == float(calibration.choose_c())
    status = json.loads(rivals("calibrate", "study.sqlite", "--status", "--json").out)
    assert status == {"calm": {"done": 300, "failed": 0, "wanted": 300}}
    # The calibration judges data of the same size; its method and c are used.
    from my_scenarios import calm

    experiment = calm(np.random.default_rng(0))
    with contextlib.redirect_stdout(None):
        data = experiment.observe(100, np.random.default_rng(1))
    losses = {
        name: candidate.losses(data, n_simulations=2, rng=2)
        for name, candidate in zip("AB", experiment.candidates, strict=True)
    }
    rows = zip(*(each.observed for each in losses.values()), strict=True)
    written(folder, "A,B\n" + "".join(f"{a},{b}\n" for a, b in rows), "observed.csv")
    drawn = [each.simulated.ravel() for each in losses.values()]
    rows = zip(np.repeat([1, 2], 100), *drawn, strict=True)
    text = "simulation,A,B\n" + "".join(f"{k},{a},{b}\n" for k, a, b in rows)
    written(folder, text, "drawn.csv")
    files = ("observed.csv", "--simulated", "drawn.csv")
    compared = json.loads(rivals("compare", *files, "--c", "study.sqlite", "--json").out)
    assert compared["c"] == found["chosen"]["c"]
    assert compared["calibrated"] is True


def test_several_scenarios_of_a_mapping(folder):
    run = rivals("calibrate", "my_scenarios:both", *SMALL, "--json")
    assert {"first", "second"} <= set(json.dumps(json.loads(run.out)).replace('"', " ").split())


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("my_scenarios", "module:function"),
        ("my_scenarios.py:calm", "my_scenarios:calm"),
        ("my_scenarios:clam", "did you mean 'calm'"),
        ("nowhere_at_all:calm", "nowhere_at_all"),
        ("nowhere.sqlite", "nowhere.sqlite"),
    ],
)
def test_wrong_names_are_told(folder, target, told):
    run = rivals("calibrate", target, *SMALL)
    assert run.status == 2
    assert told in run.err


def test_what_is_missing_or_misspelt_is_told(folder):
    assert "--n-data" in rivals("calibrate", "my_scenarios:calm").err
    written(folder, "1 / 0\n", "broken_scenarios.py")
    run = rivals("calibrate", "broken_scenarios:omega", *SMALL)
    assert "ZeroDivisionError" in run.err
    assert "line 1" in run.err
    assert rivals("calibrate", "my_scenarios:calm", *SMALL, "--rule", "both").status == 2
