"""El Niño by years, with log loss: does damping help persistence next year? `python
benchmarks/el_nino.py [el_nino]`; writes results/el_nino.json.

The data are those of examples/plot_groups.py, of statsmodels. In most years damped persistence is a
little better; in a few strong ones it loses far more. A law that weights years by the precision of
their own mean hardly looks at the strong ones: results/el_nino_before.json is what commit 0bd2ef1
said.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from scipy.special import stdtr
from statsmodels.datasets import elnino

import rivals

HERE = Path(__file__).parent
N_FIT = 30  # years to which the forecasts are fitted
N_SIMULATIONS = 16


def losses() -> tuple[dict[str, rivals.Losses], np.ndarray]:
    """Negative log densities of the months after the fit, simulations of each forecast, and the
    year of each month.
    """
    table = elnino.load_pandas().data
    temperature = table.drop(columns="YEAR").to_numpy()
    anomaly = (temperature - temperature[:N_FIT].mean(axis=0)).ravel()
    start = 12 * N_FIT
    then = anomaly[1:start]
    before = anomaly[: start - 1]
    found = {}
    for name, damping in (
        ("persistence", 1.0),
        ("damped persistence", then @ before / (before @ before)),
    ):
        sigma = np.sqrt(np.mean((then - damping * before) ** 2))
        z = (anomaly[start:] - damping * anomaly[start - 1 : -1]) / sigma
        simulated = np.random.default_rng(0).standard_normal((N_SIMULATIONS, z.size))
        found[name] = rivals.Losses(
            *(0.5 * x**2 + np.log(sigma) + 0.5 * np.log(2 * np.pi) for x in (z, simulated))
        )
    return found, np.repeat(table["YEAR"].to_numpy().astype(int)[N_FIT:], 12)


def main() -> None:
    found, years = losses()
    difference = found["persistence"].observed - found["damped persistence"].observed
    d = np.array([difference[years == year].mean() for year in np.unique(years)])
    observed = {name: one.observed for name, one in found.items()}
    result = {
        "years": d.size,
        "years in which damped persistence is better": int(np.sum(d > 0)),
        "P(damped persistence is better next year)": round(
            float(rivals.compare(found, law="groups", groups=years, rng=0).probability[1, 0]), 4
        ),
        "the same without simulations": round(
            float(rivals.compare(observed, law="groups", groups=years, rng=0).probability[1, 0]), 4
        ),
        "unweighted predictive t": round(
            float(stdtr(d.size - 1, d.mean() / (d.std(ddof=1) * np.sqrt(1 + 1 / d.size)))), 4
        ),
    }
    name = sys.argv[1] if len(sys.argv) > 1 else "el_nino"
    (HERE / "results" / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
