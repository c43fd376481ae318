"""Optimizers with sparse gradients: those that take them, and the refusals of the others."""

import warnings

from harness import attempt

OTHERS = "Adam AdamW Adamax NAdam RAdam RMSprop Adadelta Rprop ASGD Adafactor Muon".split()


def trained(torch, make, steps=4):
    """A table after some steps, and the state of its optimizer."""
    table = torch.nn.Embedding(6, 3, sparse=True)
    with torch.no_grad():
        table.weight.copy_(torch.arange(18.0).reshape(6, 3) / 10)
    optimizer = make(table.parameters())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(steps):
            optimizer.zero_grad()
            (table(torch.tensor([k % 6, 1, 1, (2 * k) % 6])) ** 2).sum().backward()
            optimizer.step()
    state = {k: v.to_dense() if isinstance(v, torch.Tensor) else v for k, v in optimizer.state[table.weight].items()}
    return [table.weight.detach(), state]


def script_gradient_descent(torch):
    SGD = torch.optim.SGD
    return [attempt(lambda o=options: trained(torch, lambda p: SGD(p, lr=0.1, **o))) for options in (
        {}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.9, "dampening": 0.1},
        {"maximize": True}, {"weight_decay": 0.1}, {"fused": True})]


def script_adagrad(torch):
    return [attempt(lambda o=options: trained(torch, lambda p: torch.optim.Adagrad(p, **o))) for options in (
        {"lr": 0.1, "lr_decay": 0.1}, {"maximize": True}, {"initial_accumulator_value": 0.5}, {"weight_decay": 0.1})]


def script_sparse_adam(torch):
    SparseAdam = torch.optim.SparseAdam
    found = [attempt(lambda o=options: trained(torch, lambda p: SparseAdam(p, **o))) for options in (
        {"lr": 0.1}, {"lr": 0.1, "maximize": True, "betas": (0.5, 0.6)}, {"lr": torch.tensor(0.1), "eps": 1e-3})]
    dense = torch.ones(2, requires_grad=True)
    dense.grad = torch.ones(2)
    sparse = torch.sparse_coo_tensor([[0]], [1.0], (2,), requires_grad=True)
    return [*found, attempt(lambda: SparseAdam([dense]).step()), attempt(lambda: SparseAdam([sparse]))]


def script_a_state_that_is_loaded(torch):
    def loaded(make):
        table = torch.nn.Embedding(4, 2, sparse=True)
        with torch.no_grad():
            table.weight.fill_(0.5)
        optimizer = make(table.parameters())
        for k in range(4):
            if k == 2:
                before, optimizer = optimizer, make(table.parameters())
                optimizer.load_state_dict(before.state_dict())
            optimizer.zero_grad()
            (table(torch.tensor([k, 1])) ** 2).sum().backward()
            optimizer.step()
        return table.weight.detach()

    return [loaded(lambda p: torch.optim.SparseAdam(p, lr=0.1)), loaded(lambda p: torch.optim.Adagrad(p, lr=0.1))]


def script_others(torch):
    found = [attempt(lambda n=name: trained(torch, lambda p: getattr(torch.optim, n)(p))) for name in OTHERS]
    w = torch.arange(10.0).reshape(5, 2).div(7).requires_grad_()
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (torch.nn.functional.embedding(torch.tensor([1, 1, 3]), w, sparse=True) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return [*found, w.detach()]


def script_gradients_that_are_zeroed_or_clipped(torch):
    w = torch.ones(3, 2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def backward():
        torch.nn.functional.embedding(torch.tensor([1, 1]), w, sparse=True).sum().backward()

    backward()
    optimizer.zero_grad(set_to_none=False)
    emptied = repr(w.grad)
    backward()
    clip = torch.nn.utils
    return [emptied, repr(w.grad), attempt(lambda: clip.clip_grad_norm_([w], 1.0))[:2],
            attempt(lambda: clip.clip_grad_value_([w], 1.0))[:2]]
