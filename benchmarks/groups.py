"""Groups at hand, simulated: what becomes of verdicts when the study is repeated?

    python benchmarks/groups.py [--problems 500] [--seed 0] [--name groups]

Problems of the families of families.py, four of them with skewed effects, are judged from G groups
by law "groups" about one new group (m = 1), about as many as at hand (m = G, the study repeated)
and about all to come (m = ∞). A winner is stated as `rivals.compare` rejects the other model. It is
scored by each of the three questions in 3 000 fresh groups, where the true risks are known. Beside
it: the same without simulations, Student's t over groups, and elpd ± SE.

Also measured: whether P of a repeated study is as often true; the residual law of the next group
against a normal one; and verdicts with a margin. Writes results/NAME.json and .md. A run that is
interrupted goes on where it was (studies.py).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

import families
import studies
from rivals.method.probability import probability_next, probability_over
from rivals.method.rule import STABLE
from rivals.method.spread import Spread, spread_between_groups

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

RESULTS = Path(__file__).parent / "results"
GROUPS = (2, 3, 4, 8, 20, 30)
QUESTIONS = ("1", "G", "∞")
THRESHOLD = 0.95
# Without simulations two groups cannot tell how much groups differ.
LEAST_FLAT = 3
# The residual law, and verdicts with a margin, from so many groups on.
SEVERAL = tuple(n_groups for n_groups in GROUPS if n_groups >= 4)
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
PARTS = {
    "pooled": [name for name in studies.ALL if name not in families.REVERSED],
    "skewed effects": list(families.SKEWED),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=500, help="for each family and G")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name", default="groups", help="of the files of results")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    judged = judge_all(options.problems, options.seed, options.workers)
    seconds = sum(one.seen.seconds.sum() for by in judged.values() for one in by.values())
    settings = {"problems": options.problems, "seed": options.seed, "seconds": round(seconds)}
    found = {
        "settings": settings,
        "verdicts": {str(n_groups): verdicts(by) for n_groups, by in judged.items()},
        "oracle": {str(n_groups): oracle(by) for n_groups, by in judged.items()},
        "reliability": {str(n_groups): reliability(by) for n_groups, by in judged.items()},
        "next group": {str(n_groups): next_group(judged[n_groups]) for n_groups in SEVERAL},
        "margins": {
            margin: {str(n_groups): with_margin(judged[n_groups], place) for n_groups in SEVERAL}
            for place, margin in enumerate(studies.MARGINS)
        },
    }
    (RESULTS / f"{options.name}.json").write_text(as_json(found) + "\n", encoding="utf-8")
    (RESULTS / f"{options.name}.md").write_text(page(found), encoding="utf-8")


def as_json(found: Any, depth: int = 3) -> str:
    """JSON, with lines for what is this deep."""
    if depth == 0 or not isinstance(found, dict):
        return json.dumps(found, ensure_ascii=False, allow_nan=False)
    lines = [
        f"{json.dumps(key, ensure_ascii=False)}: {as_json(value, depth - 1)}"
        for key, value in found.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


# ---------------------------------------------------------------- what the law says


@dataclass(frozen=True, eq=False)
class Judged:
    """Many studies of a family, and what law "groups" says of them; `flat`: without simulations.

    Probabilities are priors × studies: that of all simulations, then those of each alone.
    """

    seen: studies.Studies
    flat: bool = False

    @cached_property
    def spread(self) -> Spread:
        """As `rivals.compare` has it, for many studies at a time (tests/tools/test_groups.py)."""
        seen = self.seen
        if self.flat:
            scales = np.zeros((1, seen.gap.size))
        else:
            scales = np.sqrt(0.5 * studies.C * seen.squares.T)
        return spread_between_groups(seen.differences, seen.variances, scales)

    @property
    def n_groups(self) -> int:
        return self.seen.differences.shape[1]

    @cached_property
    def probability(self) -> dict[str, FloatArray]:
        """That the first candidate is better, by question."""
        return {
            "1": probability_next(self.spread, self.seen.differences, self.seen.variances),
            "G": probability_over(self.spread, float(self.n_groups)),
            "∞": probability_over(self.spread, inf),
        }

    def better_by(self, margin: FloatArray) -> tuple[FloatArray, FloatArray]:
        """That the first, or the second, is better by more than the margin in G new groups."""
        m = float(self.n_groups)
        first = probability_over(self.spread, m, margin)
        second = 1.0 - probability_over(self.spread, m, -margin)
        return first, second

    def of_the_better(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """What belongs to the candidate of lower mean loss: only that one may reject the other."""
        return np.where(self.seen.gap < 0.0, first, second)


def judge_all(problems: int, seed: int, workers: int) -> dict[int, dict[str, Judged]]:
    """Number of groups → family → its studies."""
    jobs = [(name, n_groups, problems, seed) for n_groups in GROUPS for name in studies.ALL]
    judged: dict[int, dict[str, Judged]] = {n_groups: {} for n_groups in GROUPS}
    with ProcessPoolExecutor(workers) as pool:
        found = pool.map(studies.studies, *zip(*jobs, strict=True))
        for (name, n_groups, *_), seen in zip(jobs, found, strict=True):
            judged[n_groups][name] = Judged(seen)
            print(n_groups, name, flush=True)
    return judged


def rejects(probability: FloatArray) -> BoolArray:
    """Whether the better candidate rejects the other; `probability` is priors × studies.

    Nine in ten single simulations, where there are any, must say so too.
    """
    beats = probability > THRESHOLD
    if len(beats) == 1:
        return beats[0]
    return beats[0] & (beats[1:].mean(axis=0) >= STABLE)


# ---------------------------------------------------------------- stated winners, by question


def verdicts(by_family: dict[str, Judged]) -> dict[str, Any]:
    """Family or part → method → how much is stated, and how often that loses, by question."""
    stated = {name: stated_by_method(one) for name, one in by_family.items()}
    lost = {name: lost_by_question(one) for name, one in by_family.items()}
    found = {}
    for part, names in parts(by_family).items():
        methods = stated[names[0]]
        losses = {q: np.concatenate([lost[name][q] for name in names]) for q in QUESTIONS}
        found[part] = {
            method: score(np.concatenate([stated[name][method] for name in names]), losses)
            for method in methods
        }
    return found


def parts(by_family: dict[str, Judged]) -> dict[str, list[str]]:
    """All families together, some of them, and each one."""
    return PARTS | {name: [name] for name in by_family}


def stated_by_method(judged: Judged) -> dict[str, BoolArray]:
    """In which studies each method states that the candidate of lower mean loss is better."""
    found = {}
    for question, probability in judged.probability.items():
        found[f"m = {question}"] = rejects(judged.of_the_better(probability, 1.0 - probability))
    if judged.n_groups >= LEAST_FLAT:
        flat = Judged(judged.seen, flat=True)
        for question, probability in flat.probability.items():
            winner = flat.of_the_better(probability, 1.0 - probability)
            found[f"m = {question}, no simulations"] = rejects(winner)
    found["Student's t"] = rejects(students_t(judged.seen)[None, :])
    score = np.abs(judged.seen.gap) / judged.seen.error
    found["elpd ± SE"] = rejects(ndtr(score)[None, :])
    return found


def students_t(seen: studies.Studies) -> FloatArray:
    """P of a paired t test over groups, each weighing the same, for the one of lower mean loss."""
    n_groups = seen.differences.shape[1]
    mean = seen.differences.mean(axis=1)
    error = seen.differences.std(axis=1, ddof=1) / np.sqrt(n_groups)
    return np.asarray(stdtr(n_groups - 1, mean * np.sign(seen.gap) / error))


def lost_by_question(judged: Judged) -> dict[str, FloatArray]:
    """How often the candidate of lower mean loss loses in fresh groups."""
    wins = judged.seen.wins.T
    lost = judged.of_the_better(1.0 - wins, wins)
    return dict(zip(QUESTIONS, lost, strict=True))


def score(stated: BoolArray, lost: dict[str, FloatArray]) -> dict[str, Any]:
    """In %, with standard errors over problems; errors by question."""
    errors = {question: share(stated, of) for question, of in lost.items()}
    return {
        "stated": percent(stated.mean()),
        "stated_se": percent(stated.std() / np.sqrt(stated.size)),
        "error": {question: error for question, (error, _) in errors.items()},
        "error_se": {question: se for question, (_, se) in errors.items()},
        "problems": stated.size,
    }


def oracle(by_family: dict[str, Judged]) -> dict[str, float]:
    """How much one would state who knows how often each candidate wins, by question."""
    wins = np.concatenate([by_family[name].seen.wins for name in PARTS["pooled"]])
    stated = np.maximum(wins, 1.0 - wins) > THRESHOLD
    return {q: percent(part) for q, part in zip(QUESTIONS, stated.mean(axis=0), strict=True)}


def share(stated: BoolArray, wrong: FloatArray) -> tuple[float | None, float | None]:
    """How often what is stated is wrong, in %, and its standard error."""
    if not stated.any():
        return None, None
    error = float(wrong[stated].mean())
    residual = np.sqrt(np.sum((wrong[stated] - error) ** 2)) / stated.sum()
    return percent(error), percent(residual)


def percent(value: float) -> float:
    return round(100.0 * float(value), 3)


# ---------------------------------------------------------------- is P as often true?


def reliability(by_family: dict[str, Judged]) -> list[dict[str, float]]:
    """P of the study repeated, of the model ahead, in bins: its mean, and how often it wins."""
    chosen = [by_family[name] for name in PARTS["pooled"]]
    probability = np.concatenate([one.probability["G"][0] for one in chosen])
    wins = np.concatenate([one.seen.wins[:, 1] for one in chosen])
    said = np.maximum(probability, 1.0 - probability)
    seen = np.where(probability > 0.5, wins, 1.0 - wins)
    found = []
    for low, high in pairwise(BINS):
        inside = (said > low) & (said <= high)
        count = int(inside.sum())
        if count > 1:
            error = seen[inside].std(ddof=1) / np.sqrt(count)
            found.append(
                {
                    "low": low,
                    "high": high,
                    "said": round(float(said[inside].mean()), 4),
                    "seen": round(float(seen[inside].mean()), 4),
                    "seen_se": round(float(error), 4),
                    "problems": count,
                }
            )
    return found


# ---------------------------------------------------------------- the law of the next group


def next_group(by_family: dict[str, Judged]) -> dict[str, Any]:
    """1000 × mean (P − truth)² of one new group, by the residual law and by a normal one."""
    residual = {}
    normal = {}
    for name, one in by_family.items():
        truth = one.seen.wins[:, 0]
        residual[name] = 1000.0 * (one.probability["1"][0] - truth) ** 2
        normal[name] = 1000.0 * (probability_over(one.spread, 1.0)[0] - truth) ** 2
    found = {}
    for part, names in parts(by_family).items():
        mine = np.concatenate([residual[name] for name in names])
        other = np.concatenate([normal[name] for name in names])
        change = mine - other
        found[part] = {
            "residual": round(float(mine.mean()), 3),
            "normal": round(float(other.mean()), 3),
            "change": round(float(change.mean()), 3),
            "change_se": round(float(change.std() / np.sqrt(change.size)), 3),
        }
    return found


# ---------------------------------------------------------------- with a margin


def with_margin(by_family: dict[str, Judged], place: int) -> dict[str, Any]:
    """Better by more than the margin, equivalent, not worse: stated and false % in G new groups."""
    stated = {name: stated_with_margin(one, place) for name, one in by_family.items()}
    false = {name: false_with_margin(one, place) for name, one in by_family.items()}
    found = {}
    for part, names in parts(by_family).items():
        found[part] = {}
        for event in stated[names[0]]:
            says = np.concatenate([stated[name][event] for name in names])
            wrong = np.concatenate([false[name][event] for name in names])
            error, error_se = share(says, wrong)
            found[part][event] = {
                "stated": percent(says.mean()),
                "error": error,
                "error_se": error_se,
            }
    return found


def stated_with_margin(judged: Judged, place: int) -> dict[str, BoolArray]:
    """What is stated of the candidate of lower mean loss and the other."""
    first, second = judged.better_by(judged.seen.margins[:, place])
    better = judged.of_the_better(first, second)
    worse = judged.of_the_better(second, first)[0]
    return {
        "better": rejects(better),
        "equivalent": 1.0 - better[0] - worse > THRESHOLD,
        "not worse": 1.0 - worse > THRESHOLD,
    }


def false_with_margin(judged: Judged, place: int) -> dict[str, FloatArray]:
    """How often that is false in G fresh groups."""
    below, above = judged.seen.beyond[:, place].T
    better = judged.of_the_better(below, above)
    worse = judged.of_the_better(above, below)
    return {"better": 1.0 - better, "equivalent": better + worse, "not worse": worse}


# ---------------------------------------------------------------- the page of results


def page(found: dict[str, Any]) -> str:
    settings = found["settings"]
    low, high = studies.SIZES
    lines = [
        "# Groups at hand, simulated",
        "",
        f"`python benchmarks/groups.py --problems {settings['problems']} --seed "
        f"{settings['seed']}`: {settings['seconds']} s of processor time for the studies. G groups "
        f"of {low} to {high} points, {studies.N_SIMULATIONS} simulations, {settings['problems']} "
        f"problems of each of {len(studies.ALL)} families, truth from {studies.N_FRESH} fresh "
        "groups. Pooled: all families but rare reversal, which is made so that no study can be "
        "right about the mean of all groups.",
        "",
        "## Stated winners, pooled",
        "",
        "Stated % / how often the winner loses, % ± one standard error over problems: in one fresh "
        "group, in the mean of G fresh groups, in the mean of all.",
        "",
        *verdict_table(found["verdicts"], "pooled"),
        "",
        "What an oracle would state that knows how often each candidate wins, %:",
        "",
        *by_groups("question", found["oracle"], QUESTIONS, "{:.1f}".format),
        "",
        "Skewed effects alone:",
        "",
        *verdict_table(found["verdicts"], "skewed effects"),
        "",
        "## By family",
        "",
        "Error % ± one standard error / stated %, each horizon by its own question.",
        *(line for question in QUESTIONS for line in family_table(found["verdicts"], question)),
        "",
        "## Is P of the study repeated as often true?",
        "",
        "Mean P of the model ahead → how often it wins the mean of G fresh groups (problems).",
        "",
        *reliability_table(found["reliability"]),
        "",
        "## P of the next group",
        "",
        "1000 × mean (P − truth)², normal law → residual law.",
        "",
        *next_table(found["next group"]),
        *(line for margin, by in found["margins"].items() for line in margin_table(margin, by)),
    ]
    return "\n".join(lines) + "\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def by_groups(
    first: str, found: dict[str, Any], rows: Iterable[str], cell: Callable[[Any], str]
) -> list[str]:
    """A column for each number of groups; `found` is number of groups → row → what `cell` shows."""
    body = [[row, *(cell(by.get(row)) for by in found.values())] for row in rows]
    return table([first, *(f"G = {n_groups}" for n_groups in found)], body)


def verdict_table(found: dict[str, Any], part: str) -> list[str]:
    chosen = {n_groups: by[part] for n_groups, by in found.items()}
    return by_groups("method", chosen, chosen[str(GROUPS[-1])], three_errors)


def three_errors(one: dict[str, Any] | None) -> str:
    if one is None:
        return "–"
    errors = [one["error"][question] for question in QUESTIONS]
    if errors[0] is None:
        return "0 / –"
    ends = [
        f"{error:.1f} ± {one['error_se'][question]:.1f}"
        for question, error in zip(QUESTIONS, errors, strict=True)
    ]
    return f"{one['stated']:.1f} / " + ", ".join(ends)


def family_table(found: dict[str, Any], question: str) -> list[str]:
    chosen = {
        n_groups: {part: by_method[f"m = {question}"] for part, by_method in by.items()}
        for n_groups, by in found.items()
    }

    def cell(one: dict[str, Any]) -> str:
        return brief(one["error"][question], one["error_se"][question], one["stated"])

    return ["", *by_groups(f"m = {question}", chosen, chosen[str(GROUPS[0])], cell)]


def brief(error: float | None, error_se: float | None, stated: float) -> str:
    if error is None:
        return f"– / {stated:.1f}"
    return f"{error:.1f} ± {error_se:.1f} / {stated:.1f}"


def reliability_table(found: dict[str, Any]) -> list[str]:
    named = {
        n_groups: {f"{one['low']:g} to {one['high']:g}": one for one in bins}
        for n_groups, bins in found.items()
    }
    rows = [f"{low:g} to {high:g}" for low, high in pairwise(BINS)]

    def cell(one: dict[str, Any] | None) -> str:
        if one is None:
            return "–"
        return f"{one['said']:.3f} → {one['seen']:.3f} ± {one['seen_se']:.3f} ({one['problems']})"

    return by_groups("P", named, rows, cell)


def next_table(found: dict[str, Any]) -> list[str]:
    def cell(one: dict[str, Any]) -> str:
        change = f"{one['change']:+.1f} ± {one['change_se']:.1f}"
        return f"{one['normal']:.1f} → {one['residual']:.1f} ({change})"

    return by_groups("family", found, found[str(SEVERAL[0])], cell)


def margin_table(margin: str, found: dict[str, Any]) -> list[str]:
    lines = [
        "",
        f"## Margin: {margin}",
        "",
        "False % ± one standard error / stated %, of the mean of G fresh groups.",
    ]

    def cell(one: dict[str, Any]) -> str:
        return brief(one["error"], one["error_se"], one["stated"])

    for event in ("better", "equivalent", "not worse"):
        chosen = {
            n_groups: {part: events[event] for part, events in by.items()}
            for n_groups, by in found.items()
        }
        lines += ["", *by_groups(event, chosen, chosen[str(SEVERAL[0])], cell)]
    return lines


if __name__ == "__main__":
    main()
