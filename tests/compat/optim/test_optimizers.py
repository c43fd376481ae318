"""100 steps of every optimizer, with every option: parameters and state after them."""

import importlib

import numpy as np
import pytest

from harness import rounds_as

SHAPES = (3, 4), (4,), (2, 1, 2), ()
USUAL = {}, {"weight_decay": 0.1}, {"maximize": True}, {"foreach": True}, {"lr": "tensor"}


def trained(T, name, options, dtype="float64", steps=100, some=False, shapes=SHAPES):
    """Parameters and state after steps along random gradients; `some` leaves out a third of the gradients."""
    rng = np.random.default_rng(1)

    def array(shape):
        a = rng.normal(size=shape)
        return np.asarray(a + 1j * rng.normal(size=shape) if dtype == "complex128" else a).astype(dtype)

    params = [T.tensor(array(shape), requires_grad=True) for shape in shapes]
    options = {"lr": 0.01} | options
    if options["lr"] == "tensor":
        options["lr"] = T.tensor(0.02, dtype=T.float64)
    optimizer = getattr(T.optim, name)(params, **options)
    for i in range(steps):
        optimizer.zero_grad()
        for k, p in enumerate(params):
            g = array(shapes[k])
            if not some or (i + k) % 3:
                p.grad = T.tensor(g)
        optimizer.step()
    state = optimizer.state_dict()["state"]
    return [p.detach() for p in params], [[name, value] for i in sorted(state) for name, value in state[i].items()]


def every(T, name, *options):
    """The outcome of several options in float64, with all and with some of the gradients."""
    chosen = [o for o in options if not (o.get("foreach") and o.get("lr") == "tensor")]
    return [trained(T, name, o, some=some) for o in chosen for some in (False, True)]


