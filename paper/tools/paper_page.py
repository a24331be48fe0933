"""Write docs/paper/index.md, the paper figure by figure, from paper_page.jinja and the results.

`python paper/tools/paper_page.py`.

The text is written by hand, its numbers are looked up. Where the text depends on a number, the
template says so with `holds(...)`, and a result that no longer agrees with the text stops this
script. A test compares the page with what it writes.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT.parent / "docs" / "paper" / "index.md"
TEMPLATE = ROOT / "tools" / "paper_page.jinja"
RESULTS = ROOT / "results"
NOTHING = "–"  # in place of a number that no result has

AS_PUBLISHED = "as published"
CORRECTED = "corrected"
PUBLISHED = ("paper", "authors' files")  # sources that count as agreement with what was published


@cache
def result(name: str) -> dict[str, Any]:
    """All that a module wrote."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")))


def rows(name: str, what: str = ".*", variant: str = ".*") -> list[dict[str, Any]]:
    """The comparisons whose text and variant match these patterns, with both as whole."""
    return [
        row
        for row in result(name)["comparisons"]
        if re.fullmatch(what, row["what"]) and re.fullmatch(variant, row["variant"])
    ]


def value(name: str, what: str, variant: str = CORRECTED, key: str = "ours") -> float:
    """The one number that matches; an error if there are none or several."""
    found = rows(name, what, variant)
    if len(found) != 1 or found[0][key] is None:
        raise LookupError(
            f"{name}.json has {len(found)} comparisons {what!r} ({variant}) with {key!r}, not 1"
        )
    return float(found[0][key])


def ours(name: str, what: str, variant: str = CORRECTED, digits: int = 2) -> str:
    """Our number as text, or a dash where the variant does not have it."""
    return number(value(name, what, variant), digits) if rows(name, what, variant) else NOTHING


def theirs(name: str, what: str, variant: str = AS_PUBLISHED, digits: int = 2) -> str:
    """The original number as text."""
    return number(value(name, what, variant, "reference"), digits)


def values(name: str, what: str, variant: str = CORRECTED, key: str = "ours") -> list[float]:
    """All numbers that match."""
    return [float(row[key]) for row in rows(name, what, variant) if row[key] is not None]


def span(name: str, what: str, variant: str = CORRECTED, key: str = "ours", digits: int = 2) -> str:
    """The lowest and the highest of the numbers that match, or a dash where there are none."""
    found = values(name, what, variant, key)
    if not found:
        return NOTHING
    low = number(min(found), digits)
    high = number(max(found), digits)
    return low if low == high else f"{low} … {high}"


def number(x: float, digits: int = 2) -> str:
    """With a true minus sign, and without one before zero."""
    text = f"{x:.{digits}f}"
    return f"−{text[1:]}" if text.startswith("-") and float(text) else text.removeprefix("-")


def agreement(name: str, what: str = ".*") -> str:
    """How many of the numbers as published lie within three standard errors of those in the paper
    or in the authors' files; a dash where there are none.
    """
    compared = [
        row
        for row in rows(name, what, AS_PUBLISHED)
        if row["source"] in PUBLISHED and _score(row) is not None
    ]
    near = sum(abs(_score(row) or 0.0) <= 3 for row in compared)
    return f"{near} of {len(compared)}" if compared else NOTHING


def sources(name: str) -> str:
    """Where the numbers stand with which ours are compared."""
    found = dict.fromkeys(
        row["source"] for row in rows(name, variant=AS_PUBLISHED) if row["source"]
    )
    return ", ".join(found) or NOTHING


def far(name: str) -> str:
    """How many numbers of all variants lie farther away, and how many of these have an
    explanation.
    """
    apart = [row for row in rows(name) if abs(_score(row) or 0.0) > 3]
    explained = sum("explanation" in row for row in apart)
    return f"{explained} of {len(apart)}" if apart else "none"


def holds(condition: bool) -> str:
    """Nothing, if what the text says still holds.

    Otherwise an error, which names the place in the template.
    """
    if not condition:
        raise AssertionError(
            "the text no longer agrees with the results: read it again, and change it"
        )
    return ""


def rules_by_c() -> str:
    """Of the six main scenarios at each c: how many pass either rule, by variant."""
    found = result("neuron-calibration")["numbers"]["valid c"]
    powers = [f"2{_superscript(round(math.log2(float(c))))}" for c in found["corrected"]]
    head = ["", *powers]
    lines = [_row(head), _row(["---"] * len(head))]
    shown = {
        "the authors' experiments": "original study",
        "as published, our run": "as published",
        "constants as published": "constants as published",
        "corrected": "corrected",
    }
    lines += [_row([name, *neuron_rules(variant)]) for name, variant in shown.items()]
    return "\n".join(lines)


