# needs: arviz-base>=0.5, arviz-stats[xarray]>=0.8, h5netcdf, h5py, zarr>=3.0.8
"""DataTree of ArviZ 1.x (of arviz-base before, for old Python), in memory, as NetCDF file
and as Zarr folder; leave-one-out against its own.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import arviz_tree

arviz_base = pytest.importorskip("arviz_base")
arviz_stats = pytest.importorskip("arviz_stats")
# What the library and its own dependencies warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

rng = np.random.default_rng(0)
Y = rng.normal(size=30)
MU = Y.mean() + rng.normal(size=(2, 500)) / np.sqrt(Y.size)
TRAINED, HELD_OUT = (stats.norm.logpdf(y, MU[..., None]) for y in (Y, rng.normal(size=30)))
SIMULATED = stats.norm.logpdf(rng.normal(size=(4, 30)), MU[..., None, None])


@pytest.fixture(scope="module")
def tree():
    groups = {
        "posterior": {"mu": MU},
        "log_likelihood": {"y": TRAINED},
        "log_likelihood_held_out": {"y": HELD_OUT},
        "log_likelihood_simulated": {"sim": SIMULATED},
    }
    made = arviz_base.from_dict(groups, dims={"y": ["point"], "sim": ["simulation", "point"]})
    made["log_likelihood_simulated"] = made["log_likelihood_simulated"].to_dataset().rename(sim="y")
    return made


def lpd(likelihood):
    return np.log(1000) - logsumexp(likelihood, axis=(0, 1))


def test_losses_are_those_by_hand(tree):
    assert type(tree).__name__ == "DataTree"
    found = arviz_tree(tree, reduction="lpd")
    np.testing.assert_allclose(found.observed, lpd(HELD_OUT), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.synthetic, lpd(SIMULATED), rtol=0, atol=1e-12)


@pytest.mark.parametrize("store", ["tree.nc", "tree.zarr"])
def test_stores_give_the_same(tree, tmp_path, store):
    if store.endswith(".nc"):
        tree.to_netcdf(tmp_path / store, engine="h5netcdf")
    else:
        pytest.importorskip("zarr")
        tree.to_zarr(tmp_path / store)
    found, expected = (
        arviz_tree(tmp_path / store, reduction="lpd"),
        arviz_tree(tree, reduction="lpd"),
    )
    np.testing.assert_array_equal(found.observed, expected.observed)
    np.testing.assert_array_equal(found.synthetic, expected.synthetic)


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_leave_one_out_is_that_of_arviz(correlation):
    """Chains that are correlated have a smaller effective size, and a longer tail is smoothed."""
    walk = np.random.default_rng(1).normal(size=(2, 500))
    for step in range(1, 500):
        walk[:, step] = (
            correlation * walk[:, step - 1] + np.sqrt(1 - correlation**2) * walk[:, step]
        )
    mu = Y.mean() + walk / np.sqrt(Y.size)
    groups = {"posterior": {"mu": mu}, "log_likelihood": {"y": stats.norm.logpdf(Y, mu[..., None])}}
    saved = arviz_base.from_dict(groups, dims={"y": ["point"]})
    with pytest.warns(
        rivals.RivalsWarning, match=r"has observed losses alone.*left_out_posterior if there are"
    ):
        found = arviz_tree(saved, reduction="lpd", leave_one_out=True)
    theirs = arviz_stats.loo(saved, var_name="y", pointwise=True)
    np.testing.assert_allclose(
        found.observed, -np.asarray(theirs.elpd_i).ravel(), rtol=0, atol=1e-12
    )
    assert found.n_simulations == 0


def test_kfold_by_groups_is_read_to_rounding():
    """The log predictive density of each point without its group, by hand from the same draws."""
    arviz_base = pytest.importorskip("arviz_base")
    arviz_stats = pytest.importorskip("arviz_stats")
    xarray = pytest.importorskip("xarray")
    if not hasattr(arviz_stats, "loo_kfold"):
        pytest.skip("this arviz-stats has no loo_kfold")
    from arviz_stats.loo import SamplingWrapper

    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(4), 5)
    y = rng.normal(size=20) + groups

    def drawn(values):
        return np.random.default_rng(1).normal(values.mean(), 0.3, size=400)

    class Wrapper(SamplingWrapper):
        def sel_observations(self, idx):
            rest = np.setdiff1d(np.arange(20), idx)
            return {"y": y[rest]}, {"y": y[idx], "rows": idx}

        def sample(self, modified_observed_data):
            return drawn(modified_observed_data["y"])

        def get_inference_data(self, fitted_model):
            return arviz_base.from_dict({"posterior": {"mean": fitted_model[None, :]}})

        def log_likelihood__i(self, excluded_obs, idata__i):
            mean = idata__i.posterior["mean"].values
            values = stats.norm(mean[..., None], 1.0).logpdf(excluded_obs["y"])
            coords = {"point": excluded_obs["rows"]}
            return xarray.DataArray(values, dims=["chain", "draw", "point"], coords=coords)

    whole = stats.norm(drawn(y)[None, :, None], 1.0).logpdf(y)
    tree = arviz_base.from_dict(
        {"posterior": {"mean": drawn(y)[None, :]}, "log_likelihood": {"y": whole}},
        dims={"y": ["point"]},
    )
    elpd = arviz_stats.loo_kfold(
        tree, Wrapper(model=None, idata_orig=tree), k=4, group_by=groups, pointwise=True
    )
    expected = np.empty(20)
    for group in range(4):
        inside = groups == group
        densities = stats.norm(drawn(y[~inside])[:, None], 1.0).logpdf(y[inside])
        expected[inside] = np.log(400) - logsumexp(densities, axis=0)
    losses = rivals.read.kfold_elpd(elpd, groups=groups)
    np.testing.assert_allclose(losses.observed, expected, rtol=1e-12)
    assert losses.groups.tolist() == groups.tolist()
    elpd.elpd_i = None
    with pytest.raises(ValueError, match="pass pointwise=True"):
        rivals.read.kfold_elpd(elpd, groups=groups)
