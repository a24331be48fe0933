# needs: arviz<1, matplotlib<3.11, h5netcdf, h5py
"""InferenceData of ArviZ 0.x, in memory and as its own NetCDF file."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from rivals.read import arviz_tree

xarray = pytest.importorskip("xarray")
arviz = pytest.importorskip("arviz")
# What the library and its own dependencies warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

rng = np.random.default_rng(0)
HELD_OUT, SIMULATED = -rng.exponential(size=(2, 50, 30)), -rng.exponential(size=(2, 50, 4, 30))


@pytest.fixture(scope="module")
def tree():
    made = arviz.from_dict(
        posterior={"a": rng.normal(size=(2, 50))}, log_likelihood={"y": HELD_OUT + 0.1}
    )
    for name, values in (("held_out", HELD_OUT), ("simulated", SIMULATED)):
        dims = (
            ("chain", "draw", "simulation", "point")
            if values.ndim == 4
            else ("chain", "draw", "point")
        )
        made.add_groups({f"log_likelihood_{name}": xarray.Dataset({"y": (dims, values)})})
    return made


def lpd(likelihood):
    return np.log(100) - logsumexp(likelihood, axis=(0, 1))


def test_losses_are_those_by_hand(tree):
    assert type(tree).__name__ == "InferenceData"
    found = arviz_tree(tree, reduction="lpd")
    np.testing.assert_allclose(found.observed, lpd(HELD_OUT), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.synthetic, lpd(SIMULATED), rtol=0, atol=1e-12)


def test_a_file_gives_the_same(tree, tmp_path):
    path = tree.to_netcdf(str(tmp_path / "tree.nc"))
    found, expected = arviz_tree(path, reduction="lpd"), arviz_tree(tree, reduction="lpd")
    np.testing.assert_array_equal(found.observed, expected.observed)
    np.testing.assert_array_equal(found.synthetic, expected.synthetic)
    assert found.synthetic.shape == (4, 30)
