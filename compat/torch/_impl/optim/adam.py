"""Adam and its variants: AdamW, Adamax, NAdam, RAdam."""

import math

from ..dispatch.call import ROWS
from ..factories.creation import zeros_like
from ..modes.grad_mode import enable_grad, no_grad
from ..modes.modes import restoring
from ..types.tensor_type import TensorBase
from .elementwise import (
    Elementwise,
    at_least_zero,
    check_betas,
    check_fused,
    check_lr,
    count,
    directed,
    first,
    number,
    usual,
)
from .optimizer import Optimizer


def averaged(group, numbers, float_of):
    """The usual facts of a group with two running averages: their rates, and what corrects their bias."""
    h = usual(group, float_of)
    h.step = count(numbers)
    h.beta1, h.beta2 = map(float_of, group["betas"])
    h.new1, h.new2 = 1 - h.beta1, 1 - h.beta2
    h.eps = group["eps"]
    h.bias1, h.bias2 = 1 - h.beta1**h.step, 1 - h.beta2**h.step
    h.rate = h.lr / h.bias1
    h.shrink = None
    if group.get("decoupled_weight_decay") and h.decay is not None:
        h.shrink, h.decay = 1 - h.lr * h.decay, None
    return h


def average(h, p, g, exp_avg, exp_avg_sq):
    """Decay the weights, and let both averages follow the gradient; returns the gradient."""
    g = directed(h, p, g)
    if h.shrink is not None:
        p *= h.shrink
    exp_avg += (g - exp_avg) * h.new1
    exp_avg_sq *= h.beta2
    exp_avg_sq += g * g * h.new2
    return g


def root(x):
    """The square root of a number, or of a tensor that stands for one."""
    return x.sqrt() if isinstance(x, TensorBase) else math.sqrt(x)


class Adam(Elementwise):
    """Adam: steps along the running average of the gradient, scaled by that of its square.

    Args:
        params: tensors, named tensors, or groups of them.
        lr: the learning rate, a number or a tensor of one element.
        betas: the rates at which the two averages forget.
        eps: added to the denominator.
        weight_decay: the factor of an L2 penalty; with `decoupled_weight_decay`, of what each step takes off.
        amsgrad: divide by the largest average so far.
        foreach, fused: accepted; small parameters are always computed together.
        maximize: ascend.
        differentiable: record the steps, so that gradients pass through them.

    >>> import covector.compat.torch as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        check_lr(lr, foreach, capturable)
        at_least_zero(eps, "Invalid epsilon value: {}")
        check_betas(betas)
        at_least_zero(weight_decay, "Invalid weight_decay value: {}")
        tensors = [isinstance(b, TensorBase) for b in betas]
        if tensors[0] != tensors[1]:
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if tensors[i] and foreach and not capturable:
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
            if tensors[i] and beta.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad":
                                  amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "differentiable": differentiable, "fused": fused, "decoupled_weight_decay":
                                  decoupled_weight_decay})
        if fused:
            check_fused(differentiable, foreach)

    def slots(self, group):
        """The averages; with `amsgrad` the largest of the second."""
        return dict.fromkeys(("exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * bool(group["amsgrad"])), 0)

    def on_sparse(self, group, params, grads):
        """Refuse sparse gradients."""
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        h = averaged(group, numbers, float_of)
        h.root2 = root(h.bias2)
        return h

    @staticmethod
    def formula(xp, h, p, g, exp_avg, exp_avg_sq, largest=None):
        """Update one array or tensor."""
        average(h, p, g, exp_avg, exp_avg_sq)
        square = exp_avg_sq
        if largest is not None:
            largest[...] = square = xp.maximum(largest, exp_avg_sq)
        denominator = xp.sqrt(square)
        denominator = denominator / h.root2
        denominator = denominator + h.eps
        p -= exp_avg / denominator * h.rate


class AdamW(Adam):
    """Adam with weight decay that is no part of the gradient; the arguments are those of `Adam`."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in getattr(self, "param_groups", ()):
            group["decoupled_weight_decay"] = True


