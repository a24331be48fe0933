"""Rows without groups: large data sets cut into small studies, and what became of their winners.

    python benchmarks/real/rows.py [--records FOLDER]       # losses; then score_rows.py

A study has n rows. *left out*: candidates are cross-validated in five folds of its rows, then fitted
to all of them and scored on a new sample of n fresh rows. *fitted before*: the candidates of one
study are judged on the rows of the next, and scored on a new sample of n fresh rows.

A file holds the studies of one data set and one n:

    names               of the candidates
    observed            studies × models × n: losses of rows that were left out
    fold                studies × n
    fits                studies × folds × folds × models: means in each fold by the fit without each
    before              studies × models × n: losses of the study's rows by the candidates that were
                        fitted to the study before it
    won, won_before     studies × models × models: how often a has the lower mean loss in a new
                        sample of n rows, by candidates fitted to the study, or to the one before
"""

from __future__ import annotations

import argparse
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from catalogue import CATALOGUE, DataSet
from data import NotInstalled, load
from losses import at, generator, held_out, losses_of
from models import candidates

FloatArray = npt.NDArray[np.float64]
# Rows of a study → studies of a data set.
STUDIES = {100: 8, 400: 4}
FOLDS = 5
# Fresh rows: at least this many new samples' worth, at most so many.
LEAST_SAMPLES = 2
MOST_FRESH = 4000
SAMPLES = 400


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=Path(__file__).parent / "records")
    options = parser.parse_args()
    (options.records / "rows").mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for data_set in CATALOGUE:
            for n in STUDIES:
                print(write(data_set, n, options.records), flush=True)


def path_of(data_set: DataSet, n: int, records: Path) -> Path:
    name = re.sub(r"[^\w.]", ".", data_set.source)
    return records / "rows" / f"{name}.{n}.npz"


def write(data_set: DataSet, n: int, records: Path) -> str:
    path = path_of(data_set, n, records)
    if path.exists():
        return f"{data_set.name}, {n}: there"
    try:
        found = studies(data_set, n)
    except NotInstalled as error:
        return f"{data_set.name}: not here, it needs {error}"
    except Exception as error:  # recorded, since none is missing at random
        return f"{data_set.name}, {n}: {type(error).__name__}: {str(error)[:200]}"
    if found is None:
        return f"{data_set.name}, {n}: too few rows"
    np.savez(path, **found)
    return f"{data_set.name}, {n}: made"


def studies(data_set: DataSet, n: int) -> dict[str, Any] | None:
    table = load(data_set)
    rows = np.concatenate(list(table.rows.values()))
    number = STUDIES[n]
    if rows.size < (number + LEAST_SAMPLES) * n:
        return None
    rng = generator(data_set, 0, n)
    rows = rng.permutation(rows)
    fresh_X, fresh_y = at(table, rows[number * n :][:MOST_FRESH])
    models = candidates(data_set.kind, table.blocks)
    found: dict[str, list[Any]] = {
        name: [] for name in ("observed", "fold", "fits", "before", "won", "won_before")
    }
    before: list[Any] = []
    won = np.empty(0)
    for place in range(number):
        X, y = at(table, rows[place * n : (place + 1) * n])
        fold = rng.permutation(np.arange(n) % FOLDS)
        observed, by_fold = held_out(models, X, y, fold)
        found["observed"].append(observed)
        found["fold"].append(fold)
        found["fits"].append(
            np.stack([by_fold[:, :, fold == f].mean(axis=2) for f in range(FOLDS)], axis=1)
        )
        if before:
            found["before"].append(losses_of([fitted(X) for fitted in before], y))
            found["won_before"].append(won)
        before = [model(X, y) for model in models.values()]
        won = samples(losses_of([fitted(fresh_X) for fitted in before], fresh_y), n, rng)
        found["won"].append(won)
    return {name: np.array(values) for name, values in found.items()} | {"names": list(models)}


def samples(losses: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """[a, b]: how often a has the lower mean in samples of n rows, drawn without replacement."""
    drawn = [rng.permutation(losses.shape[1])[:n] for _ in range(SAMPLES)]
    means = np.array([losses[:, rows].mean(axis=1) for rows in drawn])
    difference = means[:, :, None] - means[:, None, :]
    return np.asarray(0.5 - 0.5 * np.sign(difference).mean(axis=0))


if __name__ == "__main__":
    main()
