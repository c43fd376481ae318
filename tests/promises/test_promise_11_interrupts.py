"""Promise 11 for signals: one that arrives anywhere in a call leaves no mode, level or error state behind."""

import pathlib
import signal
import sys
from types import FunctionType

import numpy as np
import pytest

import covector
import covector.compat.torch as torch
from covector.compat.torch._impl.engine.graph_task import RUNNING
from covector.compat.torch._impl.modes.context import Context
from covector.compat.torch._impl.modes.modes import MODES
from covector.compat.torch._impl.state.levels import DUAL
from covector.core.arrays.fp_warnings import enter_error_state, error_state
from covector.core.trace.buffers import CLOSURE_GUARD
from covector.core.trace.tracer import LENIENT
from covector.transforms.scope.axis_environment import _AXES

# Python drops what is raised where it frees an object.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Interrupt(BaseException):
    pass


def _backward():
    x = torch.ones(3, requires_grad=True)
    x.exp().mul(x).sum().backward()
    return x.grad.tolist()


def _hooked():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x.exp().sum()
    y.register_hook(lambda g: g * 2)
    return torch.autograd.grad(y, x, create_graph=True)[0].tolist()


def _step(kind):
    def run():
        p = torch.nn.Parameter(torch.ones(3))
        optimizer = kind([p], lr=0.1)
        (p * p).sum().backward()
        optimizer.step()
        return p.tolist()

    return run


def _closure(kind):
    def run():
        p = torch.nn.Parameter(torch.ones(3))
        optimizer = kind([p])

        def loss():
            optimizer.zero_grad()
            out = (p * p).sum()
            out.backward()
            return out

        optimizer.step(loss)
        return p.tolist()

    return run


def _in_modes():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad(), torch.enable_grad(), torch.autocast("cpu"), torch.inference_mode(False):
        y = x * 2
    return y.tolist()


def _mutated():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = (y * y).sum()
        y.zero_()
        z.backward()
    return x.grad.tolist()


def _filled():
    layer = torch.nn.Linear(2, 2)
    torch.nn.init.orthogonal_(layer.weight)
    torch.nn.init.ones_(layer.weight)
    layer.double().load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)})
    return layer.weight.tolist()


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


def _function():
    x = torch.ones(3, requires_grad=True)
    Square.apply(x).sum().backward()
    return x.grad.tolist()


def _checkpointed():
    x = torch.ones(3, requires_grad=True)
    torch.utils.checkpoint.checkpoint(lambda t: t.sin().exp(), x, use_reentrant=False).sum().backward()
    return x.grad.tolist()


def _dual():
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
        return torch.autograd.forward_ad.unpack_dual(x * x).tangent.tolist()


