"""Small text files are read by Python alone, and large ones by polars: both read the same."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import rivals
from rivals.read import _frames as frames

pytest.importorskip("polars")

HEAD = "school,line,step\n"
ROWS = "a,1.0,2\nb,1.5,2.5\nc,.5,1e-1\n"
FILES = {
    "plain": HEAD + ROWS,
    "quoted": '"school","line","step"\n"a, the first",1,2\n"b ""two""",1,2\nc,1,2\n',
    "spaces": HEAD + "a, 1.0,2 \nb,1.5 ,2\nc,1,2\n",
    "empty lines": "\n".join([HEAD.strip(), "a,1,2", "", "b,1,2", "", "c,1,2", "", ""]),
    "semicolons": (HEAD + ROWS).replace(",", ";"),
    "windows": (HEAD + ROWS).replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + HEAD + ROWS,
    "no end of line": (HEAD + ROWS).strip(),
    "signs": HEAD + "a,+1,-2\nb,-0.0,2\nc,1.,2\n",
    "labels of numbers": HEAD + "1,1,2\n01,1,2\n2,1,2\n",
    "not a number": HEAD + "a,nan,2\nb,1,2\nc,1,2\n",
    "infinity": HEAD + "a,inf,2\nb,1,2\nc,1,2\n",
    "missing": HEAD + "a,,2\nb,1,2\nc,1,2\n",
    "missing later": HEAD + "a,1,2\nb,1,2\nc,1,\n",
    "NA": HEAD + "a,NA,2\nb,1,2\nc,1,2\n",
    "text": HEAD + "a,one,2\nb,two,2\nc,three,2\n",
    "late text": HEAD + "a,1,2\n" * 200 + "b,x,2\n",
    "decimal comma": (HEAD + "a,1.5,2\nb,2.5,2\n").replace(",", ";").replace(".", ","),
    "underscore": HEAD + "a,1_0,2\nb,1,2\nc,1,2\n",
    "other digits": HEAD + "a,１,2\nb,1,2\nc,1,2\n",
    "missing label": HEAD + ",1,2\nb,1,2\nc,1,2\n",
    "ragged": HEAD + "a,1,2\nb,1\nc,1,2\n",
    "too long": HEAD + "a,1,2\nb,1,2,3\nc,1,2\n",
    "open quote": HEAD + 'a,1,2\n"b,1,2\nc,1,2\n',
    "header alone": HEAD,
    "two spellings": HEAD + "1,1,2\n1.0,1,2\n2,1,2\n",
}


def outcome(path):
    """Losses and labels, or the kind of the error and whom it names."""
    try:
        losses = rivals.read.table(path, groups="school")
    except (ValueError, TypeError) as error:
        return type(error).__name__, str(error)
    return [
        (name, each.observed.tolist(), each.groups.names, each.groups.codes.tolist())
        for name, each in losses.items()
    ]


@pytest.mark.parametrize("case", FILES)
def test_both_read_the_same(case, tmp_path, monkeypatch):
    path = tmp_path / "losses.csv"
    path.write_bytes(FILES[case].encode("utf-8"))
    small = outcome(path)
    monkeypatch.setattr(frames, "SMALL", 0)
    assert small == outcome(path)


def test_what_is_no_utf8_is_said(tmp_path):
    path = tmp_path / "losses.csv"
    path.write_bytes((HEAD + "ä,1,2\n").encode("latin-1"))
    with pytest.raises(ValueError, match="no text in UTF-8"):
        rivals.read.table(path, groups="school")


def test_random_numbers_keep_every_bit(tmp_path, monkeypatch):
    values = np.random.default_rng(0).standard_normal((50, 2)) * 10.0 ** np.arange(-25, 25)[:, None]
    path = tmp_path / "losses.csv"
    path.write_text(HEAD + "".join(f"g,{a!r},{b!r}\n" for a, b in values.tolist()))
    np.testing.assert_array_equal(outcome(path)[0][1], values[:, 0])
    monkeypatch.setattr(frames, "SMALL", 0)
    np.testing.assert_array_equal(outcome(path)[0][1], values[:, 0])


def test_a_small_file_needs_no_library_for_tables(tmp_path):
    path = tmp_path / "losses.csv"
    path.write_text(FILES["plain"])
    code = (
        "import sys, rivals\n"
        f"rivals.compare(rivals.read.table({str(path)!r}, groups='school'))\n"
        "assert not {'polars', 'narwhals', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
