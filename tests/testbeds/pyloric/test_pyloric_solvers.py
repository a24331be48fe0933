import numpy as np
import pytest

from rivals.testbeds.noise import ColouredNoise
from rivals.testbeds.pyloric import ACCURATE, LOOSE, Circuit, Solver, pair, settled, simulate
from rivals.testbeds.pyloric.integrate import from_natural, integrate, to_natural

LATE = np.arange(3000.0, 8000.0)
EARLY = np.arange(0.0, 101.0)


@pytest.mark.parametrize("cell", ["LP 1", "LP 2", "LP 4"])
def test_published_solver_follows_the_original_traces_until_rounding_takes_over(checks, cell):
    check = checks["startup"][cell]
    run = integrate(pair(cell), np.array(check["state"]), np.arange(121.0), solver=LOOSE)
    reference = np.array([check["V_AB"], check["V_LP"]])
    difference = np.abs(run.voltages - reference)
    assert difference[:, :5].max() < 1e-6
    assert difference[0, :10].max() < 1e-6

    # At these tolerances a change of one unit in the last place of one variable grows to millivolts within 100 ms
    # (so it does in the original simulator). The reference is no further from us than such copies are.
    copies = []
    for i in range(28):
        state = np.array(check["state"])
        state[i] = np.nextafter(state[i], np.inf)
        copies.append(integrate(pair(cell), state, EARLY, solver=LOOSE).voltages)
    spread = np.sqrt(((np.array(copies) - run.voltages[:, :101]) ** 2).mean(axis=2)).max(axis=0)
    assert np.all(np.sqrt((difference[:, :101] ** 2).mean(axis=1)) < 2 * spread)


@pytest.mark.parametrize("cell", ["LP 1", "LP 2", "LP 4"])
def test_spikes_period_and_cost_of_the_original_runs(checks, spike_times, cell):
    check = checks["reference"][cell]
    run = integrate(pair(cell), settled(pair(cell)), LATE, solver=LOOSE)
    (ab, onsets), (lp, _) = (spike_times(v, LATE) for v in run.voltages)
    assert abs(len(ab) - check["ab_spikes"]) <= 6
    assert abs(len(lp) - check["lp_spikes"]) <= 6
    # Of the original, the first listed onset is the tail of a burst already under way.
    assert abs(np.diff(onsets).mean() - np.diff(check["ab_onsets"][1:]).mean()) < 6
    # The same controller takes the same number of steps but for rounding.
    assert abs(run.evaluations / check["evaluations"] - 1) < 0.03


@pytest.mark.parametrize("cell", ["LP 1", "LP 2"])
def test_tight_tolerance_gives_the_converged_solution(checks, cell):
    check = checks["tight"]
    t = LATE[:: check["every_ms"]]
    tight = simulate(cell, t, solver=Solver(rtol=1e-9, atol=1e-11))
    # The reference is rounded to 0.001 mV; even during spikes nothing more is left.
    np.testing.assert_allclose(tight, [check["V_AB"], check[cell]], rtol=0, atol=0.02)
    accurate = simulate(cell, t, solver=ACCURATE)
    np.testing.assert_allclose(accurate, [check["V_AB"], check[cell]], rtol=0, atol=0.5)


@pytest.mark.parametrize("current", [None, "noise"])
def test_fixed_step_converges_with_its_order(current):
    circuit = Circuit(
        ("AB 3", "PD 2", "LP 1"),
        chemical=(("AB 3", "LP 1", 3.0), ("PD 2", "LP 1", 1.0)),
        electrical=(("AB 3", "PD 2", 0.3),),
        variant="prinz2004",
    )
    noise = None if current is None else ColouredNoise(5.0, 0.5, 50.0, rng=0)
    t = np.arange(1.0, 51.0)
    start = settled(circuit, 300.0, solver=Solver(rtol=1e-8, atol=1e-10))

    def run(solver):
        return simulate(circuit, t, current=noise, solver=solver, initial=start)

    exact = run(Solver(rtol=1e-10, atol=1e-12))
    errors = [np.abs(run(Solver("fixed-step", step=h)) - exact).max() for h in (0.02, 0.01, 0.005)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 2) < 0.3)


def test_fixed_step_reaches_the_converged_solution(checks):
    check = checks["tight"]
    t = LATE[:: check["every_ms"]][:200]
    fixed = simulate("LP 1", t, solver=Solver("fixed-step", step=0.005))
    # What remains is the shift of spikes by about 0.03 ms, so compare away from them.
    away = np.abs(np.gradient(check["V_AB"][:200])) + np.abs(np.gradient(check["LP 1"][:200])) < 2
    difference = np.abs(fixed - [check["V_AB"][:200], check["LP 1"][:200]])[:, away]
    assert away.mean() > 0.6
    assert difference.max() < 0.5


def test_fixed_step_interpolates_between_its_steps():
    on = simulate("LP 2", np.arange(10.0, 20.0, 0.05), solver=Solver("fixed-step", step=0.05))
    off = simulate("LP 2", np.arange(10.025, 19.9, 0.05), solver=Solver("fixed-step", step=0.05))
    np.testing.assert_allclose(off, (on[:, :-2] + on[:, 1:-1]) / 2, atol=1e-9)


def test_a_pair_of_equal_coupled_cells_moves_as_one():
    alone = simulate(Circuit(("AB 3",)), EARLY, solver=ACCURATE)
    twins = Circuit(("AB 3", "AB 3"), electrical=((0, 1, 1.0),))
    both = simulate(twins, EARLY, solver=ACCURATE)
    np.testing.assert_allclose(both, np.repeat(alone, 2, axis=0), atol=1e-2)


def test_state_transform_is_undone():
    state = settled(pair("LP 3"))
    np.testing.assert_allclose(from_natural(to_natural(state, 2), 2), state, rtol=1e-6)


def test_a_trajectory_does_not_depend_on_where_it_is_sampled():
    coarse = simulate("LP 1", np.array([0.0, 50.0, 100.0]))
    np.testing.assert_array_equal(simulate("LP 1", EARLY)[:, ::50], coarse)
