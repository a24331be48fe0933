"""What every JSON output begins with: the schema that it obeys, and versions."""

from __future__ import annotations

from typing import Any

from rivals._version import __version__

# Each is a file, docs/_static/NAME.schema.json. The number rises when a key is added, removed or
# renamed, or changes its meaning.
VERSIONS = {
    "comparison": 1,
    "sweep": 1,
    "plan": 1,
    "baseline": 1,
    "calibration": 1,
    "status": 1,
}


def stamp(schema: str) -> dict[str, Any]:
    """The first keys of an output.

    Examples
    --------
    >>> stamp("comparison")["schema"]
    'comparison'
    """
    return {
        "schema": schema,
        "schema_version": VERSIONS[schema],
        "rivals_version": __version__,
    }
