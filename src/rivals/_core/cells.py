"""What method "groups" needs of a study with several factors: a mean loss of each model in each
cell, which is a combination of levels, and sums of squares within cells.

As of groups, no loss of any point is in it unless a cell has one point alone, and several sites
join theirs by adding up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rivals._core.cautions import warn
from rivals._core.grouping import Grouping, noun_of
from rivals._core.losses import NOT_SAID, Losses, Provenance, Study, check_names, one_source
from rivals._core.reducer import Reducer
from rivals._core.setting import HowMany, Levels, one_of
from rivals._core.summaries import (
    GroupSummaries,
    check_plain,
    check_squares,
    check_sums,
    shared_by_fits,
)
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray, IntArray
from rivals.method.error import PairSums, beyond_first
from rivals.method.factors import Design, Moments, joined

FORMAT = "rivals.CellSummaries/1"
# With fewer levels nobody knows how much they differ.
LEAST_LEVELS = 3


@dataclass(frozen=True, eq=False)
class CellSummaries:
    """The cells of a study with several factors.

    Attributes
    ----------
    models : tuple of str
    factors : tuple of Grouping
        The level of each cell, by each factor.
    sizes : array of int, shape (cells,)
        Points in each cell.
    first : array, shape (cells,)
        Mean loss of the first model in each cell.
    gaps : array, shape (models, cells)
        Mean loss of each model less that of the first; the first row is zero.
    pairs : PairSums
        Of each pair, the squares of the paired difference about its mean in each cell, summed.
    source : Provenance
        Where the losses come from.
    shared : array, shape (models, models), or None
        What fits without each fold share through their training data.

    Examples
    --------
    >>> from rivals import CellSummaries, Losses
    >>> labels = {"reader": list("aabbcc"), "case": [1, 2, 1, 2, 1, 2]}
    >>> losses = {
    ...     "line": Losses([1.0, 1.2, 0.9, 1.1, 1.4, 1.0], groups=labels),
    ...     "mean": Losses([2.0, 2.1, 1.7, 2.4, 2.2, 2.0], groups=labels),
    ... }
    >>> cells = CellSummaries.of_losses(losses)
    >>> cells.of_factor("reader").means.round(2).tolist()
    [[1.1, 1.0, 1.2], [2.05, 2.05, 2.1]]
    """

    models: tuple[str, ...]
    factors: tuple[Grouping, ...]
    sizes: IntArray
    first: FloatArray
    gaps: FloatArray
    pairs: PairSums
    source: Provenance = NOT_SAID
    shared: FloatArray | None = None

    def __post_init__(self) -> None:
        check_names(list(self.models))
        check_sums(self, self.sizes.size)

    @classmethod
    def of_losses(cls, losses: Mapping[str, Losses], groups: Any = None) -> CellSummaries:
        """Reduce the losses of each model to cells.

        As a site does that shares no losses.
        """
        return cls.of(Study.of(losses, groups=groups))

    @classmethod
    def of(cls, study: Study) -> CellSummaries:
        """From the losses of all models at all points."""
        grouping = study.groups
        if grouping is None:
            raise Refusal(f"{opt.groups} is needed, the labels of each point by several factors")
        gaps = beyond_first(study.observed)
        middle = study.n_points // 2
        reference = float(np.partition(study.observed[0], middle)[middle])
        ones = np.ones(study.n_points, dtype=np.int64)
        first = study.observed[0] - reference
        found, means, within = _gathered(grouping.factors, ones, first, gaps)
        factors, sizes = found
        return cls(
            study.names,
            factors,
            sizes,
            means[0] + reference,
            means[1:],
            within,
            study.source,
            shared_by_fits(study),
        )

    @classmethod
    def of_reducer(
        cls, reducer: Reducer, models: tuple[str, ...], names: Sequence[str], source: Provenance
    ) -> CellSummaries:
        """From the cells of all blocks.

        Their labels have one of each factor.
        """
        if not reducer.labels:
            raise ValueError("there is no row")
        labels: Any = reducer.labels
        factors = {
            name: Grouping.of([each[place] for each in labels], noun_of(name))
            for place, name in enumerate(names)
        }
        return cls(models, Grouping.of_factors(factors).factors, *reducer.sums, source)

    # ---------------------------------------------------------------- what they are of

    @cached_property
    def design(self) -> Design:
        """Which factors cross, and which lie in others."""
        return Design.of([each.codes for each in self.factors], self.sizes)

    @cached_property
    def moments(self) -> Moments:
        """What the cells say of all models at once."""
        by_points = self.sizes / self.sizes.sum() if self.source.weights == "points" else None
        given = (self.design, self.sizes, self.first, self.gaps, self.pairs)
        return Moments.of(*given, weights=by_points)

    @property
    def n_groups(self) -> int:
        """The smallest number of levels of an outermost factor."""
        return self.design.n_levels[self.fewest]

    @property
    def n_points(self) -> int:
        """Points of all cells together."""
        return int(self.sizes.sum())

    @property
    def n_simulations(self) -> int:
        """None: how levels differ takes their place."""
        return 0

    @property
    def noun(self) -> str:
        """What a level of `fewest` is called."""
        return self.factors[self.fewest].noun

    @cached_property
    def fewest(self) -> int:
        """The outermost factor with the fewest levels.

        It limits what can be known.
        """
        return min(self.design.outermost, key=lambda factor: self.design.n_levels[factor])

    @cached_property
    def magnitude(self) -> FloatArray:
        """Size of losses, beside which rounding is judged."""
        within = np.sqrt(self.pairs.own_scaled / float(self.sizes.sum()))
        largest = [np.abs(self.first + row).max() for row in self.gaps]
        return np.asarray(within + np.array(largest))

    def horizon(self, new_groups: HowMany | None) -> Levels:
        """How many new levels of each outermost factor.

        As many as observed where nothing is said;
        a number alone is of each.
        """
        design = self.design
        observed = {self.factors[each].noun: design.n_levels[each] for each in design.outermost}
        if new_groups is None:
            return Levels({noun: float(number) for noun, number in observed.items()})
        if not isinstance(new_groups, Levels):
            return Levels(dict.fromkeys(observed, new_groups))
        found = {noun: float(number) for noun, number in observed.items()}
        found |= {self.outermost_noun(name): number for name, number in new_groups.items()}
        if not any(found.values()):
            raise Refusal(
                f"{opt['new_groups']} keeps every factor, {', '.join(found)}, so that only points "
                f"would be new; draw one of them, or compare without {opt.groups}"
            )
        return Levels(found)

    def outermost_noun(self, name: str, what: str = "new_groups") -> str:
        """What an outermost factor is called.

        Others do not come by themselves.
        """
        nouns = [each.noun for each in self.factors]
        noun = name if name in nouns else noun_of(name)
        if noun not in nouns:
            raise Refusal(
                f"{opt[what]}: there is no factor {name!r}; there are {', '.join(map(repr, nouns))}"
            )
        around = self.factors[self.design.top(nouns.index(noun))].noun
        if noun != around:
            raise Refusal(
                f"{opt[what]}: each {noun} lies in one {around} and comes with it; say "
                f"how many of {around!r}, and leave {name!r} out"
            )
        return noun

    def weighted(self, weights: str) -> CellSummaries:
        """Weighted for the least variance, or every point alike."""
        one_of("groups", "points")("weights", weights)
        return replace(self, source=replace(self.source, weights=weights))

    def check(self) -> None:
        """Refuse factors that cannot show how much levels differ."""
        design, nouns = self.design, [each.noun for each in self.factors]
        if max(design.n_levels) == self.n_points:
            noun = nouns[int(np.argmax(design.n_levels))]
            raise Refusal(
                f"{opt['groups']}: each of the {self.n_points} points has a {noun} of its own; "
                f"points are no groups: leave {noun!r} out"
            )
        for a, b in _pairs(len(nouns)):
            n_both = int(joined([self.factors[a].codes, self.factors[b].codes]).max()) + 1
            if n_both == design.n_levels[a] == design.n_levels[b]:
                raise Refusal(
                    f"{opt['groups']}: {nouns[a]!r} and {nouns[b]!r} put the same points into "
                    f"the same {n_both} groups: one grouping under two names; leave one out"
                )
        for factor in design.outermost:
            number = design.n_levels[factor]
            if number < LEAST_LEVELS:
                raise Refusal(
                    f"{opt['groups']}: {nouns[factor]!r} has {number} "
                    f"{'level' if number == 1 else 'levels'}, which cannot show how much levels "
                    f"differ: {LEAST_LEVELS} or more can; leave {nouns[factor]!r} out, or compare "
                    "within each of its levels"
                )
        confused = design.confused(self.sizes)
        if confused is not None:
            titles = [*(self.title(part) for part in design.parts), "points"]
            raise Refusal(
                f"{opt['groups']}: {' and '.join(repr(titles[each]) for each in confused)} cannot "
                f"be told apart in these {self.sizes.size} cells; leave one of the factors out"
            )

    def title(self, part: Sequence[int]) -> str:
        """What a part is called, as "subject × item"."""
        return " × ".join(self.factors[factor].noun for factor in part)

    # ---------------------------------------------------------------- by one factor, and of sites

    def of_factor(self, noun: str | None = None) -> GroupSummaries:
        """The groups of one factor.

        By default of `fewest`.
        """
        asked = self.noun if noun is None else noun
        found = next((each for each in self.factors if each.noun == asked), None)
        if found is None:
            nouns = ", ".join(repr(each.noun) for each in self.factors)
            raise ValueError(f"there is no factor {asked!r}; there are {nouns}")
        (factors, sizes), means, apart = _gathered((found,), self.sizes, self.first, self.gaps)
        return GroupSummaries(
            self.models,
            factors[0].names,
            sizes,
            means[0],
            means[1:],
            _added([self.pairs, apart]),
            found.noun,
            self.source,
            shared=self.shared,
        )

    def ordered(self, models: Sequence[str]) -> CellSummaries:
        """The same with models in another order."""
        if set(models) != set(self.models):
            raise ValueError(
                f"sites must have the same models; got {list(models)} and {list(self.models)}"
            )
        if tuple(models) == self.models:
            return self
        places = [self.models.index(name) for name in models]
        both = np.ix_(places, places)
        return replace(
            self,
            models=tuple(models),
            first=self.first + self.gaps[places[0]],
            gaps=self.gaps[places] - self.gaps[places[0]],
            pairs=PairSums(self.pairs.own_scaled[places], self.pairs.whole()[both]),
            shared=None if self.shared is None else self.shared[both],
        )

    @classmethod
    def join(cls, sites: Sequence[CellSummaries]) -> CellSummaries:
        """Join the cells of several sites.

        They may share levels, and cells.

        Their models and factors must be the same. It is what all their points together give.
        """
        if not sites:
            raise ValueError("join: no summaries were given")
        first = sites[0]
        nouns = [each.noun for each in first.factors]
        for site in sites:
            if {each.noun for each in site.factors} != set(nouns):
                others = [each.noun for each in site.factors]
                raise ValueError(f"sites must have the same factors; got {nouns} and {others}")
        sites = [site.ordered(first.models) for site in sites]
        factors = [
            _together([next(f for f in site.factors if f.noun == noun) for site in sites])
            for noun in nouns
        ]
        found, means, apart = _gathered(
            factors,
            np.concatenate([site.sizes for site in sites]),
            np.concatenate([site.first for site in sites]),
            np.concatenate([site.gaps for site in sites], axis=1),
        )
        return cls(
            first.models,
            *found,
            means[0],
            means[1:],
            _added([*(site.pairs for site in sites), apart]),
            one_source([site.source for site in sites]),
        )

    # ---------------------------------------------------------------- files

    def to_json(self) -> str:
        """All of it; floating-point numbers keep every digit.

        Cells of one point are warned of: their means are losses of points.
        """
        single = int(np.count_nonzero(self.sizes == 1))
        if single:
            warn(
                f"{single} of {self.sizes.size} cells have one point, whose losses are in this "
                "file; leave them out, or give groups of one factor, if losses of points must not "
                "leave your site"
            )
        return self.written()

    def written(self) -> str:
        """The same, for a file of one's own."""
        plain = {
            "format": FORMAT,
            "models": self.models,
            "factors": [
                {"noun": each.noun, "levels": each.names, "codes": each.codes.tolist()}
                for each in self.factors
            ],
            "sizes": self.sizes.tolist(),
            "first": self.first.tolist(),
            "gaps": self.gaps.tolist(),
            "own": self.pairs.own_scaled.tolist(),
            "pairs": self.pairs.whole().tolist(),
            "source": asdict(self.source),
        }
        if self.shared is not None:
            plain["shared"] = self.shared.tolist()
        return json.dumps(plain, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> CellSummaries:
        """What `to_json` wrote."""
        try:
            found: dict[str, Any] = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"these are no summaries: {error}") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"these are no summaries: the field 'format' is not {FORMAT!r}")
        try:
            summary = _from_plain(found)
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"these summaries are not as `to_json` writes them: {error}") from None
        check_squares(summary.pairs.own_scaled, summary.pairs.whole())
        return summary


