"""`rivals sweep`: how the verdict depends on c."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rivals.cli.from_files import Settings, compare_files
from rivals.cli.options import Depth, Draws, Json, MaxDraws, Observed, Seed, Synthetic, Threshold
from rivals.comparison import MAX_DRAWS, N_DRAWS, Comparison, Sweep

# The range in which the original study found valid values, in octaves.
DEFAULT_C = [2.0**k for k in range(-6, 4)]


def sweep(
    observed: Observed,
    synthetic: Synthetic = None,
    c: Annotated[
        list[str] | None,
        typer.Option(
            help="Value(s) of c, as 0.25, 2^-2 or a list with commas; may be repeated. By default 2^-6 to 2^3.",
            show_default=False,
        ),
    ] = None,
    threshold: Threshold = 0.95,
    n_draws: Draws = N_DRAWS,
    max_draws: MaxDraws = MAX_DRAWS,
    depth: Depth = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Say how the verdict depends on c.

    Example: rivals sweep observed.csv synthetic.csv --c 2^-4,2^-2,1
    """
    from rivals.cli.calibrate import parse_c
    from rivals.cli.console import print_json, print_sweep, working

    values = parse_c(c) if c else DEFAULT_C
    result = compare_files(observed, synthetic, Settings(values[0], threshold, n_draws, max_draws, depth, seed))
    with working(f"Comparing at {len(values)} values of c …"):
        over_c = result.sweep(values)
    if as_json:
        print_json(_to_dict(over_c, result))
    else:
        print_sweep(over_c)


def _to_dict(over_c: Sweep, result: Comparison) -> dict[str, Any]:
    """Everything but the draws, as plain numbers and text."""
    return {
        "names": list(over_c.names),
        "c": list(over_c.c),
        "threshold": result.threshold,
        "entropy": result.entropy,
        "survivors": [list(survivors) for survivors in over_c.survivors],
        "changes": [list(pair) for pair in over_c.changes],
        "probability": over_c.probability.tolist(),
        "standard_error": over_c.standard_error.tolist(),
    }