def neuron_rules(variant: str) -> list[str]:
    """How many of the six conditions pass our rule and the paper's bound, at each c."""
    found = result("neuron-calibration")["numbers"]["valid c"][variant]
    return [f"{row['valid']}/{row['bound']['kept']}" for row in found.values()]


def _cell(error: float, stated: float) -> str:
    wrong = NOTHING if math.isnan(error) else number(100 * error, 0 if error >= 0.095 else 1)
    return f"{wrong}/{number(100 * stated, 0)}"


def rules_of_all(variant: str, c: str) -> tuple[int, int]:
    """Of all 48 scenarios at one c under the paper's law: how many pass either rule."""
    found = result("neuron-calibration-all")["numbers"]["valid c, all that was tried"]
    row = found[f"{variant}, law beta"][c]
    return row["valid"], row["bound"]["kept"]


def replications_table() -> str:
    """Wrong winners if the truth is on the same process → in a replication, and stated ones."""
    found = result("neuron-calibration")["numbers"]["truth is a replication"]
    variants = ("constants as published", "corrected")
    shown = ("0.25", "1")
    head = ["failed, same process→replication/named %"]
    head += [f"{variant}, {_power(c)}" for variant in variants for c in shown]
    lines = [_row(head), _row(["---"] * len(head))]
    for key in found["constants as published, both truths agree"]:
        cells = []
        for variant in variants:
            both = found[f"{variant}, law beta"]
            for c in shown:
                same, other = (both[name][c] for name in ("same process", "replication"))
                errors = [number(100 * _real(each["error"][key]), 1) for each in (same, other)]
                cells.append(f"{'→'.join(errors)}/{number(100 * same['stated'][key], 0)}")
        lines.append(_row([_pair(key), *cells]))
    return "\n".join(lines)


def copies_table() -> str:
    """Stated and wrong winners as published.

    By the authors, and lowest to highest of our copies.
    """
    found = result("neuron-calibration")["numbers"]["copies: wrong and stated"]
    shown = ("0.25", "1")
    head = ["authors, 64 copies"]
    head += [f"{what} %, {_power(c)}" for what in ("named", "failed") for c in shown]
    lines = [_row(head), _row(["---"] * len(head))]
    for key, by in found.items():
        cells = []
        for what in ("stated", "wrong"):
            for c in shown:
                row = by[c]
                ours = [100 * each for each in map(_real, row[what]) if not math.isnan(each)]
                theirs = _real(row[f"{what} by the authors"])
                one = NOTHING if math.isnan(theirs) else number(100 * theirs, 0)
                span_of = f"{number(min(ours), 0)}–{number(max(ours), 0)}" if ours else NOTHING
                cells.append(f"{one}, {span_of}")
        lines.append(_row([_pair(key), *cells]))
    return "\n".join(lines)


def stated_rates() -> list[str]:
    """Stated winners in %, mean over four conditions and two c, first 128 experiments.

    By the authors; lowest, mean and highest of the copies; means with 128 draws and with straight
    pieces.
    """
    file = ROOT / "benchmarks" / "results" / "stated_winners.json"
    found = json.loads(file.read_text(encoding="utf-8"))["copies"]["mean of these rates"]
    simpson = found["Simpson"]
    few = found["Simpson, 128 draws"]["mean"]
    straight = found["straight pieces"]["mean"]
    own = (simpson["lowest"], simpson["mean"], simpson["highest"])
    return [number(100 * each, 1) for each in (found["authors"], *own, few, straight)]


def spectra(row: str, key: str = "B") -> str:
    """Medians over many spectra of the panels of a row of the black body risks, corrected."""
    found = result("blackbody-rdists")["numbers"]["many spectra"]
    kind = "B" if key == "B" else "Rayleigh-Jeans' risk less Planck's, nats"
    medians = [found[panel]["fitted to another"][kind][1] for panel in row]
    return ", ".join(number(each, 2 if key == "B" else 3) for each in medians)


def large(law: str, size: str) -> str:
    """Median of B over 32 data sets of two wrong models."""
    return number(result("large-samples")["numbers"][size][law]["B"][1])


def above(variant: str) -> str:
    """Parts of the paths of the process that lie above the observed quantile function."""
    found = result("process")["numbers"][variant]["part of the paths above q*"]
    return ", ".join(number(part) for part in found)