COMPILED = type(Context.__exit__) is not FunctionType
ROOT = pathlib.Path(covector.__file__).resolve().parent
OURS = str(ROOT.parent if ROOT.name == "api" else ROOT)  # the folders of a clone, or the installed package
CUBE = covector.custom_vjp(lambda x: x**3)
CUBE.defvjp(lambda x: (x**3, x), lambda x, ct: (3 * x * x * ct,))
X = np.array([0.5, 1.0])
ENTRIES = {
    "backward": _backward,
    "grad with hooks": _hooked,
    "sgd": _step(torch.optim.SGD),
    "adam": _step(torch.optim.Adam),
    "lbfgs": _closure(torch.optim.LBFGS),
    "rmsprop with a closure": _closure(torch.optim.RMSprop),
    "modes": _in_modes,
    "mutation of what is saved": _mutated,
    "a module's parameters": _filled,
    "functional.hessian": lambda: torch.autograd.functional.hessian(lambda t: (t**3).sum(), torch.ones(2)).tolist(),
    "functional.vhp": lambda: torch.autograd.functional.vhp(lambda t: (t**3).sum(), torch.ones(2), torch.ones(2))[
        1].tolist(),
    "a Function": _function,
    "a checkpoint": _checkpointed,
    "a dual level": _dual,
    "func.grad": lambda: torch.func.grad(lambda t: (t.sin() * t).sum())(torch.ones(3)).tolist(),
    "func.vmap": lambda: torch.func.vmap(lambda t: t.sin() * t)(torch.ones(3)).tolist(),
    "func.vmap of grad": lambda: torch.func.vmap(torch.func.grad(lambda t: t.sin() * t))(torch.ones(3)).tolist(),
    "func.jvp": lambda: torch.func.jvp(torch.sin, (torch.ones(3),), (torch.ones(3),))[1].tolist(),
    "func.jacrev": lambda: torch.func.jacrev(torch.sin)(torch.ones(2)).tolist(),
    "grad": lambda: covector.grad(lambda x: np.sum(np.sin(x) * x))(X).tolist(),
    "vjp": lambda: covector.vjp(lambda x: np.sin(x) * x, X)[1](X)[0].tolist(),
    "jvp": lambda: covector.jvp(lambda x: np.sin(x) * x, (X,), (X,))[1].tolist(),
    "vmap": lambda: covector.vmap(lambda x: np.sin(x) * x, axis_name="i")(X).tolist(),
    "scan": lambda: covector.grad(lambda x: np.sum(covector.scan(lambda c, r: (c * r, c), x, X)[0]))(1.0).tolist(),
    "custom_vjp": lambda: covector.grad(lambda x: np.sum(CUBE(x)))(X).tolist(),
    "hessian": lambda: covector.hessian(lambda x: np.sum(np.sin(x) * x))(X).tolist(),
    "cond": lambda: covector.grad(lambda x: covector.cond(x > 0, np.sin, np.cos, x))(1.0).tolist(),
    "while_loop": lambda: covector.jvp(lambda x: covector.while_loop(lambda c: c < 9.0, lambda c: c * 2.0, x), (1.0,), (
        1.0,))[1].tolist(),
    "jit of grad": lambda: covector.jit(covector.grad(lambda x: np.sum(np.sin(x) * x)))(X).tolist(),
    "jit": lambda: covector.jit(lambda x: np.sin(x) * x)(X).tolist(),
}


def _state():
    return (MODES.get(), RUNNING.get(), error_state(), np.geterr(), torch.is_grad_enabled(), CLOSURE_GUARD.get(),
            _AXES.get(), LENIENT.get(), DUAL.get())


def _interrupted(run, place):
    """Run with an exception at one of the places where Python looks for signals: the entry of a function of its own,
    and the return of one in C. Says whether there are that many.

    Interpreted, no context of a `with` of the user's can be left any more at the entry of `__exit__`, as in PyTorch.
    """
    left = place

    def look(frame, event, _):
        nonlocal left
        code = frame.f_code
        if code.co_filename.startswith(OURS) and (
                event == "c_return" or event == "call" and (COMPILED or code.co_name != "__exit__")):
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise Interrupt

    sys.setprofile(look)
    try:
        run()
    except Interrupt:
        pass
    finally:
        sys.setprofile(None)
    return left < 0


def _places(name, step):
    run = ENTRIES[name]
    expected, before = run(), _state()
    place, bad = step // 2, []
    while _interrupted(run, place):
        if _state() != before:
            bad.append(place)
            variables = MODES, RUNNING, CLOSURE_GUARD, _AXES, LENIENT, DUAL
            for variable, value in zip(variables, (*before[:2], *before[5:])):
                variable.set(value)
            enter_error_state(before[2])
        place += step
    assert not bad, f"{len(bad)} of {place // step} places leave state behind"
    assert run() == expected and place > step


@pytest.mark.parametrize("name", ENTRIES)
def test_an_interrupt_at_some_places_leaves_nothing(name):
    _places(name, 7)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_an_interrupt_at_every_place_leaves_nothing(name):
    _places(name, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["backward", "adam", "func.vmap of grad", "grad"])
def test_real_signals_leave_nothing(name):
    run = ENTRIES[name]
    expected, before = run(), _state()

    def raising(*_):
        raise Interrupt

    outer = signal.signal(signal.SIGALRM, raising)
    try:
        for k in range(500):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-5 + 1e-6 * (k % 400))
                for _ in range(200):  # longer than it takes; what is raised may be dropped, see above
                    run()
            except Interrupt:
                pass
            assert _state() == before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, outer)
    assert run() == expected
