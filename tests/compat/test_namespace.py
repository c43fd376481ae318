"""The names that `covector.compat.torch` shows: PyTorch's own, and a short list of others with a reason each."""

import contextlib
import functools
import importlib
import types
import warnings

import pytest
from unbuilt import modules, public

import covector.compat.torch as compat
from harness import pytorch

OWN = {"__dir__": "lists the modules below, which are made when they are first asked for",
       "_impl": "the rooms behind the surface: Python sets a package's folders as its attributes",
       "_dynamo": "what PyTorch imports late",
       "onnx": "the same",
       "install": "what lets `import torch` give this module",
       "safetensors": "the functions of the package safetensors.torch, where PyTorch's users look for files",
       "tensorboard": "PyTorch's is not imported without the package of that name"}
MODULES = set("""
__config__ _C _VF _dynamo _higher_order_ops _ops _tensor _utils accelerator amp autograd backends compiler cpu cuda
distributed distributions export fft func functional futures fx jit library linalg masked mps multiprocessing nested nn
onnx ops optim overrides package profiler quantization quasirandom random return_types serialization signal sparse
special storage testing torch torch_version types utils version xpu
""".split())
METHODS = ("expand", "expand_as", "permute_dims", "reshape_as", "unfold", "view_as")  # of tensors alone
NOT_BUILT = ("sparse.spsolve", "symeig", "optim.swap_in_optimizer_params_and_state",
             "sparse_csr_tensor", "distributed.config", "cuda.nccl")


@pytest.mark.reference
def test_every_name_but_a_few_is_pytorchs():
    assert set(dir(compat)) - set(dir(pytorch())) <= set(OWN)


def submodules(module, prefix=""):
    """The dotted names of the public modules below one."""
    for name, value in sorted(vars(module).items()):
        if isinstance(value, types.ModuleType) and value.__name__ == f"{module.__name__}.{name}" and not (
                name in OWN or name.startswith("_")):
            yield prefix + name
            yield from submodules(value, f"{prefix}{name}.")


@pytest.mark.reference
@pytest.mark.parametrize("name", list(submodules(compat)))
def test_every_public_name_of_a_submodule_is_pytorchs(name):
    ours = importlib.import_module(f"{compat.__name__}.{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of PyTorch's own, at the import of distributed.optim
        module = importlib.import_module(f"torch.{name}")
    *above, last = name.split(".")
    room = functools.reduce(getattr, above, pytorch())
    theirs = module, getattr(room, last, None), room  # in backends an object stands in the module's place
    own = [n for n, value in vars(ours).items() if not n.startswith("_") and getattr(
        value, "__module__", None) == ours.__name__]  # what it imports for itself is not its own
    assert [n for n in own if not any(hasattr(place, n) for place in theirs)] == []


def test_modules_are_those_that_pytorch_has():
    found = {name for name in dir(compat) if isinstance(getattr(compat, name), types.ModuleType)}
    by_import = (  # by other tests
        "_custom_ops _functorch _jit_internal _lowrank _subclasses _tensor_str _vmap_internals ao hub")
    assert found - set(by_import.split()) == MODULES | {"_impl"}


@pytest.mark.reference
@pytest.mark.parametrize("name", ["", *modules()])
def test_every_public_name_is_there_or_says_that_it_is_not(name):
    try:
        ours = importlib.import_module(f"{compat.__name__}.{name}".rstrip("."))
    except ModuleNotFoundError:
        with pytest.raises(NotImplementedError, match=f"torch.{name} is part of PyTorch"):
            functools.reduce(getattr, name.split("."), compat)
        return
    pytorch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that PyTorch deprecates; modules it has as soon as others ask
        module = importlib.import_module(f"torch.{name}".rstrip("."))
        words = [word for word in public(module) if not isinstance(getattr(module, word), types.ModuleType)]
    for word in words:
        with contextlib.suppress(NotImplementedError):
            getattr(ours, word)


@pytest.mark.parametrize("name", METHODS)
def test_method_is_no_function(name):
    assert hasattr(compat.Tensor, name)
    assert not hasattr(compat, name)


@pytest.mark.parametrize("name", ["item", "T", "mH", "contiguous", "new_zeros", "uniform", "to", "made_like"])
def test_name_that_pytorch_has_not_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=name):
        getattr(compat, name)


@pytest.mark.parametrize("name", NOT_BUILT)
def test_name_that_is_not_built_says_so(name):
    *modules, last = name.split(".")
    module = getattr(compat, *modules) if modules else compat
    with pytest.raises(NotImplementedError, match=f"torch.{name} is part of PyTorch"):
        getattr(module, last)
    assert not hasattr(module, last)


@pytest.mark.parametrize("name", ["rand_like", "randn_like", "randint_like"])
def test_function_has_its_name(name):
    assert getattr(compat, name).__name__ == name
