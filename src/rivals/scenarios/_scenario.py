"""Ω from building blocks: candidates, who makes the data, and what happens to the signal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._core.checks import check_size
from rivals._core.setting import one_of
from rivals._core.texts import Refusal, WrongKind
from rivals._core.types import FloatArray, Model
from rivals.scenarios._blocks import JITTER, SELECTIONS, Block
from rivals.scenarios._data import Part, part_of, rows_of, with_part
from rivals.scenarios._experiment import Candidates, Experiment
from rivals.scenarios._truth import Source, Truth, name_of, one_of_them

NEW = ("process", "replication")
Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Scenario:
    """A scenario Ω by building blocks: what may vary between experiments.

    It is a function from a generator to an `Experiment`, as `calibrate` takes. And it is data: it
    describes itself, goes into JSON, and is what a store compares.

    Parameters
    ----------
    candidates : mapping or sequence, or a function
        Models that are judged; or a function of data that returns them, fitted.
    truth : Truth
        Who makes the data: `one_of_them`, `mixture`, `simulator(…)` or `own(…)`.
    chain : sequence of Block
        What happens to the signal, in this order: `gain`, `offset`, `drift`, `noise`, `outliers`,
        `tilt`, `missing`, `jitter`.
    new : {"process", "replication"}
        In which data the better candidate is better: "process", more data of the very same
        recording, as in the paper; "replication", another recording of the same problem.
    signal : int or str, optional
        Which part of the data the blocks are applied to: a column, or the place in a tuple. Data
        that are one array need none.
    training : int
        Where the candidates are a function: points of a first recording to which they are fitted;
        0 fits them to the data that they are judged on.

    See Also
    --------
    rivals.calibrate : runs experiments of a scenario.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.scenarios import Scenario, noise, normal, offset, simulator
    >>> from rivals.testbeds.toys import gaussian
    >>> def constant(n, rng, mean):
    ...     return np.full(n, mean)
    >>> omega = Scenario(
    ...     {"low": gaussian(-0.1), "high": gaussian(0.1)},
    ...     simulator(constant, mean=normal(0, 0.1)),
    ...     [offset(0.05), noise(1.0)],
    ...     new="replication",
    ... )
    >>> print(omega.describe())  # doctest: +NORMALIZE_WHITESPACE
    The data are made by constant with mean ~ normal(0, 0.1). Then come: offset (value ~
    normal(0, 0.05), for each recording); gaussian noise (scale = 1). The better candidate is that
    in another recording of the same problem.
    """

    candidates: Candidates | Callable[[Any], Candidates]
    truth: Truth = one_of_them
    chain: Sequence[Block] = ()
    new: str = "process"
    signal: Part | None = None
    training: int = 0

    def __post_init__(self) -> None:
        chain = (self.chain,) if isinstance(self.chain, Block) else tuple(self.chain)
        object.__setattr__(self, "chain", chain)
        for place, block in enumerate(chain):
            if not isinstance(block, Block):
                raise WrongKind(f"chain[{place}] must be a block such as gain(0.02); got {block!r}")
        if not isinstance(self.truth, Truth):
            raise WrongKind(
                "truth must be one_of_them, mixture, simulator(function, …) or own(function); got "
                f"{self.truth!r}"
            )
        one_of(*NEW)("new", self.new)
        check_size(self.training, "training", least=0)
        self._check_candidates()
        self._check_parameters()
        if self.new == "replication" and not any(self._anew(block) for block in chain):
            raise Refusal(
                "new='replication' draws nothing anew: every number of the chain is fixed, "
                "or drawn once per problem. Add what differs between recordings, as "
                "gain(0.02), or leave new= out"
            )

    def __call__(self, rng: np.random.Generator) -> Experiment:
        """One experiment: its problem, its candidates, and what makes its data."""
        problem = self.truth.drawn(rng)
        models = [] if callable(self.candidates) else _models(self.candidates)
        source = self.truth.source(models, self.signal, rng)
        again = self.new == "replication"
        kept, parameters = self._drawn(
            problem, rng, {}, lambda block: not (again and self._anew(block))
        )

        def record(n: int, rng: np.random.Generator) -> Any:
            numbers, own = kept, parameters
            if again:
                numbers, own = self._drawn(problem, rng, kept, lambda block: True)
            return self._recorded(source(own), numbers, n, rng)

        candidates = self.candidates
        if callable(candidates) and self.training:
            candidates = candidates(record(self.training, rng))
        return Experiment(record, candidates, record if again else None)

    def describe(self) -> str:
        """What is simulated, and which candidate is the better, in sentences."""
        where = "in another recording of the same problem"
        if self.new == "process":
            where = "on new data of the same process"
        return f"{self.describe_data()} The better candidate is that {where}."

    def describe_data(self) -> str:
        """How the data are made, for a methods section."""
        passes = "; ".join(block.describe() for block in self.chain)
        chain = f" Then come: {passes}." if passes else ""
        return f"The data are made by {self.truth.describe()}.{chain}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: functions and candidates by their names."""
        return {
            "candidates": self._names(),
            "truth": self.truth.to_dict(),
            "chain": [block.to_dict() for block in self.chain],
            "new": self.new,
            "signal": self.signal,
            "training": self.training,
        }

    @classmethod
    def from_dict(
        cls,
        found: Mapping[str, Any],
        candidates: Candidates | Callable[[Any], Candidates],
        function: Callable[..., Any] | None = None,
    ) -> Scenario:
        """What `to_dict` gave, with its candidates and the function of its truth, if it has one.

        Examples
        --------
        >>> from rivals.scenarios import Scenario, gain
        >>> from rivals.testbeds.toys import gaussian
        >>> models = {"low": gaussian(-0.1), "high": gaussian(0.1)}
        >>> omega = Scenario(models, chain=[gain(0.02)])
        >>> Scenario.from_dict(omega.to_dict(), models) == omega
        True
        """
        try:
            made = cls(
                candidates,
                Truth.from_dict(found["truth"], function),
                [Block.from_dict(each) for each in found["chain"]],
                found["new"],
                found["signal"],
                found["training"],
            )
            names = found["candidates"]
        except (KeyError, TypeError, AttributeError) as error:
            raise Refusal(f"these are not the values of a scenario ({error!r})") from None
        if made._names() != names:
            raise Refusal(f"the candidates of this scenario are {names}; got {made._names()}")
        return made

    def functions(self) -> list[Callable[..., Any]]:
        """The user's own functions, whose code is part of the scenario."""
        found = [self.truth.function, self.candidates]
        return [each for each in found if callable(each)]

    # ---------------------------------------------------------------- one recording

    def _drawn(
        self,
        problem: Numbers,
        rng: np.random.Generator,
        kept: Mapping[int, Numbers],
        which: Callable[[Block], bool],
    ) -> tuple[dict[int, Numbers], dict[str, Any]]:
        """The numbers of blocks that are not kept, and the parameters of the truth after jitter."""
        parameters = dict(problem)
        found: dict[int, Numbers] = {}
        for place, block in enumerate(self.chain):
            if place in kept:
                found[place] = kept[place]
            elif which(block):
                found[place] = block.drawn(parameters, rng)
            else:
                continue
            if block.kind == JITTER:
                for name, factor in found[place].items():
                    parameters[name] *= factor
        return found, parameters

    def _recorded(
        self, source: Source, numbers: Mapping[int, Numbers], n: int, rng: np.random.Generator
    ) -> Any:
        """n points: made by the source, through the chain."""
        sizes = list(self._sizes(n))
        data = source(sizes[0], rng)
        signal = part_of(data, self.signal)
        for place, block in enumerate(self.chain):
            if block.kind == JITTER:
                continue
            if block.kind in SELECTIONS:
                design = self._design(block, data, signal)
                rows = block.rows(design, sizes[place + 1], rng, numbers[place])
                data, signal = rows_of(data, rows), signal[rows]
                continue
            design = self._design(block, data, signal)
            after = block.applied(signal, design, rng, numbers[place])
            if not _varies(after) and _varies(signal):
                raise Refusal(
                    f"after the block {block!r} nothing of the signal varies any more: every "
                    f"point is {after[0]:g}"
                )
            signal = after
        return with_part(data, self.signal, signal)

    def _design(self, block: Block, data: Any, signal: FloatArray) -> FloatArray:
        if block.along is None:
            return np.arange(float(signal.size))
        return part_of(data, block.along, "along")

    def _sizes(self, n: int) -> Iterator[int]:
        """How many points there are before each block, and after the last."""
        sizes = [n]
        for block in reversed(self.chain):
            sizes.append(block.n_before(sizes[-1]))
        return reversed(sizes)

    # ---------------------------------------------------------------- checks

    @staticmethod
    def _anew(block: Block) -> bool:
        return block.varies and block.per == "recording"

    def _names(self) -> list[str] | str:
        if callable(self.candidates):
            return name_of(self.candidates)
        if isinstance(self.candidates, Mapping):
            return list(self.candidates)
        return [f"candidate {place}" for place in range(len(self.candidates))]

    def _check_candidates(self) -> None:
        if callable(self.candidates):
            if self.truth.kind in ("candidate", "mixture"):
                raise Refusal(
                    "candidates that are fitted to the data cannot make them; say who does: "
                    "truth=simulator(function, …)"
                )
            return
        if self.training:
            raise Refusal(
                f"training={self.training}: these candidates are fitted already; pass a "
                "function of the data that returns them"
            )
        if len(self.candidates) < 2:
            raise Refusal(f"a scenario needs two candidates or more; got {len(self.candidates)}")

    def _check_parameters(self) -> None:
        """Whether every parameter is used, and every name is of a parameter."""
        names = {name for name, _ in self.truth.numbers}
        used = self.truth.accepts() if self.truth.kind == "simulator" else set()
        for block in self.chain:
            own = {name for name, _ in block.numbers} if block.kind == JITTER else set()
            asked = own | {value for _, value in block.numbers if isinstance(value, str)}
            if asked - names:
                raise Refusal(
                    f"{block.kind}: the truth has no parameter {min(asked - names)!r}; it has "
                    f"{sorted(names) or 'none'}"
                )
            used |= asked
        if names - used:
            raise Refusal(
                f"the parameter {min(names - used)!r} of the truth is used neither by its function "
                "nor by a block"
            )


def _models(candidates: Any) -> list[Model]:
    return list(candidates.values() if isinstance(candidates, Mapping) else candidates)


def _varies(signal: FloatArray) -> bool:
    return signal.size < 2 or bool(signal[0] != signal[-1] or (signal != signal[0]).any())
