import numpy as np
import pytest

from rivals_paper import seeds


def test_words_are_flattened_as_in_the_original_study():
    assert seeds.words("UV") == (ord("U") + 256 * ord("V"),)
    assert seeds.words(("a", (3, 0.5)), 7) == (97, 3, 1, 2, 7)


def test_same_keys_restart_the_same_stream_and_other_keys_do_not():
    first = seeds.generator("UV", "data").random(4)
    np.testing.assert_array_equal(first, seeds.generator("UV", "data").random(4))
    assert not np.array_equal(first, seeds.generator("UV", "test").random(4))


def test_negative_keys_are_refused():
    with pytest.raises(ValueError, match="non-negative"):
        seeds.generator("UV", -1)
