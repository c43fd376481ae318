"""Rows that a selection leaves out move nothing, in one backward pass and in two."""

import numpy as np
import pytest

import covector.compat.torch as compat

F = compat.nn.functional


def _matrices(x):
    return x[:, :, None] * x[:, None, :] + 2.0 * compat.eye(3, dtype=x.dtype)


def _lstm(x):
    compat.manual_seed(0)
    return compat.nn.LSTM(3, 3).double()(compat.stack([x, 0.5 * x]))[0][1]


def _ctc(x):
    steps = compat.log_softmax(compat.stack([x, 0.5 * x]), -1)
    ones = compat.ones(x.shape[0], dtype=compat.long)
    return F.ctc_loss(steps, ones[:, None], 2 * ones, ones, reduction="none")[:, None]


ROWS = {
    "a root": lambda x: x.sqrt() * x,
    "a root of what is read": lambda x: x[:, [2, 0, 1]].sqrt() * x,
    "a logarithm": lambda x: x * x.log(),
    "a softmax": lambda x: x.softmax(-1) * x.exp(),
    "a quotient": lambda x: (x @ compat.eye(3, dtype=x.dtype)) / x,
    "an RMS norm": lambda x: F.rms_norm(x, (3,)) * 2.0,
    "a layer norm": lambda x: compat.nn.functional.layer_norm(x, (3,)),
    "running products": lambda x: x.cumprod(-1).log(),
    "a cross entropy": lambda x: compat.nn.functional.cross_entropy(
        x, compat.arange(x.shape[0]), reduction="none")[:, None] ** 2,
    "a cross entropy of weights": lambda x: compat.nn.functional.cross_entropy(
        x, compat.ones_like(x), reduction="none")[:, None] ** 2,
    "distances": lambda x: compat.cdist(x, compat.eye(3, dtype=x.dtype)) ** 3,
    "sums of distances": lambda x: compat.cdist(x, compat.eye(3, dtype=x.dtype), p=1) ** 3,
    "a length": lambda x: x.norm(dim=-1, keepdim=True) * x,
    "a deviation": lambda x: x.std(-1, keepdim=True) * x,
    "a size": lambda x: x.abs() * x,
    "an angle": lambda x: x.atan() * x,
    "a batch norm by channel": lambda x: F.batch_norm(x.T, None, None, training=True).T,
    "an LSTM": _lstm,
    "a CTC loss": _ctc,
    "samples of an image": lambda x: F.grid_sample(
        x[:, None, None] * compat.ones(3, 3, dtype=x.dtype), x[:, None, None, :2], align_corners=True).flatten(1),
    "a determinant": lambda x: compat.linalg.slogdet(_matrices(x))[1][:, None],
    "an inverse": lambda x: compat.linalg.inv(_matrices(x)).flatten(1),
    "a solution": lambda x: compat.linalg.solve(_matrices(x), x),
    "a factor": lambda x: compat.linalg.qr(_matrices(x))[1].flatten(1),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("left_out", [[0.0, -1.0, np.inf], [np.nan] * 3, [0.0] * 3, [np.inf] * 3])
@pytest.mark.parametrize("name", ROWS)
def test_a_row_left_out_moves_nothing_in_two_backward_passes(name, left_out):
    def both(rows, kept):
        x = compat.tensor(rows, dtype=compat.float64, requires_grad=True)
        y = compat.where(compat.tensor(kept), ROWS[name](x), compat.zeros((), dtype=compat.float64)).sum()
        first, = compat.autograd.grad(y, x, create_graph=True)
        second, = compat.autograd.grad((first * compat.tensor([1.0, 2.0, 3.0], dtype=compat.float64)).sum(), x)
        return first.detach().numpy(), second.numpy()

    row = [0.3, 0.5, 0.9]
    for found, alone in zip(both([row, left_out], [[True], [False]]), both([row], [[True]])):
        np.testing.assert_array_equal(found[1], 0.0)
        np.testing.assert_allclose(found[0], alone[0], rtol=1e-12)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN", "Linear"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_example_left_out_moves_no_weight(kind, bad):
    compat.manual_seed(0)
    layer = getattr(compat.nn, kind)(2, 3)
    x = compat.randn(4, 2, 2)
    y = x.clone()
    y[:, 1] = bad
    found = []
    for given in (x, y):
        out = layer(given)
        (out[0] if type(out) is tuple else out)[:, 0].square().sum().backward()
        found.append([p.grad.numpy() for p in layer.parameters()])
        layer.zero_grad()
    for a, b in zip(*found):
        np.testing.assert_allclose(b, a, rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("left_out", [[np.nan] * 3, [0.0, np.nan, 2.0]])
@pytest.mark.parametrize("name", sorted({*ROWS, "a product of matrices"} - {"a factor", "an LSTM"}))
def test_a_row_left_out_moves_nothing_where_a_gradient_is_pushed_forward(name, left_out):
    rows = {**ROWS, "a product of matrices": lambda x: (compat.eye(3, dtype=x.dtype) / x[..., None]) @ x[..., None]}

    def pushed(given, kept):
        def loss(x):
            y = rows[name](x).reshape(len(given), -1)
            return compat.where(compat.tensor(kept), y, compat.zeros((), dtype=compat.float64)).sum()

        x, dx = compat.tensor(given, dtype=compat.float64), compat.ones(len(given), 3, dtype=compat.float64)
        return [t.numpy() for t in compat.func.jvp(compat.func.grad(loss), (x,), (dx,))]

    row = [0.3, 0.5, 0.9]
    for found, alone in zip(pushed([row, left_out], [[True], [False]]), pushed([row], [[True]])):
        np.testing.assert_array_equal(found[1], 0.0)
        np.testing.assert_allclose(found[0], alone[0], rtol=1e-9, atol=1e-12)
