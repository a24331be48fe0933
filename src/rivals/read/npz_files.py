"""NPZ archives of losses. Nothing in them is ever unpickled."""

from __future__ import annotations

import zipfile
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

import numpy as np

from rivals._npz import read_arrays
from rivals._say.samples import as_numbers
from rivals._say.words import show
from rivals.comparison import load
from rivals.losses import Losses
from rivals.read.two_samples import KINDS, make_losses


def npz(path: str | bytes | PathLike[str], *, log_likelihood: bool = False) -> dict[str, Losses]:
    """Losses from an NPZ archive: arrays called `MODEL/observed` and `MODEL/synthetic`, or
    what `Comparison.save` wrote.

    Parameters
    ----------
    path : path
        Written for example by `np.savez(path, **{"A/observed": ..., "A/synthetic": ...})`.
        An array of synthetic losses may hold several simulations as rows. Law "groups"
        needs no synthetic losses; then no model may have any.
    log_likelihood : bool
        Whether the arrays are log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the archive.

    Examples
    --------
    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "losses.npz")
    ...     np.savez(path, **{"A/observed": [1.0, 2.0], "A/synthetic": [1.5, 1.0]})
    ...     npz(path)
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    path = fsdecode(path)
    where = show(path)
    if is_saved_comparison(path):
        if log_likelihood:
            raise ValueError(
                f"{where}: a saved comparison holds losses; leave log_likelihood "
                "(--log-likelihood) out"
            )
        return dict(load(path).losses)
    samples: dict[str, dict[str, Any]] = {}
    for key, array in read_arrays(path).items():
        name, _, kind = key.rpartition("/")
        if not name.strip() or kind not in KINDS:
            raise ValueError(
                f"{where}: array {show(key)!r} is not called MODEL/observed or "
                "MODEL/synthetic; rename it after its model"
            )
        if log_likelihood:
            array = -as_numbers(array, f"{where}, array {show(key)!r}")
        samples.setdefault(name, {})[kind] = array
    if not samples:
        raise ValueError(f"{where}: the archive is empty, or damaged; write it anew")
    simulated = any("synthetic" in pair for pair in samples.values())
    needed = KINDS if simulated else ("observed",)
    for name, pair in samples.items():
        for kind in needed:
            if kind not in pair:
                raise ValueError(
                    f"{where}, model {show(name)!r}: no array {show(name)}/{kind}; both "
                    "kinds are needed"
                )
    none = np.empty(0)
    return {
        name: make_losses(name, pair["observed"], pair.get("synthetic", none), where)
        for name, pair in samples.items()
    }


def is_saved_comparison(path: str | PathLike[str]) -> bool:
    """Whether this is a file that `Comparison.save` wrote, and not an archive of bare losses."""
    try:
        if not Path(path).is_file():  # a pipe would wait forever
            return False
        with zipfile.ZipFile(path) as members:
            return "header.npy" in members.namelist()
    except Exception:  # the reader says what is wrong with the file
        return False
