"""`Comparison`, `Sweep` and `load`: everything that a comparison answers, at one c or at several.

Sentences are made in `text.py` and `methods.py`, rows and cells in `table.py`, and files in
`archive.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from rivals._say.arguments import check_choice, check_positive
from rivals._schemas import stamp
from rivals._types import RNG, FloatArray, IntArray
from rivals.comparison import archive, margin, pasting, rendering, table, text
from rivals.comparison.baseline import Baseline, against
from rivals.comparison.conclusion import conclusion
from rivals.comparison.duels import Rejection, Undecided
from rivals.comparison.expectation import Expected, expected
from rivals.comparison.groups_table import GroupsTable, groups_table
from rivals.comparison.horizon import checked_new_groups
from rivals.comparison.judge import Verdict, judge
from rivals.comparison.methods import methods
from rivals.comparison.notes import Note, notes
from rivals.comparison.pairs import PairTable
from rivals.comparison.planning import MORE_GROUPS, Plan, plan
from rivals.laws.base import Applied
from rivals.losses import Losses

# Of more models than this, by how much the best is better is computed when it is asked for.
MOST_BESIDE_BEST = 100


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Distributions of the risk of several models, and what they say about which to keep.

    Attributes
    ----------
    names : tuple of str
        The models, in the order given.
    applied : rivals.laws.Applied
        The law of the risk, applied to the losses of all models, with its settings: what
        everything below is asked of.
    seeded : bool
        Whether random numbers of the seed are in it: simulations of candidates, or draws of the
        law. Where they are not, the seed is not printed.

    See Also
    --------
    compare : makes a comparison.
    load : reads one that was saved.
    Sweep : the same at several values of c.
    Plan : what more groups may bring.
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

    names: tuple[str, ...]
    applied: Applied
    _verdict: Verdict
    seeded: bool = True

    # ---------------------------------------------------------------- what it was made with

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Name → its place in `names`."""
        return self._by_name(range(len(self.names)))

    @cached_property
    def losses(self) -> Mapping[str, Losses]:
        """Name → `Losses`, in the order given."""
        return self._by_name(self.applied.losses)

    @property
    def law(self) -> str:
        """The name of the law of the risk; `applied.law` has its options."""
        return self.applied.law.name

    @property
    def c(self) -> float:
        """Sensitivity to the discrepancy between model and data.

        It is nan where there is none, as for groups without simulations.
        """
        return self.applied.setting.c

    @property
    def threshold(self) -> float:
        """Probability above which a better rival rejects a model."""
        return self.applied.setting.threshold

    @property
    def entropy(self) -> int:
        """The seed: the integer that repeats the run, as `rng`."""
        return self.applied.setting.entropy

    # ---------------------------------------------------------------- what it says of each model

    @cached_property
    def empirical_risk(self) -> Mapping[str, float]:
        """Name → mean observed loss."""
        return self._by_name([sample.empirical_risk for sample in self.applied.losses])

    @cached_property
    def difference(self) -> Mapping[str, tuple[float, float]]:
        """Name → difference between its mean loss and that of the best model.

        Each is a pair: the difference, and the standard error of the paired difference.
        """
        excess = self.applied.empirical - self.applied.empirical.min()
        errors = self.applied.difference_errors
        return self._by_name(list(zip(excess.tolist(), errors.tolist(), strict=True)))

    @cached_property
    def risks(self) -> Mapping[str, FloatArray]:
        """Name → draws of the risk."""
        reference = self.applied.reference
        return self._by_name([_read_only(reference + excess) for excess in self.applied.draws])

    @cached_property
    def risk_mean(self) -> Mapping[str, float]:
        """Name → mean of the risk, exact."""
        return self._by_name(self.applied.risk_mean.tolist())

    @cached_property
    def risk_std(self) -> Mapping[str, float]:
        """Name → standard deviation of the risk, exact; infinite where it has none."""
        return self._by_name(self.applied.risk_std.tolist())

    def risk_interval(self, name: str, level: float = 0.9) -> tuple[float, float]:
        """The central interval that contains the risk of a model with probability `level`."""
        if name not in self.place:
            check_choice(name, "model", self.names)
        if level not in self._intervals:
            self._intervals[level] = self.applied.interval(level)
        lows, highs = self._intervals[level]
        place = self.place[name]
        low = self.applied.reference + lows[place]
        high = self.applied.reference + highs[place]
        return float(low), float(high)

    @cached_property
    def stability(self) -> Mapping[str, float]:
        """Name → fraction of the single simulations that give the same verdict on it.

        It is nan with one simulation.
        """
        return self._by_name(self._verdict.stability.tolist())

    @cached_property
    def diagnostics(self) -> Mapping[str, tuple[Note, ...]]:
        """Name → what to know before you trust the numbers of this model.

        Pairs (code, text), none for a healthy one. The texts count points from 0.

        What looks like a mistake: "sign" (losses that fall where those of others rise),
        "log_likelihoods" (all models have a long tail of low losses), "unit" (bits beside nats,
        or another kind of loss), "constant" (missing in a density), "shifted" (a constant between
        observed and synthetic losses), "other_points" (rows in another order, or of other
        points), "same" (a model given twice), "data" (in place of losses: all models have the
        same), "swapped" (observed and synthetic), "shared_simulations" (of one model, used for
        all), "synthetic_sign", "copied" (synthetic losses that are observed ones).

        What makes numbers less reliable: "heavy_tail" (a few large losses dominate the mean:
        the variance of the mean may be infinite), "very_heavy_tail" (it probably is: do not
        trust the mean), "few_points", "very_few_points", "autocorrelated" (under
        `order="time"`: the losses are worth less than half as many independent ones), and under
        law "beta" "ties" and "unequal_sizes" (of simulations and data).
        """
        return MappingProxyType(notes(self.losses, self.applied.law, self.applied.setting))

    # ---------------------------------------------------------------- what it says of every pair

    @property
    def probability(self) -> FloatArray:
        """[a, b] = P(R_a < R_b) for every pair, in the order of `names`; ½ on the diagonal.

        Not calibrated.
        """
        return self._matrices[0]

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of `probability`; zero where that has a closed form."""
        return self._matrices[1]

    @property
    def calibrated(self) -> FloatArray | None:
        """`probability` as a calibration reads it, which then decides; None without one."""
        return self._verdict.calibrated

    @property
    def pairs(self) -> PairTable:
        """The probability that decides, with names on both axes, best first.

        It is the calibrated one, if there is a calibration.
        """
        order = [self.place[name] for name in self.ranking]
        decides = self.probability if self.calibrated is None else self.calibrated
        return PairTable(self.ranking, decides[np.ix_(order, order)])

    def over(self, new_groups: float) -> FloatArray:
        """[a, b] = P(the mean risk of a over so many new groups is lower than that of b).

        Under law "groups". 1: in the next group; as many as at hand: the study repeated;
        `math.inf`: in the mean of all groups to come. `probability` is at the horizon that
        `compare` was asked for.
        """
        return _read_only(self.applied.over(checked_new_groups(new_groups)).copy())

    @property
    def deciding(self) -> FloatArray:
        """[a, b]: what is held against the threshold.

        `calibrated`, where there is a calibration; else the probability that a is better than b by
        more than the margin, which is `probability` without one.
        """
        return self._exceedance if self.calibrated is None else self.calibrated

    @cached_property
    def best_is_better(self) -> FloatArray:
        """[b] = P(R_best < R_b): a row of `probability`, the other rows of which it spares."""
        if "_matrices" in vars(self):  # it is at hand
            return np.asarray(self.probability[self.applied.best])
        return _read_only(self.applied.better_best())

    @property
    def best_decides(self) -> FloatArray:
        """The row of the best model, of `deciding`."""
        if self.calibrated is not None:
            return np.asarray(self.calibrated[self.applied.best])
        if self.applied.setting.margin > 0.0:
            return self._best_exceeds
        return self.best_is_better

    @property
    def equivalent(self) -> Mapping[tuple[str, str], float]:
        """(a, b) → P(both differ by less than the margin), of the pairs for which it is stated.

        That is, where it exceeds the threshold. Refused without a margin, and below eight groups.
        """
        setting = self.applied.setting
        if setting.margin == 0.0:
            raise ValueError(
                "equivalent needs a margin, the smallest difference that matters: got none; "
                "compare(..., margin=0.01), in the unit of the loss"
            )
        if too_few := margin.too_few_groups(self.applied):
            raise ValueError(too_few)
        probability = margin.equivalence(self.applied)
        order = [self.place[name] for name in self.ranking]
        found = {}
        for a, b in combinations(order, 2):
            if probability[a, b] > setting.threshold:
                found[self.names[a], self.names[b]] = float(probability[a, b])
        return MappingProxyType(found)

    @cached_property
    def better_by(self) -> Mapping[str, float]:
        """Name → the best model is better than it by at least this, in the unit of the loss.

        With the probability of the threshold, at the horizon asked for; below 0 where the best may
        be worse. Empty for more than 100 models; without those whose losses differ from the
        best model's by a constant, under law "groups", which judges no such pair.
        """
        return self._beside_best(0)

    @cached_property
    def equivalent_within(self) -> Mapping[str, float]:
        """Name → it and the best model differ by no more than this, with that probability.

        For the same models.
        """
        return self._beside_best(1)

    @cached_property
    def best_is(self) -> Mapping[str, str]:
        """Name → what the best is beside it: better, equivalent, not worse, or undecided.

        With a margin; empty without one.
        """
        if self.applied.setting.margin == 0.0:
            return MappingProxyType({})
        found = margin.relations(self.applied)
        return MappingProxyType({name: found[self.place[name]] for name in self.ranking[1:]})

    @property
    def won(self) -> IntArray | None:
        """[a, b]: in how many groups a has the lower mean loss of the two; None without groups."""
        return self.applied.won

    # ---------------------------------------------------------------- the verdict

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """All names, from the lowest empirical risk to the highest."""
        order = np.argsort(self.applied.empirical, kind="stable")
        return tuple(self.names[index] for index in order)

    @cached_property
    def survivors(self) -> tuple[str, ...]:
        """The names that are not rejected, best first."""
        return tuple(name for name in self.ranking if name not in self.rejections)

    @cached_property
    def rejections(self) -> Mapping[str, Rejection]:
        """Name → by whom a model is rejected, and with what probability."""
        found = {}
        for duel in self._verdict.rejections.values():
            rival = self.names[duel.rival]
            rejection = Rejection(rival, duel.probability, duel.standard_error)
            found[self.names[duel.model]] = rejection
        return MappingProxyType(found)

    @cached_property
    def undecided(self) -> tuple[Undecided, ...]:
        """The duels too close to call: with other random numbers the verdict may be another."""
        reasons = {"draws": self._verdict.undecided, "simulations": self._verdict.unstable}
        return tuple(
            Undecided(
                model=self.names[duel.model],
                by=self.names[duel.rival],
                probability=duel.probability,
                standard_error=duel.standard_error,
                reason=reason,
            )
            for reason, duels in reasons.items()
            for duel in duels
        )

    @property
    def calibration_remarks(self) -> tuple[str, ...]:
        """What the calibration that decides says of itself, in sentences; none without one."""
        return self._verdict.remarks

    @property
    def calibration_methods(self) -> str:
        """How c was calibrated and probabilities were read, for a paper; empty without one."""
        return self._verdict.methods

    @property
    def expected_error(self) -> float | None:
        """How often winners stated like this lost in fresh groups of real data, a fraction.

        The number that is printed: measured with as many groups, or with the next fewer that were
        tried. None where no winner is stated, and where it was not measured: at another c or
        threshold than the default, with a margin, for series and clusters.
        """
        found = self._expected
        if found is None or not self.rejections:
            return None
        return found.error / 100.0

    @property
    def expected_stated(self) -> float | None:
        """For which fraction of the pairs of models a winner was stated there at all.

        None where that was not measured.
        """
        return None if self._expected is None else self._expected.stated / 100.0

    @property
    def _expected(self) -> Expected | None:
        return expected(self.applied, calibrated=self.calibrated is not None)

    @cached_property
    def conclusion(self) -> str:
        """What was found, in one to three sentences that can stand in a paper."""
        return conclusion(self)

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        return " ".join([*text.verdicts(self), *text.remarks(self)])

    # ---------------------------------------------------------------- what follows from it

    def sweep(self, c: Sequence[float] | float | None = None) -> Sweep:
        """The same comparison at several values of c, on the same losses and random numbers.

        Not calibrated. Without `c`, at the values that `calibrate` would try.
        """
        values = self._values_of_c(c)
        found = {}
        for applied in self.applied.at_each(sorted(set(values))):
            comparison = Comparison(self.names, applied, judge(applied), self.seeded)
            if not applied.law.closed_form:
                comparison._matrices  # noqa: B018  (kept; the draws are not)
            found[applied.setting.c] = comparison
        comparisons = tuple(found[value] for value in values)
        return Sweep(comparisons, of_calibrated=self.calibrated is not None)

    def _values_of_c(self, c: Sequence[float] | float | None) -> tuple[float, ...]:
        """The values of c to sweep over, checked; refused where there is nothing to sweep."""
        law = self.applied.law
        n_simulations = self.applied.setting.n_simulations
        if not law.uses_c(n_simulations):
            none = " without simulations" if law.has_c else ""
            remedy = "pass simulations, or " if law.has_c else ""
            raise ValueError(
                f"law {law.name!r}{none} has no c to sweep over; "
                f"{remedy}compare under a law that has one"
            )
        given: Iterable[Any]
        if c is None:
            given = law.grid
        elif isinstance(c, Iterable) and getattr(c, "ndim", True):
            given = c
        else:  # an array without dimensions is a number, too
            given = [c]
        values = tuple(check_positive(value, f"c[{index}]") for index, value in enumerate(given))
        if not values:
            raise ValueError("sweep needs at least one value of c; got none")
        return values

    def against(self, baseline: str) -> Baseline:
        """Every model beside one of them: difference, probability that it is better, groups won.

        Parameters
        ----------
        baseline : str
            The name of a model.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> beside = rivals.compare(toys.losses(), rng=0).against("B")
        >>> beside.difference["A"][0] < 0, beside.probability["A"] > 0.95
        (True, True)
        """
        return against(self, baseline)

    def groups_table(self, *, against: str | None = None) -> GroupsTable:
        """What happened in each group: differences to the best with their errors, and who won.

        Below it, of each model, how its difference to the best varies between groups: μ and τ with
        intervals, I², and the prediction interval of a new group. Under law "groups".

        Parameters
        ----------
        against : str, optional
            The name of a model to which differences are taken in place of the best.

        Examples
        --------
        >>> import numpy as np
        >>> import rivals
        >>> rng = np.random.default_rng(0)
        >>> a = rng.exponential(size=400)
        >>> b = a + 0.3 + 0.1 * rng.standard_normal(400)
        >>> school = np.repeat(np.arange(4), 100)
        >>> table = rivals.compare({"A": a, "B": b}, groups=school).groups_table()
        >>> [group.winners for group in table.groups]
        [('A',), ('A',), ('A',), ('A',)]
        """
        return groups_table(self, against)

    def plan(self, more_groups: Sequence[int] | int = MORE_GROUPS, *, rng: RNG = None) -> Plan:
        """How probably so many more groups tell each surviving model from the best.

        Under law "groups", and about the new groups that `compare` was asked for. By default the
        random numbers are those of the comparison, so that the plan repeats.
        """
        return plan(self, more_groups, rng=rng)

    def methods(self) -> str:
        """A paragraph for the methods section of a paper.

        Law, c, groups, simulations, threshold, sizes, version, references; of a calibration its Ω,
        sizes, number of experiments, and how probabilities are read. `conclusion` is the sentence
        that belongs beside it.
        """
        return methods(self, self.sweep)

    # ---------------------------------------------------------------- how it is shown

    def to_dict(self) -> dict[str, Any]:
        """Everything but the losses and draws, as plain numbers and text.

        What is not a number is null.
        """
        groups = self.applied.setting.groups
        clusters = self.applied.setting.clusters
        return {
            **stamp("comparison"),
            "names": list(self.names),
            **self.applied.settings(),
            "groups": None if groups is None else list(groups.names),
            "clusters": None if clusters is None else list(clusters.names),
            "survivors": list(self.survivors),
            "rejections": {name: vars(rejection) for name, rejection in self.rejections.items()},
            "undecided": [vars(duel) for duel in self.undecided],
            "conclusion": self.conclusion,
            "verdict": self.verdict,
            "expected_error": self.expected_error,
            "expected_stated": self.expected_stated,
            "models": table.rows_of(self),
            "groups_table": self._groups_as_dict(),
            "probability": self.probability.tolist(),
            "calibrated": None if self.calibrated is None else self.calibrated.tolist(),
            "calibration": self._calibration_as_dict(),
        }

    def _groups_as_dict(self) -> dict[str, Any] | None:
        """Of more than 100 models it is left to who asks for it."""
        if not self.applied.law.needs_groups or len(self.names) > MOST_BESIDE_BEST:
            return None
        return self.groups_table().to_dict()

    def _calibration_as_dict(self) -> dict[str, Any] | None:
        if self.calibrated is None:
            return None
        return {
            "remarks": list(self.calibration_remarks),
            "survivors": self._verdict.survivors_under,
        }

    def to_dataframe(self) -> Any:
        """One row per model, best first (needs pandas); diagnostics as text."""
        rows = table.rows_of(self)
        for row in rows:
            row["diagnostics"] = "; ".join(note["text"] for note in row["diagnostics"])
        return rendering.dataframe(rows, "model")

    def to_markdown(self) -> str:
        """The printed table, for Markdown; notes as a list below it."""
        return pasting.markdown(*table.to_paste(self))

    def to_latex(self) -> str:
        """The printed table, for LaTeX, without further packages; notes as comments below it."""
        return pasting.latex(*table.to_paste(self))

    def __str__(self) -> str:
        sentences = [
            self.conclusion,
            *text.verdicts(self),
            *text.remarks(self),
            text.made_with(self, seed=True),
        ]
        paragraphs = [rendering.wrap(sentence) for sentence in sentences]
        return "\n".join([table.comparison_text(table.rows_of(self)), "", *paragraphs])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = table.rows_of(self)
        columns = table.shown_columns(rows, notes=True)
        headings = [column.heading for column in columns]
        cells = table.cells_of(rows, columns)
        return rendering.html(headings, cells, before=self.verdict, after=text.made_with(self))

    # ---------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write losses, settings and the verdict to one NPZ file; `rivals.load` reads it back."""
        archive.save(path, self.names, self.applied, self._verdict, seeded=self.seeded)

    def report(
        self, path: str | PathLike[str], *, title: str = "Which models survive replication?"
    ) -> None:
        """Write one self-contained, interactive HTML page (needs jinja2)."""
        # The one step up in the package: a convenience, on demand.
        from rivals.report import write_report

        write_report(self, path, title=title)

    # ---------------------------------------------------------------- inside

    def _beside_best(self, which: int) -> Mapping[str, float]:
        if len(self.names) > MOST_BESIDE_BEST:
            return MappingProxyType({})
        values = self._compared[which]
        stated = ~np.isnan(values)
        stated[self.place[self.ranking[0]]] = False
        return MappingProxyType(
            {self.names[place]: float(values[place]) for place in np.flatnonzero(stated)}
        )

    @cached_property
    def _compared(self) -> margin.BesideBest:
        return margin.beside_best(self.applied)

    @cached_property
    def _exceedance(self) -> FloatArray:
        if self.applied.setting.margin == 0.0:
            return self.probability
        return _read_only(self.applied.exceedance()[0])

    @cached_property
    def _best_exceeds(self) -> FloatArray:
        return _read_only(self.applied.exceeds_best()[0])

    @cached_property
    def _matrices(self) -> tuple[FloatArray, FloatArray]:
        probability, error = self.applied.matrix()
        return _read_only(probability), _read_only(error)

    @cached_property
    def _intervals(self) -> dict[float, tuple[FloatArray, FloatArray]]:
        return {}

    def _by_name(self, values: Sequence[Any]) -> Mapping[str, Any]:
        return MappingProxyType(dict(zip(self.names, values, strict=True)))

    def __getstate__(self) -> dict[str, Any]:
        # Read-only views of dictionaries cannot be pickled; a result must travel between processes.
        kept = ("names", "applied", "_verdict", "seeded")
        return {name: getattr(self, name) for name in kept}


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
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
    of_calibrated: bool = False

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    @property
    def c(self) -> tuple[float, ...]:
        """The values of c, in the order given."""
        return tuple(run.c for run in self.comparisons)

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return self.comparisons[0].names

    @cached_property
    def probability(self) -> FloatArray:
        """(k, n, n): P(R_a < R_b) at each c."""
        return np.stack([run.probability for run in self.comparisons])

    @cached_property
    def standard_error(self) -> FloatArray:
        """(k, n, n): Monte Carlo standard error of `probability`."""
        return np.stack([run.standard_error for run in self.comparisons])

    @cached_property
    def survivors(self) -> tuple[tuple[str, ...], ...]:
        """The survivors at each c."""
        return tuple(run.survivors for run in self.comparisons)

    @cached_property
    def changes(self) -> tuple[tuple[float, float], ...]:
        """The neighbouring values of c between which the set of survivors changes.

        In increasing order.
        """
        found = []
        for low, high in pairwise(np.argsort(self.c, kind="stable").tolist()):
            if set(self.survivors[low]) != set(self.survivors[high]):
                found.append((self.c[low], self.c[high]))
        return tuple(found)

    @property
    def verdict(self) -> str:
        """Where the verdict changes, in a sentence.

        One more sentence if that of the comparison, which was calibrated, is not among these.
        """
        return text.sweep_verdict(self)

    # ---------------------------------------------------------------- how it is shown

    def rows(self) -> list[dict[str, Any]]:
        """One row per c, in increasing order."""
        return table.sweep_rows(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            **stamp("sweep"),
            "names": list(self.names),
            "c": list(self.c),
            "threshold": self.comparisons[0].threshold,
            "entropy": self.comparisons[0].entropy,
            "survivors": [list(survivors) for survivors in self.survivors],
            "changes": [list(pair) for pair in self.changes],
            "calibrated": False,
            "probability": self.probability.tolist(),
            "standard_error": self.standard_error.tolist(),
        }

    def to_dataframe(self) -> Any:
        """One row per c (needs pandas)."""
        return rendering.dataframe(self.rows(), "c")

    def to_markdown(self) -> str:
        """The printed table, for Markdown."""
        return pasting.markdown(table.SWEEP_HEADINGS, table.sweep_cells(self), after=self.verdict)

    def to_latex(self) -> str:
        """The printed table, for LaTeX; where the verdict changes, as a comment."""
        return pasting.latex(table.SWEEP_HEADINGS, table.sweep_cells(self), after=self.verdict)

    def __str__(self) -> str:
        cells = rendering.text(table.SWEEP_HEADINGS, table.sweep_cells(self))
        return "\n".join([cells, "", rendering.wrap(self.verdict)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return rendering.html(table.SWEEP_HEADINGS, table.sweep_cells(self), after=self.verdict)


def load(path: str | bytes | PathLike[str]) -> Comparison:
    """Read a comparison that `Comparison.save` wrote. Nothing in the file is executed or unpickled.

    The verdict is the saved one; probabilities and draws are computed from the saved losses again
    when they are asked for, with the same random numbers.

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


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
