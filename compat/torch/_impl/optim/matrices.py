"""Adafactor and Muon: steps that look at whole matrices of parameters."""

import math

import numpy as np

from ..graph import versions
from ..modes.grad_mode import enable_grad, no_grad
from ..modes.modes import restoring
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..types.arrays import namespace
from ..types.dtypes import bfloat16
from ..types.limits import finfo
from ..types.tensor_type import TensorBase, wrap
from .elementwise import number
from .flat import memory, number_dtype, refuse_other_shape
from .optimizer import Optimizer


class ByParameter(Optimizer):
    """An optimizer that updates one array after the other: a kind gives `update(group, p, g, state, eps)`."""

    @restoring
    def step(self, closure=None):
        """Update the parameters; returns the loss of `closure`, if one is given."""
        loss = None
        with no_grad():
            if closure is not None:
                with enable_grad():
                    loss = closure()
            token = error_state()
            try:
                suppress_fp_warnings()
                for group in self.param_groups:
                    for p in group["params"]:  # before any of them is written to
                        if p.grad is not None:
                            self.check(p)
                    for p in group["params"]:
                        if p.grad is not None:
                            self.take(group, p)
            finally:
                restore_fp_warnings(token)
        return loss

    def take(self, group, p):
        """Update one parameter."""
        state, eps = self.state[p], finfo(p.dtype).eps
        if p.dtype is not bfloat16:
            array = memory(self, p)
            self.update(group, array, memory(self, p.grad), state, eps)
            versions.bump(array)
            return
        wide, held = p.float(), {name: v.float() for name, v in state.items()}  # of which all is rounded once
        self.update(group, memory(self, wide), memory(self, p.grad.float()), held, eps)
        p.copy_(wide)
        for name, v in held.items():
            if name in state:
                state[name].copy_(v)
            else:
                state[name] = v if name == "step" else v.to(bfloat16)

    def check(self, p):
        """PyTorch's refusals of complex numbers and of sparse gradients."""
        if p.grad.other_layout:
            raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")
        if p.is_complex():
            raise RuntimeError(f"{type(self).__name__} does not support complex parameters")


def state_of(optimizer, state, name, shape, like, fresh=True):
    """The array of a state, zeros at first."""
    if fresh and name not in state:
        state[name] = wrap(namespace(like).zeros(shape, like.dtype))
    refuse_other_shape(optimizer, shape, name, state[name])
    return state[name].value


def follow(average, value, weight):
    """Let a running average follow a value, in place."""
    average += (value - average) * weight


class Adafactor(ByParameter):
    """Adafactor: the squares of a matrix's gradients are kept as averages of its rows and of its columns.

    Args:
        params: tensors, named tensors, or groups of them.
        lr: the largest relative step.
        beta2_decay: the power of the step by which the averages forget.
        eps: what is added to squares (None for the resolution of the dtype), and the least size of a parameter.
        d: the largest root mean square of an update.
        weight_decay: what each step takes off.
        foreach: accepted.
        maximize: ascend.
    """

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for fine, words, value in (
                (lambda: 0.0 <= lr, "Learning rate should be >= 0", lr),
                (lambda: 0.0 >= beta2_decay, "beta2_decay should be <= 0", beta2_decay),
                (lambda: eps[0] is None or 0.0 <= eps[0], "epsilon1 should be >= 0", None),
                (lambda: 0.0 <= eps[1], "epsilon2 should be >= 0", None),
                (lambda: 1.0 <= d, "Clipping threshold d should be >= 1", d),
                (lambda: 0.0 <= weight_decay, "weight_decay should be >= 0", weight_decay)):
            if not fine():
                value = eps[words[7] == "2"] if value is None else value
                raise ValueError(f"{words} but is: {value}")
        super().__init__(params, {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay":
                                  weight_decay, "foreach": foreach, "maximize": maximize})

    def update(self, group, p, g, state, eps):
        """Update one array, whose dtype resolves `eps`."""
        fresh = "step" not in state
        if fresh:
            state["step"] = wrap(np.zeros((), number_dtype()))
        state["step"].value[...] += 1
        step = state["step"].value.item()
        eps1, eps2 = group["eps"]
        eps1 = eps if eps1 is None else eps1
        lr, forget = number(group["lr"]), step ** group["beta2_decay"]
        rate = max(eps2, rms(p)) * min(lr, 1 / math.sqrt(step))
        if group["maximize"]:
            g = -g
        if group["weight_decay"] != 0:
            p *= 1 - lr * group["weight_decay"]
        square = g * g
        if g.ndim > 1:
            rows = state_of(self, state, "row_var", (*g.shape[:-1], 1), p, fresh)
            columns = state_of(self, state, "col_var", (*g.shape[:-2], 1, g.shape[-1]), p, fresh)
            follow(rows, square.mean(-1, keepdims=True), forget)
            follow(columns, square.mean(-2, keepdims=True), forget)
            variance = rows @ columns / np.maximum(rows.mean(-2, keepdims=True), eps1)
        else:
            variance = state_of(self, state, "variance", g.shape, p, fresh)
            follow(variance, square, forget)
        update = g / np.sqrt(np.maximum(variance, eps1 * eps1))
        p -= update * (rate / max(1.0, rms(update) / group["d"]))


def rms(x):
    """The root mean square of an array."""
    return float(np.sqrt(np.mean(x * x))) if x.size else 0.0


class Muon(ByParameter):
    """Muon: steps along the nearest orthogonal matrix to the running average of the gradient; for matrices.

    PyTorch computes that matrix in bfloat16, this in the dtype of the parameter.

    Args:
        params: tensors of two axes, named tensors, or groups of them.
        lr, weight_decay: the learning rate, and what each step takes off.
        momentum, nesterov: what the average keeps of itself, and whether to look ahead.
        ns_coefficients, ns_steps, eps: of the Newton-Schulz iteration.
        adjust_lr_fn: "original" (None) or "match_rms_adamw": how the learning rate depends on the shape.
    """

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
                 ns_coefficients=(3.4445, -4.7750, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for words, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not 0.0 <= value:
                raise ValueError(f"{words} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
                                  "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
                                  "adjust_lr_fn": adjust_lr_fn})
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: "
                                     f"{p.size()}")

    def update(self, group, p, g, state, eps):
        """Update one array, whose dtype resolves `eps`."""
        average = state_of(self, state, "momentum_buffer", g.shape, p)
        follow(average, g, 1 - group["momentum"])
        g = g + (average - g) * group["momentum"] if group["nesterov"] else average
        m, n = p.shape
        lr = number(group["lr"])
        scale = 0.2 * math.sqrt(max(m, n)) if group["adjust_lr_fn"] == "match_rms_adamw" else math.sqrt(max(1, m / n))
        p *= 1 - lr * group["weight_decay"]
        p -= orthogonal(g, group["ns_coefficients"], group["ns_steps"], group["eps"]) * (lr * scale)


def orthogonal(g, coefficients, steps, eps):
    """Nearly U V^T of a matrix U S V^T: a quintic Newton-Schulz iteration on its singular values."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = g.T if g.shape[0] > g.shape[1] else g
    x = x / max(float(np.linalg.norm(x)), eps)
    for _ in range(steps):
        gram = x @ x.T
        x = x * a + (gram * b + gram @ gram * c) @ x
    return x.T if g.shape[0] > g.shape[1] else x
