"""The seeding scheme of the original study, so that its data sets come out bit for bit.

Every generator of René & Longtin (2025) is ``PCG64(SeedSequence((ENTROPY, word, word, ...)))``. The
words spell out what the numbers are for: ``generator("UV", "data")`` draws the observed black body
data set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Key = str | int | float | Sequence["Key"]

ENTROPY = 231868418911922305076391806541830040449


def generator(*keys: Key) -> np.random.Generator:
    """Return the original study's generator for these keys.

    Parameters
    ----------
    *keys : str, int, float or nested sequences of them
        What the numbers are for. Each call starts the same stream anew.

    Examples
    --------
    >>> from rivals_paper import seeds
    >>> seeds.generator("UV", "data").integers(1000) == seeds.generator("UV", "data").integers(1000)
    np.True_
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((ENTROPY, *words(*keys)))))


def words(*keys: Key) -> tuple[int, ...]:
    """Flatten keys to the non-negative integers that enter the seed sequence.

    A string becomes its UTF-8 bytes read as one little-endian integer, a float its exact integer
    ratio.

    Examples
    --------
    >>> words("UV", (4096, 0.5))
    (22101, 4096, 1, 2)
    """
    flat: list[int] = []
    for key in keys:
        if isinstance(key, str):
            flat.append(int.from_bytes(key.encode(), "little"))
        elif isinstance(key, (int, np.integer)):
            flat.append(int(key))
        elif isinstance(key, float):
            flat.extend(key.as_integer_ratio())
        else:
            flat.extend(words(*key))
    if any(word < 0 for word in flat):
        raise ValueError(f"a seed is made of non-negative numbers; got the keys {keys!r}")
    return tuple(flat)
