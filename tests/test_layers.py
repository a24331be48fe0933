"""The layout: each layer imports only from layers before it, and there are no cycles.

Type-only imports are included.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import rivals

ROOT = Path(rivals.__file__).parent

# In the order in which data flow. What stands on one line may import from the lines above it, and
# from itself.
LAYERS = [
    ["_version", "_types"],
    ["_say"],
    ["_files", "_random", "_schemas"],
    ["_npz"],
    ["method"],
    ["core"],
    ["losses"],
    ["models"],
    ["laws"],
    ["comparison"],
    ["_workers"],
    ["calibration"],
    ["criteria", "read", "testbeds"],
    ["plots"],
    ["report"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}

# Within a package, likewise: a file imports from those named before it.
ORDER = {
    "core": [
        "scales", "quantiles", "beta", "end_points", "tree", "tails", "sampling_error",
        "short_series", "density", "verdict", "few_pairs", "more_groups", "roots",
    ],
    "_say": ["words", "warn", "naming", "optional", "samples", "arguments", "labels", "rows"],
    "method": ["distance", "error", "spread", "probability", "rule"],
    "laws": [
        "setting", "draws", "differences", "base", "beta_process", "transport_process",
        "grouped_losses", "next_of_many", "group_differences",
    ],  # each law then stands alone
    "comparison": [
        "rendering", "pasting", "pairs", "sides", "mistakes", "notes", "judge", "calibrator",
        "archive", "expectation", "horizon", "margin", "duels", "answers", "digits", "conclusion",
        "table", "text", "methods", "planning", "baseline", "groups_table",
        "result", "frames", "compare",
    ],
    "_workers": [
        "jobs", "beats", "time_limits", "sending", "dask", "interrupts", "attempts",
        "plan", "progress", "pool", "local", "cluster", "processes",
    ],
    "calibration": [
        "experiment", "forms", "replications", "sources", "fingerprint",
        "conditions", "trial", "study", "records", "curve", "correction",
        "text", "judgement", "bound", "validity", "findings", "in_papers", "result",
        "memory", "sqlite_file", "store", "calibrate",
    ],
}  # fmt: skip

# Conveniences that reach up, when they are called and not before: result.report(...).
ON_DEMAND = {("comparison", "report")}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in sorted(ROOT.rglob("*.py"))
    }


def imports(path: Path) -> list[tuple[str, bool]]:
    """What a file imports of the package, as `package.module`; whether it is within a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
    }
    names = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] == "rivals"
        ):
            assert node.level == 0
            base = node.module.split(".")[1:]
            for alias in node.names:
                target = ".".join([*base, alias.name])
                is_module = (ROOT / Path(*target.split("."))).with_suffix(".py").exists() or (
                    ROOT / Path(*target.split("."))
                ).is_dir()
                names.append(
                    (target if is_module or not base else ".".join(base), id(node) in inside)
                )
        elif isinstance(node, ast.Import):
            names += [
                (alias.name.removeprefix("rivals").lstrip("."), id(node) in inside)
                for alias in node.names
                if alias.name.split(".")[0] == "rivals"
            ]
    return names


MODULES = modules()


def test_every_file_has_a_layer():
    assert {name.split(".")[0] for name in MODULES} - set(RANK) == {"__init__"}


@pytest.mark.parametrize("name", [name for name in MODULES if name != "__init__"])
def test_a_layer_imports_only_from_layers_before_it(name):
    own = name.split(".")[0]
    for target, on_demand in imports(MODULES[name]):
        other = target.split(".")[0]
        if on_demand and (own, other) in ON_DEMAND:
            continue
        assert other in RANK, (
            f"{name} imports {target or 'rivals'}, which is no layer: name the layer it comes from"
        )
        assert other == own or RANK[other] < RANK[own], (
            f"{name} imports {target}, which comes after it"
        )


@pytest.mark.parametrize("package", ORDER)
def test_a_file_of_a_package_imports_only_from_files_before_it(package):
    order = ORDER[package]
    stems = {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__"}
    alone = sorted(stems - set(order)) if package == "laws" else []
    assert stems == {*order, *alone}
    for stem in (*order, *alone):
        index = order.index(stem) if stem in order else len(order)
        for target, _ in imports(ROOT / package / f"{stem}.py"):
            parts = target.split(".")
            if parts[0] == package:
                assert parts[1:], f"{package}/{stem}.py imports its own package"
                assert parts[1] in order[:index], (
                    f"{package}/{stem}.py imports {target}, which comes after it"
                )


def test_there_are_no_cycles():
    graph = {
        name: {target for target, _ in imports(path) if target in MODULES}
        for name, path in MODULES.items()
    }
    for pair in ON_DEMAND:
        for name in graph:
            if name.split(".")[0] == pair[0]:
                graph[name] = {target for target in graph[name] if target.split(".")[0] != pair[1]}
    done: set[str] = set()
    while rest := [name for name in graph if name not in done]:
        free = [name for name in rest if graph[name] - {name} <= done]
        assert free, f"a cycle among {rest}"
        done.update(free)


def test_the_core_needs_numpy_and_scipy_special_only():
    allowed = {
        "numpy",
        "scipy.special",
        "math",
        "functools",
        "itertools",
        "dataclasses",
        "collections",
        "typing",
        "__future__",
        "rivals",
    }
    for path in [*(ROOT / "core").glob("*.py"), *(ROOT / "method").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                assert name in allowed or name.split(".")[0] in allowed, (
                    f"{path.name} imports {name}"
                )


def test_no_two_modules_of_one_name():
    """But for `result` and `text`, one per package, commands, and laws, called by their names."""
    places = defaultdict(list)
    for name in MODULES:
        package, _, stem = name.rpartition(".")
        if stem not in ("__init__", "result", "text") and not package.startswith(
            ("cli", "testbeds", "laws")
        ):
            places[stem].append(name)
    assert {stem: names for stem, names in places.items() if len(names) > 1} == {}


def test_no_private_names_across_packages():
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rivals."):
                own, other = name.split(".")[0], (node.module or "").split(".")[1]
                private = [
                    alias.name
                    for alias in node.names
                    if alias.name.startswith("_") and alias.name != "__version__"
                ]
                assert own == other or not private, f"{name} imports {private} from {node.module}"
