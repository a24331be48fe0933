"""Code of pages for libraries that not every environment has: PyMC, Bambi, Excel, lmfit, zarr."""
# needs: rivals[all], pymc, bambi, matplotlib<3.11, lmfit, fastexcel, xlsxwriter, zarr

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from pages import recipe

pytestmark = pytest.mark.filterwarnings("ignore")


def schools():
    rng = np.random.default_rng(0)
    school = np.repeat(np.arange(4), 15)
    return {"y": rng.normal(size=60), "school": school}


@pytest.mark.parametrize(("module", "word"), [("pymc", "import pymc"), ("bambi", "import bambi")])
def test_bayesian_models(module, word):
    pytest.importorskip(module)
    data = schools()
    space = {"rivals": rivals, "data": data, "np": np}
    exec(recipe("pymc.md", word), space)
    found = space["losses"]
    # The data are standard normal: one mean and one deviation, nearly known.
    expected = -stats.norm(0.0, 1.0).logpdf(data["y"])
    assert found.mean == pytest.approx(expected.mean(), abs=0.1)
    assert found.groups.noun == "school"


def test_excel(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    pytest.importorskip("fastexcel")
    pytest.importorskip("xlsxwriter")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = polars.DataFrame(
        {"site": np.repeat(["a", "b", "c"], 20), "p": rng.normal(size=60), "q": rng.normal(size=60)}
    )
    frame.write_excel("losses.xlsx")
    space = {"rivals": rivals}
    exec(recipe("recipes.md", "read_excel"), space)
    assert set(space["result"].risk) == {"p", "q"}


def test_lmfit():
    models = pytest.importorskip("lmfit.models")
    rng = np.random.default_rng(0)
    data = {"x": np.tile(np.arange(20.0), 4), "site": np.repeat(["a", "b", "c", "d"], 20)}
    data["y"] = 1.0 + 2.0 * data["x"] + rng.normal(size=80)

    def fit(rows):
        found = models.LinearModel().fit(rows["y"], x=rows["x"], slope=1.0, intercept=0.0)
        return lambda new: found.eval(x=new["x"])

    def by_hand(rows):
        line = np.polynomial.Polynomial.fit(rows["x"], rows["y"], 1)
        return lambda new: line(new["x"])

    both = {"lmfit": fit, "by hand": by_hand}
    found = rivals.read.leave_out(both, data, groups="site", target="y", loss="squared")
    np.testing.assert_allclose(found["lmfit"].observed, found["by hand"].observed, rtol=1e-6)


def test_zarr(tmp_path):
    pytest.importorskip("zarr")
    xarray = pytest.importorskip("xarray")
    rng = np.random.default_rng(0)
    losses = {"decay": ("point", rng.normal(size=60))}
    xarray.Dataset(losses).to_zarr(tmp_path / "losses.zarr")
    frame = xarray.open_zarr(tmp_path / "losses.zarr").to_dataframe()
    np.testing.assert_array_equal(frame["decay"], losses["decay"][1])
