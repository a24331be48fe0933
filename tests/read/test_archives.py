"""NPZ archives and labelled arrays."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rivals
from rivals.read import arviz_tree, dataset, losses_from_files, npz

rng = np.random.default_rng(0)
ARRAYS = {
    f"{name}/{kind}": rng.exponential(size=40)
    for name in ("A", "sub/B")
    for kind in ("observed", "synthetic")
}


def test_archive_gives_back_what_went_in(tmp_path):
    np.savez_compressed(tmp_path / "losses.npz", **ARRAYS)
    found = npz(tmp_path / "losses.npz")
    assert list(found) == ["A", "sub/B"]
    np.testing.assert_array_equal(found["sub/B"].synthetic, ARRAYS["sub/B/synthetic"])


def test_saved_comparison_is_read_too(tmp_path):
    result = rivals.compare(
        {name: (ARRAYS[f"{name}/observed"], ARRAYS[f"{name}/synthetic"]) for name in ("A", "sub/B")}
    )
    result.save(tmp_path / "saved.npz")
    found = npz(tmp_path / "saved.npz")
    assert {name: losses.empirical_risk for name, losses in found.items()} == dict(
        result.empirical_risk
    )


def test_simulations_are_rows_and_may_be_absent(tmp_path):
    several = {
        key: np.arange(6.0).reshape(2, 3) if "synthetic" in key else np.arange(3.0)
        for key in ARRAYS
    }
    np.savez(tmp_path / "several.npz", **several)
    np.testing.assert_array_equal(
        npz(tmp_path / "several.npz")["A"].synthetic, np.arange(6.0).reshape(2, 3)
    )
    np.savez(
        tmp_path / "observed.npz",
        **{key: array for key, array in ARRAYS.items() if "observed" in key},
    )
    assert npz(tmp_path / "observed.npz")["A"].n_simulations == 0


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"A": np.ones(3)}, "array 'A' is not called MODEL/observed"),
        (
            {
                "A/observed": np.arange(3.0),
                "B/observed": np.arange(3.0),
                "B/synthetic": np.arange(3.0),
            },
            "model 'A': no array A/synthetic",
        ),
        ({"A/synthetic": np.arange(3.0)}, "model 'A': no array A/observed"),
        (
            {
                "A/observed": np.ones(3),
                "A/synthetic": np.ones(3),
                "B/observed": np.ones(3),
                "B/synthetic": np.ones((2, 3)),
            },
            r"model 'B' has 2 simulation\(s\), but model 'A' has 1; give all models the "
            r"same number",
        ),
        (
            {"A/observed": np.ones((2, 2)), "A/synthetic": np.ones(3)},
            r"model 'A': observed losses: .*shape \(2, 2\)",
        ),
    ],
)
def test_errors_name_the_array(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        rivals.compare(npz(tmp_path / "a.npz"))


def test_pickles_are_never_loaded(tmp_path):
    np.savez(
        tmp_path / "a.npz",
        **{"A/observed": np.array([object()]), "A/synthetic": np.ones(3)},
        allow_pickle=True,
    )
    with pytest.raises(ValueError, match="cannot be read as an NPZ archive of numbers"):
        npz(tmp_path / "a.npz")


def test_an_empty_archive_is_refused(tmp_path):
    """So looks one whose end was damaged."""
    np.savez(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"a\.npz: the archive is empty, or damaged"):
        losses_from_files(tmp_path / "a.npz")


def test_what_is_no_archive_is_refused(tmp_path):
    (tmp_path / "a.npz").write_text("model,kind,loss")
    with pytest.raises(ValueError, match=r"a\.npz"):
        npz(tmp_path / "a.npz")


class TestDataset:
    xarray = pytest.importorskip(
        "xarray", reason='labelled arrays need xarray: pip install "rivals[arviz]"'
    )

    def make(self, **change):
        variables = {
            "observed": (("point", "model"), np.arange(12.0).reshape(6, 2)),
            "synthetic": (("model", "a", "b"), np.arange(16.0).reshape(2, 4, 2)),
        }
        return self.xarray.Dataset(variables | change, coords={"model": ["A", "B"]})

    def test_other_dimensions_are_flattened(self):
        found = dataset(self.make())
        np.testing.assert_array_equal(found["B"].observed, np.arange(1.0, 12.0, 2.0))
        np.testing.assert_array_equal(found["B"].synthetic, np.arange(8.0, 16.0))

    def test_simulations_are_kept_apart(self):
        synthetic = np.arange(24.0).reshape(2, 2, 3, 2)
        source = self.make(synthetic=(("a", "model", "simulation", "b"), synthetic))
        found = dataset(source)
        np.testing.assert_array_equal(
            found["B"].synthetic, synthetic[:, 1].transpose(1, 0, 2).reshape(3, 4)
        )
        other = dataset(source.rename(simulation="run"), simulation="run")
        np.testing.assert_array_equal(other["B"].synthetic, found["B"].synthetic)

    @pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
    def test_a_netcdf_file_is_read(self, tmp_path, engine):
        pytest.importorskip(engine)
        self.make().to_netcdf(tmp_path / "ds.nc", engine=engine)
        for found in (
            dataset(tmp_path / "ds.nc"),
            dataset(str(tmp_path / "ds.nc")),
            losses_from_files(tmp_path / "ds.nc"),
        ):
            np.testing.assert_array_equal(found["B"].synthetic, np.arange(8.0, 16.0))
        turned = losses_from_files(tmp_path / "ds.nc", models=["B"], log_likelihood=True)
        np.testing.assert_array_equal(turned["B"].synthetic, -np.arange(8.0, 16.0))

    @pytest.mark.filterwarnings("ignore")  # older releases warn of their own format
    def test_a_zarr_folder_is_read_and_its_pickles_are_not(self, tmp_path):
        pytest.importorskip("zarr", reason='Zarr needs zarr: pip install "rivals[zarr]"')
        self.make().to_zarr(tmp_path / "ds.zarr")
        found = losses_from_files(tmp_path / "ds.zarr")
        np.testing.assert_array_equal(found["B"].synthetic, np.arange(8.0, 16.0))
        metadata = next((tmp_path / "ds.zarr" / "observed").glob("*z*ar*"))
        content = json.loads(metadata.read_text()) | {"filters": [{"id": "pickle"}]}
        metadata.write_text(json.dumps(content))
        with pytest.raises(
            ValueError, match=r"names the codec 'pickle', which is not used: nothing is unpickled"
        ):
            dataset(tmp_path / "ds.zarr")

    @pytest.mark.filterwarnings("ignore")  # older releases warn of their own format
    def test_a_tree_of_arviz_is_read_from_zarr(self, tmp_path):
        pytest.importorskip("zarr", reason='Zarr needs zarr: pip install "rivals[zarr]"')
        groups = self.tree(np.random.default_rng(0), 0.0)
        self.xarray.DataTree.from_dict(groups).to_zarr(tmp_path / "a.zarr")
        found, expected = (
            arviz_tree(source, reduction="lpd") for source in (tmp_path / "a.zarr", groups)
        )
        np.testing.assert_array_equal(found.observed, expected.observed)
        np.testing.assert_array_equal(found.synthetic, expected.synthetic)

    def test_a_path_is_no_dataset_of_letters(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            dataset("ds.nc")
        (tmp_path / "ds.nc").write_text("observed")
        with pytest.raises(ValueError, match=r"ds\.nc: cannot be read as a NetCDF file"):
            dataset(tmp_path / "ds.nc")
        with pytest.raises(
            TypeError, match="expected an xarray Dataset, or the path of a NetCDF file"
        ):
            dataset([1.0, 2.0])

    def test_claims_of_terabytes_are_refused(self, tmp_path):
        h5py = pytest.importorskip("h5py")
        with h5py.File(tmp_path / "ds.nc", "w") as file:
            file.create_dataset("observed", shape=(2**20, 2**20), chunks=(64, 64), dtype="f8")
        with pytest.raises(ValueError, match="would unpack to 8 TiB"):
            dataset(tmp_path / "ds.nc")

    def test_two_models_of_one_name_are_refused(self):
        with pytest.raises(ValueError, match="two models are called 'A'"):
            dataset(self.make().assign_coords(model=["A", "A"]))
        with pytest.raises(ValueError, match="or one has no name"):
            dataset(self.make().assign_coords(model=np.array(["A", None], dtype=object)))

    def tree(self, rng, shift):
        group = lambda: self.xarray.Dataset(  # noqa: E731
            {"y": (("chain", "draw", "point"), -shift - rng.exponential(size=(2, 10, 50)))}
        )
        return {"log_likelihood_held_out": group(), "log_likelihood_simulated": group()}

    def test_trees_of_arviz_are_models(self, tmp_path):
        """Two files, called as the models, or one file with a group for each."""
        pytest.importorskip("h5netcdf")
        rng = np.random.default_rng(0)
        trees = {"plain": self.tree(rng, 0.0), "worse": self.tree(rng, 1.0)}
        for name, groups in trees.items():
            self.xarray.DataTree.from_dict(groups).to_netcdf(
                tmp_path / f"{name}.nc", engine="h5netcdf"
            )
        both = {
            f"{name}/{key}": group
            for name, groups in trees.items()
            for key, group in groups.items()
        }
        self.xarray.DataTree.from_dict(both).to_netcdf(tmp_path / "both.nc", engine="h5netcdf")
        expected = {name: arviz_tree(groups, reduction="lpd") for name, groups in trees.items()}
        for found in (
            losses_from_files(tmp_path / "plain.nc", tmp_path / "worse.nc"),
            losses_from_files(tmp_path / "both.nc"),
        ):
            assert list(found) == ["plain", "worse"]
            for name, losses in found.items():
                np.testing.assert_array_equal(losses.observed, expected[name].observed)
                np.testing.assert_array_equal(losses.synthetic, expected[name].synthetic)
        fitted = {"posterior": trees["plain"]["log_likelihood_held_out"]}
        fitted["log_likelihood"] = fitted["posterior"]
        self.xarray.DataTree.from_dict(fitted).to_netcdf(tmp_path / "fitted.nc", engine="h5netcdf")
        with pytest.raises(
            ValueError,
            match=r"model 'fitted': the tree: no group 'log_likelihood_held_out'; it has "
            r"posterior, log_l",
        ):
            losses_from_files(tmp_path / "fitted.nc", tmp_path / "worse.nc")
        self.make(observed=(("x",), np.ones(2))).drop_vars("synthetic").to_netcdf(
            tmp_path / "odd.nc"
        )
        with pytest.raises(
            ValueError,
            match=r"odd\.nc: expected the variables observed and synthetic, or for each model",
        ):
            losses_from_files(tmp_path / "odd.nc")
        for first in (
            "odd.nc",
            "both.nc",
        ):  # nothing of it would be read, or one of two models of one name
            with pytest.raises(
                ValueError,
                match=r"odd\.nc: expected the variables|model 'worse': .*worse\.nc is called "
                r"so, too",
            ):
                losses_from_files(tmp_path / first, tmp_path / "worse.nc")

    def test_errors_name_what_is_absent(self):
        with pytest.raises(ValueError, match="no variable 'synthetic'"):
            dataset(self.make().drop_vars("synthetic"))
        with pytest.raises(ValueError, match="no dimension 'model' to tell models apart"):
            dataset(self.make(observed=(("point",), np.arange(6.0))))
        with pytest.raises(ValueError, match="has no coordinate"):
            dataset(self.make().drop_vars("model"))
        bad = self.make()
        bad["observed"][3, 1] = np.nan
        with pytest.raises(ValueError, match="model 'B': observed losses: 1 of 6 are NaN"):
            dataset(bad)


def test_a_damaged_table_of_contents_hides_no_model(tmp_path):
    """The length of a comment that is not there makes the entries behind it part of it."""
    rng = np.random.default_rng(0)
    np.savez(
        tmp_path / "t.npz", **{f"{model}/observed": rng.exponential(size=9) for model in "ABC"}
    )
    content = bytearray((tmp_path / "t.npz").read_bytes())
    second = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 4)
    content[second + 32 : second + 34] = (46 + len("C/observed.npy")).to_bytes(2, "little")
    (tmp_path / "t.npz").write_bytes(content)
    with pytest.raises(ValueError, match="lists 2 of 3 arrays: it is damaged"):
        losses_from_files(tmp_path / "t.npz")
