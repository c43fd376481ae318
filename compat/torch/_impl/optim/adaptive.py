"""Adagrad, Adadelta and RMSprop: steps scaled by sums of squared gradients."""

from .elementwise import Elementwise, at_least_zero, check_fused, check_lr, count, directed, number, usual
from .flat import make_state


class Adagrad(Elementwise):
    """Adagrad: divides by the root of the sum of all squared gradients.

    Args:
        params: tensors, named tensors, or groups of them.
        lr: the learning rate.
        lr_decay: what it decays by.
        weight_decay: the factor of an L2 penalty.
        initial_accumulator_value: the first value of the sums.
        eps: added to the denominator.
        foreach, fused: accepted; small parameters are always computed together.
        maximize: ascend.
        differentiable: record the steps.
    """

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        at_least_zero(lr_decay, "Invalid lr_decay value: {}")
        at_least_zero(weight_decay, "Invalid weight_decay value: {}")
        at_least_zero(initial_accumulator_value, "Invalid initial_accumulator_value value: {}")
        at_least_zero(eps, "Invalid epsilon value: {}")
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "fused": fused})
        if fused:
            check_fused(differentiable, foreach)
        for group in self.param_groups:  # as in PyTorch, all sums begin with the value of the call, not of their group
            params = group["params"]
            for p, state in zip(params, make_state(params, self.slots(self.defaults), self.numbers(group))):
                self.state[p].update(state)

    def share_memory(self):
        """Refused: a state lies in the memory of its process."""
        raise NotImplementedError("Adagrad.share_memory() moves the state to memory that processes share, which "
                                  "covector.compat.torch has not; keep the optimizer in one process")

    def slots(self, group):
        """The sums."""
        return {"sum": group["initial_accumulator_value"]}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        h = usual(group, float_of)
        h.rate = h.lr / (1 + (count(numbers) - 1) * group["lr_decay"])
        h.eps = group["eps"]
        return h

    def on_sparse(self, group, params, grads):
        """Take a step for the sparse gradients, at their places alone."""
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        left = [], []
        for p, g in zip(params, grads):
            if not g.other_layout:
                left[0].append(p)
                left[1].append(g)
                continue
            state = self.state[p]
            state["step"] += 1
            rate = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
            g = g.coalesce()
            g = -g if group["maximize"] else g
            state["sum"].add_(g.pow(2))
            roots = state["sum"].sparse_mask(g)._values().sqrt().add_(group["eps"])
            p.add_(g.new(g._indices(), g._values() / roots, g.size()), alpha=-rate)
        return left

    @staticmethod
    def formula(xp, h, p, g, total):
        """Update one array or tensor."""
        g = directed(h, p, g)
        total += g * g
        p -= g * h.rate / (xp.sqrt(total) + h.eps)


class Adadelta(Elementwise):
    """Adadelta: scales by the ratio of the running averages of squared steps and squared gradients.

    Args:
        params, lr, weight_decay, foreach, maximize, differentiable: as for `Adagrad`.
        rho: what the averages keep of themselves.
        eps: added below both roots.
    """

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        at_least_zero(eps, "Invalid epsilon value: {}")
        at_least_zero(weight_decay, "Invalid weight_decay value: {}")
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize":
                                  maximize, "capturable": capturable, "foreach": foreach, "differentiable":
                                  differentiable})

    def slots(self, group):
        """The averages."""
        return {"square_avg": 0, "acc_delta": 0}

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        count(numbers)
        h = usual(group, float_of)
        h.rho, h.new, h.eps = group["rho"], 1 - group["rho"], group["eps"]
        return h

    @staticmethod
    def formula(xp, h, p, g, square_avg, acc_delta):
        """Update one array or tensor."""
        g = directed(h, p, g)
        square_avg *= h.rho
        square_avg += g * g * h.new
        delta = xp.sqrt(acc_delta + h.eps) / xp.sqrt(square_avg + h.eps) * g
        acc_delta *= h.rho
        acc_delta += delta * delta * h.new
        p -= delta * h.lr


class RMSprop(Elementwise):
    """RMSprop: divides by the root of the running average of squared gradients.

    Args:
        params, lr, weight_decay, eps, foreach, maximize, differentiable: as for `Adagrad`.
        alpha: what the average keeps of itself.
        momentum: what the running sum of steps keeps of itself.
        centered: take the square of the average gradient off, so that it is the variance.
    """

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        at_least_zero(eps, "Invalid epsilon value: {}")
        at_least_zero(momentum, "Invalid momentum value: {}")
        at_least_zero(weight_decay, "Invalid weight_decay value: {}")
        at_least_zero(alpha, "Invalid alpha value: {}")
        super().__init__(params, {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                                  "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable})

    def slots(self, group):
        """The average; with momentum the sum of steps, centered the average gradient."""
        names = ["square_avg", *["momentum_buffer"] * (group["momentum"] > 0), *["grad_avg"] * bool(group["centered"])]
        return dict.fromkeys(names, 0)

    def prepare(self, group, numbers, fresh, float_of=number):
        """The numbers of a step."""
        count(numbers)
        h = usual(group, float_of)
        h.alpha, h.new, h.eps = group["alpha"], 1 - group["alpha"], group["eps"]
        h.momentum = group["momentum"] if group["momentum"] > 0 else None
        h.centered = bool(group["centered"])
        return h

    @staticmethod
    def formula(xp, h, p, g, square_avg, *rest):
        """Update one array or tensor."""
        g = directed(h, p, g)
        square_avg *= h.alpha
        square_avg += g * h.new * g
        scale = square_avg
        if h.centered:
            grad_avg = rest[-1]
            grad_avg += (g - grad_avg) * h.new
            scale = square_avg - grad_avg * grad_avg
        step = g / (xp.sqrt(scale) + h.eps)
        if h.momentum is not None:
            total = rest[0]
            total *= h.momentum
            total += step
            step = total
        p -= step * h.lr
