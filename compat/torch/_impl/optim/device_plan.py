"""Steps on a device: one kernel for all parameters of a group, made of the formula of one element."""

from functools import lru_cache
from operator import itemgetter
from types import SimpleNamespace

import numpy as np

from ..graph.versions import note_all, root_of
from ..lists.kernel import Launches, ListKernel
from ..lists.layout import alike, apart, laid_like
from ..lists.plain import stands_alone, there
from ..types.tensor_type import TensorBase
from .flat import Operand, Plan, Run


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
