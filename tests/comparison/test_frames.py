"""Data frames into `compare`: the same answer as from a mapping of arrays."""

from __future__ import annotations

import numpy as np
import pytest

import rivals

GROUPS = np.repeat(["north", "south", "east", "west", "far"], 80)


def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    a = rng.exponential(size=400)
    return {"A": a, "B": a + 0.2 + 0.1 * rng.standard_normal(400)}


def frame_of(library: str):
    table = columns() | {"school": GROUPS}
    if library == "pandas":
        return pytest.importorskip("pandas").DataFrame(table)
    if library == "pyarrow":
        return pytest.importorskip("pyarrow").table(table)
    frame = pytest.importorskip("polars").DataFrame(table)
    return frame.lazy() if library == "lazy" else frame


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
def test_a_frame_is_a_column_for_each_model(library):
    pytest.importorskip("narwhals", reason='needs pip install "rivals[table]"')
    expected = rivals.compare(columns(), groups=GROUPS, rng=0)
    result = rivals.compare(frame_of(library), groups="school", rng=0)
    assert result.names == ("A", "B")
    assert np.array_equal(result.probability, expected.probability)
    assert result.applied.setting.groups.names == expected.applied.setting.groups.names
    assert result.applied.setting.groups.kind == "school"
    assert "5 new schools" in result.conclusion


def test_clusters_may_be_a_column_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns() | {"patient": GROUPS})
    # Losses alone have no law without groups: the column is no model, and that is what is said.
    with pytest.raises(ValueError, match="model 'A': no synthetic losses"):
        rivals.compare(frame, clusters="patient")


def test_series_of_polars_are_losses_and_groups():
    polars = pytest.importorskip("polars")
    expected = rivals.compare(columns(), groups=GROUPS, rng=0)
    models = {name: polars.Series(name, each) for name, each in columns().items()}
    result = rivals.compare(models, groups=polars.Series("school", GROUPS), rng=0)
    assert np.array_equal(result.probability, expected.probability)
    assert result.applied.setting.groups.kind == "school"


def test_rows_of_pandas_keep_their_labels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns(), index=[f"p{index}" for index in range(400)])
    school = pandas.Series(GROUPS, index=frame.index, name="school")[::-1]
    with pytest.warns(rivals.RivalsWarning, match="another order"):
        result = rivals.compare(frame, groups=school, rng=0)
    expected = rivals.compare(columns(), groups=GROUPS, rng=0)
    assert np.array_equal(result.probability, expected.probability)


def test_the_index_may_be_named_as_groups():
    """As in a table of one score per data set; or of several."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(columns(), index=pandas.Index(GROUPS, name="data set"))
    for frame in (table, table.groupby(level=0).mean()):
        result = rivals.compare(frame, groups="data set", rng=0)
        expected = rivals.compare(
            {name: frame[name].to_numpy() for name in "AB"}, groups=frame.index.to_numpy(), rng=0
        )
        assert np.array_equal(result.probability, expected.probability)
        assert "5 new data sets" in result.conclusion


def test_a_column_that_is_not_there_is_named():
    message = r"has no column 'schol'; it has A, B, school; did you mean 'school'\?"
    with pytest.raises(ValueError, match=message):
        rivals.compare(frame_of("pandas"), groups="schol")


def test_the_name_of_a_column_needs_a_frame():
    with pytest.raises(TypeError, match="groups: got the text 'school', which names a column"):
        rivals.compare(columns(), groups="school")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_text_in_a_column_that_is_taken_for_a_model_is_refused(library):
    pytest.importorskip("narwhals", reason='needs pip install "rivals[table]"')
    with pytest.raises(TypeError, match=r"column 'school' of the data frame holds text.*groups="):
        rivals.compare(frame_of(library), groups=GROUPS[::-1])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_that_is_given_as_groups_is_no_model(library):
    pytest.importorskip("narwhals", reason='needs pip install "rivals[table]"')
    frame = frame_of(library)
    expected = rivals.compare(frame, groups="school", rng=0)
    for groups in (frame["school"], GROUPS):
        result = rivals.compare(frame, groups=groups, rng=0)
        assert result.names == ("A", "B")
        assert np.array_equal(result.probability, expected.probability)


def test_missing_labels_are_named_whichever_way_they_are_given():
    pandas = pytest.importorskip("pandas")
    school = pandas.Series(GROUPS, dtype="string").where(np.arange(400) != 7)
    frame = frame_of("pandas").assign(school=school)
    for groups in ("school", school):
        with pytest.raises(ValueError, match="groups: 1 of 400 points have no label"):
            rivals.compare(frame, groups=groups)


def test_a_running_number_is_no_model():
    frame = frame_of("pandas").assign(pupil=np.arange(1, 401))
    with pytest.raises(ValueError, match="column 'pupil' of the data frame is a running number"):
        rivals.compare(frame, groups="school")


def test_whole_numbers_beside_losses_are_doubted():
    frame = frame_of("pandas").assign(grade=np.arange(400) % 7)
    with pytest.warns(rivals.RivalsWarning, match="column 'grade' of the data frame holds whole"):
        rivals.compare(frame, groups="school")


def test_rates_of_errors_are_whole_numbers_and_no_doubt():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    wrong = {name: rng.uniform(size=400) < rate for name, rate in {"A": 0.2, "B": 0.4}.items()}
    for kind in (float, bool):
        frame = pandas.DataFrame({name: each.astype(kind) for name, each in wrong.items()})
        assert "A" in rivals.compare(frame, groups=GROUPS, rng=0).survivors


def test_columns_of_one_name_are_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.ones((9, 2)), columns=["A", "A"])
    with pytest.raises(ValueError, match="model 'A' is given twice"):
        rivals.compare(frame, groups=np.arange(9) % 3)


def test_counts_may_be_losses():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"A": rng.poisson(3, 400), "B": rng.poisson(4, 400)})
    assert rivals.compare(frame, groups=GROUPS).names == ("A", "B")
