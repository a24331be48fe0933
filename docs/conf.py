"""Configuration of the documentation: Sphinx, MyST and numpydoc."""

from rivals import __version__

project = "rivals"
author = "The rivals developers"
copyright = "2026, the rivals developers"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
html_theme = "furo"
html_title = "rivals"
html_static_path = ["_static"]
