"""Results go to other processes: pickled, also once shown, and made there by functions that use
rivals.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import rivals
from problems import problem

GROUPS = problem(0, n_models=4, sizes=[12] * 14, n_simulations=2, left_out=True)
ALONE = problem(1, n_models=3, n_simulations=2).without_groups
RESULTS = {
    "groups": lambda: GROUPS.compare(rng=0, margin=0.01),
    "looks": lambda: GROUPS.compare(looks="any", rng=0),
    "transport": lambda: rivals.compare(ALONE, rng=0),
    "beta": lambda: rivals.compare(ALONE, method=rivals.laws.Beta(depth=5, n_draws=300), rng=3),
}
QUESTIONS = {
    "str": str,
    "html": lambda result: result._repr_html_(),
    "details": lambda result: result.details(),
    "dict": lambda result: result.to_dict(),
    "records": lambda result: str(result.to_records()),
    "pairs": lambda result: str(result.probability),
    "against": lambda result: str(result.beside(result.best)),
    "ranks": lambda result: str(result.ranks().table),
    "gate": lambda result: str(result.gate(result.ranking[1], model=result.best)),
}
OF_GROUPS = {
    "equivalence": lambda result: str(result.equivalence(0.1)),
    "plan": lambda result: str(result.plan(rng=0)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_was_shown_can_be_pickled(name):
    result = RESULTS[name]()
    questions = {**QUESTIONS, **(OF_GROUPS if name == "groups" else {})}
    if name == "looks":
        questions["looks"] = lambda result: str(result.looks().table)
    answers = {key: ask(result) for key, ask in questions.items()}
    again = pickle.loads(pickle.dumps(result))
    assert {key: ask(again) for key, ask in questions.items()} == answers
    assert str(pickle.loads(pickle.dumps(result.table))) == str(result.table)
    for part in (
        result.ranks(),
        result.probability,
        *([result.looks()] if name == "looks" else []),
    ):
        assert str(pickle.loads(pickle.dumps(part))) == str(part)


SCRIPT = """
import sys
import numpy as np
import rivals
from rivals import Losses, compare, read
from scipy import stats

OFFSET = 1.0

def fit(rows):  # a function of __main__ that uses rivals
    rivals.Losses([1.0, 2.0])
    return stats.norm(rows["y"].mean(), OFFSET)

def wider(rows):
    return rivals.read.distribution(stats.norm(0.0, 3.0)) and stats.norm(0.0, 3.0)

def experiment(rng):
    losses = {"a": rng.normal(size=30), "b": rng.normal(size=30)}
    return compare(losses, groups=np.arange(30) % 5, rng=0)

def main():
    rng = np.random.default_rng(0)
    data = {"y": rng.normal(size=40), "g": np.arange(40) % 4}
    options = dict(groups="g", target="y", rng=0)
    alone = read.leave_out({"fit": fit, "wider": wider}, data, n_jobs=1, **options)
    BACKEND
    for name in alone:
        assert np.array_equal(alone[name].observed, found[name].observed)
    print(rivals.compare(found).best)

if __name__ == "__main__":
    main()
"""
LOKY = """found = read.leave_out({"fit": fit, "wider": wider}, data, n_jobs=2, **options)
    import joblib
    for result in joblib.Parallel(n_jobs=2)(
        joblib.delayed(experiment)(np.random.default_rng(i)) for i in range(3)
    ):
        assert str(result)"""
DASK = """import distributed, joblib
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        with joblib.parallel_config(backend="dask"):
            found = read.leave_out({"fit": fit, "wider": wider}, data, n_jobs=2, **options)
        results = client.gather(client.map(experiment, [np.random.default_rng(i) for i in (0, 1)]))
        assert all(str(each) for each in results)"""


@contextmanager
def kernel_stopped(kernel):
    try:
        yield
    finally:
        kernel.shutdown_kernel(now=True)


def ran(command, text, folder, **options):
    root = Path(rivals.__file__).parents[1]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, **options.pop("environment", {})}
    return subprocess.run(
        [sys.executable, *command], input=text, cwd=folder, env=environment, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("how", ["a file", "standard input"])
@pytest.mark.parametrize(("backend", "needs"), [(LOKY, "joblib"), (DASK, "distributed")])
def test_functions_of_a_script_that_use_rivals_run_elsewhere(tmp_path, backend, needs, how):
    pytest.importorskip(needs)
    pytest.importorskip("scipy.stats")
    text = SCRIPT.replace("BACKEND", backend)
    (tmp_path / "study.py").write_text(text, encoding="utf-8")
    if how == "a file":
        done = ran(["study.py"], None, tmp_path)
    elif needs == "distributed":
        pytest.skip("processes of Dask start from a file")
    else:
        done = ran(["-"], text, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() in (["fit"], ["wider"])


def test_a_notebook_runs_them_elsewhere(tmp_path):
    client = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    kernel, cells = client.manager.start_new_kernel(cwd=tmp_path)
    text = SCRIPT.replace("BACKEND", LOKY).split("if __name__")[0] + "main()"
    shown = []
    with kernel_stopped(kernel):
        reply = cells.execute_interactive(text, timeout=300, output_hook=shown.append)
    assert reply["content"]["status"] == "ok", reply["content"]
    assert "fit" in str(shown) or "wider" in str(shown)


def test_arrays_of_a_summary_cannot_be_changed():
    result = RESULTS["groups"]()
    before = np.array(result.probability)
    for name in ("gaps", "first", "sizes"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(result.summary, name)[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        result.summary.pairs.own[0] = 0.0
    np.testing.assert_array_equal(result.at(threshold=0.9).probability, before)


def test_a_summary_holds_no_loss_of_a_point_however_many_models_there_are():
    rng = np.random.default_rng(0)
    losses = {f"m{i}": rng.normal(size=40) for i in range(600)}
    losses["again"] = losses["m3"] + 1e-9 * rng.normal(size=40)
    summary = rivals.compare(losses, groups=np.arange(40) % 4).summary
    assert summary.pairs.gaps is None
    sizes = [np.size(each) for each in (summary.first, summary.gaps, summary.pairs.own)]
    assert max(sizes) == 601 * 4
    # Also that of a pair whose difference is small beside each of them.
    a, b = summary.models.index("m3"), summary.models.index("again")
    gap = losses["m3"] - losses["again"]
    within = sum(np.sum((gap[i::4] - gap[i::4].mean()) ** 2) for i in range(4))
    np.testing.assert_allclose(summary.pairs.matrix[a, b], within, rtol=1e-6)
