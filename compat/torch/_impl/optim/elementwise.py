"""Optimizers whose update is a formula of each element: on arrays where nothing else is asked for, else on tensors."""

from functools import lru_cache
from operator import itemgetter
from types import SimpleNamespace

import numpy as np

from ..dispatch.call import ROWS
from ..graph import versions
from ..graph.versions import note_all, root_of
from ..lists.kernel import Launches, ListKernel
from ..lists.plain import alike, apart, laid_like, stands_alone, there, undisturbed
from ..modes.grad_mode import enable_grad
from ..modes.modes import MODES, restore, set_modes
from ..state.meta import on_device
from ..types.arrays import ndarray
from ..types.tensor_type import TensorBase, bottom, wrap
from .flat import Operand, Plan, Run, completed, directly, number_dtype
from .optimizer import Optimizer

CAPTURING = ("cuda", "xpu", "hpu", "privateuseone", "xla")
ABSENT = {"amsgrad": False, "capturable": False, "centered": False, "decoupled_weight_decay": False,
          "differentiable": False, "foreach": None, "fused": None, "maximize": False, "momentum": 0, "nesterov": False}
TENSORS = SimpleNamespace(**{name: ROWS[name].fun for name in "sqrt abs maximum sign where clip".split()})


class Elementwise(Optimizer):
    """An optimizer of formulas. A kind gives `slots`, `numbers`, `prepare` and `formula`.

    A formula is written once, in operators and functions that arrays and tensors have, and writes in place:
    `formula(xp, h, p, g, *state)`, with what `prepare` returned as `h`. Of the numbers in `h` alone it computes
    nothing, and asks nothing: `prepare` does, and puts None or a bool there for what the formula may ask, so that a
    kernel takes the numbers as they are.
    """

    captured = "params and state_steps"

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:  # those of earlier versions lack some options, and have counts as numbers
            for name, value in ABSENT.items():
                if name in self.defaults:
                    group.setdefault(name, value)
            for p in group["params"]:
                own = self.state.get(p, {})
                for name in self.numbers(group):
                    if name in own and not isinstance(own[name], TensorBase):
                        own[name] = wrap(np.full((), float(own[name]), number_dtype()))

    def slots(self, group):
        """Name -> first value of the state in the shape of a parameter."""
        return {}

    def numbers(self, group):
        """Name -> first value of the state that is one number."""
        return {"step": 0.0}

    def bundled(self, group):
        """Tell whether small parameters are worth being copied together: not where the formula has few passes."""
        return True

    def step(self, closure=None):
        """Update the parameters; returns the loss of `closure`, if one is given."""
        before = MODES.get()
        try:
            set_modes(grad=bool(self.defaults["differentiable"]))
            loss = None
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for i, group in enumerate(self.param_groups):
                params, grads = [], []
                for p in group["params"]:
                    g = p.grad
                    if g is not None:
                        params.append(p)
                        grads.append(g)
                if params:
                    self.update(i, group, params, grads)
            return loss
        finally:
            restore(before)

    def update(self, i, group, params, grads):
        """Take a step of one group."""
        self.check(group, params)
        if group["differentiable"] or not directly(params, grads) or not self.plain(group):
            if any(g.other_layout for g in grads):
                params, grads = self.on_sparse(group, params, grads)
            if not group["differentiable"] and self.plain(group):
                params, grads = self.on_device(i, group, params, grads)
            self.on_tensors(group, params, grads)
            return
        plan = self._plans.get(i)
        if plan is None or not plan.holds(self, group, params):
            plan = self._plans[i] = Plan(self, group, params)
        plan.step(self, group, grads)

    def check(self, group, params):
        """PyTorch's refusals of options that are known when a step is taken."""
        if group.get("capturable") and not all(map(on_device, params)):
            devices = [d for d in CAPTURING if d != "xla"] if group["foreach"] else list(CAPTURING)
            raise AssertionError(f"If capturable=True, {self.captured} must be on supported devices: {devices}.")
        if group["foreach"] and group["differentiable"]:
            raise AssertionError("_foreach ops don't support autograd")

    def on_sparse(self, group, params, grads):
        """Take a step for the sparse gradients; returns the parameters and gradients that are left for formulas."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def plain(self, group):
        """Tell whether all options are numbers, or tensors of which the number is all that counts."""
        return all(not isinstance(v, TensorBase) or v.level_trace is None for v in group.values())

    def on_device(self, i, group, params, grads):
        """Take a step of the parameters that kernels of a device can update; returns what is left."""
        if not undisturbed():
            return params, grads
        plan = self._plans.get((i, "device"))
        if plan is not None and not plan.left and plan.holds(self, group, params) and all(map(fits, params, grads)):
            plan.step(self, group, grads)
            return [], []
        fitting, left = [], []
        for p, g in zip(params, grads):
            (fitting if lies_there(p) and fits(p, g) else left).append((p, g))
        if fitting:
            params, grads = map(list, zip(*fitting))
            if plan is None or not plan.holds(self, group, params):
                plan = self._plans[i, "device"] = DevicePlan(self, group, params)
            plan.step(self, group, grads)
            left += [fitting[k] for k in plan.left]
        return [p for p, _ in left], [g for _, g in left]

    def on_tensors(self, group, params, grads):
        """Take a step of one group, parameter by parameter, with operations on tensors."""
        recorded = group["differentiable"]
        slots, numbers = self.slots(group), self.numbers(group)
        for p, g in zip(params, grads):
            fresh = bool(completed(self, [p], slots, numbers, False))
            state = self.state[p] if slots or numbers else {}
            found = {name: bottom(state[name]).reshape(1) for name in numbers}
            h = self.prepare(group, found, fresh, float_of=kept if recorded else number)
            for array in found.values():
                versions.bump(array)
            # A copy takes the writes of a recorded step: what the next one writes to was not saved for backward.
            mine = [state[name].clone() if recorded else state[name] for name in slots]
            self.formula(TENSORS, h, *[real_view(t) for t in (p, g, *mine)])
            if recorded:
                for name, t in zip(slots, mine):
                    state[name].copy_(t)


def real_view(t):
    """A tensor of real numbers over the memory of one that may be complex."""
    return ROWS["view_as_real"].fun(t) if t.is_complex() else t


def number(x):
    """An option as a number of Python."""
    return x.item() if isinstance(x, TensorBase) else x


def kept(x):
    """An option as it is, so that a step can be differentiated by it."""
    return x.reshape(()) if isinstance(x, TensorBase) else x


def count(numbers):
    """Count a step, and return how many there were."""
    step = numbers["step"]
    step += 1.0
    return first(step)


def first(numbers):
    """The first element of an array, as a Python number; those of a device have one."""
    return numbers.item(0) if type(numbers) is ndarray else numbers.item()


def directed(h, p, g):
    """The direction to descend: the gradient, or minus it to maximize, and what decays the weights into it."""
    if h.maximize:
        g = -g
    if h.decay is not None:
        g = g + p * h.decay
    return g


def usual(group, float_of):
    """`lr`, `decay` (None for none) and `maximize` of a group."""
    decay = float_of(group["weight_decay"])
    if not isinstance(decay, TensorBase) and decay == 0:
        decay = None
    return SimpleNamespace(lr=float_of(group["lr"]), decay=decay, maximize=bool(group["maximize"]))


def check_lr(lr, foreach=None, capturable=False):
    """PyTorch's refusals of a learning rate."""
    if isinstance(lr, TensorBase):
        if foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        if lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
    at_least_zero(lr, "Invalid learning rate: {}")


