"""Readers under random input: files of every kind, made wrongly or damaged, are read, or refused by
an error of ours.

`fuzz_readers` runs for a time; tests/read/test_fuzz.py lets hypothesis choose a few inputs. Inputs
of both are made by `make_input` from a source of randomness, and judged by `try_reading`. HDF5 is
left out: its own library may crash on damaged files.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from rivals import Losses
from rivals.read import long_table, losses_from_files, text_tables, wide_tables

SLOW = 20.0  # seconds, of reading some kilobytes on a busy machine
MODELS = ("A", "B")
CELLS = (
    "1",
    "0.5",
    "-2e3",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "",
    " ",
    "NA",
    "1_0",
    "１",
    "1,5",
    "0x10",
    "True",
    "None",
    "=1+1",
    "\x00",
    "\x1c1",
    "2\x1f",
    "x" * 300,
    '"',
    '""',
    '"a"',
    "a\nb",
    "\r",
    "#",
    "é",
    "\u202e",
    "'",
    "observed",
    "synthetic",
    "A",
    "B",
    "1" * 400,
    "1e999",
)
HEADERS = (
    "model",
    "kind",
    "loss",
    "simulation",
    "A",
    "B",
    "",
    " ",
    "A ",
    "#",
    "# A",
    "Unnamed: 0",
    "__index_level_0__",
    "0.5",
    "1",
    "\ufeff",
)


def table(random: Random) -> dict[str, list[Any]]:
    """A long table of two models, in order."""
    rows = [
        (name, kind, random.expovariate(1.0))
        for name in MODELS
        for kind in ("observed", "synthetic")
        for _ in range(4)
    ]
    return dict(zip(("model", "kind", "loss"), map(list, zip(*rows, strict=True)), strict=True))


def text(random: Random) -> bytes:
    """Cells of all sorts, mostly in the form of a table."""
    delimiter = random.choice([",", ";", "\t", "|", " "])
    if random.random() < 0.5:
        columns = table(random)
        rows = [
            list(columns),
            *(list(map(str, row)) for row in zip(*columns.values(), strict=True)),
        ]
        for _ in range(random.randrange(3)):
            row = random.choice(rows)
            row[random.randrange(len(row))] = random.choice(CELLS)
    else:
        width = random.randrange(1, 5)
        rows = [[random.choice(HEADERS) for _ in range(width)]]
        rows += [[random.choice(CELLS) for _ in range(width)] for _ in range(random.randrange(5))]
    end = random.choice(["\n", "\r\n", "\r"])
    encoding = random.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16", "latin-1"])
    return end.join(delimiter.join(row) for row in rows).encode(encoding, "replace")


def packed_text(random: Random) -> bytes:
    return gzip.compress(text(random), mtime=0)


def arrays(random: Random) -> bytes:
    """An archive of losses, among which may be arrays that are none."""
    made = {
        f"{name}/{kind}": np.array([random.expovariate(1.0) for _ in range(6)])
        for name in MODELS
        for kind in ("observed", "synthetic")
    }
    for _ in range(random.randrange(2)):
        odd = [
            np.array(1.0),
            np.array(["x"]),
            np.array([1j, 2]),
            np.zeros((0, 0)),
            np.zeros(3, dtype="M8[s]"),
            np.array([True, False]),
            np.zeros(2, dtype=[("a", "f8")]),
            np.array([np.inf, 1.0]),
            np.zeros((2, 6), dtype=np.int8),
            np.zeros(6, dtype=np.longdouble),
        ]
        made[random.choice([*made, "A", "/observed", "C/observed", "header"])] = random.choice(odd)
    file = io.BytesIO()
    (np.savez_compressed if random.random() < 0.5 else np.savez)(file, **made)
    return file.getvalue()


class _Bomb:
    """Unpickled, it would leave a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return open, (self.path, "w")


def crafted(random: Random, bomb: str) -> bytes:
    """An archive whose members and headers are written by hand: objects, claims, other names."""
    file = io.BytesIO()
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(file, "w", random.choice([0, 8, 12, 14])) as archive,
    ):
        warnings.simplefilter("ignore")
        for _ in range(random.randrange(1, 5)):
            shape = random.choice(
                [(4,), (2**40,), (-4,), (), (4.0,), "x", (2, 2), (2**63,), (0,) * 40]
            )
            descr = random.choice(
                ["<f8", "|O", "<U4", "|V0", ">f4", "<c16", "x", [("a", "<f8")], "|S0"]
            )
            fortran = random.choice([False, True, 3])
            claims = {"descr": descr, "fortran_order": fortran, "shape": shape}
            header = f"{claims!r}\n".encode()
            if random.random() < 0.1:
                header = random.choice(
                    [b"__import__('os').system('x')\n", b"(" * 500, b"", b"{'descr'", b"\xff"]
                )
            data = pickle.dumps(_Bomb(bomb)) if descr == "|O" else np.arange(4.0).tobytes()
            content = (
                b"\x93NUMPY"
                + bytes(random.choice([(1, 0)] * 8 + [(2, 0), (3, 0), (9, 9)]))
                + struct.pack("<H", len(header))
            )
            name = random.choice(
                [
                    "A/observed.npy",
                    "A/synthetic.npy",
                    "../../x/observed.npy",
                    "/observed.npy",
                    "A",
                    "A\x00.npy",
                    "header.npy",
                ]
            )
            archive.writestr(name, content + header + data)
    return file.getvalue()


