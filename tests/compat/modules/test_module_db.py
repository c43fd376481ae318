"""PyTorch's own table of modules and inputs, run here and there: outputs, gradients, states, errors, signatures."""

import collections
import inspect
import warnings

import numpy as np
import pytest
from module_table import built, classes, moved, names, table, tensors

import covector.compat.torch as compat
from harness import pytorch

pytestmark = pytest.mark.reference


def same(ours, theirs, what):
    assert (ours is None) == (theirs is None), what
    if theirs is None:
        return
    assert (tuple(ours.shape), str(ours.dtype)) == (tuple(theirs.shape), str(theirs.dtype)), what
    a, b = (np.array(t.detach().tolist()) for t in (ours, theirs))
    b = np.where(np.isnan(b) & (a == 0), 0, b)  # 0 * NaN: a zero cotangent is strong here
    assert np.allclose(a, b, rtol=1e-8, atol=1e-9, equal_nan=True), f"{what}: {a} here, {b} in PyTorch"


def loss(torch, outputs):
    return sum((torch.cos(torch.arange(t.numel(), dtype=torch.float64)).reshape(t.shape) * t.real).sum()
               for t in outputs if t.requires_grad)


def compare(info, given, training):
    both = built(info, given, training)
    if both is None:
        return
    ours, theirs = both
    args, kwargs = given.forward_input.args, given.forward_input.kwargs
    inputs = tensors([args, kwargs])
    mine = [moved(a) for a in args], {k: moved(v) for k, v in kwargs.items()}
    a, b = tensors(ours(*mine[0], **mine[1])), tensors(theirs(*args, **kwargs))
    assert [t.requires_grad for t in a] == [t.requires_grad for t in b]
    for k, pair in enumerate(zip(a, b, strict=True)):
        same(*pair, f"output {k}")
    if any(t.requires_grad for t in b):
        loss(compat, a).backward()
        loss(pytorch(), b).backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        same(p.grad, q.grad, f"gradient of {name}")
    for (name, p), q in zip(ours.named_buffers(), theirs.buffers(), strict=True):
        same(p, q, name)
    for k, (p, q) in enumerate(zip(tensors(list(mine)), inputs, strict=True)):
        if q.is_leaf and q.requires_grad:
            same(p.grad, q.grad, f"gradient of input {k}")


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", names())
def test_module_gives_what_pytorchs_gives(name, training):
    torch, count = pytorch(), 0
    for info in [info for info in table() if info.module_cls.__name__ == name]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for given in info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=True,
                                                 training=training):
                if given.forward_input is not None:
                    compare(info, given, training)
                    count += 1
    assert count


def failure(torch, convert, given, constructing):
    """The error that a module gives, as text."""
    try:
        kind = given.constructor_input
        m = torch(*[convert(a) for a in kind.args], **{k: convert(v) for k, v in kind.kwargs.items()})
        if not constructing:
            given = given.forward_input
            m.double()(*[convert(a) for a in given.args], **{k: convert(v) for k, v in given.kwargs.items()})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "none"


@pytest.mark.parametrize("name", names())
def test_module_refuses_in_pytorchs_words(name):
    torch = pytorch()
    for info in table():
        if info.module_cls.__name__ != name or info.module_error_inputs_func is None:
            continue
        for wrong in info.module_error_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=True,
                                                   training=True):
            constructing = wrong.error_on.name == "CONSTRUCTION_ERROR"
            given = wrong.module_error_input
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours, theirs = (failure(getattr(lib.nn, name), convert, given, constructing)
                                for lib, convert in ((compat, moved), (torch, lambda x: x)))
            assert ours == theirs


def signature(fun):
    """The parameters of a function, defaults that are functions by their names."""
    return [(p.name, p.kind, getattr(p.default, "__name__", str(p.default))) for p in
            inspect.signature(fun).parameters.values()]


def test_every_module_of_pytorch_is_there():
    assert set(classes()) == set(compat.nn.modules.__all__) - {"LinearCrossEntropyOptions"}


def test_signatures_are_pytorchs():
    for name, theirs in classes().items():
        ours = getattr(compat.nn, name)
        assert signature(ours.__init__) == signature(theirs.__init__), name
        assert signature(ours.forward) == signature(theirs.forward), name
        own = [n for n, f in vars(theirs).items() if inspect.isfunction(f) and n[0] != "_" and name != "Module"]
        assert [n for n in own if not hasattr(ours, n)] == [], name


@pytest.mark.parametrize("module", ["nn.init", "nn.utils", "nn.utils.rnn", "nn.utils.parametrize", "nn.grad",
                                    "nn.utils.parametrizations", "nn.utils.prune", "nn.utils.stateless"])
def test_functions_have_pytorchs_signatures(module):
    import importlib
    ours, theirs = (importlib.import_module(f"{lib.__name__}.{module}") for lib in (compat, pytorch()))
    found = collections.Counter()
    for name, fun in vars(theirs).items():
        public = inspect.isfunction(fun) and name[0] != "_" and fun.__module__.startswith(theirs.__name__)
        if public and name != "bind":
            assert signature(getattr(ours, name)) == signature(fun), name
            found[module] += 1
    assert found[module]


def test_methods_of_modules_are_pytorchs():
    missing = {"T_destination", "ipu", "xpu", "mtia"}
    theirs = {name: f for name, f in vars(pytorch().nn.Module).items() if not name.startswith("_")}
    assert {name for name in theirs if not hasattr(compat.nn.Module, name)} == missing
    for name, fun in theirs.items():
        if inspect.isfunction(fun) and name not in missing:
            assert signature(getattr(compat.nn.Module, name)) == signature(fun), name
