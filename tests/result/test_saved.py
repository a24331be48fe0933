"""Saved results: the same decision again; archives that were changed are refused."""

import json
import zipfile

import numpy as np
import pytest

import rivals
from problems import problem
from rivals import Losses
from rivals._core.setting import CalibratedC
from rivals.laws import Beta

GROUPS = problem(0, n_models=3, sizes=[12] * 6, n_simulations=2, left_out=True)
ALONE = problem(1, n_models=3, n_simulations=2).without_groups
MANY = problem(2, n_models=520, sizes=[5] * 4, n_simulations=1).without_groups


def results():
    return {
        "groups": lambda: GROUPS.compare(threshold=0.9, new_groups=np.inf, rng=0),
        "looks": lambda: GROUPS.compare(looks="any", level=0.5, rng=0),
        "transport": lambda: rivals.compare(ALONE, c=CalibratedC(0.5, {"rule": "bound"}), rng=0),
        "series": lambda: rivals.compare(ALONE, order="time", rng=0),
        "many models": lambda: rivals.compare(MANY, rng=0),
        "beta": lambda: rivals.compare(ALONE, method=Beta(depth=5, n_draws=300), rng=3),
        "paper": lambda: rivals.compare(
            {name: (x, s[0]) for name, (x, s) in ALONE.items()}, method="paper", rng=4
        ),
    }


@pytest.mark.parametrize("name", results())
def test_it_is_the_same_result_again(name, tmp_path):
    result = results()[name]()
    path = tmp_path / "result.npz"
    result.save(path)
    again = rivals.load(path)
    assert str(again) == str(result)
    assert again.details() == result.details()
    assert again.methods() == result.methods()
    assert again.to_dict() == result.to_dict()
    assert [each.name for each in tmp_path.iterdir()] == ["result.npz"]
    again.save(path)
    assert str(rivals.load(path)) == str(result)


def test_what_was_noticed_is_kept(tmp_path):
    a = np.random.default_rng(0).exponential(size=200)
    result = rivals.compare({"A": a, "B": a + 0.1, "C": -a}, groups=np.arange(200) % 5)
    assert "from_log_likelihood" in result.conclusion
    result.save(tmp_path / "x.npz")
    assert rivals.load(tmp_path / "x.npz").conclusion == result.conclusion


def test_what_cannot_be_saved_is_said(tmp_path):
    result = rivals.compare(ALONE, rng=0)

    class Own(rivals.laws.Transport):
        pass

    with pytest.raises(TypeError, match="cannot be saved"):
        rivals.compare(ALONE, method=Own(), rng=0).save(tmp_path / "x.npz")
    with pytest.raises(FileNotFoundError):
        result.save(tmp_path / "no folder" / "x.npz")
    with pytest.raises(FileNotFoundError):
        rivals.load(tmp_path / "nothing.npz")
    with pytest.raises(ValueError, match="no comparison can be read"):
        rivals.load(tmp_path)


def changed(path, change, arrays=None):
    """The archive with another header or other arrays."""
    with np.load(path) as archive:
        found = {name: archive[name] for name in archive.files}
    header = json.loads(str(found["header"]))
    header = change(header) or header
    found["header"] = np.array(json.dumps(header))
    found.update(arrays or {})
    np.savez_compressed(path, **found)


def put(**values):
    """Sets fields, "a__b" the field b of a."""

    def change(header):
        for name, value in values.items():
            *outer, last = name.split("__")
            inside = header
            for each in outer:
                inside = inside[each]
            inside[last] = value

    return change


NOTE = {"code": "same losses", "models": ["m0", "m1"], "value": 0.0}
BY_HAND = [
    put(format="other"),
    put(method="none"),
    put(method="groups"),
    put(method_options={"x": 1}),
    put(method_options=[]),
    put(setting__c=-1.0),
    put(setting__threshold=2.0),
    put(setting__level=1.0),
    put(setting__rng=-1),
    put(setting__rng="1"),
    put(setting__other=1),
    put(setting__new_groups=3),
    put(setting__looks="any"),
    put(setting=None),
    put(models=["m0"]),
    put(models=["m0", "m1", "m1"]),
    put(models=["m0", "m1", "\x1b[31m"]),
    put(models=["m0", "m1", 3]),
    put(models=["m0", "m1", "m2", "m3"]),
    put(source={"loss": 3}),
    put(source__loss="\x1b[2J"),
    put(source=None),
    put(noticed=[{**NOTE, "code": "other"}]),
    put(noticed=[{**NOTE, "models": ["other"]}]),
    put(noticed=[{**NOTE, "models": []}]),
    put(noticed=3),
    put(summary__reference=float("nan")),
    put(summary__reference=1e400),
    put(summary__degrees=0.0),
    put(summary__degrees=float("nan")),
    put(summary__factor=-1.0),
    put(summary__factor=float("nan")),
    put(summary__n_points=-5),
    put(summary__n_points=1.5),
    put(summary={}),
    lambda header: [1, 2],
    lambda header: "text",
    lambda header: header.pop("method") and None,
]


