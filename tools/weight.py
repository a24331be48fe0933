"""What the house weighs: `python tools/weight.py [ROOT]`, where ROOT is a checkout, this one by default.

Lines of code are those with a token of Python that is neither a comment nor a docstring. A law's name is compared where
a constant that is the name of a law stands in a comparison, a `match` or as the key of a dictionary, outside of `laws/`.
Signatures and attributes are read from the source: nothing is imported, so any commit can be weighed by one script.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LAWS = {"transport", "beta", "groups"}
SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Lines without docstrings, comments and blank lines."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and node.body
        ):
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                lines.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def law_comparisons(source: str) -> int:
    """How often the name of a law is compared."""
    return sum(_names_a_law(node) for node in ast.walk(ast.parse(source)))


def _names_a_law(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(_is_law(part) for side in sides for part in _parts(side)) and any(
            _speaks_of_law(side) for side in sides
        )
    if isinstance(node, ast.MatchValue):
        return _is_law(node.value)
    return (
        isinstance(node, ast.Dict)
        and sum(_is_law(part) for key in node.keys if key for part in _parts(key)) > 1
    )


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]


def _is_law(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in LAWS


def _speaks_of_law(node: ast.expr) -> bool:
    """Whether an expression is that of a law, rather than of a column or an argument that happens to be called "groups"."""
    return "law" in ast.unparse(node).lower()


def parameters(root: Path, function: str) -> int:
    """Parameters of a public function, which is no command of the command line."""
    for path in (root / "src/rivals").glob(f"c[ao]*/{function}.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                arguments = node.args
                return len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
    raise LookupError(f"no function {function!r} in {root}")


def attributes(root: Path, name: str) -> list[str]:
    """Public attributes of a class: fields, properties and methods, its own and those of its bases in the package."""
    classes = {
        node.name: node
        for tree in _trees(root)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set()
    todo = [name]
    while todo:
        node = classes.get(todo.pop())
        if node is None:
            continue
        todo += [base.id for base in node.bases if isinstance(base, ast.Name)]
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                found.add(part.target.id)
            elif isinstance(part, ast.FunctionDef):
                found.add(part.name)
            elif isinstance(part, ast.Assign):
                found.update(target.id for target in part.targets if isinstance(target, ast.Name))
    return sorted(each for each in found if not each.startswith("_"))


def _trees(root: Path) -> Iterator[ast.Module]:
    for path in sorted((root / "src/rivals").rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def words(page: str) -> int:
    """Words of a page, markup and code included: what `wc -w` counts."""
    return len(re.findall(r"\S+", page))


def main(root: Path) -> None:
    """Print the weights."""
    library = root / "src/rivals"
    by_folder: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).parts
        source = path.read_text(encoding="utf-8")
        by_folder[parts[0] if len(parts) > 1 else "(top)"] += code_lines(source)
        if parts[0] != "laws" and (number := law_comparisons(source)):
            compared["/".join(parts)] = number
    print("lines of code")
    for folder, lines in sorted(by_folder.items()):
        print(f"  {folder:14} {lines:6}")
    print(f"  {'in all':14} {by_folder.total():6}")
    print(f"comparisons of a law's name outside laws/: {compared.total()} in {len(compared)} files")
    for file, number in sorted(compared.items()):
        print(f"  {file:36} {number:3}")
    print(
        "parameters: "
        + ", ".join(f"{name} {parameters(root, name)}" for name in ("compare", "calibrate"))
    )
    for name in ("Comparison", "Calibration"):
        print(
            f"public attributes of {name}: {len(attributes(root, name))} ({', '.join(attributes(root, name))})"
        )
    pages = {
        path.name: words(path.read_text(encoding="utf-8"))
        for path in sorted((root / "docs").glob("*.md"))
    }
    print("words of the pages")
    for page, number in pages.items():
        print(f"  {page:32} {number:6}")
    print(f"  {'in all':32} {sum(pages.values()):6}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]))
