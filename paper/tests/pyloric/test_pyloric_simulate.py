import re
import sys

import numpy as np
import pytest

from rivals_paper.noise import ColouredNoise
from rivals_paper.pyloric import (
    CONDUCTANCES,
    Circuit,
    IntegrationError,
    Solver,
    pair,
    settled,
    simulate,
)
from rivals_paper.pyloric.circuit import SYNAPSE_REVERSAL

T = np.arange(50.0)


@pytest.mark.parametrize("variant", ["published", "prinz2004"])
def test_every_cell_runs_and_stays_within_physiology(variant):
    circuit = Circuit(tuple(CONDUCTANCES), variant=variant)
    v = simulate(circuit, np.arange(0.0, 1000.0), settling=200.0)
    assert v.shape == (16, 1000)
    assert np.all((v > -90) & (v < 70))
    # With calcium and delayed rectifier none of these cells is silent from a cold start.
    assert np.all(np.ptp(v, axis=1) > 1)


def test_variants_differ_as_documented(spike_times):
    as_published, documented = pair("LP 1").constants(), pair("LP 1", "prinz2004").constants()
    assert as_published.coupling[0, 1, 0] == 3.0
    assert documented.coupling[0, 1, 0] == pytest.approx(4.777e-3, rel=1e-3)
    assert as_published.cells[SYNAPSE_REVERSAL, 0] == 80.0
    assert documented.cells[SYNAPSE_REVERSAL, 0] == -70.0
    assert documented.numbers[11] == pytest.approx(9.395, rel=1e-4)
    # More calcium shortens the rhythm of AB: 32 spikes in 4 s as coded, 57 with the membrane area.
    t = np.arange(3000.0, 7000.0)
    tight = Solver(rtol=1e-6, atol=1e-9)
    counts = [
        len(spike_times(simulate("LP 1", t, variant=variant, solver=tight)[0], t)[0])
        for variant in ("published", "prinz2004")
    ]
    assert abs(counts[0] - 32) <= 1
    assert abs(counts[1] - 57) <= 2


def test_settled_states_are_computed_once_and_cannot_be_changed():
    first = settled(pair("LP 4"), 50.0)
    assert settled(pair("LP 4"), 50.0) is first
    assert settled(pair("LP 4"), 51.0) is not first
    assert settled(pair("LP 4", "prinz2004"), 50.0) is not first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0


def test_noise_and_its_values_on_a_fine_grid_give_the_same_run():
    t = np.arange(0.0, 100.0, 0.05)
    noise = ColouredNoise(10.0, 1.0, 100.0, rng=0)
    tight = Solver(rtol=1e-7, atol=1e-9)
    smooth = simulate("LP 1", t, current=noise, solver=tight)
    sampled = simulate("LP 1", t, current=noise(t), solver=tight)
    # Linear interpolation is off by at most h²/8 max|I''|, 3e-5 here, which spikes amplify.
    assert np.abs(smooth - sampled).max() < 0.05
    assert np.abs(smooth - simulate("LP 1", t, solver=tight)).max() > 1


def test_no_current_is_zero_current():
    free = simulate("LP 2", T)
    np.testing.assert_array_equal(simulate("LP 2", T, current=np.zeros(50)), free)
    np.testing.assert_array_equal(
        simulate("LP 2", T, current=ColouredNoise(5.0, 0.0, 50.0, rng=0)), free
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"circuit": "LP 9"}, "unknown cell 'LP 9': there are AB/PD 1-5"),
        ({"circuit": "AB/PD 3"}, "is the driving cell itself"),
        ({"variant": "prinz"}, "got 'prinz'"),
        ({"times": [1.0, 3.0, 2.0]}, "times must increase; got 3 ms followed by 2 ms"),
        ({"times": [-1.0, 3.0]}, "not negative"),
        ({"times": []}, "at least one entry"),
        ({"times": [0.0, np.nan]}, "times must be finite"),
        ({"current": np.zeros(49)}, "expected one value for each of 50 times; got shape (49,)"),
        ({"current": np.full(50, np.nan)}, "current must be finite; got 50 values"),
        ({"current": np.zeros(50), "times": 3000 + T}, "evenly spaced from 0 on"),
        ({"current": ColouredNoise(5.0, 1.0, 20.0, rng=0)}, "0 to 49 ms; got 0 to 20 ms"),
        ({"settling": -1.0}, "positive time to settle"),
        ({"initial": np.zeros(3)}, "28 finite numbers"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        simulate(**{"circuit": "LP 1", "times": T} | arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Circuit(()), "at least one cell"),
        (lambda: Circuit("LP 1"), "tuple of at least one cell"),
        (lambda: Circuit(("LP 1",), chemical=(("LP 1", "LP 2", 1.0),)), "'LP 2' is not in"),
        (lambda: Circuit(("LP 1", "LP 1"), electrical=(("LP 1", 1, 1.0),)), "more than once"),
        (lambda: Circuit(("LP 1", "LP 2"), chemical=(("LP 1", "LP 2", -1.0),)), "not negative"),
        (lambda: Circuit(("LP 1",), chemical=((0, 0, 1.0),)), "with itself"),
        (lambda: Circuit(("LP 1",), receives=(4,)), "no cell 4"),
        (lambda: Solver("euler"), "got 'euler'"),
        (lambda: Solver(rtol=0.0), "rtol of a solver must be a finite number above 0"),
    ],
)
def test_bad_circuits_and_solvers_are_named(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


@pytest.mark.parametrize("solver", [Solver(), Solver("fixed-step")])
@pytest.mark.parametrize("strength", [1e5, -1e12, 1e300])
def test_a_blow_up_says_when_and_where(solver, strength):
    with pytest.raises(IntegrationError, match=r"AB/PD 3 and LP 1 failed at t = .* of 49 ms"):
        simulate("LP 1", T, current=np.full(50, strength), solver=solver)


def test_without_numba_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    for module in [name for name in sys.modules if name.startswith("rivals_paper.pyloric.")]:
        if module.rsplit(".")[-1] in (
            "kernels",
            "compiled",
            "field",
            "dormand_prince",
            "splitting",
        ):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr("rivals_paper.pyloric.kernels", raising=False)
    with pytest.raises(ImportError, match=re.escape('pip install "rivals-paper"')):
        simulate("LP 1", T)
