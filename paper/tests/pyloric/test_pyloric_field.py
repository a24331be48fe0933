import numpy as np
import pytest

from rivals_paper.pyloric.circuit import Circuit, pair
from rivals_paper.pyloric.compiled import exponentials
from rivals_paper.pyloric.field import EXPONENTIALS, derivative


def slope(circuit, state, current=0.0):
    n = len(circuit.cells)
    out = np.empty(14 * n)
    derivative(
        np.array(state, float), current, *circuit.constants(), np.zeros((3, EXPONENTIALS * n)), out
    )
    return out


def test_right_hand_side_of_the_original_simulator(checks):
    for point in checks["rhs"]:
        np.testing.assert_allclose(slope(pair("LP 1"), point["X"]), point["dXdt"], rtol=1e-12)


def test_gating_functions(checks):
    # With x_inf and tau from the table, dlogit/dt = (x_inf - 1/2) / (tau / 4) at x = 1/2.
    circuit = Circuit(("LP 1",))
    for point in checks["gating"]:
        state = np.zeros(14)
        state[0], state[1] = point["V"], np.log(point["Ca_uM"])
        gates = slope(circuit, state)[3:]
        steady = np.array([*point["minf"], *point["hinf"][:4]])
        tau = np.array([*point["taum"], *point["tauh"][:4]])
        np.testing.assert_allclose(gates, (steady - 0.5) / (tau / 4), rtol=1e-12)


def test_external_current_enters_every_cell_or_those_named():
    state = np.repeat([-50.0, 1.0, *[0.0] * 12], 2)
    both, one = pair("LP 2"), Circuit(("AB/PD 3", "LP 2"), receives=("AB/PD 3",))
    assert slope(both, state, 2.0)[:2] == pytest.approx(slope(both, state)[:2] - 2.0)
    assert slope(one, state, 2.0)[:2] == pytest.approx(slope(one, state)[:2] - [2.0, 0.0])


def test_electrical_synapse_draws_voltages_together():
    state = np.zeros(28)
    state[:2] = -50.0, -40.0
    free = slope(Circuit(("AB 3", "PD 3")), state)
    coupled = slope(Circuit(("AB 3", "PD 3"), electrical=(("AB 3", "PD 3", 0.5),)), state)
    assert (coupled - free)[:2] == pytest.approx([5.0, -5.0])


def test_exponential_to_two_units_in_the_last_place():
    x = np.concatenate([np.linspace(-707, 709.7, 20001), [0.0, -1e9, 1e9]])
    out, scratch = np.empty_like(x), np.empty_like(x)
    exponentials(x, out, scratch)
    np.testing.assert_allclose(out[:-2], np.exp(x[:-2]), rtol=4.5e-16)
    np.testing.assert_array_equal(out[-2:], [0.0, np.inf])
    exponentials(np.array([np.nan]), out[:1], scratch[:1])
    assert np.isnan(out[0])
