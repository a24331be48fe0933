"""Show what the examples of `rivals.plots` draw: their code becomes that of a plot directive.

In the docstrings they remain plain examples, which the tests run.
"""


def draw_examples(app, what, name, obj, options, lines):
    """Everything after the heading of the examples is drawn, together with its code."""
    if (
        what != "function"
        or not name.startswith(("rivals.plots.plot_", "rivals.plots.shade_"))
        or ".. rubric:: Examples" not in lines
    ):
        return
    start = lines.index(".. rubric:: Examples") + 1
    code = [f"   {line}" if line else "" for line in lines[start:]]
    lines[start:] = ["", ".. plot::", "   :format: doctest", "", *code]


def setup(app):
    """After numpydoc, which runs at the default priority and writes the headings."""
    app.connect("autodoc-process-docstring", draw_examples, priority=900)
    return {"parallel_read_safe": True}
