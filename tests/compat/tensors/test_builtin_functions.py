"""Functions of torch as attributes of classes: those that PyTorch has in C++ bind nothing."""

import copy
import functools
import inspect
import pickle

import pytest

import covector.compat.torch as compat
from harness import pytorch

NAMESPACES = """. nn.functional special linalg fft sparse autograd autograd.functional func nn.init nn.utils random
overrides _VF""".split()


def script_functions_as_attributes_of_a_class(torch):
    functional, x = torch.nn.functional, torch.tensor([0.5, -1.0])

    class Act:
        act, loss, gate, root = torch.tanh, functional.binary_cross_entropy, functional.gelu, torch.linalg.norm
        make, relu, erf, shrink = torch.zeros, functional.relu, torch.special.erf, functional.hardshrink

        def dim(self):  # what functions that bind take for a tensor
            raise LookupError

    a = Act()
    return [a.act(x), a.gate(x), a.root(x), a.make(2), a.erf(x), a.shrink(x), Act.relu(x), Act.act(x),
            a.relu.__self__ is a, a.loss.__self__ is a, a.act is torch.tanh, Act.gate is functional.gelu]


FUNCTIONS = "tanh add zeros nn.functional.gelu nn.functional.relu linalg.norm special.erf gru_cell fft.fft stft".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_pickled_copied_and_inspected_as_itself(name):
    fun = functools.reduce(getattr, name.split("."), compat)
    assert pickle.loads(pickle.dumps(fun)) is fun is copy.deepcopy(fun)
    assert fun.__name__ == name.rpartition(".")[2] and fun.__module__.startswith(compat.__name__) and fun.__doc__
    assert inspect.signature(fun).parameters and callable(fun) and inspect.isroutine(fun)


def test_a_function_and_the_method_it_is_count_as_one_where_they_are_looked_up():
    assert pickle.loads(pickle.dumps(compat.Tensor.tanh)) is compat.Tensor.tanh
    assert {compat.tanh: 1}[compat.Tensor.tanh] == {compat.Tensor.tanh: 1}[compat.tanh] == 1
    assert compat.Tensor.tanh == compat.tanh != compat.Tensor.exp


@pytest.mark.reference
@pytest.mark.parametrize("name", NAMESPACES)
def test_functions_bind_where_those_of_pytorch_do(name):
    rooms = [torch if name == "." else functools.reduce(getattr, name.split("."), torch) for torch in (
        pytorch(), compat)]

    def binds(fun):
        return inspect.ismethod(type("Holder", (), {"held": fun})().held) and not inspect.ismethod(fun)

    differ = []
    for word in dir(rooms[0]):
        pair = [getattr(room, word, None) for room in rooms]
        if word[0] != "_" and all(callable(f) and not isinstance(f, type) for f in pair):
            differ += [word] * (binds(pair[0]) != binds(pair[1]))
    assert [word for word in differ if word not in ("is_multithreading_enabled", "is_view_replay_enabled",
                                                    "kineto_available", "variable")] == []
