"""Files that are in order for their own library, and made to harm: each is refused by a sentence,
soon, and in little memory.

Every maker writes one into a folder, with sizes and places of its own choice, and returns its path.
`bomb` is a file that appears if a pickle in it is loaded; `secret` is a file of somebody else that
must not be read.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import resource
import struct
import sys
import tempfile
import time
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from rivals.read import losses_from_files

# seconds of the processor; all of these are small, and what waits forever is ended by the driver
SLOW = 20.0
ROOM = 3 * 2**29  # bytes, beside what the process has already

SCALE = 1.0  # of what is larger than the limit of memory
METADATA = (".zarray", "zarr.json")
NO_MEMORY = ("not enough memory", "allocation failed", "Wrapping", "bad_alloc")

Maker = Callable[[Path, Random], Path]


class Bomb:
    """Unpickled, it would leave a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return open, (self.path, "w")


def dataset(random: Random, n: int = 40) -> Any:
    import xarray

    values = np.array([random.expovariate(1.0) for _ in range(4 * n)]).reshape(2, 2, n)
    arrays = {
        kind: (("model", "point"), values[index])
        for index, kind in enumerate(("observed", "synthetic"))
    }
    return xarray.Dataset(arrays, coords={"model": ["A", "B"]})


def zarr_store(folder: Path, random: Random, version: int | None = None) -> Path:
    """Chunks of ten points, to be filled by zeros where one is missing."""
    encoding = {kind: {"chunks": (1, 10), "_FillValue": None} for kind in ("observed", "synthetic")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = version or random.choice([2, 3])
        dataset(random).to_zarr(
            folder / "t.zarr", zarr_format=chosen, consolidated=False, encoding=encoding
        )
    return folder / "t.zarr"


def chunks_of(store: Path) -> list[Path]:
    files = [
        path
        for kind in ("observed", "synthetic")
        for path in (store / kind).rglob("*")
        if path.is_file()
    ]
    return sorted(path for path in files if not path.name.startswith((".z", "zarr.json")))


def with_codec(array: Path, codec: str) -> None:
    """Metadata that name a codec as the first to be undone."""
    for name in METADATA:
        if (array / name).exists():
            content = json.loads((array / name).read_text())
            if name == ".zarray":
                content |= {"filters": [{"id": codec}], "dtype": "|O", "compressor": None}
            else:
                content |= {"codecs": [{"name": f"numcodecs.{codec}", "configuration": {}}]}
            (array / name).write_text(json.dumps(content))


def zarr_linked_array(folder: Path, random: Random) -> Path:
    """An array that is a link to one beside the folder, whose chunks are pickles."""
    store = zarr_store(folder, random, version=2)
    kind = random.choice(["observed", "synthetic"])
    (store / kind).rename(folder / "elsewhere")
    with_codec(folder / "elsewhere", "pickle")
    for chunk in [
        path
        for path in (folder / "elsewhere").rglob("*")
        if path.is_file() and not path.name.startswith((".z", "zarr"))
    ]:
        chunk.write_bytes(pickle.dumps(Bomb(str(folder / "bomb"))))
    (store / kind).symlink_to(folder / "elsewhere", target_is_directory=True)
    return store


def zarr_linked_chunk(folder: Path, random: Random) -> Path:
    """The numbers of somebody else."""
    store = zarr_store(folder, random)
    chunk = random.choice(chunks_of(store))
    chunk.rename(folder / "elsewhere")
    chunk.symlink_to(folder / "elsewhere")
    return store


def zarr_piped_chunk(folder: Path, random: Random) -> Path:
    store = zarr_store(folder, random)
    chunk = random.choice(chunks_of(store))
    chunk.unlink()
    os.mkfifo(chunk)
    return store


def zarr_pickles(folder: Path, random: Random) -> Path:
    store = zarr_store(folder, random)
    with_codec(
        store / random.choice(["observed", "synthetic"]),
        random.choice(["pickle", "json2", "unheard-of"]),
    )
    return store


def zarr_missing_chunk(folder: Path, random: Random) -> Path:
    """It would be read as zeros."""
    store = zarr_store(folder, random)
    for path in store.rglob("*"):
        if path.name in (*METADATA, ".zattrs"):
            content = json.loads(path.read_text())
            content.get("attributes", content).pop("_FillValue", None)
            path.write_text(
                json.dumps(
                    content | ({"fill_value": 0.0} if content.get("fill_value") == "NaN" else {})
                )
            )
    random.choice(chunks_of(store)).unlink()
    return store


def zarr_large_chunk(folder: Path, random: Random) -> Path:
    """The array is small, and its chunk is not."""
    store = zarr_store(folder, random)
    for path in store.rglob("*"):
        if path.name in METADATA:
            content = json.loads(path.read_text())
            if "chunks" in content:
                content["chunks"] = [2 ** random.randrange(20, 40)] * len(content["shape"])
            elif "chunk_grid" in content:
                content["chunk_grid"]["configuration"]["chunk_shape"] = [
                    2 ** random.randrange(20, 40)
                ] * len(content["shape"])
            path.write_text(json.dumps(content))
    return store


def hdf5(folder: Path, random: Random) -> Any:
    """An open file of losses, as NetCDF writes it."""
    import h5py

    dataset(random).to_netcdf(folder / "t.nc", engine="h5netcdf")
    return h5py.File(folder / "t.nc", "r+")


def replaced(folder: Path, random: Random, make: Callable[[Any, str], None]) -> Path:
    with hdf5(folder, random) as file:
        name = random.choice(["observed", "synthetic"])
        del file[name]
        make(file, name)
    return folder / "t.nc"


def hdf5_soft_links(folder: Path, random: Random) -> Path:
    """One group by many names: each is loaded."""
    import h5py
    import xarray

    tree = {
        "/": dataset(random),
        "/large": xarray.Dataset(coords={"place": np.zeros(int(2**24 * SCALE))}),
    }
    packed = {"/large": {"place": {"zlib": True, "chunksizes": (int(2**22 * SCALE),)}}}
    xarray.DataTree.from_dict(tree).to_netcdf(folder / "t.nc", engine="h5netcdf", encoding=packed)
    with h5py.File(folder / "t.nc", "r+") as file:
        for index in range(random.randrange(30, 60)):
            file[f"again{index}"] = h5py.SoftLink("/large")
    return folder / "t.nc"


def hdf5_external_link(folder: Path, random: Random) -> Path:
    import h5py

    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = np.ones((2, 40))
    return replaced(
        folder,
        random,
        lambda file, name: file.__setitem__(
            name, h5py.ExternalLink(str(folder / "other.h5"), "/x")
        ),
    )


def hdf5_external_storage(folder: Path, random: Random) -> Path:
    """The bytes of another file become losses."""

    def make(file: Any, name: str) -> None:
        file.create_dataset(
            name, shape=(2, 40), dtype="u1", external=[(str(folder / "secret"), 0, 80)]
        )

    return replaced(folder, random, make)


def hdf5_virtual(folder: Path, random: Random) -> Path:
    """An array in another file; if the file is missing, it is read as fill values."""
    import h5py

    if random.random() < 0.5:
        with h5py.File(folder / "other.h5", "w") as other:
            other["x"] = np.ones((2, 40))

    def make(file: Any, name: str) -> None:
        layout = h5py.VirtualLayout(shape=(2, 40), dtype="f8")
        layout[:] = h5py.VirtualSource(str(folder / "other.h5"), "x", shape=(2, 40))
        file.create_virtual_dataset(name, layout, fillvalue=0.5)

    return replaced(folder, random, make)


def hdf5_missing_chunk(folder: Path, random: Random) -> Path:
    def make(file: Any, name: str) -> None:
        array = file.create_dataset(name, shape=(2, 40), chunks=(1, 10), dtype="f8")
        array[0] = np.arange(40.0)

    return replaced(folder, random, make)


def hdf5_cycle(folder: Path, random: Random) -> Path:
    with hdf5(folder, random) as file:
        group = file
        for index in range(random.randrange(1, 4)):
            group = group.create_group(f"g{index}")
        group["again"] = file if random.random() < 0.5 else group
    return folder / "t.nc"


def hdf5_shared_text(folder: Path, random: Random) -> Path:
    """One long text, to which every cell refers."""
    import h5py

    n = 4000
    texts = np.array(["x" * int(2**20 * SCALE), *map(str, range(n - 1))], dtype=object)
    dataset(random).assign(note=(("line",), texts)).to_netcdf(folder / "t.nc", engine="h5netcdf")
    with h5py.File(folder / "t.nc") as file:
        place = file["note"].id.get_offset()
    content = bytearray((folder / "t.nc").read_bytes())
    content[place : place + 16 * n] = bytes(content[place : place + 16]) * n
    (folder / "t.nc").write_bytes(content)
    return folder / "t.nc"


def hdf5_shared_attribute(folder: Path, random: Random) -> Path:
    """The same in an attribute of the file itself, in a form without checksums."""
    import h5py

    n = random.randrange(2500, 3000)
    long = int(2**20 * SCALE)
    with h5py.File(folder / "t.nc", "w", libver="earliest") as file:
        file.attrs["note"] = ["x" * long, *["y"] * (n - 1)]
    content = bytearray((folder / "t.nc").read_bytes())
    lengths = struct.pack("<I", long), struct.pack("<I", 1)
    place = content.find(lengths[0])
    while content[place + 16 : place + 20] != lengths[1]:
        place = content.find(lengths[0], place + 1)
    content[place : place + 16 * n] = bytes(content[place : place + 16]) * n
    (folder / "t.nc").write_bytes(content)
    return folder / "t.nc"


def hdf5_deep(folder: Path, random: Random) -> Path:
    """Groups within groups: 1 500 took minutes."""
    with hdf5(folder, random) as file:
        file.create_group("/g" * random.randrange(100, 400))
    return folder / "t.nc"


def hdf5_unwritten(folder: Path, random: Random) -> Path:
    """A program that ended early: the rest has the fill value of NetCDF, which xarray takes for
    numbers.
    """

    def make(file: Any, name: str) -> None:
        file[name] = np.full((2, 40), 15 * 2.0**119, dtype=random.choice(["f4", "f8"]))
        file[name][:, : random.randrange(1, 40)] = 1.0
        for place, dimension in enumerate(("model", "point")):
            file[name].dims[place].attach_scale(file[dimension])

    return replaced(folder, random, make)


def zarr_deep(folder: Path, random: Random) -> Path:
    store = zarr_store(folder, random, version=2)
    for depth in range(random.randrange(100, 400)):
        group = Path(store, *["g"] * (depth + 1))
        group.mkdir()
        (group / ".zgroup").write_text('{"zarr_format": 2}')
    return store


def packed(folder: Path, parts: Iterator[bytes]) -> Path:
    with gzip.open(folder / "t.csv.gz", "wb", compresslevel=1) as file:
        file.writelines(parts)
    return folder / "t.csv.gz"


def text_long_line(folder: Path, random: Random) -> Path:
    """Almost a gigabyte in one line, each letter of which takes four bytes, or one of commas."""
    part = random.choice([b"a", b","]) * int(2**24 * SCALE)
    return packed(folder, iter(["model,kind,loss\n\U0001f600".encode(), *[part] * 60]))


def text_empty_lines(folder: Path, random: Random) -> Path:
    """Almost a thousand million lines, of which each takes time."""
    part = random.choice([b"\n", b"\r", b"# \n"]) * int(2**24 * SCALE)
    return packed(folder, iter([part] * 20))


def parquet_rows(folder: Path, random: Random) -> Path:
    """Some kilobytes for a hundred million rows, each of which would become an object."""
    import pyarrow
    import pyarrow.parquet

    kind = random.choice([pyarrow.large_string(), pyarrow.decimal128(9, 2)])
    rows = pyarrow.repeat(
        pyarrow.scalar("x" if pyarrow.types.is_large_string(kind) else Decimal(1), kind),
        int(10**6 * SCALE),
    )
    table = pyarrow.table({"model": rows})
    with pyarrow.parquet.ParquetWriter(
        folder / "t.parquet", table.schema, compression="zstd"
    ) as file:
        for _ in range(random.choice([100, 120])):
            file.write_table(table)
    return folder / "t.parquet"


def sheet(folder: Path, rows: Iterator[bytes]) -> Path:
    """An Excel file with this content of its sheet."""
    import openpyxl

    made = io.BytesIO()
    openpyxl.Workbook().save(made)
    with (
        zipfile.ZipFile(made) as source,
        zipfile.ZipFile(folder / "t.xlsx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target,
    ):
        for name in source.namelist():
            if name != "xl/worksheets/sheet1.xml":
                target.writestr(name, source.read(name))
        with target.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as file:
            file.write(
                b"<worksheet "
                b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            )
            for row in rows:
                file.write(row)
            file.write(b"</sheetData></worksheet>")
    return folder / "t.xlsx"


def excel_far_cell(folder: Path, random: Random) -> Path:
    """Two cells, and 655 million empty ones between them."""
    row = random.randrange(40_000, 1_000_000)
    cells = [
        b'<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>',
        b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (row, row),
    ]
    return sheet(folder, iter(cells))


def excel_long_row(folder: Path, random: Random) -> Path:
    """Two hundred million cells in one row, each of four bytes."""
    return sheet(
        folder,
        iter([b"<row>", *[b"<c/>" * int(10**6 * SCALE)] * random.randrange(190, 230), b"</row>"]),
    )


def excel_laughs(folder: Path, random: Random) -> Path:
    """Entities of entities: a billion letters in some lines."""
    entities = ['<!ENTITY a "' + "ha" * 64 + '">']
    names = "abcdefghij"[: random.randrange(8, 10)]
    entities += [f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)]
    path = sheet(folder, iter([b'<row><c t="str"><v>&%s;</v></c></row>' % names[-1].encode()]))
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    declared = f"<!DOCTYPE worksheet [{''.join(entities)}]>".encode()
    members["xl/worksheets/sheet1.xml"] = declared + members["xl/worksheets/sheet1.xml"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return path


def hdf5_large_chunk(folder: Path, random: Random) -> Path:
    """A few numbers in a chunk of gigabytes, which is unpacked as a whole."""

    def make(file: Any, name: str) -> None:
        parts = (1, int(2**29 * 0.9 * SCALE))
        array = file.create_dataset(
            name, shape=(2, 40), maxshape=(2, None), chunks=parts, dtype="f8", compression="gzip"
        )
        array.id.write_direct_chunk((0, 0), zlib.compress(bytes(8), 1))
        array.id.write_direct_chunk((1, 0), zlib.compress(bytes(8), 1))

    return replaced(folder, random, make)


def zarr_records(folder: Path, random: Random) -> Path:
    """A type of a gigabyte for each cell."""
    store = zarr_store(folder, random, version=2)
    path = store / "observed" / ".zarray"
    kind = random.choice([[["a", "|V1000000000"]], "|V1000000000", "|S1000000000"])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"dtype": kind}))
    return store


