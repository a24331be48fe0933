"""The criteria figure and table.

What their texts claim is in the committed numbers, and their labels can be read.
"""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from rivals_paper import (
    criteria_picture,
    criteria_table,
    criteria_table_picture,
    figure_criteria,
    nested_families,
)
from rivals_paper.nested_model import fit_nested
from rivals_paper.output import AS_PUBLISHED, CORRECTED, published

ROOT = Path(__file__).parents[2]
# A picture is shown 680 pixels wide; smaller letters than these cannot be read there.
COLUMN, SMALLEST = 680, 7.5


@pytest.fixture(scope="module")
def numbers():
    return json.loads((ROOT / "paper/results/criteria.json").read_text(encoding="utf-8"))["numbers"]


@pytest.fixture(scope="module")
def table():
    return json.loads((ROOT / "paper/results/criteria-table.json").read_text(encoding="utf-8"))[
        "numbers"
    ]


def _range(numbers, m, name):
    values = numbers["scores"][f"rayleigh-jeans,{m}"][name]
    return min(values), max(values)


def test_the_best_rayleigh_jeans_models_are_where_the_text_says(numbers):
    said = " ".join(figure_criteria.DIFFERENCES)
    temperatures = [_range(numbers, m, "best temperature") for m in (0, 2)]
    noises = [_range(numbers, m, "best noise") for m in (0, 2)]
    lowest, highest = min(low for low, _ in noises), max(high for _, high in noises)
    assert f"noise is {lowest:.2f} to {highest:.2f}" in said
    for (low, high), after in zip(
        temperatures, ("K without a polynomial", "K with two"), strict=True
    ):
        assert f"{low:.0f} to {high:.0f} {after}" in said
    bounds = nested_families.PRIOR
    assert bounds.temperature[0] < temperatures[1][0]
    assert highest < bounds.sigma[1]


def test_rayleigh_jeans_degenerates_with_four_and_six_coefficients(numbers):
    cold = {
        m: sum(
            kelvin == nested_families.VANISHING
            for kelvin in numbers["scores"][f"rayleigh-jeans,{m}"]["best temperature"]
        )
        for m in nested_families.COEFFICIENTS
    }
    assert cold == {0: 0, 2: 0, 4: 25, 6: 19}
    assert "in all 25 spectra with four and in 19 with six" in " ".join(figure_criteria.DIFFERENCES)


def test_towards_zero_temperature_the_likelihood_rises():
    """The limit is no artefact of the fit: colder is better all the way, and the gain dies out."""
    data = nested_families.observe(256)

    def likelihood(kelvin):
        model = fit_nested(data, law="rayleigh-jeans", n_coefficients=4, temperature=kelvin)
        return -model.loss(data).sum()

    values = [likelihood(kelvin) for kelvin in (100.0, 10.0, 1.0, 0.1, nested_families.VANISHING)]
    assert (np.diff(values) > 0).all()
    assert values[-1] - values[-2] < 0.1


def test_relative_noise_is_the_printed_row_at_short_waves_only():
    stored = published("criteria_table")
    long, short = criteria_table._relative_noise(criteria_table._cells(stored), stored).values()
    assert [round(100 * value) for value in short] == stored["relative_noise_percent"]
    assert [round(100 * value) for value in long] == [9, 2, 1, 9, 2, 1]


def test_numbers_in_few_letters():
    assert [criteria_picture.short(value) for value in (-10000, 2500, 0, 7.5)] == [
        "−10k",
        "2.5k",
        "0",
        "7.5",
    ]
    values = (np.inf, -2e-12, -0.00977, 0.0612, -3.02, 389.62)
    assert [criteria_table_picture.text(value) for value in values] == [
        "+∞",
        "0",
        "-1e-2",
        "0.06",
        "-3.02",
        "390",
    ]


@pytest.mark.parametrize("picture", [criteria_picture, criteria_table_picture])
def test_letters_are_large_enough(picture):
    assert (
        min(picture.SMALL, picture.MEDIUM, picture.LARGE) * COLUMN / picture.WIDTH / 72 >= SMALLEST
    )


@pytest.mark.slow
def test_criteria_can_be_read_in_a_column(numbers):
    rng = np.random.default_rng(0)
    risks = {
        variant: {
            (law, int(m), int(size)): rng.normal(each["mean"], each["std"], 200)
            for (law, m, size), each in ((name.split(","), each) for name, each in by_model.items())
        }
        for variant, by_model in numbers["risks"].items()
    }
    assert set(risks) == {AS_PUBLISHED, CORRECTED}
    pairs = {variant: figure_criteria._pairs(by_model) for variant, by_model in risks.items()}
    _check_letters(criteria_picture.draw(numbers["scores"], published("asymptotics"), risks, pairs))


def test_table_can_be_read_in_a_column(table):
    values = {variant: table[variant] for variant in (AS_PUBLISHED, CORRECTED)}
    for variant in values.values():
        for column in variant.values():
            column["value"] = [float(value) for value in column["value"]]  # infinities are strings
    stored = published("criteria_table")
    noise = criteria_table._relative_noise(criteria_table._cells(stored), stored)
    _check_letters(criteria_table_picture.draw(values, stored, noise))


def _check_letters(figure):
    """Assert that no letters are too small at column width, and that labels of an axis do not
    touch.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    FigureCanvasAgg(figure).draw()
    pixels_per_point = COLUMN / figure.get_figwidth() / 72
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert min(text.get_fontsize() for text in texts) * pixels_per_point >= SMALLEST
    for axes in figure.findobj(lambda artist: hasattr(artist, "get_xticklabels")):
        for labels, low, high in (
            (axes.get_xticklabels(), "x0", "x1"),
            (axes.get_yticklabels(), "y0", "y1"),
        ):
            boxes = [
                label.get_window_extent()
                for label in labels
                if label.get_visible() and label.get_text()
            ]
            boxes.sort(key=lambda box: getattr(box, low))
            for first, second in itertools.pairwise(boxes):
                assert getattr(first, high) < getattr(second, low)
