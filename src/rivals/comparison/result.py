"""What a comparison found: probabilities, rejections and survivors, at one c or at several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import ndtri

from rivals._checks import check_positive, show
from rivals._types import FloatArray
from rivals.comparison import archive, table
from rivals.comparison.judge import Judged, judge_at
from rivals.comparison.laws import law_of
from rivals.comparison.settings import Settings
from rivals.core.tails import extremes
from rivals.core.verdict import probability_matrix
from rivals.losses import Losses

# A verdict that a smaller fraction of the single simulations shares is called unstable.
STABLE = 0.9
# With more models than this, other laws are not computed just to say whether they agree.
FEW_MODELS = 32
OTHER_DRAWS = 4000
# A sweep over more values of c is printed by ranges.
MANY_VALUES = 40
LISTED_CHANGES = 6
NOT_CALIBRATED = "The sweep shows the probabilities of the law itself: those of the comparison are corrected by its calibration, these are not."


@dataclass(frozen=True)
class Rejection:
    """Why a model is rejected: by a rival, whose risk is lower with this probability.

    Attributes
    ----------
    by : str
        The rival of lower risk.
    probability : float
        Probability that its risk is lower: calibrated, where there is a calibration.
    standard_error : float
        Monte Carlo standard error of this probability; 0 where it has a closed form.

    See Also
    --------
    Comparison.rejections : all rejections of a comparison.
    Undecided : a duel too close to call.

    Examples
    --------
    >>> Rejection(by="A", probability=0.98, standard_error=0.001).by
    'A'
    """

    by: str
    probability: float
    standard_error: float


@dataclass(frozen=True)
class Undecided:
    """A duel whose probability is still within two standard errors of the threshold at the largest number of draws.

    Attributes
    ----------
    model : str
        The model that may be rejected.
    by : str
        Its rival.
    probability : float
        Probability that the risk of the rival is lower.
    standard_error : float
        Monte Carlo standard error of this probability.

    See Also
    --------
    Comparison.undecided : all such duels of a comparison.
    Rejection : a duel that is decided.

    Examples
    --------
    >>> Undecided(model="B", by="A", probability=0.951, standard_error=0.001).model
    'B'
    """

    model: str
    by: str
    probability: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Distributions of the risk of several models, and what they say about which to keep.

    Attributes
    ----------
    losses : mapping
        Name → `Losses`, in the order given.
    settings : Settings
        Law, c, threshold, numbers of draws and seed.
    judged : Judged
        The numbers behind the properties below.

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

    losses: Mapping[str, Losses]
    settings: Settings
    judged: Judged = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "losses", MappingProxyType(dict(self.losses)))

    # ---------------------------------------------------------------- settings

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return tuple(self.losses)

    @property
    def law(self) -> str:
        """The law of the risk: "transport", "beta" or "groups"."""
        return self.settings.law

    @property
    def c(self) -> float:
        """Sensitivity to the discrepancy between model and data; nan under law "groups", which has no c."""
        return self.settings.c

    @property
    def order(self) -> str | None:
        """ "time" where the points are a series."""
        return self.settings.order

    @property
    def n_simulations(self) -> int:
        """Simulations of each model."""
        known = self.settings.n_simulations
        return next(iter(self.losses.values())).n_simulations if known is None else known

    @property
    def keeps_simulations(self) -> bool:
        """Whether the simulated losses were kept; other values of c and other laws need them."""
        return next(iter(self.losses.values())).n_simulations == self.n_simulations

    @property
    def threshold(self) -> float:
        """Probability above which a better rival rejects a model."""
        return self.settings.threshold

    @property
    def entropy(self) -> int:
        """The integer that repeats the run, as `rng`."""
        return self.settings.entropy

    @property
    def n_draws(self) -> int:
        """Least number of draws of the risk of each model."""
        return self.settings.n_draws

    @property
    def max_draws(self) -> int:
        """Largest number of draws of the risk of each model."""
        return self.settings.max_draws

    @property
    def depth(self) -> int | None:
        """Refinements of the process; None for as many as the data resolve."""
        return self.settings.depth

    # ---------------------------------------------------------------- what it says about each model

    @cached_property
    def empirical_risk(self) -> Mapping[str, float]:
        """Name → mean observed loss."""
        return MappingProxyType({name: sample.empirical_risk for name, sample in self.losses.items()})

    @property
    def reference(self) -> float:
        """A typical loss of the best model, which is subtracted from all losses before anything is computed."""
        return self.judged.reference

    @property
    def excess_empirical_risk(self) -> FloatArray:
        """Mean observed loss of each model less the reference, in the order of `names`."""
        return self.judged.excess_empirical_risk

    @property
    def excess_risks(self) -> Sequence[FloatArray]:
        """Draws of the risk of each model less the reference, in the order of `names`."""
        return self.judged.excess_risks

    @cached_property
    def risks(self) -> Mapping[str, FloatArray]:
        """Name → draws of the risk."""
        return self._by_name([_read_only(self.reference + excess) for excess in self.excess_risks])

    @cached_property
    def risk_mean(self) -> Mapping[str, float]:
        """Name → mean of the risk, exact."""
        return self._by_name(self.judged.risk_mean.tolist())

    @cached_property
    def risk_std(self) -> Mapping[str, float]:
        """Name → standard deviation of the risk, exact."""
        return self._by_name(self.judged.risk_std.tolist())

    @cached_property
    def end_point_share(self) -> Mapping[str, float]:
        """Name → fraction of the variance of the risk that is due to the extreme losses; nan under other laws than "beta"."""
        return self._by_name(self.judged.end_point_share.tolist())

    @cached_property
    def distance(self) -> Mapping[str, float]:
        """Name → transport distance of simulated from observed losses; nan under other laws."""
        return self._by_name(self.judged.distance.tolist())

    @cached_property
    def critical_c(self) -> Mapping[str, float]:
        """Name → the largest c at which it is rejected; nan if it never is, and under laws other than "transport"."""
        return self._by_name(self.judged.critical_c.tolist())

    @cached_property
    def stability(self) -> Mapping[str, float]:
        """Name → fraction of the single simulations that give the same verdict on it; nan with one simulation."""
        return self._by_name(self.judged.stability.tolist())

    @property
    def unstable(self) -> tuple[str, ...]:
        """The models on which fewer than nine in ten of the single simulations give the same verdict, best first."""
        return tuple(name for name in self.ranking if self.stability[name] < STABLE)

    @cached_property
    def difference(self) -> Mapping[str, tuple[float, float]]:
        """Name → difference between its mean loss and that of the best model, with the standard error of the paired difference."""
        excess = self.excess_empirical_risk
        return self._by_name(
            list(zip((excess - excess.min()).tolist(), self.judged.difference_error.tolist(), strict=True))
        )

    @cached_property
    def diagnostics(self) -> Mapping[str, tuple[table.Note, ...]]:
        """Name → what to know before you trust the numbers of this model: pairs (code, text), none for a healthy one.

        The codes: "heavy_tail" (a few large losses dominate the mean: the variance of the mean may be infinite),
        "very_heavy_tail" (it probably is: do not trust the mean), "ties" (more than 1 % of the observed losses are in large
        ties), "autocorrelated" (under `order="time"`: the losses are worth less than half as many independent ones),
        "unequal_sizes" (simulations have another number of points than the data). The texts count points from 0.
        """
        return self._by_name([table.notes(sample, in_time=self.order == "time") for sample in self.losses.values()])

    @cached_property
    def extremes(self) -> Mapping[str, tuple[int, ...]]:
        """Name → positions of its five largest losses, the largest first: the data points to look at one by one.

        Positions count from 0, as arrays do. In a CSV file with a header, position i is row i + 2 of an editor.
        """
        return self._by_name([tuple(extremes(sample.observed).tolist()) for sample in self.losses.values()])

    def risk_interval(self, name: str, level: float = 0.9) -> tuple[float, float]:
        """The central interval that contains the risk of a model with probability `level`."""
        tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
        if self.judged.probability is None:
            low, high = self.reference + np.quantile(self.excess_risks[self.names.index(name)], tails)
        else:
            low, high = self.risk_mean[name] + self.risk_std[name] * ndtri(tails)
        return float(low), float(high)

    def _by_name(self, values: Sequence[Any]) -> Mapping[str, Any]:
        return MappingProxyType(dict(zip(self.names, values, strict=True)))

    # ---------------------------------------------------------------- the verdict

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """All names, from the lowest empirical risk to the highest."""
        return tuple(self.names[index] for index in np.argsort(self.excess_empirical_risk, kind="stable"))

    @property
    def survivors(self) -> tuple[str, ...]:
        """The names that are not rejected, best first."""
        return tuple(name for name in self.ranking if name not in self.rejections)

    @cached_property
    def rejections(self) -> Mapping[str, Rejection]:
        """Name → by whom a model is rejected, and with what probability."""
        duels = self.judged.rejections.values()
        return MappingProxyType(
            {
                self.names[duel.model]: Rejection(self.names[duel.rival], duel.probability, duel.standard_error)
                for duel in duels
            }
        )

    @cached_property
    def undecided(self) -> tuple[Undecided, ...]:
        """The duels that are too close to the threshold to call."""
        return tuple(
            Undecided(self.names[duel.model], self.names[duel.rival], duel.probability, duel.standard_error)
            for duel in self.judged.undecided
        )

    @property
    def probability(self) -> FloatArray:
        """[a, b] = P(R_a < R_b) for every pair, in the order of `names`; ½ on the diagonal. Not calibrated."""
        return self._matrices[0]

    @property
    def pairs(self) -> table.PairTable:
        """The probability that decides (calibrated, if there is a calibration), with names on both axes, best first."""
        order = [self.names.index(name) for name in self.ranking]
        decides = self.probability if self.calibrated is None else self.calibrated
        return table.PairTable(self.ranking, decides[np.ix_(order, order)])

    @property
    def calibrated(self) -> FloatArray | None:
        """`probability` corrected by the curve of a calibration, which then decides; None without a calibration."""
        return self.judged.calibrated

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of `probability`; zero where that has a closed form."""
        return self._matrices[1]

    @cached_property
    def _matrices(self) -> tuple[FloatArray, FloatArray]:
        known = self.judged.probability
        if known is not None:
            matrix = np.asarray(known)
            return _read_only(matrix), _read_only(np.zeros_like(matrix))
        probability, error = probability_matrix([np.sort(excess) for excess in self.excess_risks])
        return _read_only(probability), _read_only(error)

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        return " ".join([*self._verdicts(), *self.remarks()])

    def _verdicts(self) -> list[str]:
        """Who survives, and which duels are too close to call, a text of each."""
        survivors = table.listed(self.survivors)
        if not self.rejections:
            sentence = f"No model is rejected: all may be worth keeping ({survivors})."
        else:
            sentence = f"Worth keeping: {survivors}. Rejected: {len(self.rejections)} of {len(self.names)}."
        return [
            sentence,
            *(
                f"Undecided: P({show(duel.by)} better than {show(duel.model)}) = {duel.probability:.4f} ± {duel.standard_error:.4f}"
                " is too close to the threshold; raise max_draws, or treat it as a tie."
                for duel in self.undecided
            ),
        ]

    def remarks(self) -> list[str]:
        """What the verdict is sensitive to, in sentences: c, the simulations, the law."""
        remarks = []
        nearly = [name for name in self.survivors if self.critical_c[name] > 0.0] if self.calibrated is None else []
        if nearly:
            parts = [f"{show(name)} for c up to {self.critical_c[name]:.2g}" for name in nearly[:3]]
            more = f" and {len(nearly) - 3} more for some smaller c" if len(nearly) > 3 else ""
            remarks.append(
                f"At smaller c there is more to reject: {', '.join(parts)}{more}; calibrate() finds which c to trust."
            )
        if self.unstable:
            parts = [
                f"{show(name)} (the same in {self.stability[name]:.0%} of the simulations)" for name in self.unstable
            ]
            remarks.append(f"Unstable: {', '.join(parts)}; simulate more, or treat it as undecided.")
        if self.n_simulations == 1 and self.law != "groups":
            remarks.append("There is only one simulation of each model, so the stability of the verdict is unknown.")
        if len(self.names) > FEW_MODELS and self.rejections and self.calibrated is None:
            corrected = 1.0 - (1.0 - self.threshold) / (len(self.names) - 1)
            remarks.append(
                f"The best of {len(self.names)} models is rejected more easily than one of a pair; threshold={corrected:.7g} makes up for that."
            )
        for law, rejected in self.other_laws.items():
            differing = [name for name in self.ranking if (name in rejected) != (name in self.rejections)]
            if differing:
                remarks.append(f"Law {law!r} differs: it {_list_verdicts(differing, rejected)}.")
        return remarks

    @cached_property
    def other_laws(self) -> Mapping[str, tuple[str, ...]]:
        """Law → the models that it rejects on the same losses at the same c, for the other laws that can be computed.

        Laws are not compared where there are more than 32 models, or where a calibration decides.
        """
        comparable = self.calibrated is None and self.law != "groups" and self.keeps_simulations
        if len(self.names) > FEW_MODELS or not comparable:
            return MappingProxyType({})
        settings = replace(self.settings, law="beta" if self.law == "transport" else "transport", n_draws=OTHER_DRAWS)
        rejections, _ = law_of(list(self.losses.values()), settings).decide()
        return MappingProxyType({settings.law: tuple(self.names[index] for index in rejections)})

    def sweep(self, c: Sequence[float]) -> Sweep:
        """The same comparison at several values of c, on the same losses and random numbers; not calibrated.

        Under law "beta" more than 64 values are not all computed: between values at most a quarter of an octave apart, the quantile
        functions of the risks and their moments are interpolated. Measured, this moves means and standard deviations of the risk by at
        most 0.2 % of the standard deviation, and probabilities by less than 0.001.
        """
        values = tuple(check_positive(value, f"c[{index}]") for index, value in enumerate(c))
        if not values:
            raise ValueError("sweep needs at least one value of c; got none")
        if not self.keeps_simulations:
            raise ValueError(
                "the simulated losses of this comparison were not kept; compare with keep_simulations=True to sweep over c"
            )
        verdicts = judge_at(list(self.losses.values()), self.settings, values)
        runs = zip(values, verdicts, strict=True)
        comparisons = tuple(Comparison(self.losses, replace(self.settings, c=c), judged) for c, judged in runs)
        return Sweep(comparisons, of_calibrated=self.calibrated is not None)

    # ---------------------------------------------------------------- other forms

    def rows(self) -> list[dict[str, Any]]:
        """One row per model, best first, as plain numbers and text."""
        rows = []
        for name in self.ranking:
            low, high = self.risk_interval(name)
            rejection = self.rejections.get(name)
            rows.append(
                {
                    "model": name,
                    "empirical_risk": self.empirical_risk[name],
                    "difference": self.difference[name][0],
                    "difference_error": self.difference[name][1],
                    "risk_mean": self.risk_mean[name],
                    "risk_std": self.risk_std[name],
                    "risk_5": low,
                    "risk_95": high,
                    "survives": rejection is None,
                    "rejected_by": None if rejection is None else rejection.by,
                    "rejected_with_probability": None if rejection is None else rejection.probability,
                    "stability": _or_none(self.stability[name]),
                    "diagnostics": [note.to_dict() for note in self.diagnostics[name]],
                }
            )
        return rows

    @property
    def made_with(self) -> str:
        """Law, c, threshold and simulations, in one line."""
        parts = [f"law {self.law!r}"]
        if self.law != "groups":
            parts += [f"c = {self.c:g}", f"{self.n_simulations} simulation{'s' if self.n_simulations != 1 else ''}"]
        if self.calibrated is not None:
            parts.append("probabilities corrected by a calibration")
        return ", ".join([*parts, f"threshold {self.threshold:g}"])

    headings = table.HEADINGS

    def cells(self) -> list[list[str]]:
        """The rows as text, in the order of `headings`."""
        return table.cells(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Everything but the losses and draws, as plain numbers and text."""
        return {
            **archive.header(self.losses, self.settings, self.judged),
            "models": self.rows(),
            "probability": self.probability.tolist(),
            "calibrated": None if self.calibrated is None else self.calibrated.tolist(),
        }

    def to_dataframe(self) -> Any:
        """One row per model, best first (needs pandas); diagnostics as text."""
        rows = [{**row, "diagnostics": "; ".join(note["text"] for note in row["diagnostics"])} for row in self.rows()]
        return table.dataframe(rows, "model")

    def save(self, path: str | PathLike[str]) -> None:
        """Write losses, draws and settings to one NPZ file; `rivals.load` reads it back."""
        archive.save(path, self.losses, self.settings, self.judged)

    def report(self, path: str | PathLike[str], *, title: str = "Which models survive replication?") -> None:
        """Write one self-contained, interactive HTML page (needs jinja2)."""
        # The one step up in the package: a convenience, on demand.
        from rivals.report import write_report

        write_report(self, path, title=title)

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only views of dictionaries cannot be pickled; a result must travel between processes.
        return Comparison, (dict(self.losses), self.settings, self.judged)

    def __str__(self) -> str:
        sentences = [*self._verdicts(), *self.remarks(), f"{self.made_with}, rng = {self.entropy}"]
        return "\n".join([table.comparison_text(self.rows()), "", *map(table.wrap, sentences)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table.html(self.headings, self.cells(), before=self.verdict, after=self.made_with)


@dataclass(frozen=True, eq=False)
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

    comparisons: tuple[Comparison, ...] = field(repr=False)
    of_calibrated: bool = False

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

    @property
    def survivors(self) -> tuple[tuple[str, ...], ...]:
        """The survivors at each c."""
        return tuple(run.survivors for run in self.comparisons)

    @property
    def changes(self) -> tuple[tuple[float, float], ...]:
        """The neighbouring values of c, in increasing order, between which the set of survivors changes."""
        order = np.argsort(self.c, kind="stable")
        pairs = [(int(i), int(j)) for i, j in pairwise(order)]
        return tuple((self.c[i], self.c[j]) for i, j in pairs if set(self.survivors[i]) != set(self.survivors[j]))

    @property
    def verdict(self) -> str:
        """Where the verdict changes, in a sentence, and one more if that of the comparison is not among these."""
        return self._changes() + (f" {NOT_CALIBRATED}" if self.of_calibrated else "")

    def _changes(self) -> str:
        if not self.changes:
            return "The verdict is the same for all these c."
        between = "; ".join(f"{low:g} and {high:g}" for low, high in self.changes[:LISTED_CHANGES])
        more = len(self.changes) - LISTED_CHANGES
        return f"The verdict changes between c = {between}" + (f", and {more} more times." if more > 0 else ".")

    def rows(self) -> list[dict[str, Any]]:
        """One row per c, in increasing order."""
        pairs = sorted(zip(self.c, self.survivors, strict=True))
        return [{"c": c, "survivors": ", ".join(show(name) for name in survivors)} for c, survivors in pairs]

    headings = ("c", "survivors")

    def cells(self) -> list[list[str]]:
        """The rows as text, in the order of `headings`; of many values of c one row for each range with the same verdict."""
        rows = self.rows()
        if len(rows) <= MANY_VALUES:
            return [[f"{row['c']:g}", row["survivors"]] for row in rows]
        ranges = [list(group) for _, group in groupby(rows, key=lambda row: row["survivors"])]
        return [
            [f"{group[0]['c']:g}" + (f" … {group[-1]['c']:g}" if len(group) > 1 else ""), group[0]["survivors"]]
            for group in ranges
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
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
        return table.dataframe(self.rows(), "c")

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __str__(self) -> str:
        return "\n".join([table.text(self.headings, self.cells()), "", table.wrap(self.verdict)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table.html(self.headings, self.cells(), after=self.verdict)


def load(path: str | PathLike[str]) -> Comparison:
    """Read a comparison that `Comparison.save` wrote. Nothing in the file is executed or unpickled.

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


def _list_verdicts(names: Sequence[str], rejected: Sequence[str]) -> str:
    """ "keeps A, B and rejects C"."""
    kept = [show(name) for name in names if name not in rejected]
    gone = [show(name) for name in names if name in rejected]
    return " and ".join(f"{verb} {', '.join(group)}" for verb, group in (("keeps", kept), ("rejects", gone)) if group)


def _or_none(value: float) -> float | None:
    """Not a number is null in JSON."""
    return None if np.isnan(value) else float(value)


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
