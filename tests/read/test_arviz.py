"""ArviZ trees: reductions against their formulas, both kinds of tree, files, and the
warning about training data.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rivals import RivalsWarning
from rivals.read import arviz_tree, kfold_elpd

xarray = pytest.importorskip(
    "xarray", reason='ArviZ trees need xarray: pip install "rivals[arviz]"'
)

rng = np.random.default_rng(0)
HELD_OUT = -rng.exponential(size=(2, 25, 4, 10))
SIMULATED = -rng.exponential(size=(2, 25, 4, 10))


def group(values, name="y"):
    return xarray.Dataset({name: (("chain", "draw", "row", "column")[: values.ndim], values)})


def tree(**more):
    groups = {
        "log_likelihood_held_out": group(HELD_OUT),
        "log_likelihood_simulated": group(SIMULATED),
    }
    return xarray.DataTree.from_dict(groups | more)


class InferenceData:
    """What ArviZ 0.x offers: groups are datasets, listed by a method."""

    def __init__(self, groups):
        self._groups = groups

    def groups(self):
        return list(self._groups)

    def __getitem__(self, name):
        return self._groups[name]


@pytest.mark.parametrize(
    ("reduction", "formula"),
    [
        ("lpd", lambda values: -np.log(np.mean(np.exp(values), axis=(0, 1)))),
        ("mean", lambda values: -np.mean(values, axis=(0, 1))),
    ],
)
def test_reductions(reduction, formula):
    found = arviz_tree(tree(), reduction=reduction)
    np.testing.assert_allclose(found.observed, formula(HELD_OUT).ravel())
    np.testing.assert_allclose(found.synthetic, formula(SIMULATED).ravel())


def test_simulations_are_kept_apart():
    dims = ("chain", "draw", "simulation", "point")
    simulated = xarray.Dataset({"y": (dims, SIMULATED)})
    found = arviz_tree(tree(log_likelihood_simulated=simulated), reduction="mean")
    np.testing.assert_allclose(found.synthetic, -SIMULATED.mean(axis=(0, 1)))
    assert found.synthetic.shape == (4, 10)


def test_lpd_survives_log_likelihoods_that_underflow():
    groups = {
        name: group(HELD_OUT - 5000.0)
        for name in ("log_likelihood_held_out", "log_likelihood_simulated")
    }
    shifted = arviz_tree(xarray.DataTree.from_dict(groups), reduction="lpd")
    np.testing.assert_allclose(
        shifted.observed - 5000.0, arviz_tree(tree(), reduction="lpd").observed
    )


def test_plugin_takes_one_draw_only():
    single = {
        "log_likelihood_held_out": group(HELD_OUT[:1, :1]),
        "log_likelihood_simulated": group(SIMULATED[:1, :1]),
    }
    np.testing.assert_array_equal(
        arviz_tree(single, reduction="plugin").observed, -HELD_OUT[0, 0].ravel()
    )
    with pytest.raises(ValueError, match="one set of parameters, but there are 50 draws"):
        arviz_tree(tree(), reduction="plugin")


def test_the_old_kind_of_tree_gives_the_same():
    old = InferenceData({name: node.dataset for name, node in tree().children.items()})
    np.testing.assert_array_equal(
        arviz_tree(old, reduction="lpd").observed, arviz_tree(tree(), reduction="lpd").observed
    )


def test_netcdf_gives_the_same(tmp_path):
    pytest.importorskip("h5netcdf")
    tree().to_netcdf(tmp_path / "tree.nc", engine="h5netcdf")
    found = arviz_tree(tmp_path / "tree.nc", reduction="lpd")
    np.testing.assert_allclose(
        found.observed, arviz_tree(tree(), reduction="lpd").observed, rtol=1e-12
    )


def test_training_data_are_warned_of():
    with pytest.warns(RivalsWarning, match="data that the model was fitted to"):
        arviz_tree(tree(log_likelihood=group(HELD_OUT)), reduction="lpd", held_out="log_likelihood")


def test_only_training_data_is_an_error_that_says_so():
    only = xarray.DataTree.from_dict(
        {"log_likelihood": group(HELD_OUT), "posterior": group(HELD_OUT)}
    )
    with pytest.raises(
        ValueError,
        match=r"no group 'log_likelihood_held_out'.*is that of the data the model was "
        r"fitted.*leave_one_out=True",
    ):
        arviz_tree(only, reduction="lpd")


def test_errors_name_group_variable_and_dimension():
    several = group(HELD_OUT).assign(z=group(HELD_OUT)["y"])
    with pytest.raises(
        ValueError, match=r"group 'log_likelihood_held_out': no variable chosen.*\['y', 'z'\]"
    ):
        arviz_tree(tree(log_likelihood_held_out=several), reduction="lpd")
    with pytest.raises(ValueError, match="no variable 'w'"):
        arviz_tree(tree(), reduction="lpd", variable="w")
    with pytest.raises(ValueError, match="no dimension 'sample'"):
        arviz_tree(tree(), reduction="lpd", sample_dims=("sample",))
    with pytest.raises(ValueError, match="reduction must be"):
        arviz_tree(tree(), reduction="elpd")
    infinite = HELD_OUT.copy()
    infinite[..., 0, 0] = -np.inf
    with pytest.raises(ValueError, match="zero probability to 1 of 40"):
        arviz_tree(tree(log_likelihood_held_out=group(infinite)), reduction="lpd")


def test_a_tree_without_simulations_has_observed_losses_alone():
    saved = xarray.DataTree.from_dict(
        {"log_likelihood_held_out": group(HELD_OUT), "posterior_predictive": group(SIMULATED)}
    )
    with pytest.warns(
        RivalsWarning,
        match=r"cannot be computed from posterior_predictive without the model\. Compare them",
    ):
        found = arviz_tree(saved, reduction="lpd")
    assert found.n_simulations == 0
    np.testing.assert_array_equal(found.observed, arviz_tree(tree(), reduction="lpd").observed)


def test_elpd_of_points_is_no_kfold_by_groups():
    with pytest.raises(TypeError, match="got ELPDData of kind 'loo', in which no group"):
        kfold_elpd(SimpleNamespace(kind="loo"), groups=[1, 2])
    with pytest.raises(TypeError, match="got list, in which no group"):
        kfold_elpd([1.0], groups=[1])
