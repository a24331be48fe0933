"""Configuration of the documentation: Sphinx, MyST, numpydoc, sphinx-gallery."""

import os
import sys
import warnings
from pathlib import Path

import matplotlib

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE / "explanation")]
matplotlib.use("agg")
# Pages that use JAX do not look for other devices, and clusters do not tell how they close.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "error")

from members import members_of  # noqa: E402

from rivals import __version__  # noqa: E402

project = "rivals"
author = "The rivals developers"
copyright = "2026, the rivals developers"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_external_toc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
    # Of this folder: outputs wrap or scroll; names become links; what the theme leaves out for
    # those who do not see.
    "outputs",
    "linked",
    "accessible",
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
default_role = "py:obj"
autosummary_generate = True
autosummary_context = {"members_of": members_of}
templates_path = ["_templates"]
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # words of a type that name nothing are words
numpydoc_xref_aliases = {
    "Comparison": "rivals.Comparison",
    "Candidate": "rivals.Candidate",
    "Losses": "rivals.Losses",
    "GroupSummaries": "rivals.GroupSummaries",
    "Calibration": "rivals.Calibration",
    "Generator": "numpy.random.Generator",
    "SeedSequence": "numpy.random.SeedSequence",
    "mapping": "collections.abc.Mapping",
    "callable": "collections.abc.Callable",
    "PathLike": "os.PathLike",
    "array_like": "numpy.asarray",
    "bool": "bool",
    "boolean": "bool",
    "iterable": "collections.abc.Iterable",
    "sequence": "collections.abc.Sequence",
}
# Other libraries' pages of what we name. Their inventories are in this folder, as far as we need
# them, so that a build asks the network for nothing.
intersphinx_mapping = {
    "python": ("https://docs.python.org/3/", "inventories/python.txt"),
    "numpy": ("https://numpy.org/doc/stable/", "inventories/numpy.txt"),
    "scipy": ("https://docs.scipy.org/doc/scipy/", "inventories/scipy.txt"),
    "pandas": ("https://pandas.pydata.org/docs/", "inventories/pandas.txt"),
    "polars": ("https://docs.pola.rs/api/python/stable/", "inventories/polars.txt"),
    "sklearn": ("https://scikit-learn.org/stable/", "inventories/sklearn.txt"),
    "matplotlib": ("https://matplotlib.org/stable/", "inventories/matplotlib.txt"),
    "arviz": ("https://python.arviz.org/en/stable/", "inventories/arviz.txt"),
    "xarray": ("https://docs.xarray.dev/en/stable/", "inventories/xarray.txt"),
    "joblib": ("https://joblib.readthedocs.io/en/stable/", "inventories/joblib.txt"),
    "statsmodels": ("https://www.statsmodels.org/stable/", "inventories/statsmodels.txt"),
}
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
html_theme = "furo"
html_title = "rivals"
html_static_path = ["_static"]
html_css_files = ["page.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
copybutton_prompt_text = "$ "
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.rows):not(.sentences) > div.highlight > pre"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "capture_repr": (),  # what an example wants to show, it prints
}
# The gallery's settings are not to be pickled; it, and the API, have menus of their own.
suppress_warnings = ["config.cache", "etoc.toctree"]

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
