"""What a reproduced figure or table writes.

A picture, and its numbers beside the published ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AS_PUBLISHED = "as published"
CONSTANTS_PUBLISHED = "constants as published"  # of the circuit; everything else corrected
CORRECTED = "corrected"
VARIANTS = (AS_PUBLISHED, CONSTANTS_PUBLISHED, CORRECTED)

# Where a number that ours is compared with comes from. Only the first two are published: the third
# is a run of the authors' code or settings by this project.
IN_PAPER = "paper"
IN_FILES = "authors' files"
RERUN = "our run of the authors' code"
SOURCES = (IN_PAPER, IN_FILES, RERUN)


@dataclass(frozen=True)
class Task:
    """What is asked of a module.

    Attributes
    ----------
    folder : Path
        Where results go, and what a long run keeps to be resumed.
    experiments : int or None
        Number of simulated experiments, where there are any; the module's own choice if None.
    seed : int
    progress : bool
        Whether to say how far a run has come.
    """

    folder: Path
    experiments: int | None = None
    seed: int = 0
    progress: bool = False

    def experiments_or(self, default: int) -> int:
        """Return the number of experiments asked for, or the default."""
        return default if self.experiments is None else self.experiments


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What a module made.

    Attributes
    ----------
    figure : matplotlib Figure or None
        From `new_figure`.
    comparisons : list of dict
        From `comparison`.
    numbers : mapping
        Everything drawn. Arrays become lists.
    settings : mapping
        Sizes and sensitivity: with the seed, enough to repeat the run.
    """

    figure: Figure | None
    comparisons: list[dict[str, Any]]
    numbers: Mapping[str, Any]
    settings: Mapping[str, Any]


def published(name: str) -> Any:
    """Return the original authors' numbers of that name, which ship with the package."""
    text = (resources.files("rivals_paper") / "data" / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


def comparison(
    what: str,
    *,
    variant: str,
    reference: float | None,
    ours: float | None,
    source: str | None,
    standard_error: float | None = None,
    explanation: str | None = None,
) -> dict[str, Any]:
    """Return one number of the original study beside ours.

    Parameters
    ----------
    what : str
        Which number.
    variant : {"as published", "constants as published", "corrected"}
        Whether ours was computed as theirs was, errors included, or correctly.
    reference : float or None
        The original number, None where there is none.
    ours : float or None
        Our number.
    source : {"paper", "authors' files", "our run of the authors' code"} or None
        Where the original number stands; None where there is none. Only the first two count as
        agreement with what was published.
    standard_error : float, optional
        Of the difference, from both sides' Monte Carlo noise; None for numbers without any.
    explanation : str, optional
        Why the two differ. Left out where they agree within three standard errors (see `differs`),
        so that callers may give one for all rows of a kind.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {VARIANTS}: got {variant!r}")
    if source not in SOURCES and (source, reference) != (None, None):
        raise ValueError(
            f"source must be one of {SOURCES}, or None where there is no reference: got {source!r}"
        )
    row = {
        "what": what,
        "variant": variant,
        "source": source,
        "reference": reference,
        "ours": ours,
        "standard_error": standard_error,
    }
    if explanation is None or (standard_error is not None and not differs(row)):
        return row
    return row | {"explanation": explanation}


def differs(row: Mapping[str, Any]) -> bool:
    """Return whether ours is more than three standard errors from the original number, and wants an
    explanation.
    """
    values = [row["reference"], row["ours"], row["standard_error"]]
    # A stored row has infinities as strings.
    if not all(isinstance(value, (int, float)) and math.isfinite(value) for value in values):
        return False
    theirs, ours, error = values
    return bool(abs(ours - theirs) > 3 * error)


def describe(row: Mapping[str, Any]) -> str:
    """Return one line for a comparison: theirs, ours, and the difference in standard errors."""
    theirs = row["reference"]
    ours = row["ours"]
    error = row["standard_error"]
    line = (
        f"{row['what']} ({row['variant']}): {row['source'] or 'nothing published'} "
        f"{_number(theirs)}, ours {_number(ours)}"
    )
    if theirs is None or ours is None or not (math.isfinite(theirs) and math.isfinite(ours)):
        return line
    difference = f"{ours - theirs:+.3g}"
    return f"{line}, difference {difference}" + (
        f" = {(ours - theirs) / error:+.1f} SE" if error else ""
    )


def new_figure(width: float, height: float) -> Figure:
    """Return an empty matplotlib figure, in inches.

    Pyplot and its global state are not involved.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def write(
    task: Task, made: Reproduction, *, name: str, reading: str, differences: list[str]
) -> dict[str, Any]:
    """Write ``NAME.png`` and ``NAME.json`` and return what the latter holds.

    Parameters
    ----------
    task : Task
        Its folder is made if need be.
    made : Reproduction
    name : str
    reading : str
        How to read the picture.
    differences : list of str
        One sentence for each thing that differs between the two variants, and what was wrong.
    """
    task.folder.mkdir(parents=True, exist_ok=True)
    content = {
        "name": name,
        "reading": reading,
        "differences": differences,
        "settings": {"rivals": __version__, "seed": task.seed, **made.settings},
        "comparisons": made.comparisons,
        "numbers": made.numbers,
    }
    plain = _plain(content)
    # Infinities and NaN have no place in JSON: `_plain` turns them into strings, and this makes
    # sure of it.
    text = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False)
    (task.folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    if made.figure is not None:
        made.figure.savefig(task.folder / f"{name}.png", dpi=130)
    return dict(plain)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _plain(value: Any) -> Any:
    """Turn arrays, NumPy numbers and non-finite floats into what JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return number if math.isfinite(number) else str(number)
    return value
