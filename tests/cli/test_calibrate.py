"""`rivals calibrate` on the command line."""

import json
import os
import re
import sqlite3
import sys
from contextlib import closing

import pytest
from typer.testing import CliRunner

import rivals
from rivals._say.words import told_apart
from rivals.cli import main
from rivals.cli.app import app
from rivals.cli.options import parse_c

SIZES = [
    "--n-data",
    "64",
    "--n-truth",
    "300",
    "--no-progress",
    "--workers",
    "0",
    "--n-simulations",
    "4",
]


@pytest.fixture
def here(monkeypatch):
    monkeypatch.chdir(os.path.dirname(__file__))


def invoke(*arguments):
    return CliRunner().invoke(app, ["calibrate", *map(str, arguments)])


def test_run_resume_and_status(here, tmp_path):
    store = tmp_path / "s.sqlite"
    line = [
        "omegas:toy",
        "--c",
        "2^-4,1",
        "--n-experiments",
        "20",
        "--store",
        store,
        "--seed",
        "3",
        *SIZES,
    ]
    first = invoke(*line)
    assert first.exit_code == 0, first.output
    assert "20 experiments" in first.output
    assert "under law 'transport'" in first.output
    assert "question: which candidate is better on new data of the same process" in first.output
    assert "rng = 3" in first.output
    again = invoke(*line)
    assert again.output == first.output
    status = json.loads(invoke("--status", store, "--json").output)
    assert status["omegas"]["toy"]["done"] == 20
    assert "20 of 20 done" in invoke("--status", store).output


def test_law_order_and_replications(here):
    beta = ["--law", "beta"]
    found = invoke(
        "omegas:replicated",
        *beta,
        "--n-experiments",
        "4",
        "--n-replications",
        "2",
        "--json",
        *SIZES,
    )
    assert found.exit_code == 0, found.output
    summary = json.loads(found.output)
    assert (summary["law"], summary["n_simulations"], summary["n_replications"]) == ("beta", 4, 2)
    assert summary["question"].endswith("in a fresh replication")
    series = invoke("omegas:toy", "--order", "time", "--n-experiments", "4", "--json", *SIZES)
    assert json.loads(series.output)["order"] == "time"


def test_json(here):
    found = invoke("omegas:toy", "--c", "1", "--n-experiments", "30", "--json", *SIZES)
    assert found.exit_code == 0, found.output
    summary = json.loads(found.output)
    assert summary["experiments"] == 30
    assert summary["n_data"] == 64
    assert int(summary["rng"]) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["omegas"], "must be module:name"),
        (["nowhere_at_all:x"], "No module named"),
        (["omegas:nothing"], "has no 'nothing'"),
        (["omegas:toy", "--c", "two"], "--c is not a number: got 'two'"),
        (["omegas:toy", "--law", "groups"], "law 'groups' is not calibrated"),
        (["omegas:toy", "--order", "tim"], "did you mean 'time'?"),
        (
            ["omegas:toy", "--n-replications", "2"],
            "n_replications = 2, but an experiment has no replicate",
        ),
        (["omegas.py:toy"], "write it as omegas:toy"),
        (["omegas:tyo"], "has no 'tyo'; did you mean 'toy'?"),
        (["omegas:__file__"], "'omegas:__file__' is not a function: got str"),
        (["omegas:toy", "--store", "absent/study.sqlite"], "--store: there is no folder"),
        ([], "neither a module:name nor a store was given"),
    ],
)
def test_mistakes_are_said_in_a_sentence(here, arguments, message):
    found = invoke(*arguments, "--n-experiments", "2", *SIZES)
    assert found.exit_code != 0
    assert message in str(found.exception)


def test_needed_options_that_are_missing_are_named(here):
    assert "missing --n-data and --n-experiments: how many" in str(invoke("omegas:toy").exception)
    assert "missing --n-experiments: how many" in str(
        invoke("omegas:toy", "--n-data", "64").exception
    )


def test_values_of_c():
    assert parse_c(["2^-2,0.5", "2**3"]) == [0.25, 0.5, 8.0]


