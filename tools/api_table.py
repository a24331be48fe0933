"""All public names with their signatures, as a table for docs/reference/api.md.

python tools/api_table.py          writes it between the marks of that page
python tools/api_table.py --check  says whether it is as it should be
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "api.md"
BEGIN, END = "<!-- begin: all names, by tools/api_table.py -->\n", "<!-- end: all names -->"
PACKAGES = (
    *("rivals", "rivals.read", "rivals.scenarios", "rivals.plots", "rivals.laws"),
    *("rivals.testing", "rivals.testbeds.toys"),
)
# What methods of a comparison return.
ANSWERS = {
    "tables.BesideOthers": "rivals._result",
    "probabilities.Probabilities": "rivals._result",
    "equivalence.Equivalence": "rivals._questions",
    "ranks.Ranks": "rivals._questions",
    "looks.Looks": "rivals._questions",
    "plan.Plan": "rivals._questions",
    "factor_plan.FactorPlan": "rivals._questions",
    "gate.Gate": "rivals._questions",
    "segments.Segments": "rivals._questions",
    "withstands.Withstands": "rivals._questions",
}


def rows() -> Iterator[tuple[str, str]]:
    """Names with what is passed, and what comes back."""
    seen: set[object] = set()
    for package in PACKAGES:
        module = import_module(package)
        names = getattr(module, "__all__", [name for name in vars(module) if name[0] != "_"])
        for name in names:
            thing = getattr(module, name)
            ours = getattr(thing, "__module__", "").startswith("rivals")
            if not (inspect.isfunction(thing) or inspect.isclass(thing)) or not ours:
                continue
            if thing in seen:
                continue
            seen.add(thing)
            yield from _rows_of(f"{package}.{name}", thing)
    for place, package in ANSWERS.items():
        module, _, name = place.partition(".")
        yield from _rows_of(name, getattr(import_module(f"{package}.{module}"), name), made=False)


def _rows_of(name: str, thing: object, *, made: bool = True) -> Iterator[tuple[str, str]]:
    if inspect.isfunction(thing):
        yield _call(name, thing)
        return
    assert isinstance(thing, type)
    short = name.rpartition(".")[2]
    # What only the package makes has no parameters that anybody passes.
    own = inspect.signature(thing).parameters if made else {}
    if own and not any(each.startswith("_") for each in own) and "__init__" in vars(thing):
        shown, _ = _call(name, thing.__init__, bound=True)
        yield shown, short
    else:
        yield name, short
    for member, value in _members(thing).items():
        if isinstance(value, property | cached_property):
            function = value.fget if isinstance(value, property) else value.func
            yield f"{short}.{member}", _said(function.__annotations__.get("return", ""))
        else:
            kept = isinstance(value, staticmethod)
            yield _call(f"{short}.{member}", getattr(value, "__func__", value), bound=not kept)


def _members(cls: type) -> dict[str, object]:
    """Its own, and those of bases of ours, once."""
    found: dict[str, object] = {}
    for base in cls.__mro__:
        if base.__module__.startswith("rivals"):
            for name, value in vars(base).items():
                is_shown = inspect.isfunction(value)
                kinds = (property, cached_property, classmethod, staticmethod)
                if not name.startswith("_") and (is_shown or isinstance(value, kinds)):
                    found.setdefault(name, value)
    return found


def _call(name: str, function: object, *, bound: bool = False) -> tuple[str, str]:
    found = inspect.signature(function)  # type: ignore[arg-type]
    parts = []
    is_open = True
    for place, each in enumerate(found.parameters.values()):
        if bound and place == 0:
            continue
        if each.kind is each.KEYWORD_ONLY and is_open:
            parts.append("*")
        is_open = is_open and each.kind not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        mark = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = "" if each.default is each.empty else f"={_value(each.default)}"
        parts.append(f"{mark}{each.name}{default}")
    return f"{name}({', '.join(parts)})", _said(found.return_annotation)


def _value(value: object) -> str:
    text = getattr(value, "__name__", None) or repr(value)
    return "…" if len(text) > 40 or text.startswith("<") else text


def _said(annotation: object) -> str:
    if annotation is inspect.Signature.empty:
        return ""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")


def table() -> str:
    """In Markdown."""
    lines = ["| name | returns |", "| --- | --- |"]
    for name, said in rows():
        shown = [f"`{text}`".replace("|", r"\|") if text else "" for text in (name, said)]
        lines.append(f"| {shown[0]} | {shown[1]} |")
    return "\n".join(lines) + "\n"


def page_with(made: str) -> str:
    """The page with this table."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{made}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    wanted = page_with(table())
    if "--check" in sys.argv:
        raise SystemExit(0 if PAGE.read_text(encoding="utf-8") == wanted else f"{PAGE}: stale")
    PAGE.write_text(wanted, encoding="utf-8")
