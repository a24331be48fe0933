"""Write paper/docs/paper.md, the index of the paper, from paper_page.jinja and the results: `python paper/tools/paper_page.py`.

The text is written by hand, its numbers are looked up. Where the text depends on a number, the template says so with
`holds(...)`, and a result that no longer agrees with the text stops this script. A test compares the page with what it writes.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "paper.md"
TEMPLATE = ROOT / "tools" / "paper_page.jinja"
RESULTS = ROOT / "results"
NOTHING = "–"  # in place of a number that no result has

AS_PUBLISHED, CORRECTED = "as published", "corrected"
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
    low, high = number(min(found), digits), number(max(found), digits)
    return low if low == high else f"{low} … {high}"


def number(x: float, digits: int = 2) -> str:
    """With a true minus sign, and without one before zero."""
    text = f"{x:.{digits}f}"
    return f"−{text[1:]}" if text.startswith("-") and float(text) else text.removeprefix("-")


def agreement(name: str, what: str = ".*") -> str:
    """How many of the numbers as published lie within three standard errors of those in the paper or in the authors' files; a dash where there are none."""
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
    """How many numbers of all variants lie farther away, and how many of these have an explanation."""
    apart = [row for row in rows(name) if abs(_score(row) or 0.0) > 3]
    explained = sum("explanation" in row for row in apart)
    return f"{explained} of {len(apart)}" if apart else "none"


def holds(condition: bool) -> str:
    """Nothing, if what the text says still holds; otherwise an error, which names the place in the template."""
    if not condition:
        raise AssertionError(
            "the text no longer agrees with the results: read it again, and change it"
        )
    return ""


def six_conditions(variant: str) -> str:
    """Of the six main conditions at each c, how many of the stated winners are wrong and how many are stated, in %; bold where the rule calls c valid."""
    from rivals.calibration import judge_experiments
    from rivals_paper.neuron_runs import C_MAIN, MAIN, original, recorded_at

    records = (
        {each.key: original(each.key) for each in MAIN}
        if variant == "original study"
        else recorded_at(variant, MAIN, C_MAIN, 2048)
    )
    validity = judge_experiments(
        {key: (each.probability, each.truth) for key, each in records.items()}, C_MAIN
    )
    head = ["wrong / stated %", *(f"c = 2{_superscript(round(math.log2(c)))}" for c in C_MAIN)]
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    for place, condition in enumerate(MAIN):
        cells = [
            _cell(*each)
            for each in zip(
                validity.error[place], validity.stated[place], validity.valid[place], strict=True
            )
        ]
        lines.append(
            f"| {' against '.join(condition.pair)}, {condition.input} input | {' | '.join(cells)} |"
        )
    count = [str(int(validity.valid[:, column].sum())) for column in range(len(C_MAIN))]
    return "\n".join([*lines, f"| valid, of 6 | {' | '.join(count)} |"])


def _cell(error: float, stated: float, valid: bool) -> str:
    text = f"{NOTHING if math.isnan(error) else number(100 * error, 0 if error >= 0.095 else 1)} / {number(100 * stated, 0)}"
    return f"**{text}**" if valid else text


def all_conditions() -> str:
    """Of all 48 conditions at each c, three variants side by side: stated winners that are wrong, stated, and for how many conditions c is valid."""
    numbers = result("neuron-calibration-all")["numbers"]
    c = list(next(iter(numbers["valid c, all that was tried"].values())))
    head = [
        "wrong % / stated % / valid of 48",
        *(f"2{_superscript(round(math.log2(float(each))))}" for each in c),
    ]
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    for law in ("beta", "transport"):
        for variant, laws in numbers["verdicts beyond 0.95"].items():
            valid = numbers["valid c, all that was tried"][f"{variant}, law {law}"]
            cells = [
                f"{NOTHING if laws[law][each]['wrong'] is None else number(100 * laws[law][each]['wrong'], 1)} / {number(100 * laws[law][each]['stated'], 0)} / {valid[each]['valid']}"
                for each in c
            ]
            lines.append(f"| {variant}, law {law} | {' | '.join(cells)} |")
    return "\n".join(lines)


def length_of_the_truth() -> str:
    """In which part of the experiments a long recording names the same better model as fresh ones as long as the data."""
    found = result("neuron-calibration")["numbers"]["length of the truth"]
    keys = list(next(iter(found.values())))
    lines = [
        "| long and fresh recordings agree, % | " + " | ".join(_pair(key) for key in keys) + " |",
        "| --- " * (1 + len(keys)) + "|",
    ]
    for variant, by in found.items():
        lines.append(
            f"| {variant} | {' | '.join(number(100 * by[key]['long and fresh agree'], 0) for key in keys)} |"
        )
    return "\n".join(lines)