def script_sgd(T):
    return every(T, "SGD", *USUAL, {"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.3}, {"lr": 0.0},
                 {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"momentum": 0.9, "maximize": True})


def script_adam(T):
    return every(T, "Adam", *USUAL, {"amsgrad": True}, {"weight_decay": 0.1, "decoupled_weight_decay": True},
                 {"fused": True}, {"betas": (0.5, 0.8), "eps": 1e-3}, {"lr": 0.0}, {"amsgrad": True, "maximize": True})


def script_adamw(T):
    return every(T, "AdamW", *USUAL, {"amsgrad": True}, {"maximize": True, "weight_decay": 0.1})


def script_adamax(T):
    return every(T, "Adamax", *USUAL, {"betas": (0.5, 0.8)})


def script_nadam(T):
    return every(T, "NAdam", *USUAL, {"momentum_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True})


def script_radam(T):
    return every(T, "RAdam", *USUAL, {"betas": (0.9, 0.99)}, {"weight_decay": 0.1, "decoupled_weight_decay": True})


def script_rmsprop(T):
    return every(T, "RMSprop", *USUAL, {"momentum": 0.9}, {"centered": True}, {"alpha": 0.5},
                 {"momentum": 0.9, "centered": True, "weight_decay": 0.1})


def script_adagrad(T):
    return every(T, "Adagrad", *USUAL, {"lr_decay": 0.1}, {"initial_accumulator_value": 0.5}, {"fused": True})


def script_adadelta(T):
    return every(T, "Adadelta", *USUAL, {"rho": 0.5})


def script_rprop(T):
    return every(T, "Rprop", {}, {"maximize": True}, {"foreach": True}, {"lr": "tensor"}, {"etas": (0.3, 1.5)},
                 {"step_sizes": (1e-3, 0.1)})


@rounds_as("float32", "PyTorch's `foreach` form and tensors as learning rates keep eta in float32")
def script_asgd(T):
    return every(T, "ASGD", *USUAL, {"t0": 20}, {"alpha": 0.5, "lambd": 0.1})


def script_gradients_that_are_not_finite(T):
    found = []
    for name in ("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta", "Rprop", "ASGD"):
        params = [T.ones(3, dtype=T.float64, requires_grad=True) for _ in range(3)]
        optimizer = getattr(T.optim, name)(params, lr=0.1)
        for last in (float("nan"), 1.0, -1.0):
            for p, first in zip(params, (float("nan"), float("inf"), -float("inf"))):
                p.grad = T.tensor([first, 1.0, last], dtype=T.float64) * (-1 if last == 1 else 1)
            optimizer.step()
        found += [p.detach() for p in params]
    return found


def script_complex_parameters(T):
    names = "SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta", "Rprop", "ASGD"
    return [trained(T, name, {}, "complex128", steps=10) for name in names]


def script_single_precision(T):
    names = "SGD", "Adam", "AdamW", "Adamax", "RAdam", "Adagrad", "Adadelta", "Rprop", "ASGD", "Adafactor"
    return [trained(T, name, {}, "float32") for name in names]


def script_adafactor(T):
    options = {}, {"weight_decay": 0.1}, {"maximize": True}, {"beta2_decay": -0.5, "d": 2.0}, {"eps": (1e-3, 1e-2)}
    return [trained(T, "Adafactor", o) for o in options]


@rounds_as("bfloat16", "PyTorch's Newton-Schulz iteration runs in bfloat16")
def script_muon(T):
    options = {}, {"nesterov": False}, {"adjust_lr_fn": "match_rms_adamw"}, {"lr": 1e-3, "weight_decay": 0.5}
    return [trained(T, "Muon", o, shapes=((4, 5), (7, 3))) for o in options]


def minimized(T, **options):
    """Losses, parameters and counts of six steps of LBFGS on Rosenbrock's function."""
    x = T.tensor([-1.2, 1.0, 0.5], dtype=T.float64, requires_grad=True)
    y = T.tensor([[0.1, 0.2], [0.3, -0.4]], dtype=T.float64, requires_grad=True)
    optimizer = T.optim.LBFGS([x, y], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum() + ((y - 1) ** 2).sum() + (y**4).sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(6)]
    state = optimizer.state_dict()["state"][0]
    return losses, x, y, state["func_evals"], state["n_iter"], sorted(state), len(state["old_dirs"])


def script_lbfgs(T):
    return [minimized(T, lr=1e-3), minimized(T, line_search_fn="strong_wolfe"),
            minimized(T, line_search_fn="strong_wolfe", max_iter=7)]


@rounds_as("float32", "PyTorch counts the steps in float32, and corrects by powers of that count")
def script_differentiable_steps(T):
    found = []
    for name in ("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta"):
        start = T.tensor([0.3, 0.4], dtype=T.float64, requires_grad=True)
        g = T.tensor([1.0, 2.0], dtype=T.float64, requires_grad=True)
        w = start.clone()
        w.grad = g * 1
        T.optim.SGD([w], differentiable=True)
        getattr(T.optim, name)([w], lr=0.1, differentiable=True).step()
        found.append(T.autograd.grad((w * w).sum(), (start, g)))
    return found


def script_line_search(T):
    """The line search, as programs call it that bring their own quasi-Newton steps."""
    lbfgs = importlib.import_module(f"{T.__name__}.optim.lbfgs")
    search, cubic = lbfgs._strong_wolfe, lbfgs._cubic_interpolate
    seen = []

    def objective(x, t, d):
        seen.append(float(t))
        p = (x + t * d).requires_grad_()
        loss = (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
        return loss.detach(), T.autograd.grad(loss, p)[0]

    out = []
    for start in ((-1.2, 1.0), (0.5, 0.1), (2.0, 3.0)):
        for t, options in ((1.0, {}), (1e-4, {}), (T.tensor(0.3, dtype=T.float64), {"max_ls": 3}), (1e-3, {"c2": 0.1})):
            x = T.tensor(start, dtype=T.float64)
            f, g = objective(x, 0.0, x * 0)
            loss, gradient, distance, tries = search(objective, x, t, -g, float(f), g, -g.dot(g), **options)
            out.append((float(loss), gradient, float(distance), tries))
    points = (0.0, 1.0, -2.0, 1.0, 0.5, 1.0), (1.0, 0.5, 1.0, 0.0, 1.0, -2.0), (0.0, 1.0, 1.0, 1.0, 1.0, 5.0)
    points = [[T.tensor(v, dtype=T.float64) for v in p] for p in points]
    out += [float(cubic(*p, **b)) for p in points for b in ({}, {"bounds": (0.1, 0.2)})]
    return out, seen


def script_matrices_in_bfloat16(torch):
    """State of bfloat16, and steps as in single precision but for the rounding."""
    found = []
    for name in ("Adafactor", "Muon"):
        start = torch.arange(1.0, 13.0).reshape(3, 4).to(torch.bfloat16)
        half, single = torch.nn.Parameter(start), torch.nn.Parameter(start.float())
        optimizers = [getattr(torch.optim, name)([p], lr=0.1) for p in (half, single)]
        for k in range(3):
            for p, optimizer in zip((half, single), optimizers):
                p.grad = (torch.arange(12.0).reshape(3, 4) / 8 - k).to(p.dtype)
                optimizer.step()
        state = optimizers[0].state[half]
        found += [half.dtype, half._version > 0, torch.allclose(half.float(), single, rtol=0.03, atol=0.03),
                  [(key, v.dtype, tuple(v.shape)) for key, v in state.items()]]
    return found


def test_lbfgs_refuses_bfloat16_by_its_name():
    torch = importlib.import_module("covector.compat.torch")
    p = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    optimizer = torch.optim.LBFGS([p])

    def loss():
        optimizer.zero_grad()
        out = (p * p).sum()
        out.backward()
        return out

    with pytest.raises(NotImplementedError, match=r"LBFGS.step\(\) .* shape \(2,\) of torch.bfloat16, .*float"):
        optimizer.step(loss)


def script_an_optimizer_written_like_those_of_torch(T):
    module = importlib.import_module(f"{T.__name__}.optim.optimizer")
    lists = importlib.import_module(f"{T.__name__}.utils._foreach_utils")

    class Plain(module.Optimizer):
        def __init__(self, params: module.ParamsT, lr=0.1, differentiable=False):
            super().__init__(params, {"lr": lr, "differentiable": differentiable})

        @module._use_grad_for_differentiable
        def step(self):
            seen.append(T.is_grad_enabled())
            for group in self.param_groups:
                fused, foreach = module._default_to_fused_or_foreach(group["params"], False)
                grads = [p.grad for p in group["params"]]
                found = lists._group_tensors_by_device_and_dtype([group["params"], grads, []], with_indices=True)
                for (device, dtype), ((params, grads, none), indices) in sorted(found.items(), key=str):
                    module._view_as_real(params, grads)
                    T._foreach_add_(params, grads, alpha=-module._get_value(T.tensor(group["lr"])))
                    seen.append([device.type, str(dtype), len(none), indices, fused, foreach])

    seen = []
    params = [T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0 + 1j], requires_grad=True),
              T.tensor([4.0], dtype=T.float64, requires_grad=True), T.tensor([5.0], requires_grad=True)]
    for p in params:
        p.grad = T.ones_like(p)
    Plain(params).step()
    for wrong in ([], [[]], [params, params[:2]], [[None]]):
        try:
            lists._group_tensors_by_device_and_dtype(wrong)
        except RuntimeError:
            seen.append("RuntimeError")
    return [*seen, T.is_grad_enabled(), module._to_scalar(T.ones(1)).shape, str(module._get_scalar_dtype()),
            [p.detach() for p in params]]


def script_a_schedule_has_names_of_its_own(T):
    class Own(T.optim.lr_scheduler.StepLR):
        def __init__(self, optimizer):
            self.current = self.times = self.check_call = 3
            super().__init__(optimizer, 2)

    optimizer = T.optim.SGD([T.ones(1, requires_grad=True)], lr=1.0)
    schedule, rates = Own(optimizer), []
    for _ in range(5):
        optimizer.step()
        schedule.step()
        rates += schedule.get_last_lr()
    return rates