FAILING = """
def always(rng):
    raise RuntimeError("the fit did not converge")

def sometimes(rng):
    from rivals.testbeds import toys
    if rng.uniform() < 0.5:
        raise RuntimeError("the fit did not converge")
    return toys.omega(rng)
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys\nsys.exit(0)", "could not be imported: SystemExit: 0 (.*odd_omegas.py, line "
        "2); .*if __name__ == '__main__'"),
        ("def omega(rng:\n    pass", "could not be imported: SyntaxError: .*odd_omegas.py, line 1"),
        ("omega = 1 / 0", "could not be imported: ZeroDivisionError: .*odd_omegas.py, line 1"),
    ],
)  # fmt: skip
def test_a_module_that_cannot_be_imported_is_said(tmp_path, monkeypatch, capsys, code, message):
    """Also one that ends the program, with success: nothing was calibrated."""
    (tmp_path / "odd_omegas.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys,
        "argv",
        ["rivals", "calibrate", "odd_omegas:omega", "--n-experiments", "2", "--n-data", "9"],
    )
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert re.search(message.replace("(.", r"\(.").replace(");", r"\);"), capsys.readouterr().err)


@pytest.fixture
def failing(tmp_path, monkeypatch):
    """A module whose experiments fail, always and sometimes; its folder."""
    (tmp_path / "failing_omegas.py").write_text(FAILING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "failing_omegas", raising=False)
    return tmp_path


def test_where_all_experiments_failed_the_first_traceback_is_shown(failing):
    line = ["failing_omegas:always", "--n-experiments", "3", "--store", "s.sqlite", *SIZES]
    for arguments in (line, ["s.sqlite"]):
        message = str(invoke(*arguments).exception)
        assert "All 3 experiments of 'always' failed" in message
        assert 'failing_omegas.py", line 3, in always' in message
        assert "RuntimeError: the fit did not converge" in message


def test_a_calibration_that_failed_says_so_in_print():
    def always(rng):
        raise RuntimeError("the fit did not converge")

    from rivals.testbeds import toys

    both = {"good": toys.omega, "bad": always}
    result = rivals.calibrate(
        both, n_data=50, n_experiments=3, c=[1.0], n_truth=500, rng=0, executor=0, progress=False
    )
    for shown in (str(result), result._repr_html_().replace("&#x27;", "'")):
        assert "All 3 experiments of 'bad' failed. The first failed with:" in shown
        assert "RuntimeError: the fit did not converge" in shown
        assert "no curve yet" not in shown
    assert result.to_dict()["failed"] == 3


def test_print_names_the_best_c_its_law_and_too_few_experiments():
    from rivals.testbeds import toys

    sizes = {"n_data": 50, "n_truth": 500, "rng": 0, "executor": 0, "progress": False}
    result = rivals.calibrate(toys.omega, n_experiments=70, c=[0.25, 0.5, 1.0], **sizes)
    best = told_apart(result.c)[result.choose_c(valid_only=False)]
    assert f"Best: c = {best} under law 'transport'" in str(result)
    assert "corrected, stated probabilities move" in str(result)
    assert "Too few experiments to call a c valid: 70; 256 are needed\n" in f"{result}\n"
    few = str(rivals.calibrate(toys.omega, n_experiments=8, c=[1.0], **sizes))
    assert "valid: 8; 256 are needed, 64 for a curve that corrects probabilities" in few
    assert "corrected, stated probabilities" not in few


def test_where_some_experiments_failed_it_is_said(failing):
    shown = invoke("failing_omegas:sometimes", "--n-experiments", "20", "--seed", "0", *SIZES)
    assert shown.exit_code == 0, shown.output
    assert (
        "experiments of 'sometimes' failed, the first with RuntimeError: the fit did not converge"
        in shown.stderr
    )


def test_a_store_alone_shows_the_study(here, tmp_path):
    store = tmp_path / "s.sqlite"
    run = invoke(
        "omegas:toy", "--c", "2^-4,2^-2,1", "--n-experiments", "70", "--store", store, *SIZES
    )
    shown = invoke(store)
    assert shown.exit_code == 0, shown.output
    for part in (
        "70 of 70 done, 0 failed",
        "question: which candidate",
        "Best: c = ",
        "under law 'transport'",
        "Valid: ",
    ):
        assert part in shown.output
    assert shown.output.endswith(run.output)
    assert json.loads(invoke(store, "--json").output)["chosen"] in (0.0625, 0.25, 1.0)


def test_the_status_of_a_store_that_does_not_say_how_many_are_wanted(here, tmp_path):
    store = tmp_path / "s.sqlite"
    invoke("omegas:toy", "--c", "1", "--n-experiments", "2", "--store", store, *SIZES)
    with closing(sqlite3.connect(store)) as file, file:
        file.execute("DELETE FROM study WHERE key = 'target'")
    assert ": 2 done, 0 failed" in invoke("--status", store).output


def test_a_store_has_nothing_to_run(here, tmp_path):
    assert "there is no store" in str(invoke(tmp_path / "absent.sqlite").exception)
    (tmp_path / "s.sqlite").touch()
    found = invoke(tmp_path / "s.sqlite", "--n-experiments", "9")
    assert "has no functions to run: got --n-experiments, too" in str(found.exception)


def test_a_drawn_seed_can_be_typed_and_is_kept_in_the_store(here, tmp_path):
    line = [
        "omegas:toy",
        "--c",
        "1",
        "--n-experiments",
        "4",
        "--store",
        tmp_path / "s.sqlite",
        "--json",
        *SIZES,
    ]
    seeds = [int(json.loads(invoke(*line).stdout)["rng"]) for _ in range(2)]
    assert seeds[0] == seeds[1] < 10**10


def test_without_loky_it_runs_in_one_process_and_says_so(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "loky", None)
    line = ["omegas:toy", "--c", "1", "--n-experiments", "4", "--seed", "3", *SIZES]
    alone = invoke(*line)
    shown = invoke(*line, "--workers", "2")
    assert shown.stdout == alone.stdout
    assert "'loky' is not installed" in shown.stderr
    assert shown.stderr.count("\n") == 1
