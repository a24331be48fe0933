"""Configuration of the documentation: Sphinx, MyST, numpydoc, sphinx-gallery."""

import sys
import warnings
from pathlib import Path

from rivals import __version__

sys.path.insert(0, str(Path(__file__).parent))

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
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "matplotlib.sphinxext.plot_directive",
    "measured",
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
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
html_theme = "furo"
html_title = "rivals"
html_static_path = ["_static"]
html_css_files = ["page.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False

plot_formats = [("png", 110)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "abort_on_example_error": True,
    "capture_repr": (),  # what an example wants to show, it prints
}
# The gallery's settings are not to be pickled; nothing is wrong with them.
suppress_warnings = ["config.cache"]

# Pictures are drawn into files: that no window can be shown is no news.
warnings.filterwarnings("ignore", category=UserWarning, message=".*non-interactive.*")
sys.path.insert(0, str(Path(__file__).parent / "explanation"))
