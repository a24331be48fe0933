"""`rivals` beside its peer `emdcmp`: speed, memory and imports, in one run and one table (`make
bench`).

Processes run one at a time, on one core with one thread, peer and ours in turn. Writes
results/core.md and core.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import cases
import environment
import imports

RESULTS = Path(__file__).parent / "results"
# of the row on draws
N_DRAWS = 20_000
N_LOSSES = 4096
N_OBSERVED = 4000  # losses of each model in the other rows


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, and whether it is as good as it has to be."""

    what: str
    peer: str
    ours: str
    figure: str
    target: str
    met: bool  # by processor time
    met_by_wall: bool = True

    @property
    def verdict(self) -> str:
        """A row that only the load of the machine spoils says so."""
        if not self.met:
            return "**missed**"
        return "met" if self.met_by_wall else "met by processor time, **missed by wall time**"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="time that the peer gets for each of its rows"
    )
    options = parser.parse_args()
    try:
        pinned = environment.pin_to_one_core()
        machine = {**environment.describe(), "processes": f"one at a time, one thread, {pinned}"}
        measured: dict[str, Any] = {}
        rows = []
        for row in _all_rows(options.seconds, measured):
            print(f"{row.what}: {row.figure} ({row.verdict})", file=sys.stderr, flush=True)
            rows.append(row)
    except environment.BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    machine = environment.finish(machine)
    table = _table(machine, rows)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "core.md").write_text(table)
    record = {"machine": machine, "rows": [asdict(row) for row in rows], "measured": measured}
    (RESULTS / "core.json").write_text(json.dumps(record, indent=1) + "\n")
    print(table)
    return 0 if all(row.met for row in rows) else 1


def _all_rows(seconds: float, measured: dict[str, Any]) -> Iterator[Row]:
    for name, losses in (
        ("Gaussian", cases.slightly_wrong_gaussian(N_LOSSES)),
        ("exponential", cases.slightly_wrong_exponential(N_LOSSES)),
    ):
        for label, c in (("1", 1.0), ("2^-4", 2.0**-4)):
            yield _draw_row(
                f"one draw of R, {name} losses, c = {label}", losses, c, seconds, measured
            )
    yield _compare_row(measured)
    for kind in ("alike", "apart"):
        yield from _survivor_rows(kind, measured)
    yield from _import_rows(measured)


def _draw_row(
    what: str, losses: cases.Pair, c: float, seconds: float, measured: dict[str, Any]
) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.npy"
        np.save(path, np.stack(losses))
        before = environment.run_ours("draws", path, c, N_DRAWS)
        peer = environment.run_peer("time", path, c, seconds, timeout=20.0 * seconds + 300.0)
        after = environment.run_ours("draws", path, c, N_DRAWS)
    # Ours is measured on both sides of the peer, and the slower of the two counts.
    ours = max(before, after, key=lambda run: run["processor"])
    measured[what] = {"peer": peer, "ours": [before, after]}
    by_wall = peer["wall"] / ours["wall"]
    by_processor = peer["processor"] / ours["processor"]
    return Row(
        f"{what}, tree included, {N_DRAWS} draws, L = {N_LOSSES}",
        f"{1e3 * peer['processor']:.0f} ms [{1e3 * peer['wall']:.0f}] ({peer['draws']} draws, 8 "
        "levels)",
        f"{1e6 * ours['processor']:.2f} µs [{1e6 * ours['wall']:.2f}]",
        f"{_thousands(by_processor)} times as fast [{_thousands(by_wall)}]",
        "at least 20 000, aim 50 000",
        by_processor >= 20_000,
        by_wall >= 20_000,
    )


def _compare_row(measured: dict[str, Any]) -> Row:
    run = measured["compare of 4"] = environment.run_ours("compare", 4, N_OBSERVED)
    return Row(
        f"compare of 4 models under law beta, L = {N_OBSERVED}, survivors and matrix",
        "",
        _seconds(run),
        _seconds(run),
        "under 0.25 s",
        run["processor"] < 0.25,
        run["wall"] < 0.25,
    )


def _survivor_rows(kind: str, measured: dict[str, Any]) -> Iterator[Row]:
    few, many = (environment.run_ours("survivors", n, N_OBSERVED, kind) for n in (100, 1000))
    measured[f"survivors, {kind}"] = {"100": few, "1000": many}
    what = {"alike": "most survive", "apart": "most are rejected"}[kind]
    ratio = many["processor"] / few["processor"]
    memory = many["peak_memory"] / 2**30
    yield Row(
        f"survivors of 1000 candidates, L = {N_OBSERVED}, {what} ({many['survivors']} survive)",
        "",
        _seconds(many),
        _seconds(many),
        "under 50 s",
        many["processor"] < 50.0,
        many["wall"] < 50.0,
    )
    yield Row(
        "the same, peak memory of the process",
        "",
        f"{memory:.2f} GiB",
        f"{memory:.2f} GiB",
        "under 2 GiB",
        memory < 2.0,
    )
    yield Row(
        f"the same against 100 candidates ({few['survivors']} survive)",
        "",
        f"{_seconds(many)} : {_seconds(few)}",
        f"{ratio:.1f} times as long [{many['wall'] / few['wall']:.1f}]",
        "at most 15",
        ratio <= 15.0,
        many["wall"] / few["wall"] <= 15.0,
    )


def _import_rows(measured: dict[str, Any]) -> Iterator[Row]:
    run = measured["import"] = imports.measure()
    yield Row(
        "import rivals, against import numpy, scipy.special",
        "",
        f"{run['ours']:.3f} s : {run['base']:.3f} s",
        f"{run['ratio']:.2f} times as long",
        "at most 1.5",
        run["ratio"] <= 1.5,
    )
    heavy = ", ".join(run["heavy"]) or "none"
    yield Row(
        f"of {', '.join(imports.HEAVY)}: loaded by import rivals",
        "",
        heavy,
        heavy,
        "none",
        not run["heavy"],
    )


def _table(machine: dict[str, str], rows: list[Row]) -> str:
    lines = [
        "# The core beside its peer",
        "",
        "Written by `make bench`. Processor time of a single thread, which is the wall time on an "
        "otherwise idle core; the wall time as it was stands in brackets. Medians of repeated "
        "runs, except for the candidates, which run once. The peer's progress bars are off (they "
        "would sleep 50 ms per path).",
        "",
        environment.heading(machine),
        "",
        "| what | emdcmp | rivals | figure | target | |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {row.what} | {row.peer or '—'} | {row.ours} | {row.figure} | {row.target} | "
            f"{row.verdict} |"
            for row in rows
        ),
    ]
    return "\n".join(lines) + "\n"


def _seconds(run: dict[str, Any]) -> str:
    return f"{run['processor']:.3g} s [{run['wall']:.3g}]"


def _thousands(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


if __name__ == "__main__":
    sys.exit(main())
