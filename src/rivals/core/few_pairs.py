"""The rule of `rivals.method.rule` on pairs that are computed when they are needed.

A model falls to the first rival that rejects it, and pairs with further rivals do not matter then.
So rivals come in their order, some at a time, and only models that still stand meet them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rivals._types import BoolArray, FloatArray, IntArray
from rivals.method.rule import Duel, rejecting_rivals

# Pairs that are asked for at a time.
BLOCK = 2**16

# Of rivals and models, the probability under each law, [law, rival, model], that the rival is
# better. It matters where [rival, model] is wanted, and only if it exceeds the threshold.
Probability = Callable[[IntArray, IntArray, BoolArray], FloatArray]


def decide(
    risk: FloatArray, threshold: float, n_laws: int, probability: Probability
) -> tuple[dict[int, Duel], BoolArray]:
    """Reject each model that some rival of lower empirical risk beats, as `rule.reject` would.

    Parameters
    ----------
    risk : array
        Empirical risk of each model.
    threshold : float
    n_laws : int
        The first law decides; the others, as of single simulations, would have decided alone.
    probability : callable

    Returns
    -------
    rejections : dict
        The duel that rejects a model under the first law, by model, best first.
    rejected : array, shape (laws, models)

    Examples
    --------
    >>> better = np.array([[[0.5, 0.97, 0.8], [0.03, 0.5, 0.4], [0.2, 0.6, 0.5]]])
    >>> def probability(rivals, models, wanted):
    ...     return better[:, rivals][:, :, models]
    >>> rejections, rejected = decide(np.array([0.1, 0.3, 0.2]), 0.95, 1, probability)
    >>> rejections[1].rival, rejected.tolist()
    (0, [[False, True, False]])
    """
    order = np.argsort(risk, kind="stable")
    rejected = np.zeros((n_laws, risk.size), dtype=bool)
    duels: dict[int, Duel] = {}
    begin = 0
    size = 1
    while begin < order.size:
        rivals = order[begin : begin + size]
        models = order[begin + 1 :]
        models = models[~rejected[:, models].all(axis=0)]
        if not models.size:
            break
        wanted = risk[rivals][:, None] < risk[models][None, :]
        found = probability(rivals, models, wanted)
        for law in range(n_laws):
            first = rejecting_rivals(risk[rivals], risk[models], found[law], threshold)
            falls = (first >= 0) & ~rejected[law, models]
            rejected[law, models[falls]] = True
            if law == 0:
                duels |= _duels(rivals, models, first, falls, found[law])
        begin += size
        # The best rivals reject most models: they come alone, and the others in larger numbers.
        size = min(2 * size, max(BLOCK // models.size, 1))
    return {model: duels[model] for model in order.tolist() if model in duels}, rejected


def _duels(
    rivals: IntArray,
    models: IntArray,
    first: IntArray,
    falls: BoolArray,
    probability: FloatArray,
) -> dict[int, Duel]:
    duels = {}
    for place in np.flatnonzero(falls).tolist():
        model = int(models[place])
        rival = int(rivals[first[place]])
        duels[model] = Duel(model, rival, float(probability[first[place], place]), 0.0)
    return duels
