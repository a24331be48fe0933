"""How P moves with the number of new groups: what theory.md says of it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from rivals.laws import Groups
from rivals.losses import Losses, Provenance, Study
from rivals.setting import Setting

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
    each = [law.differences(summary, Setting(new_groups=m), *places) for m in HORIZONS]
    return np.array([abs(one.below(np.zeros(1))[0, 0] - 0.5) for one in each])


@pytest.mark.parametrize("seed", range(30))
def test_with_groups_of_one_size_p_is_firmer_over_more_new_groups(seed):
    rng = np.random.default_rng(seed)
    firm = firmness(np.full(rng.integers(3, 20), 20), rng)
    assert (np.diff(firm[1:]) > -1e-9).all()


def falls(sizes_of):
    """In how many of 200 studies |P_m − ½| falls somewhere between m = 2 and ∞, and how far."""
    steps = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        steps.append(np.diff(firmness(sizes_of(rng), rng)[1:]).min())
    return int(np.sum(np.array(steps) < -1e-9)), float(min(steps))


def test_with_very_unequal_groups_it_need_not_be():
    number, most = falls(lambda rng: np.array([1, 1, 2, 1, 122]))
    assert 5 <= number <= 20  # 12 where theory.md was written
    assert most > -0.01