def frame(random: Random, write: Callable[[Any, io.BytesIO], None]) -> bytes:
    """A file that a library of data frames writes."""
    import pyarrow

    columns: dict[str, list[Any]] = table(random)
    for _ in range(random.randrange(2)):
        column = random.choice([*columns, "simulation", "more"])
        cells: list[Any] = random.choice(
            [[None, "x", "observed"], [None, 1.0, float("nan")], [True, None], [1, 2]]
        )
        columns[column] = [random.choice(cells) for _ in columns["loss"]]
    file = io.BytesIO()
    write(pyarrow.table(columns), file)
    return file.getvalue()


def parquet(random: Random) -> bytes:
    import pyarrow.parquet

    return frame(random, lambda made, file: pyarrow.parquet.write_table(made, file))


def excel(random: Random) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    file = io.BytesIO()
    columns = table(random)
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(row)
    book.active.cell(random.randrange(1, 20), random.randrange(1, 6)).value = random.choice(
        [None, "x", True, 3, "=1/0"]
    )
    book.save(file)
    return file.getvalue()


def classic(random: Random) -> bytes:
    """A NetCDF file of the old kind."""
    from scipy.io import netcdf_file

    file = io.BytesIO()
    with netcdf_file(file, "w") as made:
        made.createDimension("model", 2)
        made.createDimension("letter", 1)
        made.createDimension("point", 4)
        made.createVariable("model", "c", ("model", "letter"))[:] = np.array([[b"A"], [b"B"]])
        for kind in ("observed", "synthetic"):
            made.createVariable(kind, "d", ("model", "point"))[:] = np.array(
                [[random.random() for _ in range(4)] for _ in MODELS]
            )
        made.flush()
        return file.getvalue()


NEEDED = {"parquet": "pyarrow", "xlsx": "openpyxl", "nc": "xarray"}
MAKERS: dict[str, Callable[..., bytes]] = {
    "csv": text,
    "tsv": text,
    "txt": text,
    "csv.gz": packed_text,
    "npz": arrays,
    "crafted.npz": crafted,
    "parquet": parquet,
    "xlsx": excel,
    "nc": classic,
}
KINDS = tuple(kind for kind in MAKERS if find_spec(NEEDED.get(kind, "numpy")))
# What these hold is protected by a check sum of the format: read, it is what was written.
CHECKED = ("npz", "csv.gz")
# Read by two readers.
TEXT = ("csv", "tsv", "txt", "csv.gz")


def damage(content: bytes, random: Random) -> bytes:
    """The same bytes, or some of them changed, cut, repeated or taken out."""
    changed = bytearray(content)
    for _ in range(random.choice([0, 1, 1, 1, 2, 8])):
        place = random.randrange(len(changed) + 1)
        how = random.randrange(5)
        if how == 0 and place < len(changed):
            changed[place] ^= 1 << random.randrange(8)
        elif how == 1:
            del changed[place : place + random.choice([1, 8, 512])]
        elif how == 2:
            changed[place:place] = bytes(
                random.randrange(256) for _ in range(random.choice([1, 4, 64]))
            )
        elif how == 3:
            del changed[place:]
        else:
            changed[place:place] = changed[: random.choice([4, 64])]
    return bytes(changed)


def make_input(kind: str, random: Random, bomb: str) -> tuple[bytes, bytes]:
    """What is written, and what would have been written without damage."""
    whole = crafted(random, bomb) if kind == "crafted.npz" else MAKERS[kind](random)
    return (whole if random.random() < 0.3 else damage(whole, random)), whole


