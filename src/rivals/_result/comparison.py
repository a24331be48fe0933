"""The result of a comparison: evidence and decision, shown. Nothing here decides again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isnan
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

from rivals._core.decided import Decided
from rivals._core.evidence import Note
from rivals._core.law import Law, Summary
from rivals._core.rule import Rejection
from rivals._core.setting import Options, Setting
from rivals._core.texts import in_python
from rivals._core.types import RNG
from rivals._questions.criteria import Criteria, criteria
from rivals._questions.equivalence import Equivalence, equivalence
from rivals._questions.gate import Gate, gate
from rivals._questions.looks import Looks, looks
from rivals._questions.ranks import Ranks, ranks
from rivals._questions.segments import Segments, by
from rivals._questions.withstands import Withstands, withstands
from rivals._result import account, saved, tables
from rivals._result import sentences as say
from rivals._result.claims import Claim
from rivals._result.probabilities import Probabilities
from rivals._result.renderers import Answer, Table, markdown, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._questions.factor_plan import FactorPlan
    from rivals._questions.plan import Plan

# A screen has room for so many models.
MOST_ROWS = 20


def load(path: str | PathLike[str]) -> Comparison:
    """Read what `Comparison.save` wrote, and decide again.

    Examples
    --------
    >>> import tempfile, pathlib, rivals
    >>> from rivals.testbeds import toys
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "result.npz"
    >>> rivals.compare(toys.losses(), rng=0).save(file)
    >>> rivals.load(file).best
    'A'
    """
    *known, parts = saved.read(path)
    return Comparison(replace(Decided.of(*known), parts=parts))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Answer):
    """Which models would win again, and how probably.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> result.best, result.survivors, result.rejections["B"].by
    ('A', ('A',), 'A')
    """

    # What the rest of the package reads: numbers as arrays, by the places of models.
    _decided: Decided

    COLUMNS: ClassVar[tuple[str, ...]] = tables.COLUMNS

    # ---------------------------------------------------------------- the decision

    @property
    def best(self) -> str:
        """The model of lowest risk."""
        return self._decided.best

    @property
    def ranking(self) -> tuple[str, ...]:
        """The models by risk, the best first."""
        return self._decided.ranking

    @property
    def survivors(self) -> tuple[str, ...]:
        """Models that are not rejected, the best first."""
        return self._decided.survivors

    @property
    def rejections(self) -> dict[str, Rejection]:
        """Which models are rejected, by which rival, with which P."""
        return self._decided.rejections

    @property
    def holds_until(self) -> dict[str, float]:
        """Up to which c each rejected model stays rejected.

        The largest power of two, or c itself; infinite where it is rejected at 2¹² too. Empty with
        groups, where there is no c.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> rivals.compare(toys.losses(), rng=0).holds_until
        {'B': 64.0}
        """
        return self._decided.holds_until

    @property
    def risk(self) -> dict[str, float]:
        """The risk of each model, in the order given.

        What the decision is about; with groups the mean over groups.
        """
        return self._decided.risk

    @cached_property
    def probability(self) -> Probabilities:
        """P of every pair of models, by their names.

        ["A", "B"] is P(A better than B by more than the margin).
        """
        return Probabilities(self._decided.names, self._decided.probability)

    @property
    def setting(self) -> Setting:
        """Every option."""
        return self._decided.setting

    @property
    def method(self) -> Law[Any]:
        """How the distribution of the risk was made."""
        return self._decided.method

    @property
    def summary(self) -> Summary:
        """What the method keeps of the losses.

        Of method "groups" `GroupSummaries`.
        """
        found: Summary = self._decided.summary
        return found

    @property
    def c(self) -> float:
        """The sensitivity that was used.

        nan with groups, which take its place.
        """
        return self._decided.c

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know about these losses, as codes and values."""
        return self._decided.notes

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """All that is said, as codes and values.

        The decision, cautions and details.
        """
        return (*account.decision(self._decided), *account.claims(self._decided))

    # ---------------------------------------------------------------- the same otherwise

    def at(self, **options: Unpack[Options]) -> Comparison:
        """The decision at other options, from the same losses.

        A calibration is of its c, and does not follow to another.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> rivals.compare(toys.losses(), rng=0).at(c=1000.0).rejections
        {}
        """
        return Comparison(self._decided.at(**options))

    def sweep(self, values: Sequence[float] | None = None) -> dict[float, Comparison]:
        """The decision at each of several c."""
        chosen = [2.0**octave for octave in range(-6, 5, 2)] if values is None else values
        return {float(c): self.at(c=c) for c in chosen}

    def beside(self, name: str) -> tables.BesideOthers:
        """One model, such as a baseline, beside all others.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> rivals.compare(toys.losses(), rng=0).beside("B").outcomes.words
        ('worse',)
        """
        return tables.beside_others(self._decided, name)

    # ---------------------------------------------------------------- what is shown

    def __str__(self) -> str:
        """The table, the decision, one caution, the track record."""
        return in_python(self._marked())

    __repr__ = __str__

    def _marked(self) -> str:
        """What is printed, with options marked."""
        rows = tables.table(self._decided, self.best, MOST_ROWS).text()
        hidden = say.not_shown(len(self.ranking) - MOST_ROWS)
        lines = [account.opening(self._decided), "", rows, *hidden, ""]
        lines.append(account.conclusion(self._decided))
        segments = ["", str(self.by()), ""] if self._decided.parts else []
        record = account.track_record(self._decided)
        return "\n".join([*lines, *segments, *record, say.POINTERS])

    def _around(self) -> tuple[list[str], list[str]]:
        said = [account.conclusion(self._decided), *account.track_record(self._decided)]
        return [account.opening(self._decided)], said

    @cached_property
    def table(self) -> Table:
        """Every model beside the best."""
        return tables.table(self._decided, self.best)

    @property
    def conclusion(self) -> str:
        """The decision, and at most one sentence of caution."""
        return in_python(account.conclusion(self._decided))

    def details(self) -> str:
        """All the rest: by how much, sensitivity, notes, settings."""
        return in_python(account.details(self._decided))

    def methods(self) -> str:
        """A paragraph for the methods section of a paper."""
        return in_python(account.methods(self._decided))

    def plot(self, kind: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw differences between groups, or risks.

        `rivals.plots` has all kinds.
        """
        from rivals import plots

        return plots.plot(self, kind, ax=ax)

    def report(self, path: str | PathLike[str]) -> None:
        """One interactive page that needs nothing else."""
        from rivals import report

        report.write(self, path)

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each model beside the best, by risk."""
        return self.beside(self.best).to_records()

    def to_markdown(self) -> str:
        """The table in Markdown, and the conclusion."""
        return f"{self.table.markdown()}\n\n{markdown(self.conclusion)}"

    def to_latex(self) -> str:
        """The table in LaTeX."""
        return self.table.latex()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        decided = self._decided
        return {
            "method": self.method.name,
            "setting": self.setting.to_dict(),
            "c": None if isnan(decided.c) else decided.c,
            "best": self.best,
            "ranking": list(self.ranking),
            "survivors": list(self.survivors),
            "rejections": {name: asdict(each) for name, each in self.rejections.items()},
            "undecided": {name: asdict(each) for name, each in decided.decision.undecided.items()},
            "risk": self.risk,
            "probability": self.probability.to_dict(),
            **super().to_dict(),
            "n_groups": decided.n_groups,
            "new_groups": plain(decided.new_groups),
            "segments": self.by().to_dict()["records"] if decided.parts else None,
            "source": asdict(self.summary.source),
            "budget": account.budget(decided),
            "p_in_new_rows": account.in_new_rows(decided),
            "notes": [
                {**asdict(note), "text": in_python(say.noted(note, decided.noun))}
                for note in self.notes
            ],
            "conclusion": self.conclusion,
            "claims": [each.to_dict() for each in self.claims],
            "track_record": account.track_record_values(decided),
            "calibrated": bool(decided.calibration is not None),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write summary and setting to one file.

        `rivals.load` reads it, and decides again.
        """
        saved.save(self._decided, path)

    # ---------------------------------------------------------------- other questions

    def plan(
        self,
        more_groups: int | Sequence[int] | Mapping[str, int | Sequence[int]] = (5, 10, 20, 40),
        *,
        cost: Mapping[str, float] | None = None,
        rng: RNG = 0,
    ) -> Plan | FactorPlan:
        """How probably more groups would decide (power).

        Of the best against each model that is open.

        Parameters
        ----------
        more_groups : sequence of int, or mapping
            Numbers of groups to add; of several factors by factor, as ``{"subject": [10, 20]}``.
        cost : mapping, optional
            Of several factors what a level of each costs; the cheapest design is looked for.
        rng : int, SeedSequence, Generator or None
        """
        from rivals._questions.plan import plan

        return plan(self._decided, more_groups, cost=cost, rng=rng)

    def gate(
        self,
        baseline: str,
        *,
        model: str | None = None,
        require: Literal["better", "not-worse"] = "better",
        margin: float | None = None,
        no_segment_worse: float | None = None,
    ) -> Gate:
        """Whether a model may replace the baseline.

        Parameters
        ----------
        baseline : str
            The model in use.
        model : str, optional
            The one that may replace it; by default the only other one.
        require : {"better", "not-worse"}
            Better by more than the margin; or worse by no more than the margin.
        margin : float, optional
            Smallest difference that matters; that of the comparison by default.
        no_segment_worse : float, optional
            The gate also fails where the model is worse by more than this, with a probability above
            the threshold, in one of the segments of `compare(…, by=)`.

        Returns
        -------
        Gate
            With `passed`, `outcome` ("passed", "failed" or "undecided") and `probability`.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> rivals.compare(toys.losses(), rng=0).gate("B").outcome
        'passed'
        """
        return gate(
            self._decided,
            baseline,
            model=model,
            require=require,
            margin=margin,
            no_segment_worse=no_segment_worse,
        )

    def by(self, column: Any = None) -> Segments:
        """Where a model is worse: the comparison within each segment.

        Segments are fixed: a replication has the same ones, with new groups, or rows, in each.

        Parameters
        ----------
        column : array_like, optional
            The segment of each point; by default what `compare(…, by=)` was given.

        Returns
        -------
        Segments

        Examples
        --------
        >>> import numpy as np, rivals
        >>> rng = np.random.default_rng(0)
        >>> shop, device = np.repeat(np.arange(12), 40), np.tile(["phone", "desk"], 240)
        >>> old = rng.exponential(size=480)
        >>> new = old + np.where(device == "phone", 0.2, -0.3) + 0.1 * rng.standard_normal(480)
        >>> found = rivals.compare({"old": old, "new": new}, groups=shop).by(device)
        >>> [(row["segment"], row["outcome"]) for row in found.to_records()]
        [('phone', 'worse'), ('desk', 'better')]
        """
        return by(self._decided, column)

    def withstands(
        self,
        models: Mapping[str, Any],
        data: Any,
        *,
        signal: int | str | None = None,
        effects: Sequence[str] = ("gain", "offset", "drift", "coloured noise"),
        risk: float = 0.05,
        largest: float = 1.0,
        rng: RNG = 0,
    ) -> Withstands:
        """Which errors of an instrument would reverse the result.

        Each effect is applied to the observed signal, as it would differ between two recordings;
        points are drawn anew. No truth and no c is needed.

        Parameters
        ----------
        models, data
            The candidates and held-out data of the comparison.
        signal : int or str, optional
            Which part of the data the effects act on, as a column; data of one array need none.
        effects : sequence of str
            "gain" multiplies the signal, with a standard deviation of its logarithm; "offset" adds
            a constant; "drift" a straight line, from −size to size along the recording; "coloured
            noise" forgets within a tenth of the recording.
        risk : float
            The part of other recordings that are reversed.
        largest : float
            The largest size that is tried: of a gain, and in standard deviations of the signal.
        rng : int, SeedSequence, Generator or None
            Source of randomness of coloured noise, whose size is known to about a tenth.

        Examples
        --------
        >>> import numpy as np, rivals
        >>> from rivals.testbeds.toys import gaussian
        >>> models = {"at 0": gaussian(0.0, 1.0), "at 1": gaussian(1.0, 1.0)}
        >>> y = np.random.default_rng(0).normal(0.2, 1.0, 400)
        >>> result = rivals.compare(models, y, rng=0)
        >>> print(result.withstands(models, y, effects=["offset"]).conclusion)
        at 0 against at 1 withstands offsets up to 0.14.
        """
        return withstands(
            self._decided,
            models,
            data,
            signal=signal,
            effects=effects,
            risk=risk,
            largest=largest,
            rng=rng,
        )

    def criteria(
        self,
        *names: str,
        losses: Mapping[str, Any] | None = None,
        log_likelihood: Mapping[str, Any] | None = None,
        n_parameters: Mapping[str, int] | None = None,
        draws: Mapping[str, Any] | None = None,
        tolerance: float = 0.0,
    ) -> Criteria:
        """Other criteria beside P, of the same models.

        Parameters
        ----------
        *names : {"P", "B^R", "B^Q", "elpd", "AIC", "BIC", "WAIC", "LOO"}
            Those that are wanted; by default all that can be computed.
        losses : mapping, optional
            Name → losses on held-out data, for B^R, B^Q and elpd; by default those of the
            comparison.
        log_likelihood, n_parameters : mapping, optional
            Name → log likelihood of each point that was fitted to, at its maximum, and the number
            of fitted parameters; for AIC and BIC.
        draws : mapping, optional
            Name → log likelihoods of posterior draws × points; for WAIC and LOO.
        tolerance : float
            Standard deviation of η in B^Q = P(Q_a < Q_b + η).

        See Also
        --------
        rivals.criteria : each by itself.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> result = rivals.compare(toys.losses(), method="transport", rng=0)
        >>> [sorted(result.criteria().values)[0], round(result.criteria("B^Q").values["B^Q"][1], 2)]
        ['AIC', 0.74]
        """
        given = {
            "losses": losses,
            "log_likelihood": log_likelihood,
            "n_parameters": n_parameters,
            "draws": draws,
        }
        return criteria(self._decided, names, given, tolerance)

    def looks(self) -> Looks:
        """What could be said after each group, as they came.

        Of more than 500 groups some hundred numbers are looked at, the last among them.
        """
        return looks(self._decided)

    def ranks(self) -> Ranks:
        """Between which ranks each model lies, and in which tier."""
        return ranks(self._decided)

    def equivalence(self, margin: float | None = None) -> Equivalence:
        """Whether models are practically equivalent to the best.

        Whether they differ by less than the margin.
        """
        return equivalence(self._decided, self.setting.margin if margin is None else margin)