def holds_cells(text: str) -> bool:
    """Whether a file says that it is of cells."""
    return f'"{FORMAT}"' in text


def _from_plain(found: dict[str, Any]) -> CellSummaries:
    source = Provenance(**found["source"])
    factors = []
    for each in found["factors"]:
        check_plain(each["noun"], each["levels"], source)
        codes = np.array(each["codes"])
        if codes.dtype.kind != "i":
            raise TypeError("codes must be whole numbers")
        if not np.array_equal(np.unique(codes), np.arange(len(each["levels"]))):
            raise ValueError(f"summaries: codes of {each['noun']!r} are not those of its levels")
        factors.append(Grouping(codes.astype(np.intp), tuple(each["levels"]), each["noun"]))
    nouns = [each.noun for each in factors]
    if not nouns or len(set(nouns)) < len(nouns):
        raise ValueError(f"summaries: two factors have one name, or there is none; got {nouns}")
    if any(each.codes.size != len(found["sizes"]) for each in factors):
        raise ValueError("summaries: a factor has not one level for each cell")
    if np.unique(joined([each.codes for each in factors])).size < len(found["sizes"]):
        raise ValueError("summaries: two cells have the same levels; put them together")
    sizes = np.array(found["sizes"])
    if sizes.dtype.kind != "i":
        raise TypeError("sizes must be whole numbers")
    shared = found.get("shared")
    return CellSummaries(
        tuple(found["models"]),
        tuple(factors),
        sizes.astype(np.int64),
        np.array(found["first"], dtype=np.float64),
        np.array(found["gaps"], dtype=np.float64),
        PairSums(
            np.array(found["own"], dtype=np.float64), np.array(found["pairs"], dtype=np.float64)
        ),
        source,
        None if shared is None else np.array(shared, dtype=np.float64),
    )


