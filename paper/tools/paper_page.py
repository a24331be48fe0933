"""Write paper/docs/paper.md, the index of the paper, from paper_page.jinja and the results: `python paper/tools/paper_page.py`.

The text is written by hand, its numbers are looked up. Where the text depends on a number, the template says so with
`holds(...)`, and a result that no longer agrees with the text stops this script. A test compares the page with what it writes.
"""

from __future__ import annotations

import json
import math
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "paper.md"
TEMPLATE = ROOT / "tools" / "paper_page.jinja"
RESULTS = ROOT / "results"
NOTHING = "–"  # in place of a number that no result has

AS_PUBLISHED, CORRECTED = "as published", "corrected"


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
        raise LookupError(f"{name}.json has {len(found)} comparisons {what!r} ({variant}) with {key!r}, not 1")
    return float(found[0][key])


def ours(name: str, what: str, variant: str = CORRECTED, digits: int = 2) -> str:
    """Our number as text, or a dash where the variant does not have it."""
    return number(value(name, what, variant), digits) if rows(name, what, variant) else NOTHING


def theirs(name: str, what: str, variant: str = AS_PUBLISHED, digits: int = 2) -> str:
    """The published number as text."""
    return number(value(name, what, variant, "published"), digits)


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
    """How many of the numbers as published lie within three standard errors of the published ones."""
    compared = [row for row in rows(name, what, AS_PUBLISHED) if _score(row) is not None]
    near = sum(abs(_score(row) or 0.0) <= 3 for row in compared)
    return f"{near} of {len(compared)}" if compared else NOTHING


def far(name: str) -> str:
    """How many numbers of all variants lie farther away, and how many of these have an explanation."""
    apart = [row for row in rows(name) if abs(_score(row) or 0.0) > 3]
    explained = sum("explanation" in row for row in apart)
    return f"{explained} of {len(apart)}" if apart else "none"


def holds(condition: bool) -> str:
    """Nothing, if what the text says still holds; otherwise an error, which names the place in the template."""
    if not condition:
        raise AssertionError("the text no longer agrees with the results: read it again, and change it")
    return ""


def published_validity() -> str:
    """Which c the rule of the package calls valid on the records of the original study, as a table."""
    sys.path.insert(0, str(ROOT / "src"))
    from rivals.calibration import judge_experiments
    from rivals_paper.neuron_runs import C_MAIN, MAIN, original

    records = {each.key: original(each.key) for each in MAIN}
    validity = judge_experiments({key: (each.probability, each.truth) for key, each in records.items()}, C_MAIN)
    head = ["condition", *(f"c = 2{_superscript(round(math.log2(c)))}" for c in C_MAIN)]
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    for condition, valid, reasons in zip(MAIN, validity.valid, validity.reasons, strict=True):
        words = ["**valid**" if ok else why.split(":")[0] for ok, why in zip(valid, reasons, strict=True)]
        lines.append(f"| {' against '.join(condition.pair)}, {condition.input} input | {' | '.join(words)} |")
    for_all = ["**valid**" if c in validity.for_all else "no" for c in C_MAIN]
    return "\n".join([*lines, f"| all six | {' | '.join(for_all)} |"])


def blackbody_valid(variant: str) -> str:
    """The range of c that the rule of the package calls valid for black body radiation, in powers of two."""
    from rivals.calibration import judge_experiments

    found = result("blackbody-calibration")
    size, by_c = found["settings"]["bin_size"], found["numbers"][variant]
    exponents = [int(key.removeprefix("2^")) for key in by_c]
    # Bins of equal count, in the order of B: for the coarser bins of the rule they are as good as the experiments.
    truth = {
        key: [k < round(size * part) for part in each["observed"] for k in range(size)] for key, each in by_c.items()
    }
    stated = {key: [[part] for part in each["predicted"] for _ in range(size)] for key, each in by_c.items()}
    validity = {
        exponent: judge_experiments({key: (stated[key], truth[key])}, [2.0**exponent]).valid[0, 0]
        for exponent, key in zip(exponents, by_c, strict=True)
    }
    valid = [exponent for exponent in sorted(exponents) if validity[exponent]]
    inside = [exponent for exponent in exponents if valid and valid[0] <= exponent <= valid[-1]]
    if sorted(inside) != valid:  # with a gap
        return "each of " + ", ".join(f"2{_superscript(exponent)}" for exponent in valid)
    return f"2{_superscript(valid[0])} to 2{_superscript(valid[-1])}" if valid else "none"


