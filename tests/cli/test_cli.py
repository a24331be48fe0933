"""The command line: what it prints to whom, its exit codes, and that it says what the library says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import rivals
from rivals import cli
from rivals.cli import console

WIDTHS = {"narrow": 0.8, "right": 1.0, "too [bold]wide": 3.0}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two wide tables, the long one, and an archive, all of the same losses."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(400)
    losses = {
        name: [np.log(width) + (data / width) ** 2 / 2 for data in (y, width * rng.standard_normal(400))]
        for name, width in WIDTHS.items()
    }
    long = ["model\tkind\tloss"]
    for place, kind in enumerate(("observed", "synthetic")):
        table = np.column_stack([pair[place] for pair in losses.values()])
        text = "\n".join([",".join(losses), *(",".join(map(repr, row)) for row in table.tolist())])
        (tmp_path / f"{kind}.csv").write_text(text, encoding="utf-8")
        long += [f"{name}\t{kind}\t{loss!r}" for name, pair in losses.items() for loss in pair[place].tolist()]
    (tmp_path / "long.tsv").write_text("\n".join(long), encoding="utf-8")
    np.savez(
        tmp_path / "losses.npz",
        **{f"{n}/{k}": a for n, p in losses.items() for k, a in zip(("observed", "synthetic"), p, strict=True)},
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(cli.app, list(arguments))


def main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of the installed command."""
    monkeypatch.setattr(sys, "argv", ["rivals", *arguments])
    with pytest.raises(SystemExit) as found:
        cli.main()
    return int(found.value.code or 0)


@pytest.mark.parametrize("files", [("observed.csv", "synthetic.csv"), ("long.tsv",), ("losses.npz",)], ids=len)
def test_every_form_of_file_gives_the_librarys_answer(folder, files):
    found = run("compare", *files, "--c", "0.25", "--seed", "7", "--json")
    assert found.exit_code == 0, found.output
    from rivals.read import losses_from_files

    expected = rivals.compare(losses_from_files("observed.csv", "synthetic.csv"), c=0.25, rng=7)
    assert json.loads(found.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_two_tables_give_verdict_and_report_by_one_command(folder):
    found = run(
        "compare", "observed.csv", "synthetic.csv", "--report", "page.html", "--save", "saved.npz", "--seed", "1"
    )
    assert found.exit_code == 0, found.output
    assert "Worth keeping" in found.stdout
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert str(rivals.load("saved.npz")) == found.stdout.strip()
    again = run("report", "saved.npz", "--out", "again.html", "--seed", "1")
    assert (folder / "again.html").read_bytes() == (folder / "page.html").read_bytes(), again.output


def test_seed_is_printed_back_when_omitted_and_repeats_the_run(folder):
    first = run("compare", "long.tsv", "--json")
    seed = re.search(r"--seed (\d+)", first.stderr)
    assert seed is not None
    assert run("compare", "long.tsv", "--json", "--seed", seed[1]).stdout == first.stdout
    assert "seed" not in run("compare", "long.tsv", "--seed", "3").stderr


def test_sweep_as_json_is_the_librarys(folder):
    found = json.loads(run("sweep", "long.tsv", "--c", "0.1", "--c", "10", "--seed", "2", "--json").stdout)
    from rivals.read import long_table

    expected = rivals.compare(long_table("long.tsv"), c=0.1, rng=2).sweep([0.1, 10.0])
    assert found["c"] == [0.1, 10.0]
    assert found["survivors"] == [list(names) for names in expected.survivors]
    np.testing.assert_array_equal(found["probability"], expected.probability)


def test_sweep_prints_one_line_per_c(folder):
    lines = run("sweep", "long.tsv", "--seed", "2").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:12]] == [f"{c:g}" for c in cli.SWEEP]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "absent.csv"], "absent.csv"),
        (["compare", "observed.csv"], "give a second file"),
        (["compare", "long.tsv", "--c", "-1"], "c must be"),
        (["compare", "long.tsv", "--threshold", "0.2"], "threshold must lie"),
        (["compare", "long.tsv", "--depth", "many"], "--depth"),
        (["report", "long.tsv", "--out", "absent/report.html"], "absent"),
        (["nonsense"], "nonsense"),
    ],
)
def test_what_the_user_can_mend_exits_with_2_and_a_sentence(folder, monkeypatch, capsys, arguments, message):
    assert main(monkeypatch, *arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_success_exits_with_0(folder, monkeypatch, capsys):
    assert main(monkeypatch, "compare", "long.tsv", "--seed", "0") == 0


def test_warnings_are_sentences_on_the_other_stream(folder):
    rows = [
        f"{model},{kind},{value}" for model in "AB" for kind in ("observed", "synthetic") for value in (1.5, 2.5, 3.5)
    ]
    Path("few.csv").write_text("model,kind,loss\n" + "\n".join(rows), encoding="utf-8")
    found = run("compare", "few.csv", "--seed", "0")
    assert found.exit_code == 0
    assert "warning: model 'A': only 3 losses" in found.stderr
    assert "warning" not in found.stdout


@pytest.mark.parametrize("name", ["demo", "compare", "sweep", "report"])
def test_help_fits_80_columns_and_has_an_example(name):
    found = CliRunner().invoke(cli.app, [name, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert found.exit_code == 0
    assert f"Example: rivals {name}" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_terminal_of_80_columns(folder, monkeypatch, capsys):
    """On a terminal the table fits, long names wrap, and square brackets are no markup."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    from rivals.read import long_table

    losses = long_table("long.tsv")
    losses["a name that goes on and on, well beyond what any terminal can show"] = losses["right"]
    result = rivals.compare(losses, rng=0)
    console.print_comparison(result)
    console.print_sweep(result.sweep([0.5, 1.0]))
    text = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(map(len, text.splitlines())) <= 80
    assert "too [bold]wide" in text


def test_piped_output_is_plain(folder):
    found = run("compare", "long.tsv", "--seed", "0")
    assert "\x1b" not in found.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_knows_the_commands(shell):
    words = {
        "COMP_WORDS": "rivals ",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "rivals ",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    environment = {**os.environ, **words, "_RIVALS_COMPLETE": f"complete_{shell}"}
    code = "import sys; sys.argv = ['rivals']; from rivals.cli import app; app(prog_name='rivals')"
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    for name in ("compare", "sweep", "report", "demo"):
        assert name in found.stdout, found.stderr


def test_a_reader_that_stops_early_is_no_error(folder):
    code = "import sys; sys.argv = ['rivals', 'compare', 'long.tsv', '--json', '--seed', '0']; from rivals.cli import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(60)


def test_commands_elsewhere_are_found_by_their_files():
    names = cli.app.registered_commands
    assert {command.callback.__name__ for command in names} == {"demo", "compare", "sweep", "report"}
    for name, module in cli.ELSEWHERE.items():
        source = Path(rivals.__file__).parent / (module.replace(".", "/") + ".py")
        assert cli._is_there(name) == source.exists()
        if source.exists():
            assert run(name, "--help").exit_code == 0
