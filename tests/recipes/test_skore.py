"""Reports of skore."""
# needs: rivals[all], skore

from __future__ import annotations

import numpy as np
import pytest

import rivals
from pages import DOCS, blocks, recipe

pytestmark = pytest.mark.filterwarnings("ignore")


def test_losses_of_a_report():
    """Those of the same models and folds without skore, to rounding."""
    pytest.importorskip("skore")
    space = {}
    exec(blocks(DOCS / "howto" / "recipes.md", "python")[0], space)
    shuffled = np.random.default_rng(1).permutation(space["site"].size)
    space.update({name: space[name][shuffled] for name in ("x", "y", "site")})
    exec(recipe("recipes.md", "from skore"), space)
    expected = rivals.read.cross_validated(
        space["models"], space["x"][:, None], space["y"], groups=space["site"], loss="squared"
    )
    for name, losses in expected.items():
        np.testing.assert_allclose(
            space["losses"][name].observed, losses.observed, rtol=1e-9, atol=1e-12
        )
    assert rivals.compare(space["losses"]).best == "line"
    folds = space["report"].reports_["line"].split_indices
    for (_, one), (_, other) in zip(folds, space["folds"], strict=True):
        np.testing.assert_array_equal(one, other)
