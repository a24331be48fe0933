"""The figure of a calibrated comparison: what stands in its panels, and what is refused."""

import matplotlib as mpl
import numpy as np
import pytest

import rivals
from rivals.plots import paper_figure
from rivals.plots._paper_figure import process_of, strongest_rivals
from rivals.testbeds import toys

mpl.use("Agg")
import matplotlib.pyplot as plt

PAIR = (toys.gaussian(-0.3), toys.gaussian(0.3))
MODELS = {"A": toys.gaussian(-0.3), "B": toys.gaussian(0.3), "far": toys.gaussian(9.0)}
Y = np.random.default_rng(0).normal(-0.1, 1.0, 100)


@pytest.fixture(scope="module", params=["paper", "transport"])
def result(request):
    def far_apart(rng):
        mean = rng.uniform(-1.0, 1.0)
        return rivals.Experiment(lambda n, rng: mean + rng.standard_normal(n), PAIR)

    calibration = rivals.calibrate(
        far_apart,
        n_data=100,
        n_experiments=512,
        c=[2.0**-8, 2.0**-4, 16.0],
        n_truth=2000,
        method=request.param,
        rng=0,
    )
    yield rivals.compare(MODELS, Y, c=calibration, rng=0)
    plt.close("all")


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize(("width", "shape"), [(183, (2, 2)), (89, (4, 1))])
def test_four_panels_with_legends(result, width, shape):
    figure = paper_figure(result, width=width)
    a, b, c, d = figure.axes
    assert a.get_subplotspec().get_gridspec().get_geometry() == shape
    assert figure.get_size_inches()[0] == pytest.approx(width / 25.4)
    assert labels(a)[0].startswith("$q^*")
    assert len(labels(a)) == 4
    assert {text.split(" ")[0] for text in labels(b)} == {"A", "B", "far"}
    assert "far →" in labels(b)
    assert sum(text.endswith("(used)") for text in labels(c)) == 1
    assert len(labels(d)) == 2
    states = [each.state for each in result._decided.calibration.states().overall]
    shown = [text.get_text() for text in d.texts]
    assert shown == [s for k, s in enumerate(states) if k == 0 or states[k - 1] != s]


def test_the_paths_are_of_the_process_of_the_comparison(result):
    process = process_of(result._decided, "B")
    assert process.c == result.c
    assert process.q(0.5) == pytest.approx(np.median(MODELS["B"].loss(Y)), abs=1e-9)
    assert "losses of B" in paper_figure(result, of="B").axes[0].get_title(loc="left")


def test_p_against_c_is_that_of_the_comparison_at_each_c(result):
    decided = result._decided
    values = np.array(decided.calibration.c)
    best, *others = decided.ranking
    found = strongest_rivals(decided, values, others)
    for c, column in zip(values, found.T, strict=True):
        matrix = decided.at(c=float(c)).probability
        assert column[0] == matrix[decided.place[best], decided.place[others[0]]]


def test_what_is_refused(result):
    with pytest.raises(ValueError, match="c=calibration"):
        paper_figure(rivals.compare(MODELS, Y, method="transport", rng=0))
    with pytest.raises(ValueError, match="of must be"):
        paper_figure(result, of="C")
