"""Labels become groups, once: whatever library holds them."""

import numpy as np
import pytest

from rivals._core.grouping import Grouping

LABELS = ["b", "a", "b", "c", "a"]
CODES = [0, 1, 0, 2, 1]


def in_library(name):
    """The labels as a column of a library."""
    library = pytest.importorskip(name)
    if name == "pyarrow":
        return library.array(LABELS)
    if name == "narwhals":
        return library.from_native(in_library("polars"), series_only=True)
    return library.Series(LABELS)


@pytest.mark.parametrize("kind", [list, tuple, np.array, "pandas", "polars", "narwhals", "pyarrow"])
def test_by_first_appearance(kind):
    labels = in_library(kind) if isinstance(kind, str) else kind(LABELS)
    found = Grouping.of(labels)
    assert found.codes.tolist() == CODES
    assert found.names == ("b", "a", "c")
    assert found.sizes.tolist() == [2, 2, 1]
    assert found.order.tolist() == [0, 2, 1, 4, 3]
    assert found.begins.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    "numbers", [[7, -2, 7, 10**9, -2], [7, 2, 7, 4, 2], [True, False, True, True, False]]
)
@pytest.mark.parametrize("kind", [list, np.array])
def test_whole_numbers_near_or_far(numbers, kind):
    found = Grouping.of(kind(numbers))
    seen = list(dict.fromkeys(numbers))
    assert found.codes.tolist() == [seen.index(each) for each in numbers]
    assert found.names == tuple(map(str, seen))


def test_numbers_read_as_fractions_have_no_fraction():
    assert Grouping.of(np.array([1.0, 2.0, 2.5])).names == ("1", "2", "2.5")


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (["a", None, "b"], "label of point 1 is missing"),
        (["a", "b", ""], "label of point 2 is missing"),
        ([1.0, np.nan, 2.0], "label of point 1 is missing"),
        (["1", "1.0", "2"], "'1' and '1.0' are two spellings"),
        (["a", "a ", "b"], "two spellings"),
        (["a\n", "b"], "cannot be printed"),
        (np.zeros((2, 2)), "one label for each point"),
        ("school", "one label for each point"),
        (5, "one label for each point"),
    ],
)
def test_what_is_no_label_is_refused(labels, what):
    with pytest.raises((TypeError, ValueError), match=what):
        Grouping.of(labels)


def test_missing_labels_of_libraries():
    for module in ("pandas", "polars"):
        series = pytest.importorskip(module).Series(["a", None, "b"])
        with pytest.raises(ValueError, match="label of point 1 is missing"):
            Grouping.of(series)


@pytest.mark.parametrize(
    ("name", "noun"),
    [("School", "school"), ("site_id", "site"), ("Site Code", "site"), ("", "group"), (3, "group")],
)
def test_the_noun_is_the_name_of_the_column(name, noun):
    pandas = pytest.importorskip("pandas")
    assert Grouping.of(pandas.Series(["a", "b"], name=name)).noun == noun


def test_a_grouping_is_made_once():
    given = Grouping.of(LABELS)
    assert Grouping.of(given) is given
    assert given.same_as(Grouping.of(["x", "y", "x", "z", "y"]))
    assert not given.same_as(Grouping.of(["x", "x", "x", "z", "y"]))
