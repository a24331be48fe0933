"""Every warning names the user's line, not one of the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals import criteria, read

rng = np.random.default_rng(0)
FEW = {
    name: rivals.Losses(*rng.exponential(scale, (2, 8))) for name, scale in (("A", 1.0), ("B", 3.0))
}


def few_losses():
    rivals.compare(FEW, rng=0)


def few_losses_side_by_side():
    fitted = {
        name: criteria.Fitted(-losses.observed, 1, losses=losses) for name, losses in FEW.items()
    }
    criteria.table(fitted, rng=0)


def training_data():
    xarray = pytest.importorskip(
        "xarray", reason='ArviZ trees need xarray: pip install "rivals[arviz]"'
    )
    group = xarray.Dataset({"y": (("chain", "draw", "point"), -rng.exponential(size=(1, 2, 40)))})
    tree = {"log_likelihood": group, "log_likelihood_simulated": group}
    read.arviz_tree(tree, reduction="lpd", held_out="log_likelihood")


def prior_beside_the_data():
    pytest.importorskip(
        "dynesty", reason='nested sampling needs dynesty: pip install "rivals[criteria]"'
    )
    criteria.log_evidence(
        lambda mean: -50 * float(mean[0]) ** 2,
        lambda unit: 5 + 10 * unit,
        1,
        n_live=50,
        rng=0,
        progress=False,
    )


def complexity_from_few_samples():
    criteria.complexity_monte_carlo(
        lambda mean, rng: rng.normal(),
        lambda means, y: np.zeros(len(means)),
        lambda y: (np.array([y]), 20 * y),
        [[0.0]],
        n_samples=60,
        rng=0,
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (few_losses, "only 8 losses"),
        (few_losses_side_by_side, "only 8 losses"),
        (training_data, "data that the model was fitted to"),
        (prior_beside_the_data, "excludes values that the data favour"),
        (complexity_from_few_samples, "effective samples of 60"),
    ],
)
def test_a_warning_names_the_line_of_the_caller(call: Callable[[], None], message: str) -> None:
    with pytest.warns(rivals.RivalsWarning, match=message) as caught:
        call()
    ours = [warning for warning in caught if issubclass(warning.category, rivals.RivalsWarning)]
    assert {warning.filename for warning in ours} == {__file__}


def test_warnings_go_through_the_one_function_that_finds_the_users_line():
    package = Path(rivals.__file__).parent
    direct = [
        path
        for path in package.rglob("*.py")
        if "warnings.warn(" in path.read_text(encoding="utf-8")
    ]
    assert [path.name for path in direct] == ["warn.py"]
