"""Every model that is drawn beside each of the others: differences and groups won."""

from __future__ import annotations

from collections.abc import Sequence

from rivals.comparison import Comparison
from rivals.comparison.digits import format_of_differences


def baselines_of(result: Comparison, drawn: Sequence[int]) -> dict[int, dict[int, list[str]]]:
    """Place of the baseline → place of the model → its difference to it, and groups won, as text.

    Probabilities are not among them: they are those of pairs, and change with c.
    """
    if len(drawn) < 2:
        return {}
    found = {}
    for base in drawn:
        others = [index for index in drawn if index != base]
        found[base] = _beside(result, result.names[base], others)
    return found


def _beside(result: Comparison, base: str, others: Sequence[int]) -> dict[int, list[str]]:
    against = result.against(base)
    names = [result.names[index] for index in others]
    number = format_of_differences([against.difference[name] for name in names])
    lines: dict[int, list[str]] = {}
    for index, name in zip(others, names, strict=True):
        difference, error = against.difference[name]
        lines[index] = [f"{number(difference)} ± {number(error)}"]
        if against.won is not None:
            lines[index].append(f"{against.won[name]} of {against.n_groups}")
    return lines
