"""The command line as a whole: what it offers, what it loads, its exit codes."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

import rivals
from rivals.cli import app as commands

OWN = ["demo", "compare", "sweep", "plan", "calibrate"]
HEAVY = [
    "scipy.stats",
    "scipy.optimize",
    "matplotlib",
    "pandas",
    "sqlite3",
    "loky",
    "numba",
    "jinja2",
    "rivals.testbeds",
]


def say_hello() -> None:
    """Greet from elsewhere."""
    print("hello")


@pytest.fixture
def hello(monkeypatch):
    """A distribution that adds the command `hello`, and one that would like to be `compare`."""
    target = f"{__name__}:say_hello"
    offered = EntryPoints(EntryPoint(name, target, commands.GROUP) for name in ("hello", "compare"))
    monkeypatch.setattr(commands, "entry_points", lambda **wanted: offered.select(**wanted))


@pytest.fixture
def nothing_added(monkeypatch):
    """No other distribution."""
    monkeypatch.setattr(commands, "entry_points", lambda **wanted: EntryPoints())


def test_help_lists_the_commands_and_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['rivals', '--help']\nfrom rivals.cli import main\n"
        f"try:\n    main()\nfinally:\n    print([name for name in {HEAVY} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    *text, loaded = shown.splitlines()
    assert loaded == "[]"
    assert [name for name in OWN if not any(line.startswith(f"  {name} ") for line in text)] == []


def test_the_package_runs_as_the_command():
    line = [sys.executable, "-m", "rivals", "--version"]
    assert (
        subprocess.run(line, capture_output=True, text=True, check=True).stdout
        == f"rivals {rivals.__version__}\n"
    )


def test_version(run):
    assert run("--version").stdout.strip() == f"rivals {rivals.__version__}"


def test_success_exits_with_0(folder, main, capsys):
    assert main("compare", "long.tsv", "--seed", "0") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "absent.csv"], "absent.csv"),
        (["compare", "observed.csv"], "give a second file"),
        (["compare", "long.tsv", "--c", "-1"], "c must be"),
        (
            ["compare", "long.tsv", "--c", "absent.sqlite"],
            "--c is not a number: got 'absent.sqlite'; write 0.25 or 2^-2, or, for rivals compare",
        ),
        (["compare", "long.tsv", "--c", "long.tsv"], "long.tsv"),
        (
            ["sweep", "long.tsv", "--c", "long.tsv"],
            "got 'long.tsv'; write 0.25 or 2^-2, or, for rivals compare and demo, the path of the "
            "store",
        ),
        (["compare", "long.tsv", "--law", "betta"], "did you mean 'beta'?"),
        (["compare", "long.tsv", "--order", "space"], "order must be one of 'time'"),
        (["compare", "long.tsv", "--law", "groups"], "law 'groups' needs groups"),
        (
            ["compare", "long.tsv", "--groups", "subject"],
            "groups: long.tsv has no column 'subject'; it has model, kind, loss",
        ),
        (["compare", "losses.npz", "--groups", "subject"], "groups: losses.npz is not a table"),
        (["compare", "long.tsv", "--threshold", "0.2"], "threshold must lie"),
        (["compare", "long.tsv", "--threshold", "high"], "--threshold"),
        (["nonsense"], "nonsense"),
        (["comparee"], "Did you mean 'compare'?"),
    ],
)
def test_what_the_user_can_mend_exits_with_2_and_a_sentence(
    folder, main, capsys, arguments, message
):
    assert main(*arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("name", OWN)
def test_help_fits_80_columns_and_has_an_example(run, name):
    shown = run(name, "--help", env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert shown.exit_code == 0
    assert f"Example: rivals {name}" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", ["compare", "sweep", "plan"])
def test_options_have_the_librarys_names_and_defaults(name):
    library = inspect.signature(rivals.compare).parameters
    options = inspect.signature(commands.OWN[name].load()).parameters
    shared = set(library) & set(options) - {
        "models"
    }  # there the models themselves, here their names
    assert {"law", "c", "threshold"} <= shared
    assert "n_simulations" not in shared  # files hold the simulations that they hold
    assert {option: options[option].default for option in shared} == {
        option: library[option].default for option in shared
    }


def test_an_added_command_is_listed_and_run(run, hello):
    assert "Greet from elsewhere." in run("--help").stdout
    assert run("hello").stdout == "hello\n"


def test_an_added_command_does_not_replace_one_of_the_library(run, hello):
    assert run("--help").stdout.count("  compare ") == 1
    assert "Say which models survive" in run("compare", "--help").stdout


def test_own_commands_do_not_look_for_others(run, monkeypatch):
    monkeypatch.setattr(commands, "entry_points", lambda **wanted: pytest.fail("read"))
    assert run("compare", "--help").exit_code == 0


@pytest.mark.parametrize("arguments", [(), ("--list",), ("--help",)])
def test_the_paper_says_how_to_install_it(run, nothing_added, arguments):
    shown = run("reproduce", *arguments)
    assert shown.exit_code == 2
    assert "pip install rivals-paper" in shown.stderr
    assert "reproduce" not in run("--help").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_knows_the_commands(shell):
    words = {
        "COMP_WORDS": "rivals ",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "rivals ",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    environment = {**os.environ, **words, "_RIVALS_COMPLETE": f"complete_{shell}"}
    code = (
        "import sys; sys.argv = ['rivals']; from rivals.cli.app import app; app(prog_name='rivals')"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    for name in OWN:
        assert name in shown.stdout, shown.stderr


def start(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """The installed command, in a process of its own."""
    code = "from rivals.cli import main; main()"
    # Old releases warn of the future of what they stand on, which is newer.
    warnings = "error,ignore::DeprecationWarning,ignore::FutureWarning"
    environment = os.environ | {"PYTHONWARNINGS": warnings} | options.pop("env", {})
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        **{"stderr": subprocess.PIPE} | options,
    )


@pytest.mark.parametrize("arguments", [["compare", "--json", "--save", "x.npz"], ["sweep"]])
def test_a_reader_that_stops_early_is_no_error_and_loses_no_file(folder, arguments):
    """As in `rivals compare … --save x.npz | head -1`."""
    process = start(*arguments, "long.tsv", "--seed", "0", stdout=subprocess.PIPE)
    process.stdout.close()
    lines = process.communicate(timeout=60)[1].decode().splitlines()
    assert [
        line for line in lines if not line.startswith(("losses: long.tsv", "written: x.npz"))
    ] == []
    assert process.returncode == 0
    if "--save" in arguments:
        assert rivals.load("x.npz").entropy == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")
def test_a_result_that_cannot_be_printed_is_an_error(folder):
    with open("/dev/full", "wb") as full:
        process = start("compare", "long.tsv", "--seed", "0", stdout=full)
        message = process.communicate(timeout=60)[1].decode().splitlines()[-1]
    assert process.returncode == 2
    assert message.startswith("rivals: the result could not be printed: No space left on device")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")
def test_remarks_that_cannot_be_printed_do_not_cost_the_result(folder):
    with open("/dev/full", "wb") as full:
        process = start("compare", "long.tsv", "--seed", "0", stdout=subprocess.PIPE, stderr=full)
        shown = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 0
    assert "Worth keeping" in shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_a_terminal_cannot_show_is_spelled_out(folder, encoding):
    """No codec error: signs have a plain form, names are escaped, and the numbers are those of any
    terminal.
    """
    text = (folder / "long.tsv").read_text(encoding="utf-8").replace("narrow", "naïve ω")
    (folder / "long.tsv").write_text(text, encoding="utf-8")
    process = start(
        "compare",
        "long.tsv",
        "--seed",
        "0",
        stdout=subprocess.PIPE,
        env={"PYTHONIOENCODING": encoding},
    )
    shown, remarks = (stream.decode(encoding) for stream in process.communicate(timeout=60))
    assert process.returncode == 0, remarks
    assert ("naïve" if encoding == "latin-1" else "na\\xefve") + " \\u03c9" in shown
    assert ("±" if encoding == "latin-1" else "+-") in shown
    assert "..." in shown
    # The stability of one simulation, and the title of a page; nothing else.
    assert "?" not in re.sub(r" \?|Does\s+it\s+work\?", "", shown)
    numbers = [line.split()[-1] for line in shown.splitlines() if line.startswith("law ")]
    assert numbers == ["0.95"]  # the threshold: nothing is random, so no seed is named


def test_a_limit_on_file_sizes_names_the_file_and_leaves_nothing(folder):
    """As a full disk does: the write fails in the middle."""
    resource = pytest.importorskip("resource")
    process = start(
        "compare", "long.tsv", "--seed", "0", "--save", "x.npz", stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )  # fmt: skip
    lines = process.communicate(timeout=60)[1].decode().splitlines()
    assert process.returncode == 2
    # NumPy 2.0 leaves a half-closed archive behind, of which Python complains when it collects it.
    assert any(
        line.startswith("rivals: x.npz could not be written: File too large") for line in lines
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "long.tsv",
        "losses.npz",
        "observed.csv",
        "synthetic.csv",
    ]


def test_closed_standard_output_is_an_error(folder):
    """As after `rivals compare … --json >&-`: a result that goes nowhere is no success."""
    line = [
        sys.executable,
        "-c",
        "from rivals.cli import main; main()",
        "compare",
        "long.tsv",
        "--json",
        "--seed",
        "0",
    ]
    closed = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *line],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert closed.returncode == 2
    assert closed.stderr.startswith("rivals: standard output is closed")


def test_remarks_do_not_go_to_standard_output_where_standard_error_is_closed(folder):
    for arguments, code in (
        (["compare", "long.tsv", "--json", "--seed", "0"], 0),
        (["compare", "absent.tsv"], 2),
    ):
        line = [sys.executable, "-c", "from rivals.cli import main; main()", *arguments]
        closed = subprocess.run(
            ["sh", "-c", '"$@" 2>&-', "sh", *line], stdout=subprocess.PIPE, timeout=60, check=False
        )
        assert closed.returncode == code
        assert json.loads(closed.stdout) if code == 0 else closed.stdout == b""


def without_numpy(option: str) -> list[str]:
    """What `rivals` prints with this option; it must not have imported NumPy."""
    code = f"""
import sys
from rivals.cli import main
sys.argv = ["rivals", {option!r}]
try:
    main()
finally:
    print("numpy" in sys.modules)
"""
    command = [sys.executable, "-c", code]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    *lines, imported = shown.splitlines()
    assert imported == "False"
    return lines


def test_the_version_needs_no_numpy():
    assert without_numpy("--version") == [f"rivals {rivals.__version__}"]


def test_the_help_needs_no_numpy_and_has_the_line_of_every_command():
    lines = without_numpy("--help")
    for name, entry_point in commands.OWN.items():
        sentences = " ".join(entry_point.load().__doc__.split())
        (shown,) = [line.split(maxsplit=1)[1] for line in lines if line.split()[:1] == [name]]
        assert sentences.startswith(shown.removesuffix("..."))
