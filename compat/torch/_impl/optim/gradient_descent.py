"""SGD, ASGD and Rprop: steps by the gradient itself, its average, and its sign."""

from types import SimpleNamespace

from ..types.tensor_type import TensorBase
from .elementwise import Elementwise, at_least_zero, check_fused, check_lr, count, directed, first, number, usual


class SGD(Elementwise):
    """Gradient descent, with momentum if asked for.

    Args:
        params: tensors, named tensors, or groups of them.
        lr: the learning rate, a number or a tensor of one element.
        momentum: what the running sum of gradients keeps of itself at each step.
        dampening: what it leaves out of the new gradient.
        weight_decay: the factor of an L2 penalty.
        nesterov: Nesterov's momentum.
        foreach, fused: accepted; small parameters are always computed together.
        maximize: ascend.
        differentiable: record the steps, so that gradients pass through them.

    >>> import covector.compat.torch as torch
    >>> w = torch.tensor(3.0, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w * w).backward()
    ...     optimizer.step()
    >>> round(w.item(), 4)
    1.38
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for value, words in ((lr, "learning rate"), (momentum, "momentum value"), (weight_decay, "weight_decay value")):
            if value < 0.0:
                raise ValueError(f"Invalid {words}: {value}")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay":
                                  weight_decay, "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
                                  "differentiable": differentiable, "fused": fused})
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        if fused:
            check_fused(differentiable, foreach)

    def slots(self, group):
        """The running sum, where there is momentum."""
        return {"momentum_buffer": 0} if group["momentum"] != 0 else {}

    def numbers(self, group):
        """None."""
        return {}

    def bundled(self, group):
        """Only with momentum or decay."""
        return group["momentum"] != 0 or bool(group["weight_decay"] != 0)

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        h = usual(group, float_of)
        h.momentum, h.nesterov = group["momentum"], bool(group["nesterov"])
        taken = 1 - group["dampening"]
        h.taken = None if fresh or taken == 1 else taken
        return h

    def on_sparse(self, group, params, grads):
        """None: the formula has all it needs of sparse gradients."""
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        return params, grads

    @staticmethod
    def formula(xp, h, p, g, total=None):
        """Update one array or tensor."""
        g = directed(h, p, g)
        if total is not None:
            total *= h.momentum
            total += g if h.taken is None else g * h.taken
            g = total * h.momentum + g if h.nesterov else total  # a sparse one is added to a dense one
        p -= g * h.lr


class ASGD(Elementwise):
    """Averaged gradient descent: the average of the parameters is kept in the state as `ax`.

    Args:
        params, lr, weight_decay, foreach, maximize, differentiable: as for `SGD`.
        lambd: the factor by which steps shrink the parameters.
        alpha: the power of the learning rate's decay.
        t0: the step from which on it averages.
    """

    captured = "params, mus, etas, and state_steps"

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        at_least_zero(weight_decay, "Invalid weight_decay value: {}")
        super().__init__(params, {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
                                  "capturable": capturable})

    def slots(self, group):
        """The average."""
        return {"ax": 0}

    def numbers(self, group):
        """The count of steps, the rate of the next one, and the share of its outcome in the average."""
        return {"step": 0.0, "eta": number(group["lr"]), "mu": 1.0}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        h = usual(group, float_of)
        step = count(numbers)
        h.eta, h.mu = first(numbers["eta"]), first(numbers["mu"])
        h.kept = 1 - group["lambd"] * h.eta
        lr = number(h.lr)
        numbers["eta"][...] = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        numbers["mu"][...] = 1 / max(1, step - group["t0"])
        return h

    @staticmethod
    def formula(xp, h, p, g, ax):
        """Update one array or tensor."""
        g = directed(h, p, g)
        p *= h.kept
        p -= g * h.eta
        ax += (p - ax) * h.mu


class Rprop(Elementwise):
    """Rprop: each element has a step of its own, which grows while the sign of its gradient stays.

    Args:
        params, lr, foreach, maximize, differentiable: as for `SGD`; `lr` is the first step.
        etas: the factors of the step when the sign changes, and when it stays.
        step_sizes: the smallest and the largest step.
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize":
                                  maximize, "differentiable": differentiable, "capturable": capturable})

    def slots(self, group):
        """The last gradient, and the steps."""
        return {"prev": 0, "step_size": number(group["lr"])}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        count(numbers)
        (down, up), (least, most) = group["etas"], group["step_sizes"]
        return SimpleNamespace(maximize=bool(group["maximize"]), decay=None, down=down, up=up, least=least, most=most)

    @staticmethod
    def formula(xp, h, p, g, prev, step_size):
        """Update one array or tensor."""
        g = directed(h, p, g)
        turn = g * prev  # NaN counts as no turn, and as a gradient without a sign
        same, other = cast(turn > 0, g), cast(turn < 0, g)
        step_size[...] = xp.clip(step_size * (same * h.up + other * h.down + (1 - same - other)), h.least, h.most)
        g = xp.where(turn < 0, same * 0, g)
        p -= (cast(g > 0, g) - cast(g < 0, g)) * step_size
        prev[...] = g


def cast(x, like):
    """An array or tensor in the dtype of another one."""
    return x.to(like.dtype) if isinstance(x, TensorBase) else x.astype(like.dtype)
