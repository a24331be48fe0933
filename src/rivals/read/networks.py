"""Networks: modules of PyTorch, and functions of JAX or NumPy, that predict a distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.arguments import check_size
from rivals.models import Candidate
from rivals.read.densities import Density, at_inputs, gaussian
from rivals.read.distributions import LOG_DENSITIES, as_density
from rivals.read.inputs import as_targets, as_values, n_rows, take


def network(
    model: Any,
    inputs: Any,
    *,
    likelihood: Callable[[Any], Any] | None = None,
    batch_size: int | None = None,
) -> Candidate:
    """A candidate from a trained network, for data in the form of a pair (inputs, targets).

    Parameters
    ----------
    model : torch.nn.Module or callable
        A module of PyTorch; or any function of a batch of inputs, as `lambda x:
        net.apply(params, x)` in JAX. It returns a pair of the mean and the standard
        deviation of each target, or a distribution (of `torch.distributions`, NumPyro,
        TensorFlow Probability or SciPy) with a parameter for each input.
    inputs : array or tensor
        Inputs at which targets are simulated: those of the held-out data.
    likelihood : callable, optional
        Turns what the model returns into a distribution, or a pair of mean and standard
        deviation, for example `lambda logits:
        torch.distributions.Categorical(logits=logits)` or `lambda out: (out[..., 0],
        out[..., 1].exp())`.
    batch_size : int, optional
        How many inputs the model gets at a time; by default all.

    Returns
    -------
    Candidate
        Its loss is the negative log density, or probability, of the target; of several
        targets, of the row.

    See Also
    --------
    distribution : Distributions themselves.
    regressor, classifier : Estimators; skorch and other wrappers are estimators, too.

    Notes
    -----
    A module is run in evaluation mode and without gradients; afterwards the mode of each of
    its parts is restored. Arrays become tensors of the type and on the device of its
    parameters. The draws of PyTorch and JAX repeat with the seed of the comparison. A
    function that draws random numbers (dropout in JAX, say) must be given its key, and
    should not draw when it predicts.

    Pairs of mean and deviation are turned into losses in 64 bits; distributions have the
    precision of their library.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.read import network
    >>> def line(x):
    ...     return 2.0 * x[:, 0], np.full(len(x), 0.5)
    >>> x = np.arange(4.0)[:, None]
    >>> network(line, x, batch_size=3).loss((x, [0.0, 2.0, 4.0, 7.0])).round(3)
    array([0.226, 0.226, 0.226, 2.226])
    """
    if isinstance(model, type) or not callable(model):
        raise TypeError(f"expected a module or a function of a batch of inputs; got {model!r:.60}")
    if batch_size is not None:
        batch_size = check_size(batch_size, "batch_size")
    name = getattr(model, "__name__", type(model).__name__)

    def batches(at: Any) -> Iterator[tuple[slice, Density]]:
        n = n_rows(at, "inputs")
        step = batch_size or n
        with _function(model) as run:
            for start in range(0, n, step):
                rows = np.arange(start, min(start + step, n))
                output = run(at if step >= n else take(at, rows))
                if likelihood is not None:
                    output = likelihood(output)
                yield slice(start, start + rows.size), _density(output, name)

    def density_at(at: Any) -> Density:
        def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.concatenate(
                [density.log_density(values[rows]) for rows, density in batches(at)]
            )

        def sample(_: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
            return np.concatenate(
                [density.simulate(rows.stop - rows.start, rng) for rows, density in batches(at)]
            )

        return Density(name, (n_rows(at, "inputs"),), None, log, sample)

    return at_inputs(density_at, inputs, name, targets=as_values)


def _density(output: Any, name: str) -> Density:
    """What the model returned, as a distribution."""
    if any(callable(getattr(output, method, None)) for method in LOG_DENSITIES):
        return as_density(output)
    if not (isinstance(output, (tuple, list)) and len(output) == 2):
        raise TypeError(
            f"{name} returned {type(output).__name__} of shape {tuple(np.shape(output))}, "
            "no distribution and no pair of mean and scale; pass likelihood="
        )
    return gaussian(
        as_targets(output[0], "means"), as_targets(output[1], "standard deviations"), name
    )


@contextmanager
def _function(model: Any) -> Iterator[Callable[[Any], Any]]:
    """The model as a function of a batch. A module is in evaluation mode, has no gradients,
    and gets tensors of the type and on the device of its parameters; afterwards the mode of
    each of its parts is restored.
    """
    if not any(kind.__module__.startswith("torch.nn") for kind in type(model).__mro__):
        yield model
        return
    torch = import_module("torch")
    first = next(model.parameters(), None)

    def run(inputs: Any) -> Any:
        tensor = inputs
        if not isinstance(inputs, torch.Tensor):
            tensor = torch.as_tensor(np.array(as_values(inputs, "inputs")))
        if first is not None:
            tensor = tensor.to(first.device, first.dtype if tensor.is_floating_point() else None)
        return model(tensor)

    before = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield run
    finally:
        for part, training in before:
            part.training = training