@cache
def million(c: float, law: str = "beta") -> dict[str, Any]:
    """What the largest calibration, of one epistemic distribution of the black body, found at this c."""
    found = json.loads((ROOT / "benchmarks" / "results" / "million.json").read_text(encoding="utf-8"))
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
            f"{number(each['mean'][place])} ± {number(each['standard deviation'][place])}" for each in kinds.values()
        )
        lines.append(f"| {pair} | {' | '.join(cells)} |")
    return "\n".join(lines)


def auc_of_all(variant: str, noise: str, c: float) -> str:
    """The lowest and the highest area under the ROC curve of the 48 conditions, or of those of one noise, at one c."""
    found = result("neuron-calibration-all")
    by = found["numbers"][variant]
    conditions = by.get("conditions") or by["summary"]
    column = found["settings"]["c"].index(c)
    areas = [each["auc"][column] for key, each in conditions.items() if noise in key.split("|") or not noise]
    low, high = number(min(areas)), number(max(areas))
    return low if low == high else f"{low} … {high}"


def valid_counts(name: str) -> str:
    """For how many conditions each c is valid, of each variant that says so, as a table; nothing where none does."""
    by = _counts(name)
    if not by:
        return ""
    values = list(next(iter(by.values())))
    of = by[CORRECTED][values[0]]["of"]
    head = [f"of {of} conditions, valid at c =", *(f"2{_superscript(round(math.log2(float(c))))}" for c in values)]
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    for variant, each in by.items():
        lines.append(f"| {variant} | {' | '.join(str(each[c]['valid']) if c in each else NOTHING for c in values)} |")
    return "\n" + "\n".join(lines) + "\n"


def own_rounding_counts(variant: str) -> str:
    """Of all 48 conditions, for how many each c of that figure is valid where recordings do not share the rounding errors of a candidate, as a row of its table."""
    path = ROOT / "benchmarks" / "results" / "shared_rounding.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["records"]
    own = [row for row in rows if row["variant"] == variant and row["rounding"] == "own"]
    counts = [sum(row["valid, beta"][c] for row in own) for c in _counts("neuron-calibration-all")[variant]]
    return f"| {variant}, own rounding errors | {' | '.join(map(str, counts))} |"


def valid_for_all(name: str, variant: str) -> str:
    """The values of c that are valid for all conditions, in powers of two; nothing where the result does not say so."""
    cells = _counts(name).get(variant, {})
    powers = [
        f"2{_superscript(round(math.log2(float(c))))}" for c, each in cells.items() if each["valid"] == each["of"]
    ]
    return ", ".join(powers) or ("none" if cells else "")


def _counts(name: str) -> dict[str, Any]:
    """For each variant, and each c, the number of conditions for which it is valid; nothing where the result has none."""
    numbers = result(name)["numbers"]
    by = numbers.get("valid c") or {
        variant: each["valid c"] for variant, each in numbers.items() if isinstance(each.get("valid c"), dict)
    }
    # Law "beta" at more values of c is the same as the variant itself at these.
    return {
        variant.removesuffix(", all c that were tried"): each
        for variant, each in by.items()
        if "law beta" not in variant and all("valid" in cell for cell in each.values())
    }


def _superscript(integer: int) -> str:
    return str(integer).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _score(row: dict[str, Any]) -> float | None:
    """The difference in standard errors; None where it has none."""
    numbers = [row["published"], row["ours"], row["standard_error"]]
    if not all(isinstance(each, (int, float)) for each in numbers) or not row["standard_error"]:
        return None
    return float((row["ours"] - row["published"]) / row["standard_error"])


def picture(name: str, text: str) -> str:
    """A small picture, and links to the large one and to the numbers."""
    path = f"../results/{name}"
    return f'<img src="{path}.png" alt="{text}" width="680">\n\n[Picture]({path}.png) · [numbers]({path}.json)'


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
        far,
        holds,
        published_validity,
        picture,
        auc_of_all,
        exists,
        million,
        own_rounding_counts,
        neuron_risks,
        domain_table,
        blackbody_valid,
        valid_counts,
        valid_for_all,
    )
    environment.globals.update({function.__name__: function for function in functions}, result=result, max=max, min=min)
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render()
    text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"\n## ", "\n\n## ", text))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