def large_spread(law: str, size: str) -> str:
    """Median standard deviations of the risk of both wrong models, the less wrong one first."""
    found = result("large-samples")["numbers"][size][law]["sd"]
    return " and ".join(number(quantiles[1]) for quantiles in found.values())


def large_nats(size: str) -> str:
    """By how many nats the Bayes factor prefers the less wrong model."""
    found = result("large-samples")["numbers"][size]["criteria, nats"]
    return number(found["log Bayes factor"][1], 0)


def blackbody_bound(name: str) -> str:
    """The values of c that keep the paper's bound for black body radiation."""
    found = result("blackbody-calibration")["numbers"][name]
    kept = [int(k.removeprefix("2^")) for k, row in found.items() if row["bound"]["kept"]]
    return f"2{_superscript(min(kept))} to 2{_superscript(max(kept))}"


def _row(cells: list[str]) -> str:
    """A row of a table of Markdown."""
    return f"|{'|'.join(cells)}|"


def _real(value: Any) -> float:
    """A number of a result, or nan where it has none."""
    return float(value) if isinstance(value, (int, float)) else math.nan


def _power(c: str) -> str:
    return f"c = 2{_superscript(round(math.log2(float(c))))}"


def gpu_seconds(variant: str) -> str:
    """Seconds of the GPU for the records of a variant."""
    found = json.loads(
        (ROOT / "benchmarks" / "results" / "gpu_records.json").read_text(encoding="utf-8")
    )
    return number(found[variant]["total s"], 0)


def _pair(key: str) -> str:
    pair, *_, strength = key.split("|")
    return f"{pair.replace('vs', ' vs ')}, {strength}"


def blackbody_valid(name: str) -> str:
    """The range of c that the rule on named winners calls valid for black body radiation, in powers
    of two.
    """
    from rivals_paper.blackbody_records import committed
    from rivals_paper.rules import problem_of

    record = committed(name)
    experiments = record.experiments
    valid = [
        int(k)
        for column, k in enumerate(record.log2_c)
        if problem_of(experiments.probability[:, column], experiments.truth) is None
    ]
    if valid != [int(k) for k in record.log2_c if valid[0] <= k <= valid[-1]]:
        return "each of " + ", ".join(f"2{_superscript(k)}" for k in valid)
    return f"2{_superscript(valid[0])} to 2{_superscript(valid[-1])}"


@cache
def million(c: float, law: str = "beta") -> dict[str, Any]:
    """What the largest calibration, of one epistemic distribution of the black body, found at this
    c.
    """
    found = json.loads(
        (ROOT / "benchmarks" / "results" / "million.json").read_text(encoding="utf-8")
    )
    row = next(row for row in found["rows"] if row["law"] == law and math.isclose(row["c"], c))
    return {"experiments": f"{found['experiments']:,}".replace(",", " "), **row}


def neuron_risks(variant: str, models: list[str], key: str = "empirical_risk") -> list[float]:
    """Empirical risks (or fitted widths) of neuron models in the example.

    Of one run, or the mean of several.
    """
    by = result("rdists")["numbers"].get(variant, {})
    return [by[model].get(f"{key}, mean", by[model].get(key)) for model in models if model in by]


def _superscript(integer: int) -> str:
    return str(integer).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _score(row: dict[str, Any]) -> float | None:
    """The difference in standard errors; None where it has none."""
    numbers = [row["reference"], row["ours"], row["standard_error"]]
    if not all(isinstance(each, (int, float)) for each in numbers) or not row["standard_error"]:
        return None
    return float((row["ours"] - row["reference"]) / row["standard_error"])


def picture(name: str, text: str) -> str:
    """A picture, how to read it, the command that makes it, and its numbers."""
    path = f"../../paper/results/{name}"
    shown = result(name).get("reading", "")
    plain = shown.replace("*", r"\*").replace("_", r"\_")
    caption = f"\n\n{plain}" if shown else ""
    command = f"`rivals reproduce {name}` · [numbers]({path}.json)"
    return f"![{text}]({path}.png){caption}\n\n{command}"


def page() -> str:
    """The text with the numbers of the results."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    functions = (
        rows,
        value,
        values,
        ours,
        theirs,
        span,
        number,
        agreement,
        sources,
        far,
        holds,
        rules_by_c,
        neuron_rules,
        rules_of_all,
        copies_table,
        replications_table,
        spectra,
        large,
        large_nats,
        large_spread,
        above,
        gpu_seconds,
        picture,
        million,
        neuron_risks,
        blackbody_valid,
        blackbody_bound,
    )
    environment.globals.update(
        {function.__name__: function for function in functions}, result=result, max=max, min=min
    )
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render()
    text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"\n## ", "\n\n## ", text))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
