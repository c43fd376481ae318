"""Every operation of test_operations.py under vmap, vmap of gradients, and forward over reverse, as in PyTorch."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import close, pytorch

_spec = importlib.util.spec_from_file_location("operations", Path(__file__).with_name("test_operations.py"))
_operations = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_operations)
CASES = _operations.CASES


def stacked(a):
    """Three examples; indices and masks are the same in each."""
    return np.stack([a, a * 0.9 + 0.01, a * 0.8 + 0.02]) if a.dtype.kind == "f" else np.stack([a, a, a])


def tensors_of(found):
    """The floating-point tensors among answers."""
    found = found if isinstance(found, tuple | list) else (found,)
    return [t for part in found for t in (tensors_of(part) if isinstance(part, tuple | list) else [part])
            if hasattr(t, "dtype") and t.dtype.is_floating_point]


def total(torch, f, arrays):
    """A number made of the answers of an operation, as a function of its floating-point arguments; and those."""
    whole = [torch.tensor(a.copy()) for a in arrays]
    places = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]

    def loss(*given):
        for i, x in zip(places, given):
            whole[i] = x
        return sum(t.sin().sum() for t in tensors_of(f(torch, *whole)))

    return loss, places


def mapped(torch, f, arrays):
    return torch.func.vmap(lambda *xs: tuple(tensors_of(f(torch, *xs))))(*[torch.tensor(stacked(a)) for a in arrays])


def mapped_last(torch, f, arrays):
    *rest, last = [torch.tensor(a.copy()) for a in arrays]
    last = torch.tensor(np.ascontiguousarray(np.moveaxis(stacked(arrays[-1]), 0, -1)))
    return torch.func.vmap(lambda x: tuple(tensors_of(f(torch, *rest, x))), in_dims=-1)(last)


def gradients_by_example(torch, f, arrays):
    loss, places = total(torch, f, arrays)
    slopes = torch.func.grad(loss, argnums=tuple(range(len(places))))
    return torch.func.vmap(slopes)(*[torch.tensor(stacked(arrays[i])) for i in places])


def forward_over_reverse(torch, f, arrays):
    loss, places = total(torch, f, arrays)
    xs = tuple([torch.tensor(arrays[i].copy()) for i in places])
    return torch.func.jvp(torch.func.grad(loss, argnums=tuple(range(len(places)))), xs, tuple([x.cos() for x in xs]))


def outcome(run, *args):
    try:
        return [np.array(t.detach().tolist()) for t in tensors_of(run(*args))]
    except Exception as error:
        return error


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("run", [mapped, mapped_last, gradients_by_example, forward_over_reverse],
                         ids=lambda run: run.__name__)
def test_operations_agree_with_pytorch(run):
    torch = pytorch()
    compared, wrong = 0, []
    for name, f, arrays in [case[:3] for case in CASES]:
        theirs = outcome(run, torch, f, arrays)
        if isinstance(theirs, Exception) or not theirs:
            continue
        ours = outcome(run, compat, f, arrays)
        if isinstance(ours, NotImplementedError) or "which would drop its derivative" in str(ours):
            continue  # refused
        compared += 1
        dtype = "float32" if name in _operations.ROUGH_IN_PYTORCH else "float64"
        if isinstance(ours, Exception) or not all(
                close(a, b, dtype) for a, b in zip(ours, theirs, strict=True)):
            wrong.append(f"{name}: {ours} here, {theirs} in PyTorch")
    assert not wrong, "\n".join(wrong)
    assert compared > 150
