"""Numbers and pictures from committed results, made as pages are built.

The role `{measured}` takes a call of a function of `docs/explanation/charts.py` (committed results)
or `story.py` (a simulation), as in {measured}`charts.won(10, 0.95, 0.99)`, and becomes what it
returns: a page never holds a copy. The directive `{picture}` takes a function that draws, and
returns what the picture shows, for those who do not see it. The directive `{made}` takes a
function that returns Markdown, such as a table.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from running import PICTURES, save


def value_of(call: str) -> Any:
    """What a call returns, as "charts.won(10)"."""
    module = importlib.import_module(call.split(".")[0])
    return eval(call, {module.__name__: module})


def measured(name, rawtext, text, lineno, inliner, options=None, content=None):
    """The role."""
    return [nodes.Text(str(value_of(text)))], []


class Picture(Directive):
    """A picture that a function draws; the function returns its description."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        import matplotlib.pyplot as plt

        env = self.state.document.settings.env
        call = self.arguments[0] if "(" in self.arguments[0] else f"{self.arguments[0]}()"
        alt = value_of(call)
        name = PICTURES / f"{re.sub(r'[^a-z0-9]+', '-', call.lower()).strip('-')}.png"
        picture = save(plt.gcf(), Path(env.srcdir), name, alt)
        plt.close("all")
        return [picture]


class Made(Directive):
    """Markdown that a function returns."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        found = nodes.container()
        lines = StringList(value_of(self.arguments[0]).splitlines(), source=self.arguments[0])
        self.state.nested_parse(lines, self.content_offset, found)
        return found.children


def setup(app: Any) -> dict[str, Any]:
    """Register both."""
    app.add_role("measured", measured)
    app.add_directive("picture", Picture)
    app.add_directive("made", Made)
    return {"parallel_read_safe": True}