@pytest.mark.parametrize("change", BY_HAND)
def test_headers_made_by_hand_are_refused(change, tmp_path):
    path = tmp_path / "x.npz"
    rivals.compare(ALONE, rng=0).save(path)
    changed(path, change)
    with pytest.raises(ValueError, match="no comparison can be read from it"):
        rivals.load(path)


ARRAYS = [
    {"misfits": np.array([[-1.0, 1.0, 1.0]])},
    {"misfits": np.array([[np.nan, 1.0, 1.0]])},
    {"misfits": np.ones((2, 4))},
    {"means": np.ones(2)},
    {"means": np.array([0.0, np.inf, 1.0])},
    {"means": np.array(["a", "b", "c"])},
    {"own": np.array([-1.0, 1.0, 1.0])},
    {"pairs": -np.ones((3, 3))},
    {"pairs": np.ones((2, 2))},
    {"pairs": np.empty((0, 0)), "gaps": np.empty((0, 0))},
    {"misfits": np.empty((0, 3))},
    {"pairs": np.array([[0.0, 1.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]])},
    {"pairs": np.ones((3, 3))},
    {"own": np.zeros(3)},
]


@pytest.mark.parametrize("arrays", ARRAYS)
def test_arrays_made_by_hand_are_refused(arrays, tmp_path):
    path = tmp_path / "x.npz"
    rivals.compare(ALONE, rng=0).save(path)
    changed(path, lambda header: None, arrays)
    with pytest.raises(ValueError, match="no comparison can be read from it"):
        rivals.load(path)


@pytest.mark.parametrize("n_draws", [1, 2 * 10**8, 10**11, -1, 1.5, "many"])
def test_a_number_of_draws_that_would_fill_the_memory_is_refused(n_draws, tmp_path):
    """Issue: 2e8 took 1.6 GB, and 1e11 ended in a raw MemoryError."""
    path = tmp_path / "x.npz"
    rivals.compare(ALONE, method=Beta(depth=3, n_draws=10), rng=0).save(path)
    changed(path, put(method_options__n_draws=n_draws))
    with pytest.raises(ValueError, match="n_draws"):
        rivals.load(path)


def test_pickles_are_not_read(tmp_path):
    path = tmp_path / "x.npz"
    rivals.compare(ALONE, rng=0).save(path)
    changed(path, lambda header: None, {"own": np.array([print, 1, 2], dtype=object)})
    with pytest.raises(ValueError, match="no comparison can be read from it"):
        rivals.load(path)


def test_gigabytes_in_kilobytes_are_refused_before_they_are_unpacked(tmp_path):
    path = tmp_path / "x.npz"
    rivals.compare(ALONE, rng=0).save(path)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.npy", "w", force_zip64=True) as member,
    ):
        for _ in range(40):
            member.write(bytes(2**23))
    with pytest.raises(ValueError, match="unpacks into"):
        rivals.load(path)


def test_files_that_were_cut_or_are_something_else_are_refused(tmp_path):
    path = tmp_path / "x.npz"
    rivals.compare(ALONE, rng=0).save(path)
    whole = path.read_bytes()
    for size in range(0, len(whole), max(len(whole) // 40, 1)):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="no comparison can be read from it"):
            rivals.load(path)
    for text in (b"", b"not an archive", b"PK\x03\x04", b"\x93NUMPY"):
        path.write_bytes(text)
        with pytest.raises(ValueError, match="no comparison can be read from it"):
            rivals.load(path)


def test_a_file_stays_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "x.npz"
    result = rivals.compare({name: Losses(*pair) for name, pair in ALONE.items()}, rng=0)
    result.save(path)
    before = path.read_bytes()

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="No space left"):
        result.save(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["x.npz"]
