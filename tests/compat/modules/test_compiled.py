"""torch.compile: what scripts find of a compiled module, and of a function."""

import copy
import pickle
import warnings

import pytest

from harness import attempt, compat, message, without_modules


def quiet(fn):
    """The answer of a function whose warnings do not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


def network(torch):
    """Two layers with known weights, and the compiled module of them."""
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()).double()
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.arange(p.numel(), dtype=torch.float64).reshape(p.shape) / 4)
    return m, quiet(lambda: torch.compile(m, backend="eager"))


def script_what_a_compiled_module_shows(torch):
    m, c = network(torch)
    c.remark = 3
    found = [type(c).__name__, repr(c), c._orig_mod is m, isinstance(c, torch.nn.Module), len(c), m.remark, c.remark,
             isinstance(c, torch.nn.Sequential), [n for n, _ in c.named_parameters()],
             [n for n, _ in c.named_modules()], [n for n, _ in c.named_children()], c.training,
             c.eval() is c, m.training, m[1].training, c.train().training]
    del c.remark
    found += [hasattr(m, "remark"), message(lambda: c[0]), message(lambda: c.missing),
              message(lambda: len(quiet(lambda: torch.compile(torch.nn.Tanh(), backend="eager"))))]
    return found


def script_state_of_a_compiled_module(torch):
    m, c = network(torch)
    state = c.state_dict()
    found = [state, str(c.load_state_dict(state)), without_modules(str(m.load_state_dict(state, strict=False)))]
    c.requires_grad_(False)
    c.float()
    twin = copy.deepcopy(c)
    return [*found, m[0].weight.requires_grad, m[0].weight, type(twin).__name__, twin._orig_mod is m, twin.state_dict()]


def script_hooks_and_gradients(torch):
    m, c = network(torch)
    seen = []
    m.register_forward_hook(lambda *a: seen.append("inner"))
    c.register_forward_hook(lambda *a: seen.append("outer"))
    c.register_full_backward_hook(lambda *a: seen.append("backward"))
    x = torch.ones(1, 2, dtype=torch.float64, requires_grad=True)
    out = m(x)
    out.sum().backward()
    return [seen, out, m[0].weight.grad, x.grad]


def script_refusals_of_options(torch):
    f = torch.sin
    return [attempt(lambda: torch.compile(1)), attempt(lambda: torch.compile(f, mode="x")),
            attempt(lambda: torch.compile(f, mode="default", options={})),
            torch.compile(f, disable=True) is f, type(torch.compile(torch.nn.Tanh(), disable=True)).__name__,
            attempt(lambda: torch.compile(1, disable=True))[:2]]


def test_a_compiled_module_computes_what_the_module_does():
    m, c = network(compat)
    x = compat.ones(1, 2, dtype=compat.float64, requires_grad=True)
    c(x).sum().backward()
    assert compat.equal(c(x), m(x)) and m[0].weight.grad is not None
    again = pickle.loads(pickle.dumps(c))
    assert type(again) is type(c) and compat.equal(again(x), m(x))
    assert isinstance(c, compat._dynamo.OptimizedModule) and bool(quiet(lambda: compat.compile(compat.nn.Sequential())))


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("call", [lambda: compat.compile(compat.sin), lambda: compat.nn.Tanh().compile()])
def test_a_note_says_that_nothing_is_faster(call):
    compat.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="compile makes nothing faster here.*covector.jit") as seen:
            call()
    finally:
        compat.set_warn_always(False)
    assert seen[0].filename == __file__
