"""`rivals compare` and `rivals sweep`: they say what the library says, to whom it concerns."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.cli.options import read_c
from rivals.laws import Transport
from rivals.read import long_table, losses_from_files, wide_tables
from rivals.testbeds import toys


@pytest.mark.parametrize(
    "files", [("observed.csv", "synthetic.csv"), ("long.tsv",), ("losses.npz",)], ids=len
)
def test_every_form_of_file_gives_the_librarys_answer(folder, run, files):
    shown = run("compare", *files, "--c", "0.25", "--seed", "7", "--json")
    assert shown.exit_code == 0, shown.output
    expected = rivals.compare(losses_from_files("observed.csv", "synthetic.csv"), c=0.25, rng=7)
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_every_model_beside_a_baseline(folder, run):
    files = ("observed.csv", "synthetic.csv", "--seed", "7")
    expected = rivals.compare(losses_from_files(*files[:2]), rng=7).against("right")
    shown = run("compare", *files, "--against", "right")
    assert shown.stdout.strip() == str(expected).strip()
    shown = run("compare", *files, "--against", "right", "--json")
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_no_seed_where_nothing_is_random(folder, main, capsys):
    header, *rows = Path("observed.csv").read_text(encoding="utf-8").splitlines()
    lines = [f"{header},session", *(f"{row},{i % 5}" for i, row in enumerate(rows))]
    Path("sessions.csv").write_text("\n".join(lines), encoding="utf-8")
    assert not main("compare", "sessions.csv", "--groups", "session")
    assert "seed" not in capsys.readouterr().err
    assert not main("compare", "observed.csv", "synthetic.csv", "--law", "beta")
    assert "--seed" in capsys.readouterr().err


def test_a_baseline_that_is_not_there(folder, main, capsys):
    assert main("compare", "observed.csv", "synthetic.csv", "--against", "mean", "--save", "a.npz")
    message = capsys.readouterr().err
    assert "got 'mean'" in message
    assert "'right'" in message
    assert not Path("a.npz").exists()


def test_more_forms_of_file_give_the_librarys_answer(folder, run):
    """What tests/read knows to be equal reaches the command line."""
    (folder / "observed.csv.gz").write_bytes(gzip.compress(Path("observed.csv").read_bytes()))
    pandas = pytest.importorskip("pandas")
    pandas.read_csv("synthetic.csv").to_parquet("synthetic.parquet")
    xarray = pytest.importorskip("xarray")
    losses = losses_from_files("observed.csv", "synthetic.csv")
    arrays = {
        kind: (("model", kind), np.stack([getattr(sample, kind) for sample in losses.values()]))
        for kind in ("observed", "synthetic")
    }
    xarray.Dataset(arrays, coords={"model": list(losses)}).to_netcdf("losses.nc")
    expected = run("compare", "observed.csv", "synthetic.csv", "--seed", "7")
    for files in (("observed.csv.gz", "synthetic.parquet"), ("losses.nc",)):
        shown = run("compare", *files, "--seed", "7")
        assert shown.exit_code == 0, shown.output
        assert shown.stdout == expected.stdout


@pytest.mark.parametrize("files", [("named.csv", "shuffled.csv"), ("named.tsv",)], ids=len)
def test_rows_are_aligned_by_an_index(folder, run, main, capsys, files):
    """The same comparison from rows in another order, with the groups of the points in theirs."""
    order = np.random.default_rng(0).permutation(400)
    header, *rows = Path("observed.csv").read_text(encoding="utf-8").splitlines()
    lines = [f"{header},point,session", *(f"{row},p{i},{i % 5}" for i, row in enumerate(rows))]
    Path("named.csv").write_text("\n".join(lines), encoding="utf-8")
    header, *rows = Path("synthetic.csv").read_text(encoding="utf-8").splitlines()
    lines = [f"{header},point", *(f"{rows[i]},p{i}" for i in order)]
    Path("shuffled.csv").write_text("\n".join(lines), encoding="utf-8")
    header, *rows = Path("long.tsv").read_text(encoding="utf-8").splitlines()
    # Blocks of 400 rows: the observed losses of three models, and their synthetic ones; the first
    # block keeps its order.
    places = np.concatenate([np.arange(400), *(400 * block + order for block in range(1, 6))])
    lines = [
        f"{header}\tpoint\tsession",
        *(f"{rows[i]}\tp{i % 400}\t{i % 400 % 5}" for i in places),
    ]
    Path("named.tsv").write_text("\n".join(lines), encoding="utf-8")
    expected = rivals.compare(
        losses_from_files("observed.csv", "synthetic.csv"),
        groups=np.arange(400) % 5,
        order=None,
        rng=7,
    )
    shown = run(
        "compare", *files, "--index", "point", "--groups", "session", "--seed", "7", "--json"
    )
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.stdout)
    # The column has a name, the array has none.
    assert "5 new sessions" in found.pop("conclusion")
    assert found["groups_table"].pop("kind") == "session"
    numbers = json.loads(json.dumps(expected.to_dict()))
    del numbers["conclusion"]
    del numbers["groups_table"]["kind"]
    assert found == numbers
    text = Path(files[-1]).read_text(encoding="utf-8")
    Path(files[-1]).write_text(text.replace("p7\t", "q\t").replace("p7\n", "q\n"), encoding="utf-8")
    if len(files) == 2:
        assert main("compare", *files, "--index", "point", "--groups", "session") == 2
        assert "the point 'q' is not among those of named.csv" in capsys.readouterr().err


def test_a_pipe_is_refused_at_once(folder, main, capsys):
    os.mkfifo("pipe.npz")
    for command in ("compare", "sweep"):
        assert main(command, "pipe.npz") == 2
        assert "is not a plain file" in capsys.readouterr().err


def test_every_option_reaches_the_library(folder, run):
    options = {"law": "beta", "c": 0.5, "threshold": 0.8, "order": "time", "loss_unit": "nats"}
    words = [
        word
        for name, value in options.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    shown = run("compare", "long.tsv", *words, "--seed", "3", "--json")
    expected = rivals.compare(long_table("long.tsv"), **options, rng=3)
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))


@pytest.mark.parametrize(
    ("text", "c"), [("0.25", 0.25), ("2^-2", 0.25), ("2**-3", 0.125), ("1e-2", 0.01)]
)
def test_c_as_people_write_it(text, c):
    assert read_c(text) == c


def test_c_is_that_of_the_law_by_default(folder, run):
    shown = run("compare", "long.tsv", "--law", "beta", "--seed", "3", "--json")
    assert (
        json.loads(shown.stdout)["c"] == rivals.compare(long_table("long.tsv"), law="beta", rng=3).c
    )


def test_c_from_a_calibration(folder, run):
    """The store is opened, and the calibration is used as by the library: its c, its law, its
    curve.
    """
    sizes = {
        "n_data": 400,
        "n_truth": 1000,
        "n_experiments": 64,
        "c": [2**-4, 1.0],
        "n_simulations": 1,
    }
    rivals.calibrate(toys.omega, **sizes, rng=0, executor=0, progress=False, store="study.sqlite")
    expected = rivals.compare(
        long_table("long.tsv"), c=rivals.calibration.open_store("study.sqlite"), rng=3
    )
    shown = run("compare", "long.tsv", "--c", "study.sqlite", "--seed", "3", "--json")
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))
    assert expected.calibrated is not None


LABELS = [f"session {index % 5}" for index in range(400)]


@pytest.fixture
def with_groups(folder):
    """The observed table and the long table with a column of sessions."""
    header, *rows = (folder / "observed.csv").read_text(encoding="utf-8").splitlines()
    wide = [
        f"{header},session",
        *(f"{row},{label}" for row, label in zip(rows, LABELS, strict=True)),
    ]
    (folder / "grouped.csv").write_text("\n".join(wide), encoding="utf-8")
    (folder / "grouped_too.csv").write_text(
        "\n".join(
            f"{row},{label}"
            for row, label in zip(
                (folder / "synthetic.csv").read_text(encoding="utf-8").splitlines(),
                ["session", *LABELS],
                strict=True,
            )
        ),
        encoding="utf-8",
    )
    header, *rows = (folder / "long.tsv").read_text(encoding="utf-8").splitlines()
    long = [
        f"{header}\tsession",
        *(f"{row}\t{LABELS[index % 400]}" for index, row in enumerate(rows)),
    ]
    (folder / "grouped.tsv").write_text("\n".join(long), encoding="utf-8")
    return folder


@pytest.mark.parametrize("law", [(), ("--law", "groups")], ids=["default", "groups"])
@pytest.mark.parametrize(
    "files",
    [
        ("grouped.csv", "synthetic.csv", "--groups", "session"),
        ("grouped.csv", "grouped_too.csv", "--groups", "session"),
        ("grouped.tsv", "--groups", "session"),
    ],
    ids=["wide", "both", "long"],
)
def test_groups_from_a_column(with_groups, run, files, law):
    shown = run("compare", *files, *law, "--seed", "7", "--json")
    assert shown.exit_code == 0, shown.output
    losses = losses_from_files("observed.csv", "synthetic.csv")
    by_argument = rivals.compare(losses, groups=LABELS, rng=7)
    assert by_argument.law == "groups"
    tables = [file for file in files if file.startswith("grouped") or file.endswith(".csv")]
    carried = losses_from_files(*tables, groups="session")  # the same in Python
    assert carried["right"].groups.tolist() == LABELS
    expected = rivals.compare(carried, rng=7)
    np.testing.assert_array_equal(expected.probability, by_argument.probability)
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))
    assert "If 5 new sessions were studied" in expected.conclusion


@pytest.mark.parametrize("new_groups", ["1", "5", "12", "inf"])
def test_the_horizon_and_the_margin(with_groups, run, new_groups):
    shown = run(
        "compare", "grouped.csv", "synthetic.csv", "--groups", "session",
        "--new-groups", new_groups, "--margin", "0.02", "--seed", "7", "--json",
    )  # fmt: skip
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.stdout)
    losses = losses_from_files("grouped.csv", "synthetic.csv", groups="session")
    expected = rivals.compare(losses, new_groups=float(new_groups), margin=0.02, rng=7)
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert found["new_groups"] == ("inf" if new_groups == "inf" else int(new_groups))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--new-groups", "0", "new_groups must be a whole number"),
        ("--new-groups", "2.5", "new_groups must be a whole number"),
        ("--new-groups", "nan", "new_groups must be a whole number"),
        ("--margin", "-1", "margin must be a finite number, 0 or more"),
        ("--margin", "inf", "margin must be a finite number, 0 or more"),
    ],
)
def test_bad_horizons_and_margins(with_groups, main, capsys, option, value, message):
    arguments = ("compare", "grouped.csv", "synthetic.csv", "--groups", "session")
    assert main(*arguments, option, value) == 2
    assert message in capsys.readouterr().err
    assert main("compare", "observed.csv", "synthetic.csv", "--new-groups", "3") == 2
    assert "knows no groups" in capsys.readouterr().err


@pytest.mark.parametrize(
    "files", [("grouped.csv", "synthetic.csv"), ("grouped.tsv",)], ids=["wide", "long"]
)
def test_clusters_from_a_column(with_groups, run, files):
    shown = run("compare", *files, "--clusters", "session", "--seed", "7", "--json")
    assert shown.exit_code == 0, shown.output
    expected = rivals.compare(
        losses_from_files("observed.csv", "synthetic.csv"), clusters=LABELS, rng=7
    )
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_groups_need_no_simulations(with_groups, run):
    shown = run(
        "compare", "grouped.csv", "--law", "groups", "--groups", "session", "--seed", "7", "--json"
    )
    assert shown.exit_code == 0, shown.output
    losses = {
        name: sample.observed
        for name, sample in losses_from_files("observed.csv", "synthetic.csv").items()
    }
    expected = rivals.compare(losses, law="groups", groups=LABELS, rng=7)
    np.testing.assert_array_equal(json.loads(shown.stdout)["probability"], expected.probability)
    alone = wide_tables("grouped.csv", groups="session")
    np.testing.assert_array_equal(rivals.compare(alone, rng=7).probability, expected.probability)


@pytest.fixture
def pilot(folder):
    """Two models that four sessions do not tell apart."""
    rng = np.random.default_rng(0)
    session = np.repeat(np.arange(4), 50)
    a = rng.exponential(size=200)
    b = a + np.array([0.3, -0.2, 0.1, 0.05])[session] + 0.1 * rng.standard_normal(200)
    rows = [f"{x},{y},{label}" for x, y, label in zip(a, b, session, strict=True)]
    Path("pilot.csv").write_text("\n".join(["A,B,session", *rows]), encoding="utf-8")
    return "pilot.csv", "--groups", "session", "--seed", "3"


def test_a_plan_is_the_librarys(pilot, run):
    expected = rivals.compare(wide_tables("pilot.csv", groups="session"), rng=3).plan([6, 60])
    shown = run("plan", *pilot, "--more-groups", "6,60", "--json")
    assert json.loads(shown.stdout) == expected.to_dict()
    shown = run("plan", *pilot, "--new-groups", "1")
    assert "40 more" in shown.stdout
    assert "in a single new session" in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--more-groups", "0"], "whole numbers, 1 or more: got 0"),
        (["--more-groups", "2.5"], "whole numbers, 1 or more: got 2.5"),
        (["--more-groups", "5;10"], "--more-groups is not a number: got '5;10'"),
        (["--threshold", "0.51"], "nothing to plan, all is decided"),
    ],
)
def test_mistakes_in_a_plan_are_said(pilot, main, capsys, arguments, message):
    assert main("plan", *pilot, *arguments) == 2
    assert message in capsys.readouterr().err


def test_mistakes_in_groups_are_said(with_groups, main, capsys):
    def complaint(*arguments):
        assert main("compare", *arguments) == 2
        return capsys.readouterr().err

    assert main("sweep", "grouped.csv", "--groups", "session") == 2
    assert "no c to sweep over" in capsys.readouterr().err
    for law in ("transport", "beta"):
        assert f"law '{law}' does not know" in complaint(
            "grouped.tsv", "--groups", "session", "--law", law
        )
    assert "did you mean 'session'?" in complaint(
        "grouped.csv", "synthetic.csv", "--groups", "sesion"
    )
    assert "groups: losses.npz is not a table" in complaint("losses.npz", "--groups", "session")
    text = Path("grouped.tsv").read_text(encoding="utf-8")
    Path("gap.tsv").write_text(text.replace("session 3", '" "'), encoding="utf-8")
    assert "gap.tsv, column 'session', row 5: the cell is empty, as are 80 of 400" in complaint(
        "gap.tsv", "--groups", "session"
    )
    header, *rows = Path("grouped.tsv").read_text(encoding="utf-8").splitlines()
    Path("shuffled.tsv").write_text(
        "\n".join([header, *rows[400:], *rows[:1], *rows[2:400], rows[1]]), encoding="utf-8"
    )
    assert "not those of" in complaint("shuffled.tsv", "--groups", "session")
    Path("bad.csv").write_text(
        Path("grouped.csv").read_text(encoding="utf-8").replace("\n0.", "\nx0.", 1),
        encoding="utf-8",
    )
    assert "bad.csv, column" in complaint("bad.csv", "synthetic.csv", "--groups", "session")


def test_two_tables_give_verdict_and_report_by_one_command(folder, run):
    shown = run(
        "compare",
        "observed.csv",
        "synthetic.csv",
        "--report",
        "page.html",
        "--save",
        "saved.npz",
        "--seed",
        "1",
    )
    assert shown.exit_code == 0, shown.output
    assert rivals.compare(
        losses_from_files("observed.csv", "synthetic.csv"), rng=1
    ).verdict in " ".join(shown.stdout.split())
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert str(rivals.load("saved.npz")) == shown.stdout.strip()
    again = run("compare", "saved.npz", "--report", "again.html", "--seed", "1")
    assert (folder / "again.html").read_bytes() == (folder / "page.html").read_bytes(), again.output


def test_seed_is_printed_back_when_omitted_and_repeats_the_run(folder, run):
    first = run("compare", "long.tsv", "--law", "beta", "--json")
    seed = re.search(r"--seed (\d+)", first.stderr)
    assert seed is not None
    again = run("compare", "long.tsv", "--law", "beta", "--json", "--seed", seed[1])
    assert again.stdout == first.stdout
    assert "seed" not in run("compare", "long.tsv", "--law", "beta", "--seed", "3").stderr


def test_sweep_as_json_is_the_librarys(folder, run):
    shown = json.loads(
        run("sweep", "long.tsv", "--c", "0.1", "--c", "10", "--seed", "2", "--json").stdout
    )
    expected = rivals.compare(long_table("long.tsv"), c=0.1, rng=2).sweep([0.1, 10.0])
    assert shown["c"] == [0.1, 10.0]
    assert shown["survivors"] == [list(names) for names in expected.survivors]
    np.testing.assert_array_equal(shown["probability"], expected.probability)


def test_sweep_prints_one_line_per_verdict(folder, run):
    """Neighbouring values of c with the same survivors share a line; digits tell them apart."""
    sweep = rivals.compare(long_table("long.tsv"), rng=2).sweep()
    lines = run("sweep", "long.tsv", "--seed", "2").stdout.splitlines()
    body = lines[2 : lines.index("")]
    assert len(body) == len(sweep.changes) + 1
    assert body[0].split()[0] == f"{Transport.grid[0]:.3g}"
    assert f"{Transport.grid[-1]:.3g}" in body[-1].split()
    lines = run("sweep", "long.tsv", "--seed", "2", "--c", "0.1,0.10001").stdout.splitlines()
    assert lines[2].startswith("0.1 … 0.10001")


def test_two_trees_are_not_called_observed_and_synthetic(folder, run):
    xarray = pytest.importorskip("xarray", reason='needs xarray: pip install "rivals[arviz]"')
    pytest.importorskip("h5netcdf")
    rng = np.random.default_rng(0)
    for name in ("wien", "planck"):
        groups = {
            f"log_likelihood_{kind}": xarray.Dataset(
                {"y": (("chain", "draw", "point"), -rng.exponential(size=(2, 10, 100)))}
            )
            for kind in ("held_out", "simulated")
        }
        xarray.DataTree.from_dict(groups).to_netcdf(f"{name}.nc", engine="h5netcdf")
    shown = run("compare", "wien.nc", "planck.nc", "--seed", "0")
    assert "losses: wien.nc, planck.nc, models: wien, planck" in shown.stderr


def test_a_wrong_c_of_a_sweep_is_said_before_anything_is_read(folder, run):
    shown = run("sweep", "absent.csv", "--c", "zz")
    assert "--c is not a number: got 'zz'" in str(shown.exception)


def test_warnings_are_sentences_on_the_other_stream(folder, run):
    rows = [
        f"{model},{kind},{value}"
        for model in "AB"
        for kind, values in {"observed": (1.5, 2.5, 3.5), "synthetic": (1.0, 2.0, 3.0)}.items()
        for value in values
    ]
    Path("few.csv").write_text("model,kind,loss\n" + "\n".join(rows), encoding="utf-8")
    shown = run("compare", "few.csv", "--seed", "0")
    assert shown.exit_code == 0
    assert "warning: models A, B: only 3 losses" in shown.stderr
    assert "warning" not in shown.stdout


@pytest.fixture
def with_index(folder):
    """The wide tables with row numbers in front, as pandas writes them."""
    for name in ("observed", "synthetic"):
        header, *rows = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        lines = [f",{header}", *(f"{index},{row}" for index, row in enumerate(rows))]
        (folder / f"indexed_{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    return "indexed_observed.csv", "indexed_synthetic.csv"


@pytest.mark.parametrize(
    "options",
    [("--ignore", "Unnamed: 0"), ("--models", "narrow,right", "--models", "too [bold]wide")],
    ids=len,
)
@pytest.mark.parametrize("command", ["compare", "sweep"])
def test_an_index_is_left_out_on_request(with_index, run, main, capsys, options, command):
    assert main(command, *with_index) == 2
    assert "column 1 has no name" in capsys.readouterr().err
    shown = run(command, *with_index, *options, "--seed", "1")
    assert shown.exit_code == 0, shown.output
    assert shown.stdout == run(command, "observed.csv", "synthetic.csv", "--seed", "1").stdout


@pytest.mark.parametrize(
    "files", [("observed.csv", "synthetic.csv"), ("long.tsv",), ("losses.npz",)], ids=len
)
def test_models_of_every_form_of_file(folder, run, main, capsys, files):
    shown = run("compare", *files, "--models", "narrow, right", "--seed", "1", "--json")
    assert set(json.loads(shown.stdout)["names"]) == {"narrow", "right"}
    assert main("compare", *files, "--models", "narow,right") == 2
    assert "did you mean 'narrow'?" in capsys.readouterr().err


def test_ids_beside_groups_are_left_out(with_groups, run, main, capsys):
    header, *rows = Path("grouped.csv").read_text(encoding="utf-8").splitlines()
    lines = [f"id,{header}", *(f"{index},{row}" for index, row in enumerate(rows))]
    Path("ids.csv").write_text("\n".join(lines), encoding="utf-8")
    line = ["compare", "ids.csv", "--law", "groups", "--groups", "session", "--seed", "7"]
    assert main(*line) == 2
    assert "column 'id' is a running number" in capsys.readouterr().err
    assert "id" not in json.loads(run(*line, "--ignore", "id", "--json").stdout)["names"]


def test_the_files_and_the_models_are_echoed(folder, run):
    shown = run("compare", "observed.csv", "synthetic.csv", "--seed", "1", "--json")
    expected = (
        "observed: observed.csv, synthetic: synthetic.csv, models: narrow, right, too [bold]wide\n"
    )
    assert shown.stderr == expected
    assert "models" in json.loads(shown.stdout)


def test_swapped_files_are_noticed_by_their_names_and_by_their_look(folder, run):
    shown = run("compare", "synthetic.csv", "observed.csv", "--seed", "1")
    assert "warning: synthetic.csv is read as observed losses" in shown.stderr
    assert "are observed and synthetic losses swapped?" in shown.stderr
    assert "swap" not in run("compare", "observed.csv", "synthetic.csv", "--seed", "1").stderr


@pytest.mark.parametrize(
    "files", [("observed.csv", "synthetic.csv"), ("long.tsv",), ("losses.npz",)], ids=len
)
def test_log_likelihoods_have_their_signs_changed(folder, run, files):
    expected = run("compare", *files, "--seed", "1").stdout
    for name in ("observed.csv", "synthetic.csv", "long.tsv"):
        separator = "\t" if name == "long.tsv" else ","
        header, *rows = (folder / name).read_text(encoding="utf-8").splitlines()
        turned = [separator.join(map(_turn, row.split(separator))) for row in rows]
        (folder / name).write_text("\n".join([header, *turned]), encoding="utf-8")
    with np.load("losses.npz") as archive:
        arrays = {name: -archive[name] for name in archive}
    np.savez("losses.npz", **arrays)
    wrong = run("compare", *files, "--seed", "1")
    assert "--log-likelihood" in wrong.stderr
    right = run("compare", *files, "--seed", "1", "--log-likelihood")
    assert right.stdout == expected
    assert "warning" not in right.stderr


def _turn(cell):
    try:
        return repr(-float(cell))
    except ValueError:
        return cell


def test_groups_of_log_likelihoods(with_groups, run):
    line = ["--law", "groups", "--groups", "session", "--seed", "1", "--json"]
    pages = [
        json.loads(run("compare", "grouped.csv", *more, *line).stdout)
        for more in ([], ["--log-likelihood"])
    ]
    straight, turned = (
        {row["model"]: row["empirical_risk"] for row in page["models"]} for page in pages
    )
    assert turned == {name: pytest.approx(-risk) for name, risk in straight.items()}


SAVED = {"law": rivals.laws.Beta(depth=5, n_draws=300, max_draws=900), "c": 0.5, "threshold": 0.8}


@pytest.fixture
def saved(folder):
    """A saved comparison with settings of its own."""
    rivals.compare(long_table("long.tsv"), **SAVED, rng=12).save("saved.npz")
    return "saved.npz"


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ([], {}),
        (["--c", "2^-3"], {"c": 0.125}),
        (["--threshold", "0.95", "--seed", "3"], {"threshold": 0.95, "rng": 3}),
        (["--law", "transport"], {"law": "transport", "c": None}),
    ],
)
def test_a_saved_comparison_keeps_its_settings_unless_others_are_given(
    saved, run, options, changes
):
    expected = rivals.compare(long_table("long.tsv"), **SAVED | {"rng": 12} | changes)
    shown = run("compare", saved, *options)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.strip() == str(expected)
    assert "seed" not in shown.stderr
    shown = run("compare", saved, *options, "--json")
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))
    if "--c" not in options:
        over_c = expected.sweep([0.25, 1.0])
        assert run("sweep", saved, *options, "--c", "2^-2,1").stdout.strip() == str(over_c)


def test_models_of_a_saved_comparison_are_compared_with_its_settings(saved, run):
    losses = {name: sample for name, sample in long_table("long.tsv").items() if name != "narrow"}
    shown = run("compare", saved, "--ignore", "narrow")
    assert shown.stdout.strip() == str(rivals.compare(losses, **SAVED, rng=12))


def test_a_saved_calibrated_comparison_says_when_it_is_no_longer(folder, run):
    sizes = {
        "n_data": 400,
        "n_truth": 1000,
        "n_experiments": 64,
        "c": [2**-4, 1.0],
        "n_simulations": 1,
    }
    calibration = rivals.calibrate(
        toys.omega, **sizes, rng=0, executor=0, progress=False, store="study.sqlite"
    )
    expected = rivals.compare(long_table("long.tsv"), c=calibration, rng=3)
    expected.save("saved.npz")
    assert run("compare", "saved.npz").stdout.strip() == str(expected)
    assert "give --c and the store" in run("compare", "saved.npz", "--threshold", "0.9").stderr
    again = run("compare", "saved.npz", "--c", "study.sqlite")
    assert again.stdout.strip() == str(expected)
    assert "warning" not in again.stderr
    swept = " ".join(run("sweep", "saved.npz", "--c", "0.1,1").stdout.split())
    assert "are corrected by its calibration, these are not" in swept
    assert "calibration" not in str(run("sweep", "long.tsv", "--c", "0.1,1").stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "long.tsv", "--save", "x.csv"], "--save must end in .npz: got 'x.csv'"),
        (["compare", "long.tsv", "--save", "absent/x.npz"], "--save: there is no folder"),
        (["compare", "losses.npz", "--save", "losses.npz"], "is one of the input files"),
        (["compare", "long.tsv", "--report", "absent/r.html"], "--report: there is no folder"),
        (["compare", "long.tsv", "--report", "a.html"], "a.html is a folder"),
        (["compare", "long.tsv", "--report", "long.tsv"], "--report must end in .html or .htm"),
        (["demo", "--out", "long.tsv"], "--out: long.tsv cannot be a folder: File exists"),
        (
            ["demo", "--out", "long.tsv/sub"],
            "--out: long.tsv/sub cannot be a folder: Not a directory",
        ),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(
    folder, main, capsys, monkeypatch, arguments, message
):
    (folder / "a.html").mkdir()
    monkeypatch.setattr("rivals.cli.compare.compare_models", lambda *_, **__: pytest.fail("worked"))
    monkeypatch.setattr("rivals.cli.demo.compare_models", lambda *_, **__: pytest.fail("worked"))
    assert main(*arguments) == 2
    assert message in capsys.readouterr().err


def test_a_folder_that_is_not_writable_is_said_before_the_work(folder, main, capsys, monkeypatch):
    # Root may write anywhere, so that the answer of the system is played.
    monkeypatch.setattr("rivals.cli.options.os.access", lambda _, mode, **__: not mode & os.W_OK)
    assert main("compare", "long.tsv", "--save", "x.npz") == 2
    assert "is not writable" in capsys.readouterr().err


def test_a_drawn_seed_can_be_typed(folder, run):
    said = [run("compare", "long.tsv", "--law", "beta").stderr for _ in range(3)]
    seeds = {int(re.search(r"--seed (\d+)", text)[1]) for text in said}
    assert len(seeds) == 3
    assert max(seeds) < 10**10


def test_the_page_has_the_title_that_is_given(folder, run):
    run("compare", "long.tsv", "--report", "page.html", "--title", "Mine & yours", "--seed", "1")
    assert "<title>Mine &amp; yours" in Path("page.html").read_text(encoding="utf-8")


def test_a_file_that_is_not_there_is_named_in_a_sentence(folder, run):
    shown = run("compare", "observed.csv", "nosuch.csv")
    # What `main` prints behind "rivals: ", with exit code 2.
    assert str(shown.exception) == "nosuch.csv: there is no such file; check its name and folder"


def test_what_is_wrong_in_a_table_is_named_by_its_row(folder, main, capsys):
    """As an editor counts them, also where a label is missing; a long table with other names is not
    taken for a wide one.
    """
    tables = {
        "labels.csv": "A,B,session\n1,2,s\n2,1,\n",
        "losses.csv": "A,B,session\n1,2,s\n2,nan,t\n",
        "names.csv": "name,loss,session\nA,1,s\nB,2,s\n",
    }
    found = {}
    for name, text in tables.items():
        (folder / name).write_text(text, encoding="utf-8")
        assert main("compare", name, "--groups", "session") == 2
        found[name] = capsys.readouterr().err
    assert (
        "labels.csv, column 'session', row 3: the cell is empty, as are 1 of 2; say to which of "
        "the groups" in found["labels.csv"]
    )
    assert (
        "losses.csv, column 'B', row 3: observed losses: 1 of 2 are NaN; find out why"
        in found["losses.csv"]
    )
    assert (
        "names.csv: no column 'model', 'kind', but one called 'loss', and text in name"
        in found["names.csv"]
    )