def at_least_zero(value, message):
    """Refuse a negative number, or what is no number."""
    if not 0.0 <= value:
        raise ValueError(message.format(value))


def check_betas(betas):
    """PyTorch's refusals of two decay rates."""
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_fused(differentiable, foreach):
    """PyTorch's refusals of `fused=True` with what it excludes."""
    if differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


# Steps on a device: one kernel for all parameters of a group, made of the formula of one element.


def lies_there(p):
    """Tell whether a parameter is an array of a device that a kernel can update."""
    return there(p, "fdFD")


def fits(p, g):
    """Tell whether a kernel can take the step of such a parameter by its gradient."""
    x, dx = p.value, g.value
    return (stands_alone(p) and g.level_trace is None and type(dx) is type(x) and dx.dtype == x.dtype
            and dx.shape == x.shape)


class DeviceRun(Run):
    """Parameters of one dtype that a kernel updates: they have been through the same steps."""

    def __init__(self, params, states, slots, numbers, fresh):
        self.params, self.fresh = params, fresh
        self.numbers = {name: Operand([s[name].value for s in states]) for name in numbers}
        self.rows = [[p.value for p in params], *[[s[name].value for s in states] for name in slots]]
        self.roots = [root_of(array) for row in self.rows for array in row]
        self.facts = self.launches = None  # what a kernel was last chosen by, and how it is launched

    def apply(self, formula, h, grads):
        """Take the step."""
        facts, values = taken_apart(h)
        if self.facts != facts:
            self.launches = self.placed(formula, facts)
            self.facts = facts
        params = self.rows[0]
        arrays = [g.value if alike(g.value, x) else laid_like(g.value, x) for x, g in zip(params, grads)]
        self.launches.place(1, arrays)
        self.launches.run(values)
        note_all(self.roots)

    def placed(self, formula, facts):
        """The launches of the kernel for these facts, which lack gradients and numbers alone."""
        params, first = self.rows[0], self.rows[0][0]
        parts = 2 if first.dtype.kind == "c" else 1
        launches = Launches(kernel_of(formula, facts, 1 + len(self.rows), first.real.dtype),
                            [parts * x.size for x in params])
        for k, row in enumerate(self.rows):
            launches.place(k + (k > 0), row)
        return launches


