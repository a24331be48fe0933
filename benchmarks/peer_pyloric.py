"""Time the original simulator; run by `pyloric.py` with the Python of an environment of its own.

Reads {"cell", "state", "duration", "noise"} as JSON lines from standard input and answers each with a line of timings.
"""

import json
import sys
import time

import jax.numpy as jnp
import numpy as np
from pyloric_network_simulator import prinz2004


def main() -> None:
    """Answer one request per line."""
    models = {}
    for line in sys.stdin:
        request = json.loads(line)
        cell = request["cell"]
        if cell not in models:
            models[cell] = prinz2004.Prinz2004(
                pop_sizes={"AB": 1, "LP": 1},
                gs=[[0, 0], [3, 0]],
                g_ion=prinz2004.neuron_models.loc[["AB/PD 3", cell]],
            )
        state = prinz2004.State.from_array(np.array(request["state"]).reshape(14, 2))
        times = np.arange(0.0, request["duration"] + 0.5)
        current = None if request["noise"] is None else sparse_convolution(**request["noise"])
        runs = [run(models[cell], state, times, current) for _ in range(1 + request["repeats"])]
        print("answer", json.dumps({"first": runs[0], "runs": runs[1:]}), flush=True)


def run(model, state, times, current):
    """Integrate once: wall-clock and processor seconds, evaluations, last voltages."""
    wall, processor = time.perf_counter(), time.process_time()
    keywords = {} if current is None else {"I_ext": current}
    found = model.integrate(0.0, state, times, **keywords)
    return {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "evaluations": int(found.nfev),
        "last": np.asarray(found.y)[:2, -1].tolist(),
    }


def sparse_convolution(first, tau, times, weights):
    """The coloured noise as a function JAX can trace: eleven bins of thirty impulses for each evaluation."""
    bins, strengths = jnp.array(times), jnp.array(weights)

    def value(t):
        index = jnp.floor((t - first) / tau).astype(int)
        rows = index + jnp.arange(11)
        return jnp.sum(strengths[rows] * jnp.exp(-(((t - bins[rows]) / tau) ** 2)))

    return value


if __name__ == "__main__":
    main()
