"""The results on real data as a page of tables."""

from __future__ import annotations

from typing import Any

ONE = ("elpd ± SE", "bootstrap", "transport, c = 1/32", "transport, c = 1/8", "transport, c = 1/4", "transport", "transport, c = 1/2", "transport, c = 1", "beta, c = 1/16", "beta, c = 1/4", "beta, c = 1")  # fmt: skip
SEVERAL = ("elpd ± SE", "t prediction", "transport, c = 1/4", "groups", "groups, c = 1/8", "groups, c = 1/4", "groups, c = 1/2", "groups, no simulations")  # fmt: skip
LEFT_OUT = (
    "5-fold by points, elpd ± SE",
    "elpd ± SE",
    "t prediction",
    "groups, no simulations",
    "groups",
)
NAMES = {
    "transport": "transport, as `compare` decides",
    "groups": "**groups, as `compare` decides**",
    "5-fold by points, elpd ± SE": "5-fold cross-validation by points, elpd ± SE",
}


CALIBRATED = (
    "With a calibration of its own for each group at hand, from one guess for all data sets of what varies (`benchmarks/real/calibrated.py`); "
    "data sets with counts or labels take no part:"
)


def page(found: dict[str, Any]) -> str:
    """Everything in one file of Markdown."""
    data = found["data"]
    parts = [
        "# Real data: what becomes of stated winners",
        f"`make evidence-real`: {len(data)} data sets, random splits of the groups of each ({splits(found['splits'])}), {found['seconds']} s of processor time. Error % ± jackknife over data sets "
        "(in brackets less the sampling error of the fresh groups, with their variances pooled; with the own variance of each) / stated %; nominal 5 %. `benchmarks/real/score.py` says what counts as what. Laws at a given c are judged by their probabilities; "
        '"as `compare` decides" is the default: what a comparison of the pair rejects, and unstable rejections do not count.',
        "## Candidates frozen, judged from k groups, scored in up to 29 others",
        grid(found["frozen"], {"1": ONE}, "group at hand"),
        grid(
            {k: one for k, one in found["frozen"].items() if k != "1"},
            dict.fromkeys((k for k in found["frozen"] if k != "1"), SEVERAL),
            "groups at hand",
        ),
        *(
            [
                CALIBRATED,
                grid(
                    found["calibrated"],
                    {"1": ("transport, calibrated with replications(...)",)},
                    "group at hand",
                ),
            ]
            if found["calibrated"]
            else []
        ),
        "## One of G groups left out at a time, candidates scored in up to 30 fresh ones",
        grid(found["left out"], dict.fromkeys(found["left out"], LEFT_OUT), "groups in all"),
        "How often the truly best of all candidates, that of the lowest mean over fresh groups, is rejected (and what part of the candidates survives):",
        best(found["best"]),
        "## Misfit, or spread of the points, as the scale of what varies between groups",
        'Law "groups" at c = ¼, and the same law whose prior of τ has the pooled standard deviation of the differences between points as its scale, which needs no simulation, at the c that states most nearly as much:',
        scale(found["misfit or spread"]),
        "## Data set by data set",
        'Error % / stated % of elpd ± SE from one group, of law "groups" from three and from five, and, of six groups left out in turn, of 5-fold cross-validation by points and of law "groups":',
        by_data(found),
        "## The data",
        described(data),
        failures(found["failures"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def splits(found: dict[str, list[int]]) -> str:
    return ", ".join(
        f"{design}: {low}" + (f" to {high}" if high > low else "")
        for design, (low, high) in found.items()
        if high
    )


def grid(by_k: dict[str, Any], rows: dict[str, tuple[str, ...]], words: str) -> str:
    """Methods by number of groups."""
    methods = dict.fromkeys(method for chosen in rows.values() for method in chosen)
    lines = [
        "| method | " + " | ".join(f"{k} {words}" for k in rows) + " |",
        "| --- |" + " --- |" * len(rows),
    ]
    lines += [
        f"| {NAMES.get(method, method)} | "
        + " | ".join(cell(by_k[k].get(method)) for k in rows)
        + " |"
        for method in methods
    ]
    counts = [
        f"{next(iter(by_k[k].values()))['data_sets']} data sets, {next(iter(by_k[k].values()))['judgements']} judgements"
        for k in rows
    ]
    return "\n".join([*lines, "| | " + " | ".join(counts) + " |"])


def cell(one: dict[str, Any] | None) -> str:
    if one is None:
        return "–"
    if one["error"] is None:
        return "none stated"
    return f"{one['error']:.1f} ± {one['error_se']:.1f} ({one['less_noise']:.1f}; {one['less_noise_own']:.1f}) / {one['stated']:.1f}"


def best(found: dict[str, Any]) -> str:
    methods = list(next(iter(found.values())))
    lines = [
        "| method | " + " | ".join(f"{k} groups in all" for k in found) + " |",
        "| --- |" + " --- |" * len(found),
    ]
    for method in methods:
        cells = [
            f"{one[method]['rejected']:.1f} of {one[method]['problems']} ({one[method]['survivors']:.0f})"
            for one in found.values()
        ]
        lines.append(f"| {NAMES.get(method, method)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def scale(found: dict[str, Any]) -> str:
    lines = [
        "| groups at hand | misfit: error % / stated % | spread of points: error % / stated % | difference of the errors ± jackknife |",
        "| --- | --- | --- | --- |",
    ]
    for k, one in found.items():
        a, b = one["misfit"], one["spread"]
        lines.append(
            f"| {k} | {a['error']:.1f} / {a['stated']:.1f} | {b['error']:.1f} / {b['stated']:.1f} | {one['gap']:+.1f} ± {one['gap_se']:.1f} |"
        )
    return "\n".join(lines)


def by_data(found: dict[str, Any]) -> str:
    columns = [
        ("1 group, elpd", found["frozen"]["1"]["elpd ± SE"]),
        ("3, groups", found["frozen"]["3"]["groups"]),
        ("5, groups", found["frozen"]["5"]["groups"]),
        ("6 in all, 5-fold", found["left out"]["6"]["5-fold by points, elpd ± SE"]),
        ("6 in all, groups", found["left out"]["6"]["groups"]),
    ]
    lines = [
        "| data set | " + " | ".join(name for name, _ in columns) + " |",
        "| --- |" + " --- |" * len(columns),
    ]
    for name in found["data"]:
        lines.append(
            f"| {name} | "
            + " | ".join(own(score["by_data"].get(name)) for _, score in columns)
            + " |"
        )
    return "\n".join(lines)


def own(one: list[float] | None) -> str:
    if one is None:
        return "too few groups"
    return f"{100 * one[2] / one[1]:.0f} / {100 * one[1]:.0f}" if one[1] else "– / 0"


def described(data: dict[str, Any]) -> str:
    lines = [
        "| data set | from | group | response | predictors: few; all | points, groups | left out |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in data.items():
        source = one["source"].removeprefix("debian:") + (
            " (Debian)" if one["source"].startswith("debian:") else ""
        )
        out = "; ".join(filter(None, [one["left_out"], f"groups below {one['least']} points"]))
        lines.append(
            f"| {name} | {source} | {one['unit']} | {one['response']}, {one['kind']} | `{one['few']}`; `{one['all']}` | {one['points']}, {one['groups']} | {out} |"
        )
    return "\n".join(lines)


def failures(found: dict[str, list[str]]) -> str:
    return (
        "\n".join(
            [
                "Splits that failed:",
                "",
                *(f"- {name}: {'; '.join(one)}" for name, one in found.items()),
            ]
        )
        if found
        else "No split failed."
    )