def npz_claims(folder: Path, random: Random) -> Path:
    shape = random.choice([(2**40,), (2**20, 2**20)])
    header = f"{ {'descr': '|V0', 'fortran_order': False, 'shape': shape}!r}\n".encode()
    with zipfile.ZipFile(folder / "t.npz", "w") as archive:
        archive.writestr(
            "A/observed.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
        )
    return folder / "t.npz"


NEEDED = {
    "zarr": "zarr",
    "hdf5": "h5netcdf",
    "parquet": "pyarrow",
    "excel": "openpyxl",
    "npz": "numpy",
    "text": "numpy",
}
MAKERS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        zarr_linked_array,
        zarr_linked_chunk,
        zarr_piped_chunk,
        zarr_pickles,
        zarr_missing_chunk,
        zarr_large_chunk,
        zarr_records,
        hdf5_soft_links,
        hdf5_external_link,
        hdf5_external_storage,
        hdf5_virtual,
        hdf5_missing_chunk,
        hdf5_cycle,
        hdf5_shared_text,
        hdf5_large_chunk,
        hdf5_shared_attribute,
        hdf5_deep,
        hdf5_unwritten,
        zarr_deep,
        text_long_line,
        text_empty_lines,
        parquet_rows,
        excel_far_cell,
        excel_long_row,
        excel_laughs,
        npz_claims,
    )
    if find_spec(NEEDED[maker.__name__.partition("_")[0]])
}


