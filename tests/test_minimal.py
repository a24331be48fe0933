"""A minimal install (NumPy and SciPy): the library works without any extra, and what needs one
names it.

`make test-minimal` runs the tests of `minimal.txt` in an environment that has no more; here the
extras are made to look absent, so that every run of the tests checks it.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# The modules of all extras, and what these bring.
EXTRAS = [
    "arviz_stats", "click", "dask", "distributed", "duckdb", "h5netcdf", "h5py", "jax", "jinja2",
    "joblib", "matplotlib", "narwhals", "numpyro", "pandas", "polars", "pyarrow", "rich", "sklearn",
    "sqlite3", "_sqlite3", "statsmodels", "typer", "xarray", "zipfile_zstd",
]  # fmt: skip
ABSENT = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
import numpy as np, rivals
rng = np.random.default_rng(0)
school = np.repeat(np.arange(8), 40)
losses = {{name: tuple(rng.exponential(scale, (2, 320))) for name, scale in zip("AB", (1.0, 1.5))}}
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", ABSENT + code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_core_needs_no_extra(tmp_path):
    code = """
for result in (
    rivals.compare(losses, rng=0),
    rivals.compare(losses, groups=school, looks="any", rng=0),
    rivals.compare(losses, method="beta", n_simulations=1, rng=0),
):
    result.save("r.npz")
    assert rivals.load("r.npz").survivors == result.survivors
    print(result, result.details(), result.methods(), result._repr_html_(), result.to_markdown())
    print(result.to_latex(), result.to_dict(), result.ranks())
grouped = rivals.compare(losses, groups=school)
print(grouped.plan(), grouped.looks(), grouped.probability)
import rivals.plots, rivals.read, rivals.report, rivals.testbeds
"""
    found = run(code, tmp_path)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("rivals.compare(losses, rng=0).to_dataframe()", "table"),
        ("rivals.compare(losses, rng=0).plot()", "plot"),
        ("rivals.compare(losses, rng=0).report('x.html')", "report"),
    ],
)
def test_what_needs_an_extra_names_it(code, extra, tmp_path):
    found = run(code, tmp_path)
    assert found.returncode != 0
    assert f'pip install "rivals[{extra}]"' in found.stderr.splitlines()[-1]


def test_every_extra_that_is_named_exists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {part.split('"')[0] for text in sources for part in text.split('extra="')[1:]}
    assert named
    assert named <= extras
