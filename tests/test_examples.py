"""Examples run and draw."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot", reason='pip install "rivals[plot]"')

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("plot_*.py")), ids=lambda path: path.stem)
def test_an_example_runs_and_draws(example, capsys):
    try:
        runpy.run_path(str(example), run_name="__main__")
    except ModuleNotFoundError as error:
        if str(error.name).startswith("rivals"):
            raise
        pytest.skip(f"{error.name} is not installed")
    assert capsys.readouterr().out
    assert plt.get_fignums()
