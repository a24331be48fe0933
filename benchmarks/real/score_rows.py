"""What became of winners that were named from rows without groups: after rows.py.

    python benchmarks/real/score_rows.py [--records FOLDER]

Each study's pairs are judged by this library, with the fits of its folds and with losses only, and
by what is usual; won or not is by a new sample of as many rows from the same population. Results
are in benchmarks/results/rows.json and rows.md. tally.py says what counts as what.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

import rivals
import tally
from catalogue import CATALOGUE
from problems import distinct
from rows import FOLDS, STUDIES, path_of
from score import HIGH, LOW, MIDDLE, RESULTS, compact, percent, plain
from tables import rate, table
from truth import QUESTIONS

FloatArray = npt.NDArray[np.float64]
OURS, LOSSES_ONLY, BEFORE = "rivals", "rivals, losses only", "rivals, fitted before"
ELPD, CORRECTED = "elpd ± SE", "corrected t (Nadeau and Bengio), five folds"
# "Two standard errors apart" is the usual rule: as a P of one side.
TWO_ERRORS = 0.9772
DIGITS = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=Path(__file__).parent / "records")
    parser.add_argument("--judgements", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.judgements is None:
        lines = [line for one in CATALOGUE for n in STUDIES for line in of(one, n, options.records)]
        text = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
        packed = gzip.compress(text.encode(), 9, mtime=0)
        (options.out / "rows-judgements.jsonl.gz").write_bytes(packed)
    else:
        with gzip.open(options.judgements, "rt", encoding="utf-8") as file:
            lines = [json.loads(text) for text in file]
    rows = list(summary(lines))
    found = {"data_sets": len({one["data"] for one in lines}), "rows": rows}
    (options.out / "rows.json").write_text(compact(found), encoding="utf-8")
    (options.out / "rows.md").write_text(page(found), encoding="utf-8")


def of(data_set: Any, n: int, records: Path) -> Iterator[dict[str, Any]]:
    """A line for each study and design."""
    path = path_of(data_set, n, records)
    if not path.exists():
        return
    with np.load(path, allow_pickle=False) as file:
        kept = {name: file[name] for name in file.files}
    for study in range(len(kept["observed"])):
        observed, fold, fits = (kept[name][study] for name in ("observed", "fold", "fits"))
        own = distinct(observed)
        if own.size > 1:
            yield line(data_set, n, study, "left out", kept["won"][study][np.ix_(own, own)]) | {
                "P": {
                    OURS: pairs(ours(observed[own], fold, fits[:, :, own])),
                    LOSSES_ONLY: pairs(ours(observed[own], fold, None)),
                    ELPD: pairs(elpd(observed[own])),
                    CORRECTED: pairs(corrected(observed[own], fold)),
                }
            }
        if study == 0:
            continue
        before = kept["before"][study - 1]
        own = distinct(before)
        if own.size > 1:
            won = kept["won_before"][study - 1][np.ix_(own, own)]
            yield line(data_set, n, study, "fitted before", won) | {
                "P": {BEFORE: pairs(ours(before[own], None, None)), ELPD: pairs(elpd(before[own]))}
            }


def line(data_set: Any, n: int, study: int, design: str, won: FloatArray) -> dict[str, Any]:
    a, b = np.triu_indices(len(won), 1)
    truth = won[a, b].round(5).tolist()
    key = {"data": data_set.name, "design": design, "groups": n, "study": study}
    return key | {"truth": dict.fromkeys(QUESTIONS, truth), "noisy": {}}


def pairs(p: FloatArray) -> list[float]:
    """P[a, b] of all pairs, then P[b, a]."""
    a, b = np.triu_indices(len(p), 1)
    return [float(f"{x:.{DIGITS}g}") for x in np.concatenate([p[a, b], p[b, a]]).tolist()]


# ---------------------------------------------------------------- methods


def ours(observed: FloatArray, fold: Any, fits: FloatArray | None) -> FloatArray:
    """As many new rows."""
    losses = {}
    for place, own in enumerate(observed):
        of_fits = None if fits is None else (fits[:, :, place], fold)
        source = rivals.Provenance(
            left_out=fold is not None, n_folds=FOLDS if fold is not None else 0
        )
        losses[f"m{place}"] = rivals.Losses(own, source=source, fits=of_fits)
    return np.asarray(rivals.compare(losses).probability)


def elpd(observed: FloatArray) -> FloatArray:
    """The difference over its standard error, rows independent."""
    gaps = observed[None, :, :] - observed[:, None, :]
    error = np.maximum(gaps.std(axis=2, ddof=1) / np.sqrt(observed.shape[1]), 1e-300)
    return np.asarray(ndtr(gaps.mean(axis=2) / error))


def corrected(observed: FloatArray, fold: Any) -> FloatArray:
    """Nadeau and Bengio's t over folds."""
    means = np.array([observed[:, fold == one].mean(axis=1) for one in range(FOLDS)])
    gaps = means[:, None, :] - means[:, :, None]
    spread = gaps.var(axis=0, ddof=1) * (1.0 / FOLDS + 1.0 / (FOLDS - 1.0))
    return np.asarray(stdtr(FOLDS - 1, gaps.mean(axis=0) / np.sqrt(np.maximum(spread, 1e-300))))


# ---------------------------------------------------------------- rates


def summary(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for design, n in sorted({(one["design"], one["groups"]) for one in lines}, reverse=True):
        own = [one for one in lines if (one["design"], one["groups"]) == (design, n)]
        for method in own[0]["P"]:
            found = tally.judged(own, method)
            threshold = TWO_ERRORS if method == ELPD else 0.95
            log = tally.scores(found, "study")[0]
            beside = tally.scores(tally.judged(own, ELPD), "study")[0]
            yield {
                "design": design,
                "rows": n,
                "method": method,
                "threshold": threshold,
                "bands": [tally.reliability(found, "study", *band) for band in BANDS],
                "named": tally.named(found, threshold).percent(),
                "failed": percent(tally.failed(found, threshold, "study")),
                "log score gained over elpd ± SE": plain(
                    tally.rate(found, log - beside, tally.every(found))
                ),
            }


BANDS = (LOW, MIDDLE, HIGH)


def page(found: dict[str, Any]) -> str:
    head = ["design", "rows", "method", "won − P, .50 to .70", ".70 to .95", ".95 to .99"]
    head += ["named", "failed", "1000 × log score gained over elpd ± SE"]
    rows = [
        [
            one["design"],
            str(one["rows"]),
            one["method"],
            *(rate(band and band["won less P with noise"]) for band in one["bands"]),
            rate(one["named"], sets=False),
            rate(one["failed"], sets=False),
            rate(one["log score gained over elpd ± SE"], sets=False, unit=1000.0),
        ]
        for one in found["rows"]
    ]
    words = (
        f"`python benchmarks/real/rows.py; python benchmarks/real/score_rows.py`: "
        f"{found['data_sets']} data sets cut into studies of 100 and 400 rows; new samples of as many "
        "rows from the same population. Rates in %, ± jackknife over data sets; in brackets the number "
        "of data sets. A winner is named at P above .95, by elpd at two standard errors."
    )
    return "\n\n".join(["# Rows without groups", words, table(head, rows)]) + "\n"


if __name__ == "__main__":
    main()
