"""Compare what `rivals reproduce` wrote with the committed results, number by number.

    python paper/tools/compare_results.py FOLDER [NAME ...]

A line for each name: how many numbers, how many differ by more than 1e-6 of their size, the
largest difference; then the places where they differ, and those that only one of both has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMMITTED = Path(__file__).resolve().parents[1] / "results"
ROUNDING = 1e-6
SHOWN = 12


def numbers(value: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a file, with its place; infinities stand there as text."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from numbers(each, f"{place}/{key}")
    elif isinstance(value, list):
        for key, each in enumerate(value):
            yield from numbers(each, f"{place}/{key}")
    elif isinstance(value, (int, float)):
        yield place, float(value)


def compared(name: str, folder: Path) -> tuple[int, list[str], float]:
    """Numbers in common, what differs, and the largest difference, as a part of its number."""
    old, new = (
        dict(numbers(json.loads((where / f"{name}.json").read_text(encoding="utf-8"))))
        for where in (COMMITTED, folder)
    )
    different = [f"only committed: {place}" for place in old.keys() - new.keys()]
    different += [f"only new: {place}" for place in new.keys() - old.keys()]
    largest = 0.0
    for place in old.keys() & new.keys():
        gap = abs(new[place] - old[place]) / max(abs(old[place]), 1.0)
        largest = max(largest, gap)
        if not gap <= ROUNDING:
            different.append(f"{place}: {old[place]:.10g} → {new[place]:.10g}")
    return len(old.keys() & new.keys()), sorted(different), largest


def main(folder: Path, names: list[str]) -> int:
    """Print the comparison; how many names differ."""
    found = names or sorted(path.stem for path in folder.glob("*.json"))
    wrong = 0
    for name in found:
        count, different, largest = compared(name, folder)
        wrong += bool(different)
        print(f"{name}: {count} numbers, {len(different)} differ, at most {largest:.1e}")
        print("\n".join(f"    {line}" for line in different[:SHOWN]), end="\n" * bool(different))
    return wrong


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
