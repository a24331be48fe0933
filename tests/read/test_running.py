"""Every model on every fold: in order, in one process or several; errors and progress."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from rivals.read import _running as running
from rivals.read._folds import Fold
from rivals.read._running import functions_of, run_folds

NOBODY = np.empty(0, dtype=np.intp)
FOLDS = [Fold(NOBODY, NOBODY, (name,)) for name in ("a", "b", "c")]


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_results_come_by_model_and_fold(n_jobs):
    pytest.importorskip("joblib")

    def product(model, fold):  # of this function: a worker cannot import this file
        return 10 * model + fold

    assert run_folds(product, ["p", "q"], FOLDS, n_jobs=n_jobs) == [[0, 1, 2], [10, 11, 12]]


def test_one_process_needs_no_joblib(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert run_folds(lambda model, fold: fold, ["p"], FOLDS) == [[0, 1, 2]]
    with pytest.raises(ImportError, match="n_jobs="):
        run_folds(lambda model, fold: fold, ["p"], FOLDS, n_jobs=2)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("no"), ValueError),
        (np.linalg.LinAlgError("no"), ValueError),
        (TypeError("no"), TypeError),
        (ImportError("no"), ImportError),
        (KeyError("no"), RuntimeError),
        (ZeroDivisionError("no"), RuntimeError),
    ],
)
def test_errors_keep_their_kind_and_say_whose_they_are(error, kind):
    def fails(model, fold):
        if (model, fold) == (1, 1):
            raise error

    with pytest.raises(kind, match=r"model 'q', fold 2 of 3, without site b: .*no"):
        run_folds(fails, ["p", "q"], FOLDS, noun="site", n_jobs=1)


def test_errors_come_from_workers_as_they_are():
    pytest.importorskip("joblib")

    def fails(model, fold):
        if fold == 1:
            raise KeyError("no")

    with pytest.raises(RuntimeError, match=r"model 'p', fold 2 of 3, without group b: KeyError"):
        run_folds(fails, ["p"], FOLDS, n_jobs=2)


def test_an_interrupt_is_not_an_error_of_a_fold():
    def interrupted(model, fold):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_folds(interrupted, ["p"], FOLDS, n_jobs=1)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_if_it_takes_long(monkeypatch):
    for seconds, stream, shown in [
        (-1.0, Terminal(), "3 of 3 fits"),
        (60.0, Terminal(), ""),
        (-1.0, io.StringIO(), ""),
    ]:
        monkeypatch.setattr(running, "LONG", seconds)
        monkeypatch.setattr(sys, "stderr", stream)
        run_folds(lambda model, fold: fold, ["p"], FOLDS, n_jobs=1)
        assert shown in stream.getvalue()
        assert bool(stream.getvalue()) == bool(shown)


def test_functions_by_name_or_alone():
    assert functions_of(len, "fit") == {"": len}
    assert functions_of({"a": len}, "fit") == {"a": len}
    with pytest.raises(ValueError, match="the mapping is empty"):
        functions_of({}, "fit")
    with pytest.raises(TypeError, match="fit: expected a function of rows for 'a'; got int"):
        functions_of({"a": 3}, "fit")
