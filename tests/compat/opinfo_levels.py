"""Derivatives of derivatives and of batches by `torch.func`, of one sample of PyTorch's table on one library."""

import numpy as np

from opinfo_samples import Unlike, made, refilled, tensors


def nested(case):
    """Nest of transforms -> the derivatives, or the name of the error, of squares of the answer."""
    found = {}
    for name, transformed in TRANSFORMS.items():
        loss, x = scalar(case)
        if x:
            try:
                found[name] = transformed(case.lib.func, loss, x, [direction(case.lib, t) for t in x])
            except Unlike:
                raise
            except Exception as error:
                found[name] = f"{type(error).__name__}: {str(error)[:200]}"
    return found


def scalar(case):
    """A function of the tensors that have derivatives, nowhere linear, and these tensors."""
    lib, nest = case.lib, (case.sample.input, tuple(case.sample.args), case.sample.kwargs)
    given = made(lib, nest)
    flat = tensors(given)
    places = [k for k, t in enumerate(tensors(nest)) if t.requires_grad and not t.is_complex()]

    def loss(*x):
        leaves = list(flat)
        for k, t in zip(places, x, strict=True):
            leaves[k] = t
        answer = tensors(case.processed(case.answer(refilled(given, iter(leaves)))))
        parts = [t.abs() if t.is_complex() else t for t in answer if t.is_complex() or t.is_floating_point()]
        return sum((t * t * weights(lib, t)).sum().to(lib.float64) for t in parts)

    return loss, [flat[k] for k in places]


def weights(lib, t):
    """Fixed weights for the entries of a tensor."""
    return lib.tensor(np.cos(np.arange(t.numel())).reshape(tuple(t.shape))).to(t.dtype)


def direction(lib, t):
    """A fixed tangent of a tensor."""
    return lib.tensor(np.sin(np.arange(t.numel()) + 1.0).reshape(tuple(t.shape))).to(t.dtype)


def gradient(func, loss, x):
    """The function of all gradients."""
    return func.grad(loss, argnums=tuple(range(len(x))))


def forward_over_reverse(func, loss, x, v):
    return func.jvp(gradient(func, loss, x), tuple(x), tuple(v))[1]


def reverse_over_forward(func, loss, x, v):
    return gradient(func, lambda *x: func.jvp(loss, x, tuple(v))[1], x)(*x)


def reverse_over_reverse(func, loss, x, v):
    return gradient(func, lambda *x: sum((g * d).sum() for g, d in zip(gradient(func, loss, x)(*x), v)), x)(*x)


def batched(func, loss, x, v):
    """Second derivatives of two examples at once, the second with smaller numbers."""
    def products(*pairs):
        return forward_over_reverse(func, loss, pairs[: len(x)], pairs[len(x):])

    two = [t * t.new_tensor([1.0, 0.9]).reshape(2, *[1] * t.ndim) for t in (*x, *v)]
    return func.vmap(products)(*two)


TRANSFORMS = {f.__name__: f for f in (forward_over_reverse, reverse_over_forward, reverse_over_reverse, batched)}
