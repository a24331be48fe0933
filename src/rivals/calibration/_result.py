"""What a calibration found: records, curves, the c that may be used, and how `compare` uses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.checks import check_printable
from rivals._core.losses import Study
from rivals._core.optional import need
from rivals._core.setting import CalibratedC, one_of
from rivals._core.types import FloatArray
from rivals._result.renderers import Table
from rivals._result.sentences import count, html, value_of_c
from rivals.calibration import _words as say
from rivals.calibration._curve import BINS, Curve, calibration_curve
from rivals.calibration._experiment import Conditions, is_undecided
from rivals.calibration._promise import PROMISES, THRESHOLD, State
from rivals.calibration._states import RULES, States, checked, judge
from rivals.calibration._store import Failure, Source, Store, kinds, open_to_read
from rivals.laws import Beta, Law, Paper

# A calibration holds for the sizes it was made with; within these factors it is accepted. More
# simulations only reduce the noise of the misfit.
SIMILAR_SIZE = 1.5
SIMILAR_SIMULATIONS = 2.0
OUTCOMES = np.array(["no winner", "right", "wrong", "undecided"])


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """The outcomes of simulated experiments, or of real ones.

    Attributes
    ----------
    scenarios : tuple of str
    conditions : Conditions
        Law, c, sizes, order, unit and entropy.
    outcomes : structured array
        One row for each experiment.
    failures : tuple of Failure
        Experiments that raised an error. They are not missing at random.
    n_wanted : int
        Experiments of each scenario that were asked for.
    sources : mapping
        Scenario → its blocks, if it is made of blocks, and the code of its functions.

    See Also
    --------
    calibrate : makes a calibration.
    compare : takes a calibration as its c.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega, n_data=100, n_experiments=600, c=[2**-8, 1.0], n_truth=4000, rng=0
    ... )
    >>> calibration.states().kept
    (0.00390625,)
    >>> calibration.choose_c()
    0.00390625
    """

    scenarios: tuple[str, ...]
    conditions: Conditions
    outcomes: npt.NDArray[Any]
    failures: tuple[Failure, ...] = ()
    n_wanted: int = 0
    sources: Mapping[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """One gate: what no run finds is no calibration."""
        found = self.outcomes
        for name in ("probability", "standard_error", "risk_a", "risk_b", "truth_error"):
            if not np.isfinite(found[name]).all():
                raise ValueError(f"the {name} of an experiment is not finite")
        if not ((found["probability"] >= 0.0) & (found["probability"] <= 1.0)).all():
            raise ValueError("the probability of an experiment is not between 0 and 1")
        check_printable("scenarios", self.scenarios)
        if not np.isin(found["scenario"], range(len(self.scenarios))).all():
            raise ValueError("an experiment is of no scenario")

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Calibration:
        """Read a store, finished or not."""
        with open_to_read(path) as store:
            return cls.of_store(store)

    @classmethod
    def of_store(cls, store: Store) -> Calibration:
        """What a store holds."""
        study = store.study
        found = store.outcomes()
        try:
            return cls(
                tuple(study.sources),
                study.conditions,
                found,
                store.failures(),
                store.n_wanted,
                study.sources,
            )
        except ValueError as error:
            raise store.damaged(error) from None

    @classmethod
    def from_experiments(
        cls,
        experiments: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
        c: Sequence[float],
        *,
        n_data: int,
        method: str | Law[Any] | None = None,
        n_simulations: int | None = None,
        order: str | None = None,
        loss_unit: str = "",
    ) -> Calibration:
        """From experiments that you made, simulated elsewhere or real.

        Parameters
        ----------
        experiments : mapping
            Scenario → (probabilities P(R_a < R_b), experiments × c; truth: 1 where a was better in
            the replication, 0 where b was, nan where that is undecided).
        c : sequence of float
            Increasing.
        n_data, method, n_simulations, order, loss_unit
            Of the comparisons, as in `calibrate`.

        Examples
        --------
        Four hundred experiments in which B = 0.99 came true in nine of ten, and B = 0.9 too:

        >>> import numpy as np
        >>> import rivals
        >>> truth = np.arange(400) % 10 > 0
        >>> found = {"real": (np.tile([0.99, 0.9], (400, 1)), truth)}
        >>> calibration = rivals.Calibration.from_experiments(found, [0.25, 4], n_data=1000)
        >>> [each.state for each in calibration.states().overall]
        ['broken', 'silent']
        """
        conditions = Conditions.of(
            method=method,
            c=c,
            n_data=n_data,
            n_simulations=n_simulations,
            order=order,
            loss_unit=loss_unit,
        )
        if not experiments:
            raise ValueError("no experiments: pass {scenario: (probabilities, truth)}")
        parts = []
        for place, (name, (stated, true)) in enumerate(experiments.items()):
            probability, truth = checked(name, stated, true, len(conditions.c))
            found = np.zeros(truth.size, dtype=kinds(len(conditions.c)))
            found["scenario"] = place
            found["experiment"] = np.arange(truth.size)
            found["probability"] = probability
            # Risks that differ by one in favour of the better, or not at all.
            found["risk_b"] = np.nan_to_num(2.0 * truth - 1.0)
            found["replicated"] = True
            parts.append(found)
        n_wanted = max(part.size for part in parts)
        return cls(tuple(experiments), conditions, np.concatenate(parts), (), n_wanted)

    # ---------------------------------------------------------------- what was run

    @property
    def method(self) -> Law[Any]:
        """The method for which c was calibrated."""
        return self.conditions.method

    @property
    def c(self) -> tuple[float, ...]:
        """The values of c, increasing."""
        return self.conditions.c

    @property
    def n_experiments(self) -> int:
        """Experiments with an outcome, of all scenarios."""
        return int(self.outcomes.size)

    @property
    def rule(self) -> str:
        """What a c promises.

        The paper's bound under its own methods, unless asked otherwise.
        """
        return "bound" if self.method.name in ("beta", "paper") else "error"

    @cached_property
    def truth(self) -> FloatArray:
        """Which model is truly better, of each experiment.

        1 where a is, 0 where b is, nan where undecided.
        """
        found = self.outcomes
        better = (found["risk_a"] < found["risk_b"]).astype(np.float64)
        unknown = is_undecided(found["risk_a"], found["risk_b"], found["truth_error"])
        return np.where(unknown, np.nan, better)

    @property
    def records(self) -> npt.NDArray[Any]:
        """A row for each experiment and c.

        As a structured array.

        The outcome is "right", "wrong" or "undecided" of a named winner, or "no winner". Where it
        is not known which candidate is better, the truth is nan.
        """
        found = self.outcomes
        stated = found["probability"].ravel()
        truth = np.repeat(self.truth, len(self.c))
        wrong = (stated > 0.5) != (truth > 0.5)
        became = np.where(np.isnan(truth), 3, 1 + wrong)
        named = np.maximum(stated, 1.0 - stated) > THRESHOLD
        columns = {
            "scenario": np.repeat(np.array(self.scenarios)[found["scenario"]], len(self.c)),
            "experiment": np.repeat(found["experiment"], len(self.c)),
            "c": np.tile(self.c, found.size),
            "probability": stated,
            "standard_error": found["standard_error"].ravel(),
            "outcome": OUTCOMES[np.where(named, became, 0)],
            "truth": truth,
        }
        for name in ("risk_a", "risk_b", "truth_error", "n_truth"):
            columns[name] = np.repeat(found[name], len(self.c))
        rows = np.empty(stated.size, [(name, values.dtype) for name, values in columns.items()])
        for name, values in columns.items():
            rows[name] = values
        return rows

    # ---------------------------------------------------------------- which c

    def curve(self, c: float, scenario: str | None = None, bins: int = BINS) -> Curve:
        """The calibration curve at one c.

        Of one scenario, or of all together.
        """
        which = self._of(scenario)
        column = self._column(c)
        probability = self.outcomes["probability"][which, column]
        return calibration_curve(probability, self.truth[which], bins=bins)

    def states(self, rule: str | None = None, promise: str = "usual") -> States:
        """The state of each c: kept, open, silent or broken.

        Parameters
        ----------
        rule : {"bound", "error"}, optional
            What is promised. "bound", the default under methods "beta" and "paper": in no window
            of the curve is B more confident than right, as the paper asks. "error", the default
            under method "transport": no more than 5 % of the named winners fail.
        promise : {"usual", "strict"}
            What has to be shown, with 95 % confidence: that no more than twice as many fail; or, of
            a strict promise, no more. That takes some eight times as many experiments.

        Returns
        -------
        States
        """
        asked = self.rule if rule is None else one_of(*RULES)("rule", rule)
        one_of(*PROMISES)("promise", promise)
        if (asked, promise) not in self._states:
            stated = self.outcomes["probability"]
            found = []
            for name in self.scenarios:
                which = self._of(name)
                kept = PROMISES[promise]
                found.append(judge(stated[which], self.truth[which], self.c, asked, kept))
            self._states[asked, promise] = States(
                self.scenarios, self.c, tuple(found), asked, promise
            )
        return self._states[asked, promise]

    @cached_property
    def _states(self) -> dict[tuple[str, str], States]:
        return {}

    def choose_c(self, rule: str | None = None, promise: str = "usual") -> CalibratedC:
        """The c to use: the smallest that is kept.

        Of all that are kept it names most winners.

        Parameters
        ----------
        rule : {"bound", "error"}, optional
            What is promised; see `states`.
        promise : {"usual", "strict"}
            What has to be shown; see `states`.

        Returns
        -------
        float
            A number that remembers how it was chosen.
        """
        states = self.states(rule, promise)
        source = {
            "method": self.method.name,
            "rule": states.rule,
            "promise": promise,
            "experiments": self.n_experiments,
            "scenarios": ", ".join(self.scenarios),
            "better": say.where(self.replicated),
        }
        return CalibratedC(states.choose(), source)

    @property
    def replicated(self) -> bool:
        """Whether the better candidate is that in another recording.

        Of every experiment; otherwise it is that on new data of the same process.
        """
        return bool(self.outcomes["replicated"].all())

    def _of(self, scenario: str | None) -> npt.NDArray[np.bool_]:
        """Which experiments are of one scenario, or of any."""
        if scenario is None:
            return np.ones(self.outcomes.size, dtype=bool)
        place = self.scenarios.index(one_of(*self.scenarios)("scenario", scenario))
        return np.asarray(self.outcomes["scenario"] == place)

    def _column(self, c: float) -> int:
        if c not in self.c:
            tried = ", ".join(value_of_c(value) for value in self.c)
            raise ValueError(f"c = {c!r} was not tried; {tried} were")
        return self.c.index(c)

    # ---------------------------------------------------------------- how `compare` uses it

    def check_fit(self, study: Study, method: Law[Any]) -> None:
        """Refuse a comparison of another method, order, unit or size."""
        here = self.conditions
        if method != here.method:
            raise ValueError(say.other("method", str(here.method), str(method)))
        if study.order != here.order and not isinstance(method, (Beta, Paper)):
            raise ValueError(say.other("order", repr(here.order), repr(study.order)))
        unit = study.source.unit
        if here.loss_unit and unit and unit != here.loss_unit:
            raise ValueError(say.other("losses in", here.loss_unit, unit))
        n_points = study.n_points
        if not 1.0 / SIMILAR_SIZE <= n_points / here.n_data <= SIMILAR_SIZE:
            points = count(here.n_data, "point"), count(n_points, "point")
            raise ValueError(say.other("experiments of", *points))
        ratio = study.n_simulations / here.n_simulations
        if not 1.0 / SIMILAR_SIMULATIONS <= ratio <= SIMILAR_SIMULATIONS:
            ours = count(study.n_simulations, "simulation")
            raise ValueError(
                say.other("candidates with", count(here.n_simulations, "simulation"), ours)
            )

    # ---------------------------------------------------------------- what is shown

    @property
    def table(self) -> Table:
        """A row for each scenario and c.

        What became of the named winners, and the state of c.
        """
        return self.states().table

    @property
    def conclusion(self) -> str:
        """Which c is used, or why none is."""
        states = self.states()
        if states.kept:
            return say.chosen(states.rule, _of_all(states), states.kept)
        text = states.nothing_kept()
        return text[0].upper() + text[1:]

    def __str__(self) -> str:
        """The table, and the c to use."""
        here = self.conditions
        wanted = self.n_wanted * len(self.scenarios) - len(self.failures)
        lines = [
            say.opening(
                len(self.scenarios),
                self.n_experiments,
                wanted,
                here.n_data,
                self.method.name,
                here.n_simulations,
            )
        ]
        lines += [self._about_truth(), "", self.table.text(), "", self.conclusion]
        if self.failures:
            lines.append(say.failed(len(self.failures), self.failures[0].error))
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{self.table.html()}<p>{html(self.conclusion)}</p>"

    def _about_truth(self) -> str:
        found = self.outcomes
        at_smallest = np.max([found["probability"][:, 0], 1.0 - found["probability"][:, 0]], axis=0)
        unknown = np.isnan(self.truth)
        return say.about_truth(
            int(unknown.sum()),
            found.size,
            int(np.sum(unknown & (at_smallest > THRESHOLD))),
            int(found["n_truth"].max(initial=0)),
            self.replicated,
        )

    def methods(self, rule: str | None = None, promise: str = "usual") -> str:
        """How c was calibrated, for a methods section."""
        here = self.conditions
        found = self.outcomes
        counts = {
            name: int(np.sum(found["scenario"] == k)) for k, name in enumerate(self.scenarios)
        }
        most_points = int(found["n_truth"].max(initial=0))
        parts = [
            say.method(
                self.method.name,
                counts,
                here.n_data,
                here.n_simulations,
                here.loss_unit,
                here.order,
                simulated=most_points > 0,
            ),
            *(
                say.scenario(name if len(self.scenarios) > 1 else "", source.description)
                for name, source in self.sources.items()
                if source.description
            ),
            say.method_of_truth(
                here.n_truth,
                most_points,
                self.replicated,
                int(np.isnan(self.truth).sum()),
                found.size,
            ),
        ]
        states = self.states(rule, promise)
        chosen = _of_all(states)
        parts.append(say.method_of_choice(states.rule, promise, self.c, states.kept, chosen))
        return " ".join(parts)

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """The calibration curves, as a picture."""
        from rivals.plots import plot_calibration

        return plot_calibration(self, ax=ax, **options)

    def to_dataframe(self) -> Any:
        """The `records` as a pandas data frame."""
        return need("pandas", extra="table", purpose="a data frame").DataFrame(self.records)

    def to_markdown(self) -> str:
        """The table in Markdown, and the conclusion."""
        return f"{self.table.markdown()}\n\n{self.conclusion}"

    def to_latex(self) -> str:
        """The table in LaTeX."""
        return self.table.latex()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        states = self.states()
        return {
            "conditions": self.conditions.to_dict(),
            "blocks": {name: source.blocks for name, source in self.sources.items()},
            "n_experiments": self.n_experiments,
            "n_wanted": self.n_wanted,
            "undecided": int(np.isnan(self.truth).sum()),
            "replicated": self.replicated,
            "failures": [vars(each) for each in self.failures],
            **states.to_dict(),
            "best": states.kept[0] if states.kept else None,
            "conclusion": self.conclusion,
        }


def _of_all(states: States) -> State:
    """What all scenarios say at the c that is used: the worst of them, with the winners of all."""
    c = states.choose()
    column = states.column(c)
    worst = max(column, key=lambda state: state.at_most)
    counts = {
        name: sum(getattr(state, name) for state in column)
        for name in ("n", "unknown", "right", "wrong", "undecided")
    }
    return replace(worst, **counts)
