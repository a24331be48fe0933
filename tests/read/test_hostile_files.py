"""Files that are damaged, or made to harm: read, or refused in a sentence, soon, and in
little memory.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import struct
import sys
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
import pytest

import rivals
from rivals.comparison import archive
from rivals.read import long_table, losses_from_files, npz

hostile = pytest.importorskip("stress.hostile")

if sys.platform == "win32":
    pytest.skip("pipes, devices and limits of memory are those of POSIX", allow_module_level=True)

ENDINGS = ["csv", "csv.gz", "tsv", "parquet", "xlsx", "npz", "nc"]


def refused(path, message):
    for read in (
        (losses_from_files, long_table)
        if path.suffix not in (".npz", ".nc")
        else (losses_from_files,)
    ):
        begin = time.monotonic()
        with pytest.raises((ValueError, OSError, ImportError), match=message) as caught:
            read(path)
        assert time.monotonic() - begin < 5.0
        assert type(caught.value) in (ValueError, ImportError, IsADirectoryError)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_no_plain_file_is_refused_at_once(tmp_path, ending):
    message = "is not a plain file but a pipe or a device|pip install"
    os.mkfifo(tmp_path / f"pipe.{ending}")
    refused(tmp_path / f"pipe.{ending}", message)
    (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
    refused(tmp_path / f"zero.{ending}", message)
    (tmp_path / f"folder.{ending}").mkdir()
    refused(tmp_path / f"folder.{ending}", "is a folder|Zarr|pip install")


def test_saved_comparisons_are_plain_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    with pytest.raises(ValueError, match="is not a plain file"):
        rivals.load(tmp_path / "pipe.npz")


def npy(header: dict[str, object], data: bytes = b"") -> bytes:
    text = f"{header!r}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def zipped(
    path: Path,
    members: dict[str, bytes] | list[tuple[str, bytes]],
    compression=zipfile.ZIP_DEFLATED,
) -> None:
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members.items() if isinstance(members, dict) else members:
            file.writestr(name, content)


HEADER = {"descr": "<f8", "fortran_order": False, "shape": (2,)}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"A/observed.npy": npy(HEADER | {"shape": (2**40,)})},
            "does not have the 1099511627776 values that its header states",
        ),
        (
            {"A/observed.npy": npy(HEADER | {"shape": (2**40,), "descr": "|V0"})},
            "would unpack to 8 TiB",
        ),
        (
            {"A/observed.npy": npy(HEADER | {"descr": "|O"}, b"cos\nsystem\n.")},
            "Python objects, which are never unpickled",
        ),
        ({"A/observed.npy": npy(HEADER | {"shape": (-2,)}, bytes(16))}, "shape"),
        ({"A/observed.npy": npy({"shape": 2})}, "a.npz: cannot be read"),
        ({"A/observed.npy": b""}, "a.npz: cannot be read"),
        ({"A/observed.npy": b"\x93NUMPY\x09\x00"}, "a.npz: cannot be read"),
        ({"A/observed": np.arange(2.0).tobytes()}, "is not an array"),
        (
            [("A/observed.npy", npy(HEADER, bytes(16)))] * 2,
            "two of its arrays are called 'A/observed'",
        ),
    ],
)
def test_hostile_archives_are_refused(tmp_path, members, message):
    zipped(tmp_path / "a.npz", members)
    refused(tmp_path / "a.npz", message)


def test_names_that_climb_are_only_names(tmp_path):
    """Nothing is ever written to disk by its name in an archive."""
    folder = tmp_path / "in" / "side"
    folder.mkdir(parents=True)
    content = npy(HEADER, np.arange(2.0).tobytes())
    zipped(
        folder / "a.npz",
        {
            f"{name}/{kind}.npy": content
            for name in ("../../x", "/etc/x")
            for kind in ("observed", "synthetic")
        },
    )
    assert list(npz(folder / "a.npz")) == ["../../x", "/etc/x"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.npz", "in", "side"]


def test_other_methods_of_compression_are_refused(tmp_path):
    zipped(tmp_path / "a.npz", {"A/observed.npy": npy(HEADER, bytes(16))}, zipfile.ZIP_LZMA)
    refused(tmp_path / "a.npz", "compressed by a method that NumPy does not use")


@pytest.fixture
def little_memory():
    """At most 2 GiB more than now: what takes more raises MemoryError."""
    if sys.platform != "linux":
        pytest.skip("how much is used is read from /proc")
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**31, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, limits)


def test_a_small_archive_does_not_take_gigabytes(tmp_path, little_memory):
    """Zeros are packed a thousandfold, and a value of one byte becomes one of eight."""
    n = 150_000_000
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open("A/observed.npy", "w") as member,
    ):
        member.write(npy(HEADER | {"descr": "|i1", "shape": (n,)}))
        for _ in range(n // 10**7):
            member.write(bytes(10**7))
    assert (tmp_path / "a.npz").stat().st_size < 2**21
    refused(
        tmp_path / "a.npz",
        "would unpack to 1.12 GiB, but the limit for a file of its size is 1 GiB.*RIVALS_MAX_BYTES",
    )


def test_the_limit_can_be_moved(tmp_path, monkeypatch):
    np.savez_compressed(
        tmp_path / "a.npz",
        **{"A/observed": np.zeros(200_000) + 1.0, "A/synthetic": np.arange(200_000.0)},
    )
    monkeypatch.setenv("RIVALS_MAX_BYTES", "1000000")
    refused(tmp_path / "a.npz", "would unpack to 3.05 MiB")
    np.savez(
        tmp_path / "large.npz",
        **{"A/observed": np.zeros(200_000) + 1.0, "A/synthetic": np.arange(200_000.0)},
    )
    assert (
        npz(tmp_path / "large.npz")["A"].n_observed == 200_000
    )  # a file that is as large as its content is no bomb
    monkeypatch.setenv("RIVALS_MAX_BYTES", "10000000")
    assert npz(tmp_path / "a.npz")["A"].n_observed == 200_000
    monkeypatch.setenv("RIVALS_MAX_BYTES", "much")
    refused(tmp_path / "a.npz", "RIVALS_MAX_BYTES must be a whole number of bytes; got 'much'")


def test_one_long_name_does_not_take_gigabytes(tmp_path, little_memory):
    """0.3 MB: an array of texts would have the length of the longest in every row, 4 GB of them."""
    rows = ["model,kind,loss", f"{'x' * 100_000},observed,1"]
    rows += [f"A,{kind},{index / 7}" for index in range(6000) for kind in ("observed", "synthetic")]
    (tmp_path / "t.csv").write_text("\n".join(rows), encoding="utf-8")
    assert (tmp_path / "t.csv").stat().st_size < 600_000
    assert long_table(tmp_path / "t.csv", models=["A"])["A"].n_observed == 6000


def test_packed_text_is_not_unpacked_without_end(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVALS_MAX_BYTES", str(2**22))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"A,B\n" + b"1,2\n" * 2**22))
    refused(tmp_path / "t.csv.gz", "would unpack to")
    whole = gzip.compress(b"A,B\n1,2\n3,4\n")
    for content in (whole[:-9], whole[:12] + b"\xff" + whole[13:], b"not gzip"):
        (tmp_path / "t.csv.gz").write_bytes(content)
        refused(tmp_path / "t.csv.gz", "cannot be read as a table compressed by gzip")


def test_a_file_with_holes_is_as_large_as_what_it_stores(tmp_path):
    with (tmp_path / "t.csv").open("wb") as file:
        file.truncate(2**40)
    refused(tmp_path / "t.csv", "would unpack to 1 TiB")


def test_columns_that_are_packed_well_are_refused(tmp_path, monkeypatch):
    """A constant takes a few bytes in a file, whatever the number of its rows."""
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"A": np.zeros(2**20), "B": np.zeros(2**20)})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 10_000
    monkeypatch.setenv("RIVALS_MAX_BYTES", str(2**20))
    refused(tmp_path / "t.parquet", "would unpack to 32 MiB")


@pytest.mark.skipif(sys.platform != "linux", reason="how much memory is used is read from /proc")
@pytest.mark.parametrize("kind", hostile.MAKERS)
def test_files_made_to_harm_are_refused(monkeypatch, kind):
    """`make stress` has them in full size; here they, and the limit of memory, are a
    sixty-fourth of that.
    """
    monkeypatch.setattr(hostile, "SCALE", 1 / 64)
    monkeypatch.setenv("RIVALS_MAX_BYTES", str(2**24))
    outcome, remark = hostile.try_hostile(kind, Random(kind))
    assert outcome == "refused", remark


def test_a_folder_of_zarr_that_cannot_be_listed_is_refused(tmp_path):
    """Its files may still be opened by name, but nobody has seen which codecs they ask for."""
    pytest.importorskip("zarr")
    store = hostile.zarr_store(tmp_path, Random(0), 2)
    (store / "observed").chmod(0o311)
    if os.access(store / "observed", os.R_OK):
        pytest.skip("root may list every folder")
    with pytest.raises(ValueError, match="observed is a link, a pipe or a device, or unreadable"):
        losses_from_files(store)


def test_many_texts_are_measured_in_time(tmp_path):
    """One by one, a hundred thousand took 5 s; and those in one packed part, which was
    unpacked for each, hours.
    """
    pytest.importorskip("h5netcdf")
    data = hostile.dataset(Random(0)).assign(
        note=(("line",), np.array([f"n{index}" for index in range(10**5)], object))
    )
    packed = {"note": {"zlib": True, "chunksizes": (10**5,)}}
    data.to_netcdf(tmp_path / "t.nc", engine="h5netcdf", encoding=packed)
    begin = time.process_time()
    assert list(losses_from_files(tmp_path / "t.nc")) == ["A", "B"]
    assert time.process_time() - begin < 3.0


@pytest.mark.filterwarnings("ignore:The codec `vlen-utf8`:UserWarning")  # of old releases of zarr
def test_arrays_in_parts_that_are_whole_are_read(tmp_path):
    """Chunks, texts of any length and dimensions without coordinates are no fault, and nor
    are coordinates of zeros.
    """
    pytest.importorskip("h5netcdf")
    pytest.importorskip("zarr")
    data = hostile.dataset(Random(0)).assign(
        note=(("line",), np.array(["one", "three"], dtype=object))
    )
    data = data.assign_coords(chain=("chain", [0]))
    encoding = {"observed": {"chunksizes": (1, 7), "zlib": True}}
    data.to_netcdf(tmp_path / "t.nc", engine="h5netcdf", encoding=encoding)
    found = [
        losses_from_files(tmp_path / "t.nc"),
        losses_from_files(hostile.zarr_store(tmp_path, Random(1), 2)),
    ]
    found.append(losses_from_files(hostile.zarr_store(tmp_path / "three", Random(1), 3)))
    np.testing.assert_array_equal(found[0]["B"].observed, data["observed"].values[1])
    np.testing.assert_array_equal(found[1]["B"].observed, found[2]["B"].observed)


@pytest.mark.skipif(
    not find_spec("openpyxl"), reason='Excel files need openpyxl: pip install "rivals[excel]"'
)
def test_packed_sheets_are_not_unpacked_without_end(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVALS_MAX_BYTES", str(2**20))
    zipped(tmp_path / "t.xlsx", {"xl/worksheets/sheet1.xml": bytes(2**24)})
    refused(tmp_path / "t.xlsx", "would unpack to 16 MiB")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_something_else_is_refused(tmp_path, ending):
    for content in (
        b"",
        b"\x00" * 600,
        bytes(range(256)) * 4,
        b"PK\x03\x04" + bytes(100),
        b"<html>",
        b"\xff\xfeA\x00",
    ):
        path = tmp_path / f"t.{ending}"
        path.write_bytes(content)
        refused(path, f"t.{ending}".replace(".", r"\.") + "|pip install")


# ---------------------------------------------------------------- saved comparisons


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    losses = {
        name: (rng.exponential(scale, 40), rng.exponential(scale, (3, 40)))
        for name, scale in (("A", 1.0), ("B", 3.0))
    }
    return rivals.compare(losses, law="transport", c=0.1, rng=0)


def test_a_flipped_bit_is_found_or_harmless(result, tmp_path):
    """150 single bits, anywhere in the file: the same comparison, or a sentence."""
    path = tmp_path / "r.npz"
    result.save(path)
    whole = path.read_bytes()
    expected = json.dumps(result.to_dict())
    rng = np.random.default_rng(1)
    outcomes = {"the same": 0, "refused": 0}
    for position, bit in zip(
        rng.integers(len(whole), size=150), rng.integers(8, size=150), strict=True
    ):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            assert json.dumps(rivals.load(path).to_dict()) == expected
            outcomes["the same"] += 1
        except ValueError as error:
            assert "or is damaged" in str(error)  # noqa: PT017
            outcomes["refused"] += 1
    assert outcomes["refused"] > 75


def test_a_cut_file_is_refused(result, tmp_path):
    path = tmp_path / "r.npz"
    result.save(path)
    whole = path.read_bytes()
    for end in [*range(0, len(whole), 512), *range(len(whole) - 80, len(whole))]:
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match="or is damaged"):
            rivals.load(path)


def edit(path: Path, *, drop: tuple[str, ...] = (), seal: bool = False, **changes: object) -> None:
    """Another header, as somebody would write it with NumPy; sealed, as one who knows how
    the checksum is made.
    """
    with np.load(path) as file:
        arrays = {name: file[name] for name in file if name not in drop}
    header = json.loads(bytes(arrays["header"])) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    if seal:
        arrays["checksum"] = archive._checksum(
            {name: array for name, array in arrays.items() if name != "checksum"}
        )
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "changes", [{"c": 0.5}, {"threshold": 0.6}, {"rejections": []}, {"names": ["B", "A"]}]
)
def test_an_edited_header_is_refused(result, tmp_path, changes):
    path = tmp_path / "r.npz"
    result.save(path)
    edit(path)
    assert rivals.load(path).survivors == result.survivors  # written anew, but not changed
    edit(path, **changes)
    with pytest.raises(ValueError, match="do not match its checksum"):
        rivals.load(path)
    edit(path, drop=("checksum",))
    with pytest.raises(ValueError, match="no 'checksum'"):
        rivals.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"law": "gamma"},
        {"c": None},
        {"c": "0.1"},
        {"entropy": -1},
        {"entropy": 1.5},
        {"c": float("nan")},
        {"options": {"n_draws": "many"}},
        {"law": "beta", "options": {"n_draws": "many"}},
        {"law": "groups"},
        {"order": "space"},
        {"threshold": 0.4},
        {"n_simulations": 2},
        {"rejections": [[1, 0, 1.5, 0]]},
        {"rejections": [[1, 0, 0.99, -1]]},
        {"rejections": [[1, 0, True, 0]]},
        {"rejections": [[1, 2, 0.99, 0]]},
        {"unstable": [[1, 0]]},
        {"undecided": [1]},
        {"names": ["A", ""]},
        {"names": ["A", "A"]},
        {"names": None},
    ],
    ids=str,
)
def test_headers_must_make_sense_whatever_the_checksum(result, tmp_path, changes):
    path = tmp_path / "r.npz"
    result.save(path)
    edit(path, seal=True)
    assert rivals.load(path).to_dict() == result.to_dict()
    edit(path, seal=True, **changes)
    with pytest.raises(ValueError, match="or is damaged"):
        rivals.load(path)


def test_the_checksum_covers_name_type_and_shape():
    arrays = {"a": np.arange(4.0)}
    others = [
        {"b": arrays["a"]},
        {"a": arrays["a"].reshape(2, 2)},
        {"a": arrays["a"].view(np.int64)},
        {"a": -arrays["a"]},
    ]
    sums = {archive._checksum(each).tobytes() for each in [arrays, *others]}
    assert len(sums) == 5
    assert archive._checksum({"a": np.asfortranarray(np.ones((2, 3)))}).tobytes() in {
        archive._checksum({"a": np.ones((2, 3))}).tobytes()
    }


def test_the_smallest_numbers_are_shown():
    rng = np.random.default_rng(0)
    found = rivals.compare(
        {name: tuple(rng.exponential(size=(2, 40)) * 1e-310) for name in "AB"}, rng=0
    )
    assert "e-31" in str(found)
