"""A minimal install (NumPy and SciPy): the library works without any extra, and what needs one
names it.

`pytest @tests/minimal.txt` in an environment with `pip install .` and pytest, hypothesis and mpmath
runs the whole subset; here the extras are made to look absent, so that every run of the tests
checks it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

EXTRAS = {
    "typer",
    "rich",
    "click",
    "sqlite3",
    "_sqlite3",
    "matplotlib",
    "jinja2",
    "pandas",
    "pyarrow",
    "polars",
    "narwhals",
    "openpyxl",
    "zarr",
    "xarray",
    "h5netcdf",
    "h5py",
    "arviz_stats",
    "dynesty",
    "numba",
    "loky",
    "threadpoolctl",
    "distributed",
    "dask",
    "cloudpickle",
    "sklearn",
    "statsmodels",
    "numpyro",
    "jax",
}
ABSENT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""
# Warnings are errors; what an older typer says of a newer click is not ours to mend.
WARNINGS = ["-W", "error", "-W", "ignore::DeprecationWarning:typer"]
LOSSES = """
import numpy as np, rivals
rng = np.random.default_rng(0)
losses = {name: tuple(rng.exponential(scale, (2, 300))) for name, scale in [("A", 1.0), ("B", 1.5)]}
result = rivals.compare(losses, rng=0)
"""


def run(
    code: str, folder: Path, *, present: Collection[str] = ()
) -> subprocess.CompletedProcess[str]:
    absent = f"EXTRAS = {sorted(EXTRAS.difference(present))}\n{ABSENT}"
    return subprocess.run(
        [sys.executable, *WARNINGS, "-c", absent + code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_core_needs_no_extra(tmp_path):
    code = LOSSES + (
        "print(result, result._repr_html_(), result.sweep([0.5, 2.0]))\n"
        "result.save('r.npz'); assert rivals.load('r.npz').survivors == result.survivors\n"
        "process = rivals.HierarchicalBetaProcess.from_losses(result.losses['A'], c=1.0)\n"
        "process.sample_paths(3, rng=0); process.sample_risk(3, rng=0)\n"
        "import rivals.plots, rivals.report, rivals.criteria, rivals.read, rivals.testbeds\n"
    )
    found = run(code, tmp_path)
    assert found.returncode == 0, found.stderr


COMMAND = ("typer", "click", "sqlite3", "_sqlite3")


def test_the_command_says_what_it_needs(tmp_path):
    found = run("from rivals.cli import main\nmain()", tmp_path)
    assert found.returncode == 2
    assert found.stderr.strip().startswith(
        "rivals: the command `rivals`: the package 'typer' is not installed"
    )
    assert found.stderr.strip().endswith('pip install "rivals[cli]"')


def test_the_demo_works_with_what_it_has(tmp_path):
    pytest.importorskip("typer", reason='the command line needs typer: pip install "rivals[cli]"')
    found = run(
        "sys.argv = ['rivals', 'demo']\nfrom rivals.cli import main\nmain()",
        tmp_path,
        present=COMMAND,
    )
    assert found.returncode == 0, found.stderr
    assert "Worth keeping: Planck, Rayleigh-Jeans" in found.stdout
    assert list((tmp_path / "rivals-demo").iterdir()) == []
    assert (
        "Not written, report.html: reports: the package 'jinja2' is not installed; pip install "
        '"rivals[report]"' in found.stdout
    )


def test_the_command_line_needs_no_other_extra(tmp_path):
    pytest.importorskip("typer", reason='the command line needs typer: pip install "rivals[cli]"')
    rows = "\n".join(
        f"{m},{k},{i * 0.1 + 0.01 * i**2 + shift}"
        for m in "AB"
        for k, shift in (("observed", 0.0), ("synthetic", 0.037))
        for i in range(40)
    )
    (tmp_path / "losses.csv").write_text(f"model,kind,loss\n{rows}\n", encoding="utf-8")
    code = """
sys.argv = ["rivals", "compare", "losses.csv", "--json", "--seed", "0"]
from rivals.cli import main
main()
"""
    found = run(code, tmp_path, present=COMMAND)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["survivors"] == ["A", "B"]


def test_calibration_runs_in_this_process(tmp_path):
    code = """
import rivals
def gaussian(width):
    return rivals.Candidate(
        lambda y: (y / width) ** 2 / 2,
        lambda n, rng: width * rng.standard_normal(n),
    )
def omega(rng):
    models = gaussian(0.9), gaussian(rng.uniform(1, 2))
    return rivals.Experiment(lambda n, rng: rng.standard_normal(n), models)
sizes = {"n_data": 50, "n_experiments": 20, "n_truth": 200}
print(rivals.calibrate({"one": omega}, c=[1.0], **sizes, rng=0, executor=0, progress=False))
"""
    found = run(code, tmp_path, present=("sqlite3", "_sqlite3"))
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("result.to_dataframe()", "pandas"),
        ("result.report('r.html')", "report"),
        ("from rivals.plots import plot_risks; plot_risks(result)", "plot"),
        ("from rivals.read import long_table; long_table('t.parquet')", "parquet"),
        (
            "from rivals.read import long_table; open('t.xlsx', 'w').close(); long_table('t.xlsx')",
            "excel",
        ),
        (
            "from rivals.read import long_table; long_table(type('Frame', (), {'columns': ()})())",
            "table",
        ),
        ("from rivals.read import arviz_tree; arviz_tree('t.nc', reduction='lpd')", "arviz"),
    ],
)
def test_what_needs_an_extra_names_it(tmp_path, code, extra):
    found = run(LOSSES + code, tmp_path)
    assert found.returncode == 1
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError")
    assert f'pip install "rivals[{extra}]"' in last
