"""Evidence: matrices and rows of the pairs that were asked for."""

import numpy as np
import pytest

from problems import problem
from rivals._core.reduced import Reduced
from rivals._core.setting import Setting
from rivals.laws import Groups

GIVEN = problem(1, n_models=4, n_simulations=0, left_out=False).compare()


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_matrix_and_rows_are_the_same(margin):
    evidence = GIVEN.at(margin=margin)._decided.evidence
    matrix = evidence.probability
    for model in range(4):
        np.testing.assert_array_equal(evidence.row(model), matrix[model])
    np.testing.assert_array_equal(np.diagonal(matrix), 0.0 if margin else 0.5)
    both = matrix + matrix.T
    off = ~np.eye(4, dtype=bool)
    assert (both[off] < 1.0).all() if margin else np.allclose(both, 1.0, atol=1e-15)


def test_only_pairs_that_were_asked_for_are_known():
    reduced = Reduced(Groups(), GIVEN.summary)
    part = reduced.evidence(Setting(), (np.array([2, 0]), np.array([1, 3])))
    known = ~np.isnan(part.probability)
    np.testing.assert_array_equal(known, [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    assert not part.is_complete
    np.testing.assert_array_equal(
        part.probability[known], GIVEN._decided.evidence.probability[known]
    )
    more = reduced.evidence(Setting(), (np.array([0, 0, 3, 3]), np.array([1, 2, 1, 2])))
    whole = part.joined(more)
    assert whole.is_complete
    np.testing.assert_array_equal(whole.probability, GIVEN._decided.evidence.probability)


def test_nobody_changes_it_afterwards():
    with pytest.raises(ValueError, match="read-only"):
        GIVEN._decided.evidence.risk[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        GIVEN._decided.evidence.forward[0] = 0.0