class Adamax(Elementwise):
    """Adamax: Adam with the maximum norm of the gradient.

    Args:
        params, lr, betas, eps, weight_decay, foreach, maximize, differentiable: as for `Adam`.
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        check_options(lr, betas, eps, weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach":
                                  foreach, "maximize": maximize, "differentiable": differentiable, "capturable":
                                  capturable})

    def slots(self, group):
        """The average, and the norm."""
        return {"exp_avg": 0, "exp_inf": 0}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        return averaged(group, numbers, float_of)

    @staticmethod
    def formula(xp, h, p, g, exp_avg, exp_inf):
        """Update one array or tensor."""
        g = directed(h, p, g)
        exp_avg += (g - exp_avg) * h.new1
        exp_inf[...] = xp.maximum(exp_inf * h.beta2, xp.abs(g) + h.eps)
        p -= exp_avg / exp_inf * h.rate


class NAdam(Elementwise):
    """NAdam: Adam with Nesterov's momentum.

    Args:
        params, lr, betas, eps, weight_decay, decoupled_weight_decay, foreach, maximize, differentiable: as for `Adam`.
        momentum_decay: how fast the momentum grows towards its rate.
    """

    captured = "params, mu_products and state_steps"

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        check_options(lr, betas, eps, weight_decay)
        at_least_zero(momentum_decay, "Invalid momentum_decay value: {}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "differentiable": differentiable})

    def slots(self, group):
        """The averages."""
        return {"exp_avg": 0, "exp_avg_sq": 0}

    def numbers(self, group):
        """The count of steps, and the product of the momenta."""
        return {"step": 0.0, "mu_product": 1.0}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        h = averaged(group, numbers, float_of)
        now, then = (h.beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (h.step, h.step + 1))
        product = numbers["mu_product"]
        product *= number(now)
        h.of_gradient = h.lr * (1 - now) / (1 - first(product))
        h.of_average = h.lr * then / (1 - first(product) * then)
        return h

    @staticmethod
    def formula(xp, h, p, g, exp_avg, exp_avg_sq):
        """Update one array or tensor."""
        g = average(h, p, g, exp_avg, exp_avg_sq)
        scale = xp.sqrt(exp_avg_sq / h.bias2) + h.eps
        p -= g * h.of_gradient / scale
        p -= exp_avg * h.of_average / scale


class RAdam(Elementwise):
    """RAdam: Adam whose first steps, while the variance of the second average is unknown, do not divide by it.

    Args:
        params, lr, betas, eps, weight_decay, decoupled_weight_decay, foreach, maximize, differentiable: as for `Adam`.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_options(lr, betas, eps, weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize":
                                  maximize, "foreach": foreach, "capturable": capturable, "decoupled_weight_decay":
                                  decoupled_weight_decay, "differentiable": differentiable})

    def slots(self, group):
        """The averages."""
        return {"exp_avg": 0, "exp_avg_sq": 0}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        h = averaged(group, numbers, float_of)
        limit = 2 / (1 - h.beta2) - 1
        length = limit - 2 * h.step * (1 - h.bias2) / h.bias2
        h.scale = None
        if length > 5:
            share = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
            h.scale = h.rate * root(share * h.bias2)
        return h

    @staticmethod
    def formula(xp, h, p, g, exp_avg, exp_avg_sq):
        """Update one array or tensor."""
        average(h, p, g, exp_avg, exp_avg_sq)
        if h.scale is None:
            p -= exp_avg * h.rate
        else:
            p -= exp_avg / (xp.sqrt(exp_avg_sq) + h.eps) * h.scale


def check_options(lr, betas, eps, weight_decay):
    """PyTorch's refusals of the options that the variants share."""
    check_lr(lr)
    at_least_zero(eps, "Invalid epsilon value: {}")
    check_betas(betas)
    at_least_zero(weight_decay, "Invalid weight_decay value: {}")


# SparseAdam: Adam at the places of sparse gradients alone.


class SparseAdam(Optimizer):
    """Adam for dense parameters with sparse gradients: averages and parameters change where a gradient has entries.

    Args:
        params: tensors, named tensors, or groups of them.
        lr: the learning rate.
        betas: what the averages of gradients and of their squares keep of themselves.
        eps: added to the denominator.
        maximize: ascend.
    Raises:
        RuntimeError: in `step`, a gradient is dense.

    >>> import covector.compat.torch as torch
    >>> table = torch.nn.Embedding(4, 2, sparse=True)
    >>> before = table.weight.detach().clone()
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.5)
    >>> table(torch.tensor([1, 1, 3])).sum().backward()
    >>> optimizer.step()
    >>> before - table.weight.detach()
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.0000, 0.0000],
            [0.5000, 0.5000]])
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in range(2):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        found = [[i, j] for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"])
                 if p.is_sparse]
        if found:
            raise ValueError(f"Sparse params at indices {found}: SparseAdam requires dense parameter tensors")

    @restoring
    def step(self, closure=None):
        """Update the parameters; returns the loss of `closure`, if one is given."""
        loss = None
        with no_grad():
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                params = [p for p in group["params"] if p.grad is not None]
                if any(not p.grad.is_sparse for p in params):
                    raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
                for p in params:
                    self.update(group, p, self.state[p])
        return loss

    def update(self, group, p, state):
        """Take the step of one parameter."""
        if not state:
            state.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        state["step"] += 1
        (beta1, beta2), step = group["betas"], state["step"]
        g = (-p.grad if group["maximize"] else p.grad).coalesce()
        entries = g._values()
        if not entries.numel():
            return

        def at_entries(values):
            return g.new(g._indices(), values, g.size())

        def follow(average, target, weight):
            before = average.sparse_mask(g)._values()
            change = (target - before) * (1 - weight)
            average.add_(at_entries(change))
            return before + change

        mean = follow(state["exp_avg"], entries, beta1)
        square = follow(state["exp_avg_sq"], entries * entries, beta2)
        rate = number(group["lr"]) * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        p.add_(at_entries(mean / (ROWS["sqrt"].fun(square) + group["eps"]) * -rate))