def _gathered(
    factors: Sequence[Grouping], sizes: IntArray, first: FloatArray, gaps: FloatArray
) -> tuple[tuple[tuple[Grouping, ...], IntArray], FloatArray, PairSums]:
    """Points or cells of the same levels put together: their levels and sizes, the mean of the
    first model and the means of the gaps, and the squares about them (Chan, Golub and LeVeque).
    """
    cell = joined([each.codes for each in factors])
    n_cells = int(cell.max()) + 1
    total = np.bincount(cell, sizes, n_cells)
    some = np.empty(n_cells, dtype=np.intp)
    some[cell] = np.arange(cell.size)
    of_cells = tuple(replace(each, codes=each.codes[some], further=()) for each in factors)
    means = np.empty((len(gaps) + 1, n_cells))
    apart = np.empty((len(gaps) + 1, cell.size))
    root = np.sqrt(sizes)
    for mean, rest, row in zip(means, apart, [first, *gaps], strict=True):
        mean[:] = np.bincount(cell, row * sizes, n_cells) / total
        rest[:] = (row - mean[cell]) * root
    found = (of_cells, total.astype(np.int64))
    return found, means, PairSums.of(apart[0], apart[1:])


def _together(sites: Sequence[Grouping]) -> Grouping:
    """One factor of several sites, whose levels are the same where their names are."""
    names = tuple(dict.fromkeys(name for site in sites for name in site.names))
    place = {name: number for number, name in enumerate(names)}
    codes = [np.array([place[name] for name in site.names])[site.codes] for site in sites]
    return replace(sites[0], codes=np.concatenate(codes), names=names)


def _added(sums: Sequence[PairSums]) -> PairSums:
    return PairSums(
        np.sum([each.own_scaled for each in sums], axis=0),
        np.sum([each.whole() for each in sums], axis=0),
    )


def _pairs(number: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(number) for b in range(a + 1, number)]
