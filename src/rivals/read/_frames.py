"""Tables of any origin, opened once: files by polars, data frames by narwhals.

What is wrong with a column is said with its name, its first row, and what to do.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

import numpy as np

from rivals._core.arrays import index_of
from rivals._core.candidates import SUMMARIES, TARGETS, refuse_scores
from rivals._core.checks import check_printable, printable
from rivals._core.grouping import Grouping, noun_of
from rivals._core.optional import need
from rivals._core.texts import Refusal, WrongKind, either, opt, text_of
from rivals._core.types import BoolArray, FloatArray

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
DELIMITERS = (",", ";", "\t", "|")
# Rows that decide whether a column of a text file holds numbers.
ROWS_TO_LOOK_AT = 100
# Bytes of a text file that Python reads sooner than polars is imported.
SMALL = 2**18
# Bytes that a small packed file may unpack into, and a larger one in parts of its own size.
LARGE = 2**28
PACKED = 200
# Characters of a header: more are no table.
LONGEST = 2**20
# What pandas and R call an index, and people an id.
MODELS = either("models=[…] (--models)", "--models")
SUMMARISE = either(
    "rivals.read.summaries(…, estimate=, error=, groups=)",
    "`rivals summarise` with --estimate, --error and --groups",
)
EVALUATIONS = either("rivals.read.evaluations", "--score COLUMN")
PIVOT = " (pandas: table.pivot(index='point', columns='model', values='loss'))"
INDEX = re.compile(r"__index_level_\d+__|Unnamed: \d+|rownames|index|id|ID|")
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
MISSING = ("na", "n/a", "null", "none", "-", "?", ".")


@dataclass(frozen=True)
class Frame:
    """A table in memory.

    Attributes
    ----------
    where : str
        What to call it in messages.
    data : narwhals.DataFrame
    is_text : bool
        Whether it was a text file, where numbers may stand in columns of text, and rows are
        counted as an editor does.
    """

    where: str
    data: Any
    is_text: bool = False

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return list(self.data.columns)

    @property
    def index(self) -> Any:
        """The labels of rows, of pandas."""
        return None if self.is_text else index_of(self.data.to_native())

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return len(self.data)

    def holds_numbers(self, name: str) -> bool:
        """Whether the type of a column is one of numbers."""
        dtype = self.data[name].dtype
        return bool(dtype.is_numeric() or dtype == _narwhals().Boolean)

    def holds_text(self, name: str) -> bool:
        """Whether no cell of a column is a number; else the cells that are none are at fault."""
        if self.holds_numbers(name):
            return False
        if not self.is_text:
            return True
        polars = need("polars", extra="table", purpose="files of tables")
        text = self.data[name].to_native().str.strip_chars()
        return _is_other(text[0]) and bool(text.cast(polars.Float64, strict=False).is_null().all())

    def first(self, name: str) -> Any:
        """The first cell of a column."""
        return self.data[name][0]

    def check_there(self, option: str, name: str) -> None:
        """Refuse the name of a column that is not there, and guess which one was meant."""
        if name in self.columns:
            return
        near = get_close_matches(name.lower(), [each.lower() for each in self.columns], n=1)
        meant = next((each for each in self.columns if [each.lower()] == near), None)
        hint = f"did you mean {meant!r}?" if meant else f"it has {listed(self.columns)}"
        raise Refusal(f"{opt[option]}: {self.where} has no column {name!r}; {hint}")

    def row(self, index: int) -> str:
        """Where a row is, as a reader would look for it."""
        return f"line {index + 2}" if self.is_text else f"row {index} (from 0)"

    def numbers(self, name: str, role: str = "column") -> FloatArray:
        """A column as floating-point numbers, of which some may be nan, but no cell is empty."""
        who = f"{self.where}, {role} {name!r}"
        series = self.data[name]
        if self.holds_numbers(name):
            missing = series.null_count()
            if missing:
                first = int(series.is_null().arg_true()[0])
                raise self._missing(who, missing, first)
            return np.asarray(series.cast(_narwhals().Float64).to_numpy())
        return self._parsed(series, who)

    def check_complete(self, name: str, role: str, values: FloatArray) -> None:
        """Refuse numbers of a column of which some are nan."""
        is_nan = np.isnan(values)
        if is_nan.any():
            who = f"{self.where}, {role} {name!r}"
            raise self._missing(who, int(is_nan.sum()), int(is_nan.argmax()))

    def grouping(self, name: str, option: str = "groups") -> Grouping:
        """The labels of a column, factorised once by the library that the column comes from."""
        self.check_there(option, name)
        series = self.data[name]
        who = f"{option}: {self.where}, column {name!r}"
        is_missing = series.is_null()
        if series.dtype.is_float():
            is_missing = is_missing | series.is_nan()
        if is_missing.any():
            raise self._no_label(who, is_missing.to_numpy())
        try:
            return _grouped(series, name, who)
        except Refusal:
            is_empty = np.array([label == "" for label in series.to_list()])
            if is_empty.any():
                raise self._no_label(who, is_empty) from None
            raise

    def groupings(self, groups: str | Iterable[str] | None) -> Grouping | None:
        """The same of one column, or of several factors; None of none."""
        if groups is None:
            return None
        return Grouping.of_factors({name: self.grouping(name) for name in names_of(groups)})

    def _no_label(self, who: str, is_missing: BoolArray) -> ValueError:
        return ValueError(
            f"{who}: the label is missing in {is_missing.sum()} of {is_missing.size} rows, the "
            f"first in {self.row(int(is_missing.argmax()))}; leave these rows out, or name their "
            "group"
        )

    def _missing(self, who: str, count: int, first: int) -> ValueError:
        return ValueError(
            f"{who}: {count} of {self.n_rows} values are missing, the first in "
            f"{self.row(first)}; leave these rows out for all models, or fill them"
        )

    def _parsed(self, series: Any, who: str) -> FloatArray:
        """Numbers that stand in a column of text, which is so in text files alone."""
        if not self.is_text:
            kind = "text" if series.dtype == _narwhals().String else str(series.dtype)
            raise WrongKind(
                f"{who} holds {kind}, not numbers: {series[0]!r}; {remedy([series.name])}"
            )
        polars = need("polars", extra="table", purpose="files of tables")
        text = series.to_native().str.strip_chars()
        found = text.cast(polars.Float64, strict=False)
        wrong = found.is_null().to_numpy()
        if wrong.any():
            raise self._no_numbers(who, series.name, wrong, text[int(wrong.argmax())])
        return np.asarray(found.to_numpy())

    def _no_numbers(self, who: str, name: str, wrong: BoolArray, cell: str | None) -> ValueError:
        """Cells that are no numbers, of which the first is given."""
        first = int(wrong.argmax())
        if not cell or cell.lower() in MISSING:
            return self._missing(who, int(wrong.sum()), first)
        if wrong.all():
            hint = remedy([name])
        else:
            hint = "correct it, or leave these rows out for all models"
        if DECIMAL_COMMA.fullmatch(cell):
            hint = "decimals are written with a comma there; write 0.5, not 0,5"
        return ValueError(
            f"{who}: {int(wrong.sum())} of {wrong.size} cells are no numbers, the first in "
            f"{self.row(first)}: {cell[:60]!r}; {hint}"
        )


class Cells(Frame):
    """A small text file, of which each column is a list of text.

    Python reads it sooner than a library for tables is imported; both read the same.
    """

    @classmethod
    def of(cls, where: str, source: Path | io.BytesIO, names: list[str], delimiter: str) -> Cells:
        """Lines without any text are left out."""
        rows = [row for row in _rows(source, delimiter) if any(row)]
        ragged = _ragged(where, source, delimiter)
        if ragged is not None:
            raise ragged
        columns = zip(*rows[1:], strict=True) if len(rows) > 1 else ((),) * len(names)
        return cls(where, dict(zip(names, columns, strict=True)), is_text=True)

    @property
    def columns(self) -> list[str]:
        return list(self.data)

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.data.values())))

    def holds_numbers(self, name: str) -> bool:
        return not any(_number(cell) is None for cell in self.data[name])

    def holds_text(self, name: str) -> bool:
        cells = self.data[name]
        return _is_other(cells[0].strip()) and all(_number(cell) is None for cell in cells)

    def numbers(self, name: str, role: str = "column") -> FloatArray:
        found = [_number(cell) for cell in self.data[name]]
        wrong = np.array([value is None for value in found])
        if wrong.any():
            cell = self.data[name][int(wrong.argmax())].strip()
            raise self._no_numbers(f"{self.where}, {role} {name!r}", name, wrong, cell)
        return np.array(found, dtype=np.float64)

    def grouping(self, name: str, option: str = "groups") -> Grouping:
        self.check_there(option, name)
        who = f"{option}: {self.where}, column {name!r}"
        cells = self.data[name]
        is_missing = np.array([cell == "" for cell in cells])
        if is_missing.any():
            raise self._no_label(who, is_missing)
        return _grouped(cells, name, who)


def _grouped(labels: Any, name: str, who: str) -> Grouping:
    """Labels as groups; what is wrong with them is said with their column."""
    try:
        return Grouping.of(labels, noun_of(name))
    except ValueError as error:
        raise Refusal(f"{who}: {text_of(error).removeprefix(opt['groups'] + ': ')}") from None


def _number(cell: str) -> float | None:
    """A number as tables have it: Python alone takes 1_000 and digits of other scripts for one."""
    if "_" in cell or not cell.isascii():
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _is_other(cell: str | None) -> bool:
    """Whether a cell is text by intention: neither missing nor a number with a decimal comma."""
    return (
        bool(cell) and not DECIMAL_COMMA.fullmatch(str(cell)) and str(cell).lower() not in MISSING
    )


def opened(source: Any, labels: Collection[str] = ()) -> Frame:
    """A table in memory, from a path, `-` or a file object, or a data frame of any library.

    Of text files, the columns called `labels` stay text: "1" and "01" are different there.
    """
    if isinstance(source, Frame):
        return source
    if isinstance(source, (str, bytes, PathLike)):
        path = fsdecode(source)
        if path == "-":
            return _from_bytes("standard input", sys.stdin.buffer.read(), labels)
        return _from_path(Path(path), labels)
    if callable(getattr(source, "read", None)):
        content = source.read()
        raw = content.encode() if isinstance(content, str) else content
        return _from_bytes(str(getattr(source, "name", "the file")), raw, labels)
    return _from_frame(source)


def scanned(source: Any, labels: Collection[str] = ()) -> tuple[str, Any]:
    """What to call a source in messages, and a data frame of any library; of files a lazy one."""
    if not isinstance(source, (str, bytes, PathLike)):
        return "the data frame", source
    path = Path(fsdecode(source))
    where = printable(str(path))
    if path.name.lower().endswith(PARQUET):
        if not path.exists():
            raise _not_there(path)
        polars = need("polars", extra="table", purpose="files of tables")
        return where, polars.scan_parquet(path, glob=False)
    source = _text_in(path)
    return where, _scan_text(source, *_header(where, source), labels)


def columns_of_models(
    frame: Frame,
    models: Iterable[str] | None,
    ignore: Iterable[str],
    taken: Iterable[str | None],
    *,
    are_losses: bool = True,
    any_kind: bool = False,
) -> list[str]:
    """The columns that are models: those that were named, or all that are not taken."""
    named = None if models is None else names_of(models)
    left_out = names_of(ignore)
    for option, wanted in (("models", named or []), ("ignore", left_out)):
        for name in wanted:
            frame.check_there(option, name)
    beside = {*left_out, *taken}
    found = [name for name in frame.columns if name not in beside] if named is None else named
    for name in found:
        if are_losses and name.lower() in TARGETS:
            raise Refusal(
                f"{frame.where}: a column is called {name!r}, so these seem to be predictions, not "
                f"losses; use {either(f'rivals.read.predictions(…, target={name!r}) or ', '')}"
                f"--target {name}; or "
                f"leave it out by {ignored(name)}"
            )
    if named is None:
        _check_are_models(frame, found, any_kind=any_kind)
        if are_losses:
            refuse_scores(found, f"name all models by {MODELS}", f"{frame.where}: ")
    if not found:
        raise ValueError(
            f"{frame.where}: no column is left for a model; it has {listed(frame.columns)}"
        )
    return found


def _check_are_models(frame: Frame, found: list[str], *, any_kind: bool) -> None:
    """Refuse columns that nobody named as models, and that cannot be some."""
    summaries = [name for name in found if name.lower() in SUMMARIES]
    if summaries:
        raise Refusal(
            f"{frame.where}: {listed(summaries)} {_are(summaries)} no model; for means and their "
            f"errors use {SUMMARISE}; if it is a model "
            f"after all, name all of them by {MODELS}"
        )
    indices = [name for name in found if INDEX.fullmatch(name)]
    if indices:
        raise Refusal(
            f"{frame.where}: {listed(indices)} {_are(indices)} the index of a data frame, an "
            "id, or a column without a name; "
            f"{remedy(indices)}{either(' (pandas: index=False)', '')}"
        )
    text = [] if any_kind else [name for name in found if frame.holds_text(name)]
    if not text:
        return
    if "model" in text and {"loss", "score"} & set(frame.columns):
        raise Refusal(
            f"{frame.where}: one row per model and point; one column per model is expected. Pivot "
            f"it first{either(PIVOT, '')}, or use {EVALUATIONS} for scores of items"
        )
    shown = str(frame.first(text[0]))[:60]
    raise WrongKind(
        f"{frame.where}: {listed(text)} {'hold' if len(text) > 1 else 'holds'} text "
        f"({shown!r} in {frame.row(0)}), not numbers; {remedy(text)}, or "
        f"{opt.groups(text[0])} if it "
        "says which group each point belongs to"
    )


def ignored(names: str | list[str]) -> str:
    """How an option leaves columns out."""
    listed = names if isinstance(names, str) else ",".join(names)
    return either(f"ignore={names!r} (--ignore)", f"--ignore {listed}")


def remedy(names: Sequence[str]) -> str:
    """How to leave columns out."""
    by = either("models=[…]", "--models")
    return f"leave it out by {ignored(list(names))}, or name the models by {by}"


def names_of(names: Iterable[str]) -> list[str]:
    """One name, or several."""
    return [names] if isinstance(names, str) else list(names)


def listed(names: Sequence[Any]) -> str:
    """Names in a sentence, not too many of them."""
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def _are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _narwhals() -> Any:
    return need("narwhals", extra="table", purpose="data frames")


def _from_frame(source: Any) -> Frame:
    narwhals = _narwhals()
    where = "the data frame"
    columns: Any = None if hasattr(source, "collect") else getattr(source, "columns", None)
    if getattr(columns, "nlevels", 1) > 1:
        raise ValueError(
            f"{where}: its columns have {columns.nlevels} levels ({tuple(columns[0])}, …); name "
            "each by one text: table.columns = ['_'.join(map(str, each)) for each in table.columns]"
        )
    try:
        data = narwhals.from_native(source)
        if isinstance(data, narwhals.LazyFrame):
            data = data.collect()
    except TypeError:
        raise TypeError(
            "expected a path, '-', a file object or a data frame (pandas, polars, pyarrow, DuckDB, "
            f"…); got {type(source).__name__}"
        ) from None
    except Exception as error:
        raise ValueError(f"{where}: {first_line(error)}") from None
    if not all(isinstance(name, str) for name in data.columns):
        wrong = next(name for name in data.columns if not isinstance(name, str))
        raise TypeError(f"{where}: a column is called {wrong!r}; names must be text")
    return _with_rows(Frame(where, data))


def _with_rows(frame: Frame) -> Frame:
    names = frame.columns
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{frame.where}: two columns are called {twice!r}; rename one")
    check_printable(f"{frame.where}: columns", names)
    if not frame.n_rows:
        raise ValueError(f"{frame.where}: there is no row below the names of the columns")
    return frame


def _from_path(path: Path, labels: Collection[str]) -> Frame:
    where = printable(str(path))
    if path.name.lower().endswith(PARQUET) and path.exists():
        return _from_parquet(where, path, labels)
    return _from_text(where, _text_in(path), labels)


def _text_in(path: Path) -> Path | io.BytesIO:
    """A text file that is there, or what is packed in it."""
    if path.name.lower().removesuffix(".gz").endswith(TEXT):
        if not path.is_file():
            raise _not_there(path)
        if path.suffix.lower() != ".gz":
            return path
        with path.open("rb") as packed:
            return _unpacked(printable(str(path)), packed, path.stat().st_size)
    if path.name.lower().endswith(PARQUET):
        raise _not_there(path)
    kinds = ", ".join((*TEXT, *(each + ".gz" for each in TEXT), *PARQUET))
    raise ValueError(
        f"{printable(str(path))}: tables are read from {kinds}; read others by pandas or polars, "
        "and pass the data frame"
    )


def _not_there(path: Path) -> FileNotFoundError:
    if path.is_symlink():
        return FileNotFoundError(
            f"{printable(str(path))}: this link leads nowhere, or back to itself"
        )
    return FileNotFoundError(f"{printable(str(path))}: there is no such file")


def _from_bytes(where: str, raw: bytes, labels: Collection[str]) -> Frame:
    if raw.startswith(b"PAR1"):
        return _from_parquet(where, io.BytesIO(raw), labels)
    if raw.startswith(b"\x1f\x8b"):
        return _from_text(where, _unpacked(where, io.BytesIO(raw), len(raw)), labels)
    return _from_text(where, io.BytesIO(raw), labels)


def _unpacked(where: str, packed: Any, size: int) -> io.BytesIO:
    """What is in a file of gzip, unless that is so much more than the file that it is no table."""
    most = max(LARGE, PACKED * size)
    found = io.BytesIO()
    try:
        with gzip.open(packed) as file:
            while piece := file.read(LONGEST):
                found.write(piece)
                if found.tell() > most:
                    raise Refusal(
                        f"{where}: {size} bytes unpack into more than {most:.2g}, which is no "
                        "table; unpack it yourself, and pass what is in it"
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{where}: this is no file of gzip, or a part of one ({error})") from None
    found.seek(0)
    return found


def _from_parquet(where: str, source: Any, labels: Collection[str]) -> Frame:
    polars = need("polars", extra="table", purpose="files of tables")
    try:
        data = _collected(polars.scan_parquet(source, glob=False), labels, polars)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{where}: this is no Parquet file: {first_line(error)}") from None
    return _with_rows(Frame(where, _narwhals().from_native(data)))


def _collected(scan: Any, labels: Iterable[str], polars: Any) -> Any:
    """Read and, in the same stream, coded: labels that are text become categories."""
    schema = scan.collect_schema()
    text = [polars.col(name) for name in labels if schema.get(name) == polars.String]
    categories = [column.cast(polars.Categorical) for column in text]
    return scan.with_columns(categories).collect(engine="streaming")


def _from_text(where: str, source: Path | io.BytesIO, labels: Collection[str]) -> Frame:
    """A column is read as numbers if its first rows are; if later ones are not, all as text."""
    names, delimiter = _header(where, source)
    if _is_small(source):
        try:
            return _with_rows(Cells.of(where, source, names, delimiter))
        except (csv.Error, UnicodeDecodeError) as error:
            raise _why_unread(where, source, delimiter, error) from None
    polars = need("polars", extra="table", purpose="files of tables")
    try:
        try:
            data = _collected(_scan_text(source, names, delimiter, labels), labels, polars)
        except polars.exceptions.ComputeError:
            data = _scan(source, names, delimiter, infer_schema=False).collect()
    except polars.exceptions.NoDataError:
        raise ValueError(f"{where}: the file is empty") from None
    except (polars.exceptions.PolarsError, OSError) as error:
        raise _why_unread(where, source, delimiter, error) from None
    if any(data.null_count().row(0)):
        data = data.filter(~polars.all_horizontal(polars.all().is_null()))  # empty lines
        if data[names[-1]].null_count():  # where cells lack, these are the last
            ragged = _ragged(where, source, delimiter)
            if ragged is not None:
                raise ragged
    return _with_rows(Frame(where, _narwhals().from_native(data), is_text=True))


def _is_small(source: Path | io.BytesIO) -> bool:
    if isinstance(source, io.BytesIO):
        return source.getbuffer().nbytes < SMALL
    return source.stat().st_size < SMALL


def _scan(source: Path | io.BytesIO, names: list[str], delimiter: str, **options: Any) -> Any:
    polars = need("polars", extra="table", purpose="files of tables")
    if isinstance(source, io.BytesIO):
        source.seek(0)
    return polars.scan_csv(source, separator=delimiter, new_columns=names, glob=False, **options)


def _scan_text(
    source: Path | io.BytesIO, names: list[str], delimiter: str, labels: Collection[str]
) -> Any:
    """Lazily, with the kinds of columns as the first rows have them."""
    polars = need("polars", extra="table", purpose="files of tables")
    sample = _scan(source, names, delimiter, n_rows=ROWS_TO_LOOK_AT, infer_schema=False).collect()
    kinds = {name: _kind(sample[name], name in labels, polars) for name in names}
    return _scan(source, names, delimiter, schema_overrides=kinds)


def _kind(sample: Any, is_label: bool, polars: Any) -> Any:
    """Numbers, or text where a cell of the first rows is none, or where a label stays as it is."""
    if is_label or sample.cast(polars.Float64, strict=False).is_null().any():
        return polars.String
    return polars.Float64


def _rows(source: Path | io.BytesIO, delimiter: str) -> Iterator[list[str]]:
    with _as_text(source) as lines:
        yield from csv.reader(lines, delimiter=delimiter, strict=True)


def _as_text(source: Path | io.BytesIO) -> Any:
    if isinstance(source, io.BytesIO):
        return io.TextIOWrapper(io.BytesIO(source.getvalue()), "utf-8-sig", newline="")
    return open(source, encoding="utf-8-sig", newline="")


def _header(where: str, source: Path | io.BytesIO) -> tuple[list[str], str]:
    """The names of the columns, and what separates them."""
    try:
        with _as_text(source) as lines:
            header = lines.readline(LONGEST)
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: this is no text in UTF-8 ({error}); save it as UTF-8") from None
    if not header.strip():
        raise ValueError(f"{where}: the file is empty, or begins with an empty line")
    delimiter = max(DELIMITERS, key=header.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
    except csv.Error as error:
        raise ValueError(f"{where}: the header cannot be read ({error})") from None
    for name in names:
        if _is_number(name):
            raise ValueError(
                f"{where}: the first row holds the number {name[:60]}, where names of columns are "
                "expected; write a header (a model that is called by a number needs a letter, too)"
            )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{where}: two columns are called {twice!r}; rename one")
    return names, delimiter


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower() not in ("nan", "inf", "infinity")


def _why_unread(where: str, source: Any, delimiter: str, error: Exception) -> ValueError:
    """Why polars could not read a text file: ragged, no UTF-8, or in its own words."""
    try:
        ragged = _ragged(where, source, delimiter)
    except UnicodeDecodeError as wrong:
        return ValueError(
            f"{where}: this is no text in UTF-8 ({wrong.reason} at byte {wrong.start}); save it so"
        )
    except (csv.Error, OSError, EOFError) as wrong:
        return ValueError(f"{where}: {wrong}; are quotation marks closed?")
    return ragged or ValueError(f"{where}: polars cannot read it: {first_line(error)}")


def _ragged(where: str, source: Any, delimiter: str) -> ValueError | None:
    """The first row with more or fewer cells than the header, if there is one."""
    width = 0
    for line, row in enumerate(_rows(source, delimiter), start=1):
        width = width or len(row)
        if row and len(row) != width:
            return ValueError(
                f"{where}: line {line} has {len(row)} cells, but the header has {width}; a name "
                f"or text that holds {delimiter!r} must be quoted"
            )
    return None


def first_line(error: Exception) -> str:
    """What an engine says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
