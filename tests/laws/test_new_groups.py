"""How P moves with the number of new groups: what theory.md says of it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from rivals._core.losses import Losses, Provenance, Study
from rivals._core.setting import Setting
from rivals.laws import Groups

HORIZONS = (1.0, 2.0, 4.0, 16.0, inf)
SOURCE = Provenance(left_out=False)


def firmness(sizes, rng):
    """|P_m − ½| of two models at each number of new groups."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    effects = 0.7 * rng.normal() + rng.standard_normal(len(sizes))
    difference = effects[group] + rng.choice([0.3, 1.0, 3.0, 10.0]) * rng.standard_normal(
        group.size
    )
    base = rng.exponential(size=group.size)
    losses = {"a": Losses(base, source=SOURCE), "b": Losses(base + difference, source=SOURCE)}
    law = Groups()
    summary = law.summarise(Study.of(losses, groups=group))
    places = np.array([0]), np.array([1])
    each = [law.differences(summary, Setting(), *places).over(m) for m in HORIZONS]
    return np.array([abs(one.below(np.zeros(1))[0, 0] - 0.5) for one in each])


@pytest.mark.parametrize("seed", range(30))
def test_with_groups_of_one_size_p_is_firmer_over_more_new_groups(seed):
    rng = np.random.default_rng(seed)
    firm = firmness(np.full(rng.integers(3, 20), 20), rng)
    assert (np.diff(firm[1:]) > -1e-9).all()


def test_with_very_unequal_groups_it_is_too():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        assert (np.diff(firmness(np.array([1, 1, 2, 1, 122]), rng)) > -1e-9).all()