def taken_apart(h):
    """The key that chooses a kernel, `((name, None, True, False, or "number"), …)`, and the numbers passed to it."""
    facts, values = [], []
    for name, value in vars(h).items():
        if value is None or value is True or value is False:
            facts.append((name, value))
        else:
            facts.append((name, "number"))
            values.append(value.item() if isinstance(value, TensorBase) else value)
    return tuple(facts), values


@lru_cache(maxsize=64)
def kernel_of(formula, facts, rows, dtype):
    """The kernel of a formula over a parameter, its gradient, to which it does not write, and its state."""
    names = [name for name, value in facts if value == "number"]
    chosen = {name: value for name, value in facts if value != "number"}

    def update(*given):
        h = SimpleNamespace(**chosen, **dict(zip(names, given)))
        arrays = [x.copy() for x in given[len(names):]]
        formula(np, h, *arrays)
        return arrays[0], *arrays[2:]

    name = "covector_" + formula.__qualname__.partition(".")[0].lower()
    return ListKernel(update, name, len(names), 0, rows, (0, *range(2, rows)), dtype)


class DevicePlan(Plan):
    """The kernels of one group of parameters; `left` are the places of parameters that none takes.

    State that is a number moves to the CPU, where it is counted on, if it was loaded to the device.
    """

    def __init__(self, optimizer, group, params):
        for p in params:
            state = optimizer.state.get(p, {})
            state |= {name: state[name].cpu() for name in optimizer.numbers(group) if name in state}
        super().__init__(optimizer, group, params)

    def cut(self, params, states, slots, numbers, fresh, bundled):
        """Make the runs: all parameters at once that are of one dtype and have been through the same steps."""
        self.left = []
        groups, arrays = {}, []
        for i, (p, state) in enumerate(zip(params, states)):
            x, own = p.value, [state[name].value for name in slots]
            if not all(type(s) is type(x) and s.dtype == x.dtype and s.shape == x.shape and alike(s, x) for s in own):
                self.left.append(i)
            else:
                arrays += [x, *own]
                facts = tuple([float(state[name].value) for name in numbers])
                groups.setdefault((x.dtype, id(p) in fresh, facts), []).append(i)
        together = apart(arrays)
        for (_, new, _), places in groups.items():
            for chosen in [places] if together else [[i] for i in places]:
                run = DeviceRun([params[i] for i in chosen], [states[i] for i in chosen], slots, numbers, new)
                pick = itemgetter(*chosen) if len(chosen) > 1 else itemgetter(slice(chosen[0], chosen[0] + 1))
                self.runs.append((run, pick))
