"""SparseAdam: Adam at the places of sparse gradients alone."""

import math

from ..dispatch.call import ROWS
from ..factories.creation import zeros_like
from ..modes.grad_mode import enable_grad, no_grad
from ..modes.modes import restoring
from ..types.tensor_type import TensorBase
from .elementwise import number
from .optimizer import Optimizer


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