@contextmanager
def little_memory() -> Iterator[None]:
    """At most `ROOM` more than now: what takes more raises MemoryError, or is refused by Arrow."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def try_hostile(kind: str, random: Random) -> tuple[str, str]:
    """What came of one: refused, or one of the mistakes; and what is to be said about it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "secret").write_bytes(bytes(range(1, 251)))
        path = MAKERS[kind](folder, random)
        began = time.process_time()
        try:
            with warnings.catch_warnings(), little_memory():
                warnings.simplefilter("ignore")
                found = losses_from_files(path)
            outcome = "silently_wrong"
            remark = f"read: {found}"
        except ValueError as error:
            clear = (
                path.name in str(error)
                and type(error) is ValueError
                and not any(word in str(error) for word in NO_MEMORY)
            )
            outcome = "refused" if clear else "raw_errors"
            remark = str(error)
        except Exception as error:
            outcome = "raw_errors"
            remark = f"{type(error).__name__}: {error}"
        if (folder / "bomb").exists():
            return "executed", "a pickle was loaded"
        if time.process_time() - began > SLOW:
            return "hung", f"{time.process_time() - began:.0f} s"
        return outcome, remark


def refuse_hostile(seconds: float, seed: int) -> dict[str, Any]:
    """Every kind at least once, then again with other sizes while there is time."""
    counts: dict[str, Any] = {
        "inputs": 0,
        "refused": 0,
        "hung": 0,
        "silently_wrong": 0,
        "executed": 0,
        "raw_errors": 0,
        "problems": [],
    }
    by_kind: Counter[str] = Counter()
    end = time.monotonic() + seconds
    number = 0
    while number < len(MAKERS) or time.monotonic() < end:
        kind = list(MAKERS)[number % len(MAKERS)]
        outcome, remark = try_hostile(kind, Random(f"{seed} {number}"))
        number += 1
        counts["inputs"] += 1
        counts[outcome] += 1
        by_kind[kind] += 1
        if outcome != "refused":
            counts["problems"].append(
                f"{kind}, input {number - 1} of seed {seed}: {outcome}: {remark}"[:300]
            )
    return counts | {"by_kind": dict(by_kind)}


if __name__ == "__main__":
    print(
        json.dumps(
            refuse_hostile(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0),
            indent=1,
        )
    )
