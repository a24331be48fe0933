"""The order of the examples: first steps, kinds of data, what c and the verdict mean, other
libraries.
"""

from sphinx_gallery.sorting import FileNameSortKey

ORDER = [
    "first_comparison",
    "many_models",
    "scikit_learn",
    "digits",
    "counts",
    "time_series",
    "groups",
    "extremes",
    "what_c_does",
    "calibration",
    "stability",
    "transitivity",
    "beta_process",
    "criteria",
    "large_samples",
    "simulator",
    "numpyro",
    "hierarchical",
]


class TeachingOrder(FileNameSortKey):
    """By the place of the name of the file in ORDER."""

    def __call__(self, filename: str) -> int:
        """An example that is not in the list is an error: it must have its place."""
        return ORDER.index(filename.removeprefix("plot_").removesuffix(".py"))
