"""Names of the library lead to the reference, and emphasised terms to the glossary.

As `rivals.compare`, `result.plan([10])`; *misfit*, where it first occurs in a page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref

import rivals

# What pages call things, and where these are in the reference.
PLACES = {
    "result": "rivals.Comparison",
    "read": "rivals.read",
    "plots": "rivals.plots",
    "cal": "rivals.Calibration",
    "calibration": "rivals.Calibration",
    "compare": "rivals.compare",
}
GLOSSARY = "reference/glossary"
NAME = re.compile(r"([A-Za-z_][\w.]*)(\(.*)?$", re.DOTALL)


def full_name(text: str) -> str | None:
    """As "rivals.Comparison.plan" for "result.plan([10])"; None if it is no name of ours."""
    found = NAME.match(text.strip())
    if found is None:
        return None
    head, _, rest = found[1].partition(".")
    if head == "compare" and rest:
        return None
    name = ".".join(filter(None, [PLACES.get(head, head), rest]))
    return name if name.startswith("rivals.") and _exists(name) else None


def _exists(name: str) -> bool:
    thing: Any = rivals
    try:
        for part in name.split(".")[1:]:
            thing = getattr(thing, part)
    except (AttributeError, ImportError):
        return False
    return True


def terms_of(glossary: Path) -> set[str]:
    """The terms of the glossary, as they are written there."""
    inside = glossary.read_text(encoding="utf-8").split("```{glossary}\n")[1].split("```")[0]
    return {line for line in inside.splitlines() if line and not line.startswith(" ")}


def link(app: Any, doctree: nodes.document) -> None:
    """Wrap names and terms in references to where they are explained."""
    link_names(app, doctree)
    if app.env.docname != GLOSSARY:
        link_terms(app, doctree, terms_of(Path(app.srcdir) / f"{GLOSSARY}.md"))


def link_terms(app: Any, doctree: nodes.document, terms: set[str]) -> None:
    """The first emphasis of each term leads to the glossary."""
    spelt = {form: term for term in terms for form in (term.lower(), f"{term.lower()}s")}
    seen: set[str] = set()
    for emphasis in list(doctree.findall(nodes.emphasis)):
        term = spelt.get(emphasis.astext().lower())
        if term is None or term in seen or _within_reference(emphasis):
            continue
        seen.add(term)
        reference = pending_xref(
            "", refdomain="std", reftype="term", reftarget=term, refdoc=app.env.docname
        )
        emphasis.replace_self(reference)
        reference += emphasis


def link_names(app: Any, doctree: nodes.document) -> None:
    """Wrap each literal that names something of ours in a reference to it."""
    for literal in list(doctree.findall(nodes.literal)):
        name = full_name(literal.astext())
        if name is None or _within_reference(literal):
            continue
        reference = pending_xref(
            "", refdomain="py", reftype="obj", reftarget=name, refdoc=app.env.docname
        )
        literal.replace_self(reference)
        reference += literal


def _within_reference(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.reference, pending_xref, nodes.title)):
            return True
    return False


def setup(app: Any) -> dict[str, Any]:
    """After everything else has changed the page."""
    app.connect("doctree-read", link, priority=800)
    return {"parallel_read_safe": True}
