"""The page itself: a template filled with words as text and numbers as JSON, nothing fetched from
anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
from collections.abc import Sequence
from importlib import resources
from math import isinf, isnan
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from rivals._files import name_of_file, replacing
from rivals._say.optional import need
from rivals._say.words import show
from rivals._version import __version__
from rivals.comparison import Comparison
from rivals.comparison.text import made_with, remarks, verdicts
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.report.contents import contents

TITLE = "Which models survive replication?"
SCRIPTS = ("verdict.js", "pictures.js", "groups.js", "baselines.js", "page.js")
MOST_EXTREME = 5
MOST_SIZES = 6


def write_report(
    result: Comparison,
    path: str | PathLike[str],
    *,
    title: str = TITLE,
    c: Sequence[float] | None = None,
) -> Path:
    """Write one self-contained, interactive HTML page about a comparison.

    Parameters
    ----------
    result : Comparison
    path : path
        The file to write. It is written beside it first and then moved.
    title : str
        Heading of the page.
    c : sequence of float, optional
        The values of c that the slider offers, beside the comparison's own; each is computed now.
        By default 27 from 2⁻⁸ to 2⁵, under law "beta" 14, and 7 where there are more than 32
        models, but under law "transport". Unless you name values there is no slider where none of
        them changes the verdict, nor for groups of more than 100 models. There is none for groups
        without simulations, which have no c, nor where a calibration decides, which holds at one c
        and one threshold.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(result, Path(folder) / "report.html", c=[0.25, 1.0])
    ...     page.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    text = render(result, title=title, c=c)
    with replacing(path) as file:
        file.write(text.encode("utf-8"))
    return Path(name_of_file(path))


def render(result: Comparison, *, title: str, c: Sequence[float] | None = None) -> str:
    """The text of the page."""
    jinja2 = need("jinja2", extra="report", purpose="reports")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"show": show, "hash": _hash, "json": embedded}
    data = contents(result, c)
    verdict, *undecided = verdicts(result)
    provenance, command = repeat(result)
    text: str = environment.get_template("page.html").render(
        title=title,
        result=result,
        verdict=verdict,
        made_with=made_with(result),
        remarks=[*undecided, *remarks(result)],
        extremes=extreme_losses(result, [result.names[index] for index in data["drawn"]]),
        notes=notes(result),
        provenance=provenance,
        command=command,
        methods=result.methods(),
        data=data,
        script="\n".join(_part(name) for name in SCRIPTS),
        style=_part("page.css"),
    )
    return text


def notes(result: Comparison) -> list[dict[str, Any]]:
    """For each model that has some, best first: caveats about its numbers, in sentences."""
    found = []
    for name in result.ranking:
        sentences = [_sentence(note.text) for note in result.diagnostics[name]]
        if sentences:
            found.append({"model": name, "sentences": sentences})
    return found


def _sentence(text: str) -> str:
    end = "" if text.endswith("?") else "."
    return text[:1].upper() + text[1:] + end


def extreme_losses(result: Comparison, models: Sequence[str]) -> list[dict[str, Any]]:
    """For each of these models: the word for its tail, and its largest losses with their positions,
    from 0.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> [row["word"] for row in extreme_losses(result, result.ranking)]
    ['good', 'good']
    """
    rows = []
    for name in models:
        observed = result.losses[name].observed
        largest = [
            {"position": position, "loss": f"{observed[position]:.4g}"}
            for position in extremes(observed, MOST_EXTREME).tolist()
        ]
        word = tail_word(tail_shape(observed))
        rows.append({"model": name, "word": word, "losses": largest})
    return rows


def repeat(result: Comparison) -> tuple[dict[str, str], str]:
    """What one needs to repeat the run, and the call that gives the same numbers.

    Versions, sizes, and the seed where something is random; the call is from the same losses.
    """
    law = result.applied.law
    setting = result.applied.setting
    c = "" if isnan(result.c) else repr(float(result.c))
    threshold = repr(float(result.threshold))
    settings = {
        "rivals": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "seed (rng)": str(result.entropy) if result.seeded else "",
        "law": str(law),
        "c": c,
        "threshold": threshold,
        "simulations of each model": str(setting.n_simulations or ""),
        "order": setting.order or "",
        **{kind: str(len(each.names)) for kind, each in setting.labels.items()},
        "probabilities": _how_probabilities_are_made(result),
        "losses (observed / synthetic)": _sizes(result),
        "margin": repr(float(setting.margin)) if setting.margin else "",
        "new groups": "" if setting.new_groups is None else _count(setting.new_groups),
    }
    provenance = {name: value for name, value in settings.items() if value}
    arguments = {"law": str(law)}
    if c:
        arguments["c"] = c if result.calibrated is None else "calibration"
    arguments["threshold"] = threshold
    if setting.margin:
        arguments["margin"] = repr(float(setting.margin))
    if setting.new_groups is not None:
        arguments["new_groups"] = _count(setting.new_groups)
    if setting.order is not None:
        arguments["order"] = repr(setting.order)
    arguments |= {kind: kind for kind in setting.labels}
    if result.seeded:
        arguments["rng"] = str(result.entropy)
    listed = ", ".join(f"{key}={value}" for key, value in arguments.items())
    return provenance, f"rivals.compare(losses, {listed})"


def _count(new_groups: float) -> str:
    return "math.inf" if isinf(new_groups) else str(int(new_groups))


def _how_probabilities_are_made(result: Comparison) -> str:
    if result.applied.law.closed_form:
        return "in closed form"
    return f"from {result.applied.draws[0].size} draws of each risk or more"


def _sizes(result: Comparison) -> str:
    sizes = sorted({(losses.n_observed, losses.n_synthetic) for losses in result.losses.values()})
    listed = "; ".join(f"{observed} / {synthetic}" for observed, synthetic in sizes[:MOST_SIZES])
    return f"{listed} …" if len(sizes) > MOST_SIZES else listed


def embedded(value: Any) -> str:
    """JSON that can stand in a script element: no `<` that could end it, none of JavaScript's odd
    line ends.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _part(name: str) -> str:
    return (resources.files("rivals.report") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What the page's own policy allows to run: this text and no other."""
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
