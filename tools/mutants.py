"""Mutation testing: change one operator or constant of the core, and see whether a test fails.

    python tools/mutants.py --number 200 --seed 0 --minutes 25 --out benchmarks/results/mutants.json

A mutant that no test notices, a survivor, is either equivalent (the change has no effect that one
could see) or shows a test that is missing. Each mutant runs in a fork of one process that has
everything imported, in memory: no file changes.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.abc
import importlib.util
import io
import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "promises.md"
MODULES = [
    *(
        path
        for folder in ("core", "laws")
        for path in sorted((ROOT / "src/rivals" / folder).glob("*.py"))
    ),
    ROOT / "src/rivals/comparison/judge.py",
]
OF_THE_PROCESS = ["beta", "end_points", "quantiles", "tree"]
TESTS_OF_THE_PROCESS = ["core/test_beta", "core/test_quantiles", "laws/test_process"]
TESTS_OF_THE_REST = [
    "laws/test_transport",
    "laws/test_groups",
    "laws/test_plain_groups",
    "core/test_sampling_error",
    "core/test_tails",
    "laws/test_one_formula",
    "comparison/test_many",
]
# Most mutants are noticed without the slow tests, which then only the others meet.
SLOW = "law_of_the_risk or coverage_where or survivors_of_many or truth_is_kept or drawing_no_node"
# What those meet last that all of these let pass: the layers above.
LAST = [
    "tests/core/test_mutants.py",
    "tests/core/test_tails.py",
    "tests/calibration/test_use.py",
    "tests/comparison/test_many.py",
    "tests/report/test_page.py",
    "tests/plots",
]
SECONDS_EACH = 90  # of processor time; a mutant that loops is noticed

SWAPS: dict[type, list[type]] = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
    ast.USub: [ast.UAdd],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}
NAMES = {
    "minimum": "maximum",
    "maximum": "minimum",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "log": "log1p",
    "expm1": "exp",
    "cumsum": "cumprod",
    "sqrt": "square",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
}


class Mutant:
    """One change at one place of one module."""

    def __init__(self, path: Path, index: int) -> None:
        self.path = path
        self.index = index
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        node, self.change = list(places(self.tree))[index]
        self.line = node.lineno
        before = _text(node)
        self.change()
        self.what = f"{before} → {_text(node)}"

    @property
    def module(self) -> str:
        parts = self.path.relative_to(ROOT / "src").with_suffix("").parts
        return ".".join(part for part in parts if part != "__init__")

    @property
    def tests(self) -> list[str]:
        """Those that exercise the module, its own first."""
        names = TESTS_OF_THE_PROCESS if self.path.stem in OF_THE_PROCESS else TESTS_OF_THE_REST
        first = f"{self.path.parent.name}/test_{self.path.stem}"
        core = [f"tests/{name}.py" for name in sorted(names, key=lambda name: name != first)]
        extra = [name for name in ["tests/core/test_mutants.py"] if (ROOT / name).exists()]
        return [
            *extra,
            *core,
            "tests/comparison/test_laws.py",
            "tests/comparison/test_comparison.py",
        ]


def places(tree: ast.AST) -> Iterator[tuple[Any, Any]]:
    """Every place of a module that can be changed, with the change; messages, annotations and
    docstrings are left alone.
    """
    skipped = set()
    for node in ast.walk(tree):
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        messages = [node] if isinstance(node, (ast.Raise, ast.JoinedStr)) else []
        texts = (
            [node]
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("warn", "TypeVar")
            else []
        )
        for part in [part for part in (*annotations, *messages, *texts) if part is not None]:
            skipped |= {id(inner) for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) not in skipped:
            yield from _changes(node)


def _changes(node: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in SWAPS.get(type(operator), []):
                yield node, lambda place=place, other=other: node.ops.__setitem__(place, other())
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.AugAssign)):
        for other in SWAPS.get(type(node.op), []):
            yield node, lambda other=other: setattr(node, "op", other())
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        value = node.value
        other = (
            not value
            if isinstance(value, bool)
            else value + 1
            if isinstance(value, int)
            else 1.1 * value or 0.1
        )
        yield node, lambda: setattr(node, "value", other)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield node, lambda: setattr(node, "attr", NAMES[node.attr])
    elif isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
        yield node, lambda: setattr(node, "id", NAMES[node.id])
    elif isinstance(node, ast.If):
        yield (
            node,
            lambda: setattr(
                node, "test", ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
            ),
        )


def _text(node: Any) -> str:
    return ast.unparse(node.test if isinstance(node, ast.If) else node)


def sample(number: int, seed: int) -> list[tuple[Path, int]]:
    """Places chosen at random, of each module in proportion to their number."""
    every = [
        (path, index)
        for path in MODULES
        for index, _ in enumerate(places(ast.parse(path.read_text("utf-8"))))
    ]
    print(
        f"{len(every)} places in {len(MODULES)} modules; {min(number, len(every))} are tried",
        flush=True,
    )
    return random.Random(seed).sample(every, min(number, len(every)))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant for its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.mutant.module:
            return None
        inside = [str(self.mutant.path.parent)] if self.mutant.path.stem == "__init__" else None
        return importlib.util.spec_from_file_location(
            name, self.mutant.path, loader=self, submodule_search_locations=inside
        )

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(
            compile(ast.fix_missing_locations(self.mutant.tree), str(self.mutant.path), "exec"),
            module.__dict__,
        )


def verdict(mutant: Mutant | None, tests: list[str]) -> str:
    """Run the tests in a fork: "killed", "survived" or "out of time"."""
    child = os.fork()
    if child == 0:
        seconds = SECONDS_EACH if tests is not LAST else 4 * SECONDS_EACH
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
        if mutant is not None:
            sys.meta_path.insert(0, Finder(mutant))
        try:
            import pytest

            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                code = int(
                    pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests])
                )
        except BaseException:
            code = 1
        os._exit(code)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return (
            "out of time" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"
        )
    code = os.WEXITSTATUS(status)
    if code not in (
        0,
        1,
        2,
        5,
    ):  # of pytest: all passed, some failed, a file failed to import, none was chosen
        raise RuntimeError(f"pytest could not run: exit code {code}")
    return "survived" if code in (0, 5) else "killed"


VERDICTS = {
    "killed": "noticed",
    "out of time": "noticed, as it did not end",
    "killed since": "noticed by tests of layers above, or added for it",
    "equivalent": "looked at: no effect, or a choice of cost or rounding",
    "survived": "not noticed",
}


def as_markdown(found: dict[str, Any]) -> str:
    """Counts for each module, and every survivor with what was said about it."""
    by_file: dict[str, Counter[str]] = {}
    for each in found["mutants"]:
        by_file.setdefault(Path(each["file"]).stem, Counter())[each["verdict"]] += 1
    by_file["**all**"] = sum(by_file.values(), Counter())
    lines = [
        "# Mutants of the core",
        "",
        f"{found['tried']} changes chosen at random, seed {found['seed']}; `tools/mutants.py` "
        "makes them.",
        "",
    ]
    lines += [
        f"| module | tried | {' | '.join(VERDICTS.values())} |",
        "| --- |" + " ---: |" * (1 + len(VERDICTS)),
    ]
    for name, counts in by_file.items():
        lines.append(
            f"| {name} | {counts.total()} | "
            f"{' | '.join(str(counts[verdict]) for verdict in VERDICTS)} |"
        )
    looked_at = [
        each for each in found["mutants"] if each["verdict"] not in ("killed", "out of time")
    ]
    if looked_at:
        lines += ["", "What no test noticed at first:", ""]
    for each in looked_at:
        said = f"; {each['judgement']}" if "judgement" in each else ""
        lines.append(f"- `{each['file']}`: `{each['change']}`: {VERDICTS[each['verdict']]}{said}")
    return "\n".join(lines) + "\n"


def on_the_page(text: str, results: str) -> str:
    """The page of promises with the last line of the table."""
    rows = [line for line in results.splitlines() if line.startswith("|")]
    before, _, rest = text.partition("<!-- mutants -->\n")
    table = "\n".join([*rows[:2], rows[-1]])
    return f"{before}<!-- mutants -->\n\n{table}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"


def write(found: dict[str, Any], out: Path) -> None:
    """The results, and their row on the page."""
    out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    out.with_suffix(".md").write_text(as_markdown(found), encoding="utf-8")
    PAGE.write_text(
        on_the_page(PAGE.read_text(encoding="utf-8"), as_markdown(found)), encoding="utf-8"
    )


def try_all(
    chosen: list[tuple[Path, int]], end: float, found: list[dict[str, Any]], *, again: bool
) -> None:
    """One after the other until the time is over; what comes of it is added to `found`. Again:
    those that survived, in the last tests alone.
    """
    for path, index in chosen:
        if time.monotonic() > end:
            return
        mutant = Mutant(path, index)
        began = time.monotonic()
        said = "survived" if again else verdict(mutant, ["-k", f"not ({SLOW})", *mutant.tests])
        if said == "survived" and not again and mutant.path.stem in OF_THE_PROCESS:
            said = verdict(mutant, ["-k", SLOW, *mutant.tests])
        if said == "survived":
            said = verdict(mutant, LAST)
        where = str(path.relative_to(ROOT))
        found.append(
            {
                "file": where,
                "index": index,
                "line": mutant.line,
                "change": mutant.what,
                "verdict": said,
            }
        )
        print(
            f"{said:12s} {where}:{mutant.line}: {mutant.what}  ({time.monotonic() - began:.0f} s)",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/mutants.json")
    parser.add_argument(
        "--survivors", action="store_true", help="try only those again that survived, as --out says"
    )
    options = parser.parse_args()
    os.chdir(ROOT)
    for needed in (
        "mpmath",
        "numpy",
        "pytest",
        "scipy.integrate",
        "scipy.optimize",
        "scipy.special",
        "scipy.stats",
    ):
        importlib.import_module(
            needed
        )  # once for all forks; the package itself each imports anew, with its change
    if verdict(None, ["tests/core/test_beta.py", "tests/core/test_tails.py"]) != "survived":
        raise SystemExit("the tests fail without any change; mend them first")
    if options.survivors:
        before = json.loads(options.out.read_text(encoding="utf-8"))
        chosen = [
            (ROOT / each["file"], each["index"])
            for each in before["mutants"]
            if each["verdict"] == "survived"
        ]
    else:
        chosen = sample(options.number, options.seed)
    found: list[dict[str, Any]] = []
    with contextlib.suppress(KeyboardInterrupt):  # what was found until then is kept
        try_all(chosen, time.monotonic() + 60 * options.minutes, found, again=options.survivors)
    if options.survivors:
        now = {(each["file"], each["index"]): each["verdict"] for each in found}
        for each in before["mutants"]:
            if now.get((each["file"], each["index"]), "survived") != "survived":
                each["verdict"] = "killed since"
        write(before, options.out)
    else:
        write({"seed": options.seed, "tried": len(found), "mutants": found}, options.out)


if __name__ == "__main__":
    main()
