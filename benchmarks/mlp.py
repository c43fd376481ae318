"""The multilayer perceptrons that several rows train: parameters, losses, gradients by hand."""

from types import ModuleType

import numpy
from libraries import torch

LARGE, LARGE_BATCH = (784, 256, 256, 10), 128
SMALL, SMALL_BATCH = (4, 32, 32, 1), 32


def parameters(sizes: tuple[int, ...], dtype) -> dict[str, numpy.ndarray]:
    rng = numpy.random.default_rng(0)
    made = {}
    for layer, (n, m) in enumerate(zip(sizes, sizes[1:], strict=False), 1):
        made[f"w{layer}"] = (rng.normal(size=(n, m)) * numpy.sqrt(2.0 / n)).astype(dtype)
        made[f"b{layer}"] = (rng.normal(size=m) * 0.1).astype(dtype)
    return made


def classification(dtype) -> tuple[numpy.ndarray, numpy.ndarray]:
    rng = numpy.random.default_rng(1)
    x = rng.random((LARGE_BATCH, LARGE[0])).astype(dtype)
    return x, rng.integers(0, LARGE[-1], LARGE_BATCH)


def regression(dtype) -> tuple[numpy.ndarray, numpy.ndarray]:
    rng = numpy.random.default_rng(1)
    x = rng.normal(size=(SMALL_BATCH, SMALL[0])).astype(dtype)
    return x, numpy.sin(x.sum(axis=1, keepdims=True))


def cross_entropy_in(np: ModuleType):
    """Return the classifier's mean loss over a batch, as written with plain NumPy."""

    def loss(params, x, labels):
        h = np.maximum(x @ params["w1"] + params["b1"], 0.0)
        h = np.maximum(h @ params["w2"] + params["b2"], 0.0)
        logits = h @ params["w3"] + params["b3"]
        top = np.max(logits, axis=1, keepdims=True)
        normalizer = np.log(np.sum(np.exp(logits - top), axis=1)) + top[:, 0]
        return np.mean(normalizer - logits[np.arange(len(labels)), labels])

    return loss


def cross_entropy_of_one_in(np: ModuleType):
    """Return the classifier's loss of one example."""

    def loss(params, x, label):
        h = np.maximum(x @ params["w1"] + params["b1"], 0.0)
        h = np.maximum(h @ params["w2"] + params["b2"], 0.0)
        logits = h @ params["w3"] + params["b3"]
        top = np.max(logits)
        return np.log(np.sum(np.exp(logits - top))) + top - logits[label]

    return loss


def squared_error_in(np: ModuleType):
    """Return the regressor's mean squared error."""

    def loss(params, x, y):
        h = np.tanh(x @ params["w1"] + params["b1"])
        h = np.tanh(h @ params["w2"] + params["b2"])
        return np.mean((h @ params["w3"] + params["b3"] - y) ** 2)

    return loss


def torch_cross_entropy(params, x, labels):
    """Write the same loss as PyTorch's users do; weights are `(n, m)` as in NumPy."""
    h = torch.relu(torch.addmm(params["b1"], x, params["w1"]))
    h = torch.relu(torch.addmm(params["b2"], h, params["w2"]))
    logits = torch.addmm(params["b3"], h, params["w3"])
    return torch.nn.functional.cross_entropy(logits, labels)


def torch_cross_entropy_of_one(params, x, label):
    return torch_cross_entropy(params, x.unsqueeze(0), label.unsqueeze(0))


def torch_squared_error(params, x, y):
    h = torch.tanh(torch.addmm(params["b1"], x, params["w1"]))
    h = torch.tanh(torch.addmm(params["b2"], h, params["w2"]))
    return torch.nn.functional.mse_loss(torch.addmm(params["b3"], h, params["w3"]), y)


def forward_by_hand(p, x, labels):
    """Return hidden layers, mean loss and `softmax - onehot`; every step in place."""
    h1 = x @ p["w1"]
    h1 += p["b1"]
    numpy.maximum(h1, 0.0, out=h1)
    h2 = h1 @ p["w2"]
    h2 += p["b2"]
    numpy.maximum(h2, 0.0, out=h2)
    logits = h2 @ p["w3"]
    logits += p["b3"]
    logits -= logits.max(axis=1, keepdims=True)
    rows = numpy.arange(len(labels))
    picked = logits[rows, labels]
    numpy.exp(logits, out=logits)
    total = logits.sum(axis=1, keepdims=True)
    loss = (numpy.log(total[:, 0]) - picked).mean()
    logits /= total
    logits[rows, labels] -= 1.0
    return h1, h2, loss, logits


def cross_entropy_by_hand(p, x, labels):
    """Return loss and gradients of the classifier, fused as an expert would write them."""
    h1, h2, loss, d3 = forward_by_hand(p, x, labels)
    d3 /= len(labels)
    d2 = d3 @ p["w3"].T
    d2 *= h2 > 0
    d1 = d2 @ p["w2"].T
    d1 *= h1 > 0
    return loss, {
        "w1": x.T @ d1,
        "b1": d1.sum(axis=0),
        "w2": h1.T @ d2,
        "b2": d2.sum(axis=0),
        "w3": h2.T @ d3,
        "b3": d3.sum(axis=0),
    }


def per_example_by_hand(p, x, labels):
    """Return the gradients of each example's own loss, outer products written at once."""
    h1, h2, _, d3 = forward_by_hand(p, x, labels)
    d2 = d3 @ p["w3"].T
    d2 *= h2 > 0
    d1 = d2 @ p["w2"].T
    d1 *= h1 > 0
    return {
        "w1": x[:, :, None] * d1[:, None, :],
        "b1": d1,
        "w2": h1[:, :, None] * d2[:, None, :],
        "b2": d2,
        "w3": h2[:, :, None] * d3[:, None, :],
        "b3": d3,
    }


def squared_error_by_hand(p, x, y):
    """Return loss and gradients of the regressor, fused."""
    h1 = x @ p["w1"]
    h1 += p["b1"]
    numpy.tanh(h1, out=h1)
    h2 = h1 @ p["w2"]
    h2 += p["b2"]
    numpy.tanh(h2, out=h2)
    d3 = h2 @ p["w3"]
    d3 += p["b3"]
    d3 -= y
    flat = d3.ravel()
    loss = flat @ flat / flat.size
    d3 *= 2.0 / flat.size
    d2 = (d3 @ p["w3"].T) * (1.0 - h2 * h2)
    d1 = (d2 @ p["w2"].T) * (1.0 - h1 * h1)
    return loss, {
        "w1": x.T @ d1,
        "b1": d1.sum(axis=0),
        "w2": h1.T @ d2,
        "b2": d2.sum(axis=0),
        "w3": h2.T @ d3,
        "b3": d3.sum(axis=0),
    }
