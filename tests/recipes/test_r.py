# needs: typer>=0.16
# debian: r-base-core, r-cran-loo, r-cran-jsonlite
"""The R code of docs/from-r.md: it runs as written, prints what the page shows, and what comes back
through the command line is what Python computes from the same losses.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.read import wide_tables

if shutil.which("Rscript") is None:
    pytest.skip("no R here: apt-get install r-base-core", allow_module_level=True)

PAGE = Path(__file__).parents[2] / "docs" / "from-r.md"
BLOCK = re.compile(r"```r\n(?P<code>.*?)```(?:\n\n```text\n(?P<shown>.*?)```)?", re.DOTALL)
# What a block printed ends here.
MARK = "@@@@ end of a block @@@@"


def run(blocks: list[str], folder: Path) -> list[str]:
    """What each block prints, all in one session of R."""
    lines = []
    for index, block in enumerate(blocks):
        keep = f'invisible(file.copy("result.json", "result-{index}.json"))'
        lines += [block, f'cat("{MARK}\\n")', f'if (file.exists("result.json")) {keep}']
    (folder / "page.R").write_text("\n".join(lines), encoding="utf-8")
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["Rscript", "--vanilla", "page.R"],
        cwd=folder,
        env={**os.environ, "PATH": commands, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split(f"{MARK}\n")[:-1]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("r")
    blocks = list(BLOCK.finditer(PAGE.read_text(encoding="utf-8")))
    printed = run([block["code"] for block in blocks], folder)
    shown = [(block["shown"], text) for block, text in zip(blocks, printed, strict=True)]
    return folder, blocks, shown


def result_after(page, words: str):
    """The JSON that the block with these words read."""
    folder, blocks, _ = page
    (index,) = [place for place, block in enumerate(blocks) if words in block["code"]]
    return json.loads((folder / f"result-{index}.json").read_text(encoding="utf-8"))


def test_the_page_shows_what_r_prints(page):
    for shown, printed in page[2]:
        if shown is not None:
            assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


def test_differences_are_those_of_loo(page):
    """loo prints a decimal: elpd_diff is minus the number of points times our difference, and
    se_diff that times the error of independent points.
    """
    folder = page[0]
    table = next(printed for _, printed in page[2] if "elpd_diff se_diff" in printed)
    of_loo = {
        name: (float(difference), float(error))
        for name, difference, error in re.findall(r"(\w+) +(-?[\d.]+) +([\d.]+)", table)
    }
    assert set(of_loo) == {"time", "diet", "growth"}
    data = wide_tables(str(folder / "losses.csv"), groups="chick")
    best = data["growth"].observed
    for name, (difference, error) in of_loo.items():
        gap = data[name].observed - best
        assert -gap.sum() == pytest.approx(difference, abs=0.051)
        assert np.sqrt(gap.size) * gap.std(ddof=1) == pytest.approx(error, abs=0.051)


@pytest.mark.parametrize(
    ("words", "file"), [('"losses.csv", "--groups"', "losses"), ('"left_out.csv"', "left_out")]
)
def test_what_comes_back_is_what_python_computes(page, words, file):
    found = result_after(page, words)
    losses = wide_tables(str(page[0] / f"{file}.csv"), groups="chick")
    result = rivals.compare(losses, rng=found["entropy"])
    own = result.to_dict()
    assert found["survivors"] == own["survivors"]
    np.testing.assert_allclose(found["probability"], own["probability"], rtol=1e-12)
    assert len(found["groups"]) == 50
    assert [row["model"] for row in found["models"]] == list(result.ranking)


def test_what_the_page_says_of_the_errors_holds(page):
    """ "Five standard errors have become little more than one, and no model is rejected." """
    losses = wide_tables(str(page[0] / "losses.csv"), groups="chick")
    gap = losses["time"].observed - losses["growth"].observed
    assert 5 < gap.mean() / gap.std(ddof=1) * np.sqrt(gap.size) < 6
    found = result_after(page, '"left_out.csv"')
    row = next(each for each in found["models"] if each["model"] == "time")
    assert 1 < row["difference"] / row["difference_error"] < 1.5
    assert not found["rejections"]


def test_simulations_are_sixteen(page):
    found = result_after(page, '"synthetic.csv"')
    assert found["n_simulations"] == 16
    assert found["law"] == "transport"
    files = [str(page[0] / name) for name in ("observed.csv", "synthetic.csv")]
    own = rivals.compare(wide_tables(*files), rng=found["entropy"])
    assert tuple(found["survivors"]) == own.survivors
    np.testing.assert_allclose(found["probability"], own.probability, rtol=1e-12)
