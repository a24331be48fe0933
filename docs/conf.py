"""Configuration of the documentation: Sphinx, MyST, numpydoc, sphinx-gallery, and the
pictures of pages and of the API.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from members import members_of

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
    "sphinx-mathjax-offline",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "paper_pages",
    "page_pictures",
    "api_pictures",
    "wrapped_outputs",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build",
    "auto_examples/**.ipynb",
    "auto_examples/sg_execution_times.rst",
    "sg_execution_times.rst",
]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "html_image"]
myst_heading_anchors = 3
autosummary_generate = True
autosummary_context = {"members_of": members_of}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
templates_path = ["_templates"]
html_theme = "furo"
html_title = "rivals"
html_static_path = ["_static"]
html_css_files = ["page.css"]
html_copy_source = False

plot_formats = [("png", 110)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"front_picture",
    "within_subsection_order": "gallery_order.TeachingOrder",
    "download_all_examples": False,
    "show_memory": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "capture_repr": (),  # what an example wants to show, it prints
}
suppress_warnings = [
    "config.cache"
]  # the gallery's settings are not to be pickled; nothing is wrong with them

# Pictures are drawn into files: that no window can be shown is no news.
warnings.filterwarnings("ignore", category=UserWarning, message=".*non-interactive.*")


def escape_bars(app, what, name, obj, options, lines):
    """Bars in docstrings mean absolute values, not substitutions."""
    lines[:] = [
        line if line.lstrip().startswith((">>>", "...")) else line.replace("|", "\\|")
        for line in lines
    ]


def setup(app):
    """Before numpydoc, which runs at the default priority."""
    app.connect("autodoc-process-docstring", escape_bars, priority=400)
