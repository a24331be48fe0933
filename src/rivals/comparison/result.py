"""A comparison, and one at several values of c: what they found (`findings.py`), how it is shown (`shown.py`), and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from rivals._say.arguments import check_positive
from rivals.comparison import archive
from rivals.comparison.judge import judge
from rivals.comparison.methods import methods
from rivals.comparison.shown import Shown, ShownSweep


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Distributions of the risk of several models, and what they say about which to keep.

    Attributes
    ----------
    names : tuple of str
        The models, in the order given.
    applied : rivals.laws.Applied
        The law of the risk, applied to the losses of all models, with its settings: what everything below is asked of.

    See Also
    --------
    compare : makes a comparison.
    load : reads one that was saved.
    Sweep : the same at several values of c.
    rivals.plots : pictures of a comparison.
    rivals.report.write_report : an interactive page of it.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> result.survivors, result.rejections["B"].by
    (('A',), 'A')
    >>> float(result.probability[0, 1]) > 0.95
    True
    """

    def sweep(self, c: Sequence[float] | float | None = None) -> Sweep:
        """The same comparison at several values of c, on the same losses and random numbers; not calibrated.

        Without `c`, at the values that `calibrate` would try.
        """
        law, n_simulations = self.applied.law, self.applied.setting.n_simulations
        if not law.uses_c(n_simulations):
            none, remedy = (
                (" without simulations", "pass simulations, or ") if law.has_c else ("", "")
            )
            raise ValueError(
                f"law {law.name!r}{none} has no c to sweep over; {remedy}compare under a law that has one"
            )
        # An array without dimensions is a number, too.
        given: Any = (
            law.grid
            if c is None
            else c
            if isinstance(c, Iterable) and getattr(c, "ndim", True)
            else [c]
        )
        values = tuple(check_positive(value, f"c[{index}]") for index, value in enumerate(given))
        if not values:
            raise ValueError("sweep needs at least one value of c; got none")
        if n_simulations and not self.applied.losses[0].n_simulations:
            raise ValueError(
                "the simulated losses of this comparison were not kept; compare with keep_simulations=True to sweep over c"
            )
        found = {}
        for applied in self.applied.at_each(sorted(set(values))):
            found[applied.setting.c] = Comparison(self.names, applied, judge(applied))
            if not applied.law.closed_form:
                found[applied.setting.c]._matrices  # noqa: B018  (kept; the draws are not)
        return Sweep(
            tuple(found[value] for value in values), of_calibrated=self.calibrated is not None
        )

    def methods(self) -> str:
        """A paragraph for the methods section of a paper: law, c, groups, simulations, threshold, sizes, version, references."""
        return methods(self, self.sweep)

    # ---------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write losses, settings and the verdict to one NPZ file; `rivals.load` reads it back."""
        archive.save(path, self.names, self.applied, self._verdict)

    def report(
        self, path: str | PathLike[str], *, title: str = "Which models survive replication?"
    ) -> None:
        """Write one self-contained, interactive HTML page (needs jinja2)."""
        # The one step up in the package: a convenience, on demand.
        from rivals.report import write_report

        write_report(self, path, title=title)


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(ShownSweep):
    """A comparison at several values of c: where does the verdict change?

    Attributes
    ----------
    comparisons : tuple of Comparison
        One for each value of c, in the order given.
    of_calibrated : bool
        Whether the comparison was corrected by a calibration. The sweep never is.

    See Also
    --------
    Comparison.sweep : makes a sweep.
    rivals.plots.plot_sweep : draws it.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> sweep = rivals.compare(toys.losses(), rng=0).sweep(c=[0.25, 1.0])
    >>> sweep.survivors
    (('A',), ('A',))
    >>> sweep.changes
    ()
    """

    comparisons: tuple[Comparison, ...]

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)


def load(path: str | PathLike[str]) -> Comparison:
    """Read a comparison that `Comparison.save` wrote. Nothing in the file is executed or unpickled.

    The verdict is the saved one; probabilities and draws are computed from the saved losses again when they are asked for,
    with the same random numbers.

    Parameters
    ----------
    path : str or path
        The NPZ file.

    Returns
    -------
    Comparison

    See Also
    --------
    Comparison.save : writes such a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(pathlib.Path(folder) / "result.npz")
    ...     again = rivals.load(pathlib.Path(folder) / "result.npz")
    >>> again.survivors == result.survivors
    True
    """
    return Comparison(*archive.load(path))
