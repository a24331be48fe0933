"""The layout: each layer imports only from layers before it, type-only imports included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rivals

ROOT = Path(rivals.__file__).parent

# In the order in which data flow: losses, evidence, decision, result. What stands on one line may
# import from the lines above it, and from itself.
LAYERS = [
    ["_version", "_core.types", "_core.optional", "_core.texts"],
    ["_core.cautions", "_core.writing"],
    ["_core.seeds"],
    ["_core.setting"],
    ["_core.arrays"],
    ["_core.checks"],
    ["_core.grouping"],
    ["_core.losses"],
    ["_core.candidates"],
    ["_core.evidence"],
    ["_core.mistakes", "_core.rule", "criteria", "method"],
    ["scenarios"],
    ["_core.reducer"],
    ["_core.predictions", "_core.summaries", "_result.track_record"],
    ["_core.cells"],
    ["_core.law"],
    ["laws"],
    ["_core.reduced"],
    ["_core.judge"],
    ["_core.beside"],
    ["_core.decided"],
    ["_result.renderers"],
    ["_result.sentences"],
    ["_result.claims", "_result.probabilities"],
    ["_questions", "_result.saved"],
    ["_result.tables"],
    ["_result.account"],
    ["_result.comparison"],
    ["_compare"],
    ["calibration"],
    ["read"],
    ["_desiderata"],
    ["testbeds", "testing"],
    ["plots"],
    ["emdcmp"],
    ["report"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
THIN = {"__init__", "_core.__init__", "_result.__init__"}

# Within a package, likewise: a file imports from those named before it.
ORDER = {
    "method": [
        "crps",
        "distance",
        "error",
        "influence",
        "factors",
        "budget",
        "series",
        "leads",
        "items",
        "probability",
        "looks",
        "more_groups",
    ],
    "laws": ["groups", "rows", "transport", "factors"],
}

# Conveniences that reach up, when they are called and not before: result.plot(...).
ON_DEMAND = {
    ("_compare", "read"),
    ("_result.comparison", "plots"),
    ("_result.comparison", "report"),
    ("calibration", "plots"),
}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in sorted(ROOT.rglob("*.py"))
    }


def layer_of(name: str) -> str:
    """The layer a module is on: its own, or that of its package."""
    return name if name in RANK else name.split(".")[0]


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def imports(path: Path) -> list[tuple[str, bool]]:
    """What a file imports of the package, as `package.module`; whether it is within a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rivals":
            base = (node.module or "").removeprefix("rivals").lstrip(".")
            for alias in node.names:
                target = f"{base}.{alias.name}".lstrip(".")
                shown = target if is_module(target) or not base else base
                found.append((shown, id(node) in inside))
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("rivals")]
            found += [
                (name.removeprefix("rivals").lstrip("."), id(node) in inside) for name in names
            ]
    return found


MODULES = modules()


def test_every_file_has_a_layer():
    assert {name for name in MODULES if layer_of(name) not in RANK} == THIN


@pytest.mark.parametrize("name", [name for name in MODULES if name not in THIN])
def test_a_layer_imports_only_from_layers_before_it(name):
    own = layer_of(name)
    for target, on_demand in imports(MODULES[name]):
        other = layer_of(target)
        if on_demand and (own, other) in ON_DEMAND:
            continue
        assert other in RANK, f"{name} imports {target or 'rivals'}: name the layer it comes from"
        assert other == own or RANK[other] < RANK[own], f"{name} imports {target}, which is below"


@pytest.mark.parametrize("package", ORDER)
def test_a_file_of_a_package_imports_only_from_files_before_it(package):
    order = ORDER[package]
    for place, stem in enumerate(order):
        for target, _ in imports(ROOT / package / f"{stem}.py"):
            parts = target.split(".")
            if parts[0] == package and len(parts) > 1:
                assert parts[1] not in order[place:], f"{package}/{stem}.py imports {target}"


def test_there_are_no_cycles():
    graph = {
        name: {
            target
            for target, _ in imports(path)
            if target in MODULES and (layer_of(name), layer_of(target)) not in ON_DEMAND
        }
        for name, path in MODULES.items()
    }
    done: set[str] = set()
    while rest := [name for name in graph if name not in done]:
        free = [name for name in rest if graph[name] - {name} <= done]
        assert free, f"a cycle among {rest}"
        done.update(free)


CORE = [layer for group in LAYERS[: LAYERS.index(["calibration"])] for layer in group]
STANDARD = {
    "__future__", "abc", "ast", "collections", "contextlib", "contextvars", "dataclasses",
    "datetime", "decimal", "difflib", "functools", "html", "importlib", "inspect",
    "itertools", "json", "math", "numbers", "operator", "os",
    "pathlib", "re", "stat", "sys", "types", "typing", "warnings", "zipfile",
}  # fmt: skip


def _is_ours(node: ast.stmt) -> bool:
    """What type checkers alone import may come from other libraries."""
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rivals")


def test_the_core_needs_numpy_and_scipy_special_only():
    for name in [name for name in MODULES if layer_of(name) in CORE]:
        tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                node.body = [each for each in node.body if _is_ours(each)]
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for each in names:
                allowed = each.split(".")[0] in STANDARD | {"numpy", "rivals"}
                assert allowed or each == "scipy.special", f"{name} imports {each}"


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
