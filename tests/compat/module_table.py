"""PyTorch's own table of modules and inputs, what moves them to compat, and its list of modules: for several tests."""

import inspect

import pytest

import covector.compat.torch as compat
from harness import pytorch

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


def classes():
    """The modules of torch.nn."""
    torch = pytorch()
    return {name: kind for name, kind in vars(torch.nn).items() if inspect.isclass(kind) and issubclass(
        kind, torch.nn.Module) and name not in NOT_HERE}
