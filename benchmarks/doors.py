"""Doors at size: time and memory beside the libraries that read for us.

    python benchmarks/doors.py --before SRC [--rows 100000000] [--folder FOLDER]

Each measurement is a process of its own; what an import takes is measured by itself and taken off.
`--before` is the `src` of an older release, for the cases that it knows. Results are committed as
results/doors.json and results/doors.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
MODELS = ("a", "b", "c")
N_SITES = 200
ROWS_AT_ONCE = 2**20
# Rows of files of 200 MB.
SIZES = {"csv": 5_900_000, "parquet": 8_800_000}

# Of the process that measures: imports first, then the clock.
MEASURED = """
import json, os, resource, sys, time
import numpy as np
{imports}
before = resource.getrusage(resource.RUSAGE_SELF)
wall = time.perf_counter()
{code}
wall = time.perf_counter() - wall
after = resource.getrusage(resource.RUSAGE_SELF)
processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps(dict(
    wall=wall, processor=processor, peak=after.ru_maxrss / 2**20, imports=before.ru_maxrss / 2**20,
    result=float(result),
)))
"""
P = "result = found.probability[0, 1]"
COMPARED = f"found = rivals.compare(losses); {P}"
FRAME = "rivals.compare(rivals.read.summaries(frame, groups='site'))"


def main() -> None:
    """Measure, and write what was measured; the rest of the results stays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", default="", help="cases and ways whose names hold this")
    parser.add_argument("--runs", type=int, default=3, help="processes for each measurement")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        rows = []
        for case in all_cases(Path(folder), options.rows, options.before):
            if options.only in f"{case['case']}, {case['way']}":
                if "file" in case:
                    losses_file(*case["file"])
                rows.append(measured(case, options.runs))
                print(line(rows[-1]), flush=True)
                write(rows)


def all_cases(folder: Path, rows: int, before: Path | None) -> list[dict[str, Any]]:
    """What is measured, and beside what."""
    return [
        *engines(folder, 2 * 10**7),
        *largest(folder, rows),
        *files(folder, before),
        *labels(before),
        *boards(),
    ]


# ---------------------------------------------------------------- files of some size


