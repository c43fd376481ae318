"""`from torch.x import name`: small names that programs import, and what is said of those that are not built."""

import importlib

import pytest

import covector.compat.torch as compat
from covector.compat.torch._impl.dispatch.unbuilt import UNBUILT
from harness import attempt


def import_from(module, name, root=compat.__name__):
    exec(f"from {root}{module and '.'}{module} import {name}", {})


def homes():
    """`(module, name)` of each name that is not built, where its module is there."""
    for path in sorted(UNBUILT):
        module, _, name = path.rpartition(".")
        try:
            importlib.import_module(f"{compat.__name__}.{module}".rstrip("."))
        except ImportError:
            continue
        yield module, name


def test_an_import_of_what_is_not_built_says_so():
    for module, name in homes():
        with pytest.raises(ImportError, match=f"torch.{module}{module and '.'}{name} is part of PyTorch, but not"):
            import_from(module, name)
        assert not hasattr(importlib.import_module(f"{compat.__name__}.{module}".rstrip(".")), name)


@pytest.mark.parametrize(("module", "name", "message"), [
    ("", "lobpcg", "use torch.linalg.eigh"), ("nn.functional", "has_torch_function", "torch.overrides has it"),
    ("nn.utils.clip_grad", "_get_total_norm", "cannot import name '_get_total_norm' from "
     "'torch.nn.utils.clip_grad': it is no part of PyTorch's public interface"), ("", "no_such_name", "no part"),
    ("_C", "_VariableFunctions", "what is in C\\+\\+ in PyTorch"), ("_utils", "ExceptionWrapper", "no part"),
    ("optim.sgd", "_single_tensor_sgd", "no part"), ("nn.modules.conv", "no_such_name", "no part")])
def test_what_an_import_says(module, name, message):
    with pytest.raises(ImportError, match=message):
        import_from(module, name)
    try:  # as programs do that have a way round
        import_from(module, name)
    except ImportError:
        pass


def script_weak_dictionaries(torch):
    weak = importlib.import_module(f"{torch.__name__}.utils.weak")
    x, y = torch.ones(2), torch.ones(2)
    room = weak.WeakIdKeyDictionary({x: 1})
    room[y] = 2
    twin = room.copy()
    out = [len(room), room[x], room[y], x in room, torch.ones(2) in room, 3 in room, room == twin,
           sorted(room.values()), [k is x or k is y for k in room], room.get(torch.ones(2), "none"),
           len(room.keyrefs())]
    del y
    out += [len(room), list(room.items())[0][1], len(twin), room.pop(x), len(room), len(twin | {x: 5}), room == twin]
    held = weak.TensorWeakRef(x)
    out.append(held() is x)
    del x, twin
    return [*out, held() is None, weak.WeakTensorKeyDictionary is weak.WeakIdKeyDictionary]


def script_small_names(torch):
    def of(module, name):
        return getattr(importlib.import_module(f"{torch.__name__}.{module}"), name)

    cpu, hub = torch.cpu, of("hub", "ENV_TORCH_HOME")
    stream = cpu.Stream()
    with cpu.stream(stream):
        inside = cpu.current_stream() is stream
    with of("cpu.amp", "autocast")():
        product = torch.ones(2, 2, device="cpu") @ torch.ones(2, 2, device="cpu")
    x = torch.arange(6.0).reshape(2, 3)
    turned = of("nn.modules.rnn", "apply_permutation")(x, torch.tensor([2, 0, 1]))
    states = [(s.name, s.value) for s in of("amp.grad_scaler", "OptState")]
    return [inside, cpu.current_stream() is stream, cpu.Event().query(), cpu.is_initialized(), str(product.dtype),
            turned, states, hub, of("cuda.amp.grad_scaler", "OptState") is of("amp.grad_scaler", "OptState"),
            of("functional", "Tensor") is torch.Tensor,
            torch.jit.onednn_fusion_enabled(), of("cpu.amp", "GradScaler")(enabled=False).is_enabled(),
            attempt(lambda: torch.jit.script_method is None)]
