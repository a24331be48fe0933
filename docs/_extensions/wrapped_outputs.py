"""Break the sentences of printed outputs to the width of the page, and leave tables as they
are, which scroll.
"""

import re

OUTPUT = re.compile(
    r'(<div class="(?:highlight-text|sphx-glr-script-out)[^>]*>.*?<pre>)(.*?)(</pre>)', re.DOTALL
)
LONG = 40


def is_sentence(line: str) -> bool:
    """Tables have runs of blanks between their columns; sentences have none, and may begin
    with some.
    """
    return len(line) > LONG and "  " not in line.strip() and "──" not in line


def wrapped(output: re.Match[str]) -> str:
    """The same output with a class on every long sentence."""
    head, text, tail = output.groups()
    lines = [
        f'<span class="sentence">{line}</span>' if is_sentence(line) else line
        for line in text.split("\n")
    ]
    return head + "\n".join(lines) + tail


def wrap(app, pagename, templatename, context, doctree):
    """Change the body of a page before it is written."""
    if context.get("body"):
        context["body"] = OUTPUT.sub(wrapped, context["body"])


def setup(app):
    """Connect to the writing of pages."""
    app.connect("html-page-context", wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