def try_reading(kind: str, content: bytes, whole: bytes, folder: Path) -> tuple[str, str]:
    """What came of it: read, refused, or one of the mistakes; and what is to be said about it."""
    path = folder / f"t.{kind}"
    path.write_bytes(content)
    began = time.monotonic()
    outcome, remark = _outcome(path)
    if kind in TEXT and content_of(path, fast=True) != content_of(path, fast=False):
        return "silently_wrong", "the fast and the careful reader differ"
    if time.monotonic() - began > SLOW:
        return "hung", f"{time.monotonic() - began:.0f} s"
    if outcome == "read" and content != whole and kind in CHECKED:
        found = _content(path)
        path.write_bytes(whole)
        if _outcome(path)[0] != "read" or _content(path) != found:
            return "silently_wrong", "damaged, and read as something else"
    return outcome, remark


def _outcome(path: Path) -> tuple[str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = losses_from_files(path)
    except (ValueError, TypeError, IsADirectoryError) as error:
        # Errors of ours are of these classes and not of their subclasses, as those of JSON or of
        # codecs, and they name the file.
        if type(error) in (ValueError, TypeError) and path.name in str(error):
            return "refused", ""
        return "raw_errors", f"{type(error).__name__}: {error}"
    except Exception as error:
        return "raw_errors", f"{type(error).__name__}: {error}"
    if not all(
        isinstance(name, str) and name.strip() and _is_sound(losses)
        for name, losses in found.items()
    ):
        return "silently_wrong", f"{found}"
    return "read", ""


def content_of(path: Path, *, fast: bool) -> str:
    """What NumPy, or the csv module alone, makes of a table; also what it says against it."""
    fill = text_tables.fill_by_numpy if fast else lambda *_: False
    with patch.object(text_tables, "fill_by_numpy", fill):
        try:
            columns = dict(text_tables.read_text(path))
            return repr({name: column.tolist() for name, column in columns.items()})
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def _is_sound(losses: Losses) -> bool:
    return losses.n_observed > 1 and bool(
        np.isfinite(losses.observed).all() and np.isfinite(losses.synthetic).all()
    )


def _content(path: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = losses_from_files(path)
    return repr(
        [
            (name, losses.observed.tolist(), losses.synthetic.tolist())
            for name, losses in found.items()
        ]
    )


def column(random: Random) -> Any:
    """A column as a program may pass it, of any make."""
    values: list[Any] = [random.expovariate(1.0) for _ in range(4)]
    odd = [
        None,
        float("nan"),
        float("inf"),
        1j,
        "x",
        "1",
        "",
        b"1",
        10**400,
        True,
        np.ma.masked,
        [1.0],
        object(),
    ]
    for _ in range(random.randrange(2)):
        values[random.randrange(4)] = random.choice(odd)
    make = random.choice(
        [
            list,
            lambda v: np.array(v, dtype=object),
            lambda v: np.ma.array(v, dtype=object),
            lambda v: np.array(v[: random.randrange(5)], dtype=object),
        ]
    )
    return make(values)


def try_columns(random: Random) -> tuple[str, str]:
    """Mappings of columns, as a long table and as wide ones."""
    names = random.choices(["A", "B", 1, "1", "", "simulation", None, 1.5], k=3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = [{name: column(random) for name in names} for _ in range(2)]
            long = {
                key: column(random) if random.random() < 0.3 else cells
                for key, cells in table(random).items()
            }
            found = wide_tables(*tables) if random.random() < 0.5 else long_table(long)
    except Exception as error:
        return (
            ("refused", "")
            if type(error) in (ValueError, TypeError)
            else ("raw_errors", f"{type(error).__name__}: {error}")
        )
    return ("read", "") if all(map(_is_sound, found.values())) else ("silently_wrong", f"{found}")


def fuzz_readers(seconds: float, seed: int) -> dict[str, Any]:
    """Try inputs for a time; counts of what was tried and what came of it, in all and by kind."""
    counts: dict[str, Any] = {
        "inputs": 0,
        "read": 0,
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
    with tempfile.TemporaryDirectory() as name:
        bomb = Path(name) / "executed"
        while time.monotonic() < end:
            kind = [*KINDS, "columns"][number % (len(KINDS) + 1)]
            # Each input by a seed of its own, so that one can be repeated alone.
            random = Random(f"{seed} {number}")
            if kind == "columns":
                outcome, remark = try_columns(random)
            else:
                outcome, remark = try_reading(
                    kind, *make_input(kind, random, str(bomb)), Path(name)
                )
            if bomb.exists():
                bomb.unlink()
                outcome = "executed"
                remark = "a pickle was loaded"
            number += 1
            counts["inputs"] += 1
            counts[outcome] += 1
            by_kind[kind] += 1
            if outcome not in ("read", "refused"):
                counts["problems"].append(
                    f"{kind}, input {number - 1} of seed {seed}: {outcome}: {remark}"[:300]
                )
    return counts | {"by_kind": dict(by_kind)}


if __name__ == "__main__":
    print(
        json.dumps(
            fuzz_readers(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0), indent=1
        )
    )
