"""PyTorch's own table of modules and inputs, run here and there: outputs, gradients, states, errors, signatures."""

import collections
import inspect
import warnings

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import pytorch

pytestmark = pytest.mark.reference
RANDOM = {"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "RReLU"}
NOT_HERE = {"DataParallel"}


def table():
    pytorch()
    from torch.testing._internal.common_modules import module_db
    return module_db


def names():
    try:
        return sorted({info.module_cls.__name__ for info in table()})
    except pytest.skip.Exception:
        return []


def moved(x):
    """A thing of PyTorch's as one of compat's."""
    torch = pytorch()
    if isinstance(x, torch.nn.Parameter):
        return compat.nn.Parameter(compat.tensor(x.detach().numpy().copy()), x.requires_grad)
    if isinstance(x, torch.Tensor):
        return compat.tensor(x.detach().resolve_conj().numpy().copy()).requires_grad_(x.requires_grad)
    if isinstance(x, torch.nn.utils.rnn.PackedSequence):
        return compat.nn.utils.rnn.PackedSequence(*[None if v is None else moved(v) for v in x])
    if isinstance(x, torch.nn.TransformerEncoderLayer):
        a = x.self_attn
        return compat.nn.TransformerEncoderLayer(
            a.embed_dim, a.num_heads, x.linear1.out_features, x.dropout.p, moved(x.activation),
            batch_first=a.batch_first, norm_first=x.norm_first, bias=x.linear1.bias is not None)
    if isinstance(x, torch.nn.LinearCrossEntropyOptions):
        fields = inspect.signature(torch.nn.LinearCrossEntropyOptions).parameters
        return compat.nn.LinearCrossEntropyOptions(**{name: moved(getattr(x, name)) for name in fields})
    if isinstance(x, torch.dtype | torch.device):
        return getattr(compat, str(x).removeprefix("torch.")) if isinstance(x, torch.dtype) else compat.device(x.type)
    if isinstance(x, torch.Size | tuple | list) and not hasattr(x, "_fields"):
        return (compat.Size if isinstance(x, torch.Size) else type(x))(map(moved, x))
    if isinstance(x, dict):
        return {k: moved(v) for k, v in x.items()}
    if callable(x) and not isinstance(x, type):
        name = getattr(x, "__name__", "")
        return getattr(compat.nn.functional, name, None) or getattr(compat, name, x)
    return x


def tensors(nest):
    """The tensors of a nest."""
    if hasattr(nest, "requires_grad"):
        return [nest]
    if isinstance(nest, dict):
        nest = list(nest.values())
    return [t for v in nest for t in tensors(v)] if isinstance(nest, list | tuple) else []


def same(ours, theirs, what):
    assert (ours is None) == (theirs is None), what
    if theirs is None:
        return
    assert (tuple(ours.shape), str(ours.dtype)) == (tuple(theirs.shape), str(theirs.dtype)), what
    a, b = (np.array(t.detach().tolist()) for t in (ours, theirs))
    assert np.allclose(a, b, rtol=1e-8, atol=1e-9, equal_nan=True), f"{what}: {a} here, {b} in PyTorch"


def loss(torch, outputs):
    return sum((torch.cos(torch.arange(t.numel(), dtype=torch.float64)).reshape(t.shape) * t.real).sum()
               for t in outputs if t.requires_grad)


def built(info, given, training):
    """One module of the table in both libraries, with the same state; None where its outputs are random."""
    torch = pytorch()
    args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
    theirs = info.module_cls(*args, **kwargs).double().train(training)
    ours = getattr(compat.nn, info.module_cls.__name__)(
        *[moved(a) for a in args], **{k: moved(v) for k, v in kwargs.items()}).double().train(training)
    if training and any(type(m).__name__ in RANDOM and getattr(m, "p", 1) > 0 for m in theirs.modules()):
        return None
    inputs = given.forward_input.args
    if "Lazy" in info.module_cls.__name__:
        assert repr(ours) == repr(theirs)
        with torch.no_grad():
            theirs(*inputs)
        with compat.no_grad():
            ours(*map(moved, inputs))
        ours, theirs = ours.double(), theirs.double()
    if hasattr(theirs, "_random_samples") and theirs._random_samples is None:
        axes = len(theirs.output_size or theirs.output_ratio)
        batch = inputs[0].shape[0] if inputs[0].dim() == axes + 2 else 1
        theirs._random_samples = torch.rand(batch, inputs[0].shape[-axes - 1], axes, dtype=torch.float64)
        ours._random_samples = moved(theirs._random_samples)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict({k: moved(v) for k, v in theirs.state_dict().items()})
    return ours, theirs


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


def classes():
    """The modules of torch.nn."""
    torch = pytorch()
    return {name: kind for name, kind in vars(torch.nn).items() if inspect.isclass(kind) and issubclass(
        kind, torch.nn.Module) and name not in NOT_HERE}


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
