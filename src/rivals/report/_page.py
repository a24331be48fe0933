"""The page: a template filled with words as text and numbers as JSON; nothing is fetched."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from os import PathLike
from typing import TYPE_CHECKING, Any

from rivals._core.decided import Decided
from rivals._core.optional import need
from rivals._core.writing import replacing
from rivals._result import account
from rivals._version import __version__
from rivals.report._calibration import curve_of, figure_of
from rivals.report._groups import groups_of
from rivals.report._rows import Pool
from rivals.report._screens import beside_others, cut, screens_of

if TYPE_CHECKING:
    from rivals._result.comparison import Comparison


def write(result: Comparison, path: str | PathLike[str]) -> None:
    """Write one interactive HTML page that needs nothing else.

    The table and the conclusion change with the question, c, threshold and margin; each was decided
    by the library beforehand, and the page looks it up. A crash leaves the old file or the new one.

    Parameters
    ----------
    result : Comparison
        Of more than 300 models the best 300 are listed; of more than 200 groups the 100 with the
        largest differences on either side.
    path : path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rivals
    >>> from rivals import report
    >>> from rivals.testbeds import toys
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> report.write(rivals.compare(toys.losses(), rng=0), file)
    >>> file.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    text = render(result)
    with replacing(path) as file:
        file.write(text.encode())


def render(result: Comparison) -> str:
    """The text of the page."""
    jinja2 = need("jinja2", extra="report", purpose="the interactive page")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters["hash"] = _hash
    decided = result._decided
    data = contents(decided)
    own = own_screen(data)
    columns, bar = data["screens"][own][:2]
    groups = data["groups"] or {"models": []}
    text: str = environment.get_template("page.html").render(
        data=data,
        own=own,
        view=view(data, columns, bar),
        group_view=_first(data, groups["models"]),
        beside_view=_first(data, data["beside"]),
        opening=account.opening(decided),
        cut=cut(decided),
        calibration=curve_of(decided),
        figure=figure_of(result),
        details=result.details().splitlines(),
        methods=result.methods(),
        version=__version__,
        script=_part("page.js"),
        style=_part("page.css"),
    )
    return text


def contents(result: Decided) -> dict[str, Any]:
    """All that the page looks up."""
    pool = Pool()
    return {
        **screens_of(result, pool),
        "beside": beside_others(result, pool),
        "groups": groups_of(result, pool),
        "columns": pool.columns,
        "texts": pool.texts,
        "bars": pool.bars,
    }


def own_screen(data: dict[str, Any]) -> int:
    """Where the comparison as it was made stands among the screens."""
    place = 0
    for axis in data["axes"]:
        place = place * len(axis["labels"]) + axis["own"]
    return place


def view(data: dict[str, Any], columns: list[int], bar: int, n_answers: int = 0) -> dict[str, Any]:
    """A table for the template, which `page.js` makes likewise."""
    shown = [data["columns"][number] for number in columns]
    drawn = data["bars"][bar]
    spans = [(over, len(list(group))) for over, group in groupby(shown, itemgetter("over"))]
    spans[0] = (spans[0][0], spans[0][1] + 1)  # a bar stands behind the first column
    rows = zip(*(column["cells"] for column in shown), strict=True)
    return {
        "spans": spans,
        "columns": [
            {**column, "label": f"{column['over']} {column['head']}".strip()} for column in shown
        ],
        "ticks": drawn["ticks"],
        "rows": list(zip(rows, drawn["rows"], strict=True)),
        "n_answers": n_answers,
    }


def _first(data: dict[str, Any], tables: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The table that is shown before another is chosen."""
    if not tables:
        return None
    first = tables[0]
    return view(data, first["columns"], first["bar"], first.get("n_answers", 0))


def _part(name: str) -> str:
    return files("rivals.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """For the content security policy: nothing but these very words may run."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