def counts_table() -> str:
    """The loss on spike counts, documented constants: wrong / stated % at three c, and how often each loss says that the cell that made the data is better."""
    found = json.loads(
        (ROOT / "benchmarks" / "results" / "spike_counts.json").read_text(encoding="utf-8")
    )
    lines = [
        "| wrong / stated % | c = 2⁻⁶ | 2⁻⁴ | 2⁻² | true cell better, by counts | by voltages |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for key, row in found["conditions"].items():
        cells = [
            _cell(math.nan if e is None else e, s, False)
            for e, s in zip(row["error"][:3], row["stated"][:3], strict=True)
        ]
        better = (row["the cell that made the data is better by counts"], row["by voltages"])
        lines.append(
            f"| {_pair(key)} | {' | '.join(cells)} | {' | '.join(number(100 * each, 0) + ' %' for each in better)} |"
        )
    return "\n".join(lines)


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
    """The range of c that the rule of the package calls valid for black body radiation, in powers of two."""
    from rivals.calibration import judge_experiments
    from rivals_paper.blackbody_records import committed

    record = committed(name)
    validity = judge_experiments(
        {name: (record.experiments.probability, record.experiments.truth)}, 2.0**record.log2_c
    )
    valid = [int(k) for k, good in zip(record.log2_c, validity.valid[0], strict=True) if good]
    if valid != [int(k) for k in record.log2_c if valid[0] <= k <= valid[-1]]:
        return "each of " + ", ".join(f"2{_superscript(k)}" for k in valid)
    return f"2{_superscript(valid[0])} to 2{_superscript(valid[-1])}"


def steps_row(kind: str, k: str, law: str) -> list[str]:
    """A row of the benchmark of lowering c in steps."""
    text = (ROOT / "benchmarks" / "results" / "steps.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in text.splitlines()]
    return next(row[3:] for row in cells if row[:3] == [kind, k, law])


@cache
def million(c: float, law: str = "beta") -> dict[str, Any]:
    """What the largest calibration, of one epistemic distribution of the black body, found at this c."""
    found = json.loads(
        (ROOT / "benchmarks" / "results" / "million.json").read_text(encoding="utf-8")
    )
    row = next(row for row in found["rows"] if row["law"] == law and math.isclose(row["c"], c))
    return {"experiments": f"{found['experiments']:,}".replace(",", " "), **row}


def exists(name: str) -> bool:
    """Whether there is such a result."""
    return (RESULTS / f"{name}.json").exists()


def neuron_risks(variant: str, models: list[str], key: str = "empirical_risk") -> list[float]:
    """Empirical risks (or fitted widths) of neuron models in the example: of one run, or the mean of several."""
    by = result("rdists")["numbers"].get(variant, {})
    return [by[model].get(f"{key}, mean", by[model].get(key)) for model in models if model in by]


def domain_table(variant: str) -> str:
    """Probabilities of all pairs by voltages and by counts and intervals, as a table."""
    found = result("domain-loss")["numbers"][variant]
    kinds = found["probability"]
    head = ["pair", *kinds]
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    for place, pair in enumerate(found["pairs"]):
        cells = (
            f"{number(each['mean'][place])} ± {number(each['standard deviation'][place])}"
            for each in kinds.values()
        )
        lines.append(f"| {pair} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _superscript(integer: int) -> str:
    return str(integer).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _score(row: dict[str, Any]) -> float | None:
    """The difference in standard errors; None where it has none."""
    numbers = [row["reference"], row["ours"], row["standard_error"]]
    if not all(isinstance(each, (int, float)) for each in numbers) or not row["standard_error"]:
        return None
    return float((row["ours"] - row["reference"]) / row["standard_error"])


def picture(name: str, text: str) -> str:
    """A picture, the command that makes it, and its numbers."""
    path = f"../results/{name}"
    return f"![{text}]({path}.png)\n\n`rivals reproduce {name}` · [numbers]({path}.json)"


def page() -> str:
    """The text with the numbers of the results."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    functions = (
        rows, value, values, ours, theirs, span, number, agreement, sources, far, holds, six_conditions, all_conditions, length_of_the_truth, counts_table,
        gpu_seconds, picture, exists, million, neuron_risks, domain_table, blackbody_valid, steps_row,
    )  # fmt: skip
    environment.globals.update(
        {function.__name__: function for function in functions}, result=result, max=max, min=min
    )
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render()
    text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"\n## ", "\n\n## ", text))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
