"""Sums of groups from a file: `rivals.compare(file, groups=)` beside the same sums by polars.

    python benchmarks/reducer.py [--rows 20000000] [--runs 3]

Each run is a process of its own, in turn; imports are not counted in the time, but in the peak of
memory. Results are committed as results/reducer.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np
import polars
import pyarrow
import pyarrow.parquet

RESULTS = Path(__file__).parent / "results"
N_SITES = 500
BLOCK = 2_000_000

TIMED = """
import json, resource, sys
{imports}
def used():
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime
before = used()
{code}
processor = used() - before
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps(dict(processor=processor, peak=peak)))
"""
PAIRS = "(polars.col('a') - polars.col('b'), polars.col('a') - polars.col('c'), "
WAYS = {
    "`rivals.compare(file, groups=…)`": (
        "import rivals; rivals.compare",
        "rivals.compare(sys.argv[1], groups='site')",
    ),
    "polars: means of groups, and squares of each pair": (
        "import polars",
        f"pairs = {PAIRS}polars.col('b') - polars.col('c'))\n"
        "polars.scan_parquet(sys.argv[1]).group_by('site').agg(\n"
        "    polars.col('a', 'b', 'c').mean(),\n"
        "    *((each**2).sum().alias(str(place)) for place, each in enumerate(pairs)),\n"
        ").collect(engine='streaming')",
    ),
}


def write(path: Path, n_rows: int) -> None:
    """Losses of three models at sites that are named by text."""
    rng = np.random.default_rng(0)
    names = np.array([f"site {each}" for each in range(N_SITES)])
    writer = None
    for begin in range(0, n_rows, BLOCK):
        site = rng.integers(0, N_SITES, min(BLOCK, n_rows - begin))
        base = rng.exponential(size=site.size)
        columns = {"site": names[site], "a": base}
        columns |= {name: base + 0.02 * rng.standard_normal(site.size) for name in "bc"}
        table = polars.DataFrame(columns).to_arrow()
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.parquet"
        write(path, asked.rows)
        for _ in range(asked.runs):
            for way, (imports, code) in WAYS.items():
                script = TIMED.format(imports=imports, code=code)
                run = subprocess.run(
                    [sys.executable, "-c", script, str(path)],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                found[way].append(json.loads(run.stdout.splitlines()[-1]))
    rows = [
        {"way": way, **{key: round(median(each[key] for each in runs), 2) for key in runs[0]}}
        for way, runs in found.items()
    ]
    packages = ("numpy", "polars", "narwhals")
    environment = {"python": platform.python_version()}
    environment |= {name: version(name) for name in packages}
    case = {"rows": asked.rows, "models": 3, "sites": N_SITES, "runs": asked.runs}
    result = {"environment": environment, "case": case, "rows": rows}
    (RESULTS / "reducer.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
