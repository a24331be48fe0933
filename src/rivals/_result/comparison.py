"""The result of a comparison: evidence and decision, shown. Nothing here decides again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isnan, nan
from os import PathLike
from typing import TYPE_CHECKING, Any

from rivals._core.decided import Decided
from rivals._core.optional import need
from rivals._core.texts import in_python
from rivals._core.types import RNG
from rivals._questions.equivalence import Equivalence, equivalence
from rivals._questions.gate import Gate, gate
from rivals._questions.looks import Looks, looks
from rivals._questions.ranks import Ranks, ranks
from rivals._questions.segments import Segments, by
from rivals._questions.withstands import Withstands, withstands
from rivals._result import account, saved, tables
from rivals._result import sentences as say
from rivals._result.renderers import Table, markdown, plain

if TYPE_CHECKING:
    from rivals._questions.plan import Plan

# The columns of `to_records`, of data frames and of JSON.
SCHEMA = (
    *("model", "beside", "rank", "risk", "difference", "low", "high"),
    *("p_better", "p_equivalent", "p_worse", "p_better_one_group", "tau", "i2"),
    *("outcome", "because", "rejected_by"),
)
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
    return replace(Comparison.of(*known), parts=parts)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Decided):
    """Which models would win again, and how probably.

    Attributes are those of a `Decided`; nothing here decides again.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> result.best, result.survivors, result.rejections["B"].by
    ('A', ('A',), 'A')
    """

    # ---------------------------------------------------------------- what is shown

    def __str__(self) -> str:
        """The table, the decision, one caution, the track record."""
        return in_python(self.marked())

    def marked(self) -> str:
        """What is printed, with options marked."""
        rows = tables.table(self, self.ranking[0], MOST_ROWS).text()
        hidden = say.not_shown(len(self.names) - MOST_ROWS)
        lines = [account.opening(self), "", rows, *hidden, "", account.conclusion(self)]
        segments = ["", str(self.by()), ""] if self.parts else []
        return "\n".join([*lines, *segments, *account.track_record(self), say.POINTERS])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{self.table.html()}<p>{say.html(self.conclusion)}</p>"

    @cached_property
    def table(self) -> Table:
        """Every model beside the best."""
        return tables.table(self, self.ranking[0])

    def against(self, name: str) -> Table:
        """Every model beside one of them, such as a baseline."""
        return tables.table(self, tables.there(self, name))

    @property
    def pairs(self) -> Table:
        """Every pair of models."""
        return tables.pairs(self)

    def groups_table(self) -> Table:
        """Every group: its size, and what each model lost there."""
        return tables.groups_table(self)

    @property
    def conclusion(self) -> str:
        """The decision, and at most one sentence of caution."""
        return in_python(account.conclusion(self))

    def details(self) -> str:
        """All the rest: by how much, sensitivity, notes, settings."""
        return in_python(account.details(self))

    def methods(self) -> str:
        """A paragraph for the methods section of a paper."""
        return in_python(account.methods(self))

    def plot(self, kind: str | None = None, *, ax: Any = None) -> Any:
        """Draw differences between groups, or risks.

        `rivals.plots` has all kinds.
        """
        from rivals import plots

        return plots.plot(self, kind, ax=ax)

    def report(self, path: str | PathLike[str]) -> None:
        """One interactive page that needs nothing else."""
        from rivals import report

        report.write(self, path)

    def to_records(self, beside: str | None = None) -> list[dict[str, Any]]:
        """A row for each model, by risk.

        Beside the best or another; of one schema always.
        """
        model = self.ranking[0] if beside is None else tables.there(self, beside)
        found = {row["model"]: row for row in self.beside(model, self.ranking).records()}
        unknown = dict.fromkeys(SCHEMA[4:13], nan)
        alone = {**unknown, "difference": 0.0, "outcome": "", "because": ""}
        rows = []
        for rank, name in enumerate(self.ranking, start=1):
            row = {**found.get(name, alone), "model": name, "beside": model, "rank": rank}
            row["risk"] = self.risk[name]
            rejection = self.rejections.get(name)
            row["rejected_by"] = rejection.by if rejection else None
            rows.append({column: row[column] for column in SCHEMA})
        return rows

    def to_dataframe(self, beside: str | None = None) -> Any:
        """`to_records` as a pandas data frame."""
        pandas = need("pandas", extra="table", purpose="a data frame")
        return pandas.DataFrame(self.to_records(beside))

    def to_markdown(self) -> str:
        """The table in Markdown, and the conclusion."""
        return f"{self.table.markdown()}\n\n{markdown(self.conclusion)}"

    def to_latex(self) -> str:
        """The table in LaTeX."""
        return self.table.latex()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "method": self.method.name,
            "setting": self.setting.to_dict(),
            "c": None if isnan(self.c) else self.c,
            "best": self.best,
            "ranking": list(self.ranking),
            "survivors": list(self.survivors),
            "rejections": {name: asdict(each) for name, each in self.rejections.items()},
            "undecided": {name: asdict(each) for name, each in self.decision.undecided.items()},
            "risk": self.risk,
            "models": list(self.names),
            "probability": plain(self.probability.tolist()),
            "table": [{name: plain(v) for name, v in row.items()} for row in self.to_records()],
            "segments": self.by().to_dict()["records"] if self.parts else None,
            "n_groups": self.n_groups,
            "new_groups": plain(self.new_groups),
            "source": asdict(self.summary.source),
            "notes": [
                {"code": note.code, "text": in_python(say.noted(note, self.noun))}
                for note in self.notes
            ],
            "conclusion": self.conclusion,
            "claims": [
                each.to_dict() for each in (*account.decision(self), *account.cautions(self))
            ],
            "track_record": account.track_record_values(self),
            "calibrated": bool(self.calibration is not None),
            "corrected": bool(self.correction is not None),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write summary and setting to one file.

        `rivals.load` reads it, and decides again.
        """
        saved.save(self, path)

    # ---------------------------------------------------------------- other questions

    def plan(self, more_groups: Any = (5, 10, 20, 40), *, rng: RNG = 0) -> Plan:
        """How probably more groups would decide (power).

        Of the best against each model that is open.
        """
        from rivals._questions.plan import plan

        return plan(self, more_groups, rng=rng)

    def gate(
        self,
        baseline: str,
        *,
        model: str | None = None,
        require: str = "better",
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
            self,
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
        return by(self, column)

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
            self,
            models,
            data,
            signal=signal,
            effects=effects,
            risk=risk,
            largest=largest,
            rng=rng,
        )

    def looks(self) -> Looks:
        """What could be said after each group, as they came.

        Of more than 500 groups some hundred numbers are looked at, the last among them.
        """
        return looks(self)

    def ranks(self) -> Ranks:
        """Intervals of ranks, and tiers.

        Between which ranks each model lies, and which may be the best.
        """
        return ranks(self)

    def equivalence(self, margin: float | None = None) -> Equivalence:
        """Whether models are practically equivalent to the best.

        Whether they differ by less than the margin.
        """
        return equivalence(self, self.setting.margin if margin is None else margin)
