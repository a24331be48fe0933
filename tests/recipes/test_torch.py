# needs: torch==2.13.0, scikit-learn
"""Networks and distributions of PyTorch, on real data."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris
from torch import nn
from torch.distributions import (
    Bernoulli,
    Categorical,
    Independent,
    MixtureSameFamily,
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
)

import rivals
from rivals.read import distribution, network

X, Y = load_diabetes(return_X_y=True)
X, Y = X * 20, (Y - 150) / 80
N = len(Y)


class MeanAndScale(nn.Module):
    """Dropout and batch normalisation behave otherwise in training; the last layer is
    frozen in evaluation mode by the user.
    """

    def __init__(self, as_distribution=False):
        super().__init__()
        torch.manual_seed(0)
        self.body = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Tanh())
        self.head = nn.Linear(16, 2)
        self.as_distribution = as_distribution
        self.seen = []

    def forward(self, x):
        self.seen.append((len(x), torch.is_grad_enabled(), self.training))
        out = self.head(self.body(x))
        mean, scale = out[:, 0], nn.functional.softplus(out[:, 1]) + 0.1
        return Normal(mean, scale) if self.as_distribution else (mean, scale)


def by_hand(net):
    modes = [part.training for part in net.modules()]
    net.eval()
    with torch.no_grad():
        out = net(torch.as_tensor(X, dtype=next(net.parameters()).dtype))
    for part, mode in zip(net.modules(), modes, strict=True):
        part.training = mode
    return (out.loc, out.scale) if isinstance(out, Normal) else out


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_mean_and_scale(dtype):
    net = MeanAndScale().to(dtype)
    mean, scale = (part.numpy().astype(np.float64) for part in by_hand(net))
    model = network(net, X)
    np.testing.assert_allclose(
        model.loss((X, Y)), -stats.norm(mean, scale).logpdf(Y), rtol=1e-12, atol=1e-12
    )
    drawn = model.simulate(N, np.random.default_rng(0))[1]
    assert stats.kstest((drawn - mean) / scale, "norm").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0))[1], drawn)


def test_a_distribution():
    net = MeanAndScale(as_distribution=True).double()
    law = Normal(*by_hand(net))
    model = network(net, X)
    np.testing.assert_allclose(
        model.loss((X, Y)), -law.log_prob(torch.as_tensor(Y)).numpy(), rtol=1e-12, atol=1e-12
    )
    state = torch.get_rng_state()
    drawn = model.simulate(N, np.random.default_rng(0))[1]
    assert torch.equal(torch.get_rng_state(), state), "the global generator was moved"
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0))[1], drawn)
    assert not np.array_equal(model.simulate(N, np.random.default_rng(1))[1], drawn)
    assert stats.kstest(law.cdf(torch.as_tensor(drawn)).numpy(), "uniform").pvalue > 1e-3


def test_modes_gradients_and_batches():
    net = MeanAndScale().double()
    net.train()
    net.body[1].eval()  # as where batch normalisation is frozen
    modes = [part.training for part in net.modules()]
    whole = network(net, X).loss((X, Y))
    net.seen.clear()
    model = network(net, torch.as_tensor(X), batch_size=100)
    np.testing.assert_allclose(model.loss((torch.as_tensor(X), Y)), whole, rtol=1e-12, atol=1e-12)
    assert [size for size, _, _ in net.seen] == [100, 100, 100, 100, N - 400]
    assert not any(gradients or training for _, gradients, training in net.seen)
    assert [part.training for part in net.modules()] == modes
    assert torch.is_grad_enabled()
    assert all(parameter.grad is None for parameter in net.parameters())


def test_modes_are_put_back_after_an_error():
    class Broken(nn.Module):
        def forward(self, x):
            raise RuntimeError("boom")

    net = Broken()
    with pytest.raises(RuntimeError, match="boom"):
        network(net, X).loss((X, Y))
    assert net.training


def test_a_classifier_by_its_logits():
    x, labels = load_iris(return_X_y=True)
    torch.manual_seed(0)
    net = nn.Linear(4, 3).double()
    model = network(net, x, likelihood=lambda logits: Categorical(logits=logits))
    with torch.no_grad():
        logits = net(torch.as_tensor(x)).numpy()
    probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        model.loss((x, labels)), -np.log(probabilities[np.arange(150), labels]), rtol=1e-12
    )
    drawn = np.concatenate(
        [model.simulate(150, np.random.default_rng(seed))[1] for seed in range(20)]
    )
    found = np.bincount(drawn, minlength=3)
    assert stats.chisquare(found, 20 * probabilities.sum(axis=0)).pvalue > 1e-3


def test_a_network_with_only_a_mean_asks_for_a_likelihood():
    with pytest.raises(
        TypeError, match=r"Linear returned Tensor of shape \(442, 1\), .* pass likelihood="
    ):
        network(nn.Linear(10, 1), X).loss((X, Y))
    with pytest.raises(
        ValueError, match=r"Linear predicts shape \(442, 1\), the targets have shape \(442,\)"
    ):
        network(nn.Linear(10, 1), X, likelihood=lambda mean: (mean, 1.0)).loss((X, Y))


def test_tensors_as_targets():
    net = MeanAndScale().double()
    targets = torch.as_tensor(Y).requires_grad_()
    model = network(net, X)
    np.testing.assert_array_equal(model.loss((X, targets)), model.loss((X, Y)))


@pytest.mark.parametrize(
    ("law", "data"),
    [
        (Normal(torch.as_tensor(Y).requires_grad_(), 0.5), Y + 0.3),
        (StudentT(torch.tensor(4.0, dtype=torch.float64), 0.0, 0.8), Y),
        (Poisson(torch.full((N,), 3.0, dtype=torch.float64)), np.arange(N) % 7),
        (Bernoulli(probs=torch.linspace(0.1, 0.9, N, dtype=torch.float64)), np.arange(N) % 2),
        (
            MultivariateNormal(
                torch.zeros(10, dtype=torch.float64), torch.eye(10, dtype=torch.float64)
            ),
            X,
        ),
        (Independent(Normal(torch.zeros(N, 10, dtype=torch.float64), 1.0), 1), X),
        (
            MixtureSameFamily(
                Categorical(torch.ones(2, dtype=torch.float64)),
                Normal(torch.tensor([-1.0, 1.0], dtype=torch.float64), 0.7),
            ),
            Y,
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, np.ndarray) else "",
)
def test_distributions(law, data):
    model = distribution(law)
    with torch.no_grad():
        by_torch = law.log_prob(torch.as_tensor(data, dtype=torch.float64)).numpy()
    np.testing.assert_allclose(model.loss(data), -by_torch, rtol=1e-12, atol=1e-12)
    one, same = (model.losses(data, rng=3) for _ in range(2))
    np.testing.assert_array_equal(one.synthetic, same.synthetic)
    # Data of the law itself have losses like its simulations.
    own = model.losses(model.simulate(N, np.random.default_rng(1)), rng=2)
    assert stats.ks_2samp(own.observed, own.synthetic).pvalue > 1e-3


def test_families_and_joint_densities_are_refused():
    with pytest.raises(TypeError, match="Normal is a family of distributions"):
        distribution(Normal)
    with pytest.raises(
        ValueError,
        match=r"MultivariateNormal predicts shape \(442, 442\), the targets have shape \(442,\)",
    ):
        distribution(MultivariateNormal(torch.zeros(N), torch.eye(N))).loss(Y)


def test_the_whole_way():
    models = {"right": distribution(Normal(0.0, 1.0)), "wide": distribution(Normal(0.0, 4.0))}
    assert rivals.compare(models, Y, rng=0).survivors == ("right",)
