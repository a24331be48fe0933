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
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from rivals._files import replacing
from rivals._say.optional import need
from rivals._say.words import show
from rivals._version import __version__
from rivals.comparison import Comparison
from rivals.comparison.text import made_with, remarks, verdicts
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.report.contents import contents

TITLE = "Which models survive replication?"
MOST_EXTREME = 5


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
        models. There is no slider for groups without simulations, which have no c, nor where a
        calibration decides, which holds at one c.

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
    return Path(path)


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
        script=_part("verdict.js") + _part("page.js"),
        style=_part("page.css"),
    )
    return text


def notes(result: Comparison) -> list[dict[str, Any]]:
    """For each model that has some, best first: caveats about its numbers, in sentences."""
    found = {name: [note.text for note in result.diagnostics[name]] for name in result.ranking}
    return [
        {
            "model": name,
            "sentences": [text[:1].upper() + text[1:] + "." * (text[-1] != "?") for text in texts],
        }
        for name, texts in found.items()
        if texts
    ]


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
        positions = extremes(observed, MOST_EXTREME).tolist()
        rows.append(
            {
                "model": name,
                "word": tail_word(tail_shape(observed)),
                "losses": [
                    {"position": position, "loss": f"{observed[position]:.4g}"}
                    for position in positions
                ],
            }
        )
    return rows


def repeat(result: Comparison) -> tuple[dict[str, str], str]:
    """What one needs to repeat the run: versions, seed, sizes; and the call that gives the same
    numbers, from the same losses.
    """
    law = result.applied.law
    setting = result.applied.setting
    sizes = sorted({(losses.n_observed, losses.n_synthetic) for losses in result.losses.values()})
    has_c = result.c == result.c
    threshold = repr(float(result.threshold))
    provenance = {
        "rivals": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "seed (rng)": str(result.entropy),
        "law": str(law),
        "c": repr(float(result.c)) if has_c else "none",
        "threshold": threshold,
        "simulations of each model": str(setting.n_simulations),
        "order": setting.order or "none",
        "groups": "none",
        "clusters": "none",
        **{kind: str(len(each.names)) for kind, each in setting.labels.items()},
        "probabilities": "in closed form"
        if law.closed_form
        else f"from {result.applied.draws[0].size} draws of each risk or more",
        "losses (observed / synthetic)": "; ".join(
            f"{observed} / {synthetic}" for observed, synthetic in sizes[:6]
        )
        + (" …" if len(sizes) > 6 else ""),
    }
    c = "calibration" if result.calibrated is not None else provenance["c"]
    arguments = {
        "law": provenance["law"],
        **({"c": c} if has_c else {}),
        "threshold": threshold,
        **({} if setting.order is None else {"order": repr(setting.order)}),
        **{kind: kind for kind in setting.labels},
        "rng": provenance["seed (rng)"],
    }
    return (
        provenance,
        "rivals.compare(losses, "
        f"{', '.join(f'{key}={value}' for key, value in arguments.items())})",
    )


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