def losses_file(path: Path, n_rows: int, text: bool = True) -> None:
    """Losses of three models in 200 sites, written in parts; site names are text or numbers."""
    if path.exists():
        return
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    effects = 0.02 * rng.standard_normal((len(MODELS), N_SITES))
    names = np.array([f"site {place}" for place in range(N_SITES)])
    writer = None
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        size = min(ROWS_AT_ONCE, n_rows - begin)
        site = rng.integers(0, N_SITES, size)
        base = rng.standard_exponential(size)
        columns = {
            name: np.round(
                base + 0.01 * place + effects[place, site] + 0.1 * rng.standard_normal(size), 6
            )
            for place, name in enumerate(MODELS)
        }
        labels = names[site] if text else site
        part = pyarrow.table({"site": labels, **columns})
        if writer is None:
            csv = path.suffix == ".csv"
            make = pyarrow.csv.CSVWriter if csv else pyarrow.parquet.ParquetWriter
            writer = make(str(path), part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()


def engines(folder: Path, n_rows: int) -> list[dict[str, Any]]:
    """The same sums on each engine, beside reading all with polars and comparing."""
    path = folder / "engines.parquet"
    found = f"found = {FRAME}; {P}"
    each = {
        "polars": ("import polars", f"frame = polars.scan_parquet({str(path)!r})"),
        "DuckDB": ("import duckdb, pyarrow", f"frame = duckdb.read_parquet({str(path)!r})"),
        "Dask": ("import dask.dataframe", f"frame = dask.dataframe.read_parquet({str(path)!r})"),
    }
    case = f"{n_rows:.0e} rows × 3 models, 200 sites"
    cases = [
        {
            "case": case,
            "way": f"read.summaries, {name}",
            "imports": f"import rivals, rivals.read; rivals.compare; {imports}",
            "code": f"{opened}; {found}",
        }
        for name, (imports, opened) in each.items()
    ]
    whole = (
        f"frame = polars.read_parquet({str(path)!r}); "
        "found = rivals.compare({m: frame[m].to_numpy() for m in 'abc'}, groups=frame['site']); "
    )
    every = [
        *cases,
        {
            "case": case,
            "way": "polars reads all, compare",
            "imports": "import polars, rivals; rivals.compare",
            "code": whole + P,
        },
    ]
    return [{**case, "file": (path, n_rows)} for case in every]


def largest(folder: Path, n_rows: int) -> list[dict[str, Any]]:
    path = folder / "largest.parquet"
    return [
        {
            "file": (path, n_rows, False),
            "case": f"{n_rows:.0e} rows × 3 models, 200 sites",
            "way": "read.summaries, polars",
            "imports": "import polars, rivals, rivals.read; rivals.compare",
            "code": f"frame = polars.scan_parquet({str(path)!r}); found = {FRAME}; {P}",
        }
    ]


def files(folder: Path, before: Path | None) -> list[dict[str, Any]]:
    """Files of 200 MB, beside what polars takes to read them."""
    cases = []
    for kind in SIZES:
        path = folder / f"losses.{kind}"
        size = f"{kind}, about 200 MB"
        name = repr(str(path))
        ours = "import rivals, rivals.read.table, polars, narwhals; rivals.compare"
        read = f"losses = rivals.read.table({name}, groups='site'); result = len(losses)"
        target = (
            f"losses = rivals.read.predictions({name}, target='a', groups='site'); "
            "result = len(losses)"
        )
        cases += [
            {
                "case": size,
                "way": "polars reads",
                "imports": "import polars",
                "code": f"result = len(polars.read_{kind}({name}))",
            },
            {"case": size, "way": "read.table", "imports": ours, "code": read},
            {
                "case": size,
                "way": "read.table, compare",
                "imports": ours,
                "code": f"{read}; {COMPARED}",
            },
            {
                "case": size,
                "way": "read.predictions",
                "imports": f"{ours}; import rivals.read._predictions",
                "code": target,
            },
            {
                "case": size,
                "way": "read.summaries",
                "imports": ours,
                "code": f"frame = {name}; found = {FRAME}; {P}",
            },
        ]
        if before is not None:
            old = (
                f"losses, found = read_files(pathlib.Path({name}), None, Selection(None, [], None, "
                "{'groups': 'site'}, False)); result = len(losses)"
            )
            imports = (
                "import pathlib, rivals, polars\nfrom rivals.read.files import read_files\n"
                "from rivals.read.selection import Selection"
            )
            cases += [
                {
                    "case": size,
                    "way": "read, before",
                    "imports": imports,
                    "code": old,
                    "path": str(before),
                }
            ]
    return [
        {**case, "file": (folder / f"losses.{kind_of(case)}", SIZES[kind_of(case)])}
        for case in cases
    ]


def kind_of(case: dict[str, Any]) -> str:
    return str(case["case"].split(",")[0])


def labels(before: Path | None) -> list[dict[str, Any]]:
    """A column of groups as text: what README recommends."""
    made = (
        "rng = np.random.default_rng(0); site = rng.integers(0, 200, 10**6); "
        "names = np.array([f'site {i}' for i in range(200)])[site]; "
        "base = rng.standard_exponential(10**6); "
        "models = {f'm{i}': base + 0.01 * i + 0.1 * rng.standard_normal(10**6) for i in range(5)}; "
        "frame = pandas.DataFrame({**models, 'site': names}); text = frame['site'];"
        "plain = names.tolist()"
    )
    ways = {
        "codes, factorised once": "groups=site",
        "column of pandas": "groups=text",
        "list of text": "groups=plain",
    }
    cases = []
    for way, given in ways.items():
        each = {
            "case": "compare, 10⁶ × 5, 200 groups",
            "way": way,
            "imports": f"import pandas, rivals; rivals.compare; {made}",
            "code": f"found = rivals.compare(models, {given}); result = found.risk['m0']",
        }
        cases.append(each)
        if before is not None:
            older = f"found = rivals.compare(models, {given}); result = 0.0"
            cases.append({**each, "way": f"{way}, before", "code": older, "path": str(before)})
    return cases


def boards() -> list[dict[str, Any]]:
    """A leaderboard of the size of MTEB: 181 models, 41 tasks, read, compared and printed."""
    made = (
        "import polars, rivals, rivals.read; rivals.compare; import rivals.read._evaluations; "
        "rng = np.random.default_rng(0); skill = rng.normal(0.6, 0.05, 181); "
        "ease = rng.normal(0.0, 0.1, 41); "
        "scores = np.clip(skill[:, None] + ease + rng.normal(0, 0.04, (181, 41)), 0, 1); "
        "frame = polars.DataFrame({'model': np.repeat([f'model {i}' for i in range(181)], 41), "
        "'task': np.tile([f'task {i}' for i in range(41)], 181), 'score': scores.ravel()})"
    )
    code = (
        "found = rivals.compare(rivals.read.evaluations(frame)); shown = str(found); "
        "result = shown.count('\\n') + 1; assert result <= 40, result"
    )
    return [
        {
            "case": "board, 181 models × 41 tasks",
            "way": "evaluations, compare, print (result: lines)",
            "imports": made,
            "code": code,
        }
    ]


# ---------------------------------------------------------------- measuring


def measured(case: dict[str, Any], n_runs: int) -> dict[str, object]:
    """The fastest of some runs, each a process of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": case.get("path", str(ROOT / "src")),
        "OPENBLAS_NUM_THREADS": "1",
    }
    code = MEASURED.format(imports=case["imports"], code=case["code"])
    runs = []
    for _ in range(n_runs):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return {**plain(case), "error": done.stderr.strip().splitlines()[-1][:200]}
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    best = min(runs, key=lambda run: run["processor"])
    return {**plain(case), **best, "runs": n_runs}


def plain(case: dict[str, Any]) -> dict[str, str]:
    return {name: case[name] for name in ("case", "way")}


def line(row: dict[str, object]) -> str:
    if "error" in row:
        return f"| {row['case']} | {row['way']} | {row['error']} | | | | |"
    return (
        f"| {row['case']} | {row['way']} | {row['wall']:.2f} | {row['processor']:.2f} | "
        f"{row['peak']:.2f} | {row['runs']} | {row['result']:.12g} |"
    )


def write(rows: list[dict[str, object]]) -> None:
    """Results, for people and for pages; those of other cases are kept."""
    packages = ("numpy", "polars", "duckdb", "dask", "narwhals", "pandas", "pyarrow")
    about = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        **{name: version(name) for name in packages},
    }
    path = RESULTS / "doors.json"
    kept = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
    measured_now = {(row["case"], row["way"]): row for row in rows}
    rows = [measured_now.pop((row["case"], row["way"]), row) for row in kept]
    rows += measured_now.values()
    path.write_text(json.dumps({"environment": about, "rows": rows}, indent=1) + "\n", "utf-8")
    head = (
        "# Doors at size\n\nSeconds of the clock and of the processor without imports, of so many "
        "processes the one that took least of the processor; peak memory in GiB, with imports; the "
        "result is P, or a count. Other work ran beside them, more or less of it from row to row, "
        "and not all rows are of one occasion: compare seconds of the processor. Made by "
        "`benchmarks/doors.py`; "
        f"{', '.join(f'{name} {value}' for name, value in about.items())}.\n\n"
        "| case | way | seconds | processor | GiB | runs | result |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
    )
    (RESULTS / "doors.md").write_text(head + "\n".join(map(line, rows)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
