"""Everyday mistakes of torch-style scripts: PyTorch's errors, their words and its warnings."""

import math
import warnings

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt


def script_what_dir_lists_is_there(torch):
    x = torch.ones(2, 2)
    return [name for name in dir(x) if name != "imag" and not hasattr(x, name)], "volatile" in dir(x), "shape" in dir(x)


def script_operators_of_dtypes_without_them(torch):
    x, z = torch.tensor([1.5]), torch.tensor([1 + 1j])
    return [attempt(f) for f in (
        lambda: ~x, lambda: torch.bitwise_not(x), lambda: x & 1, lambda: 1 | x, lambda: x ^ True,
        lambda: x.clone().bitwise_and_(1), lambda: torch.bitwise_or(torch.tensor([1]), 1.5),
        lambda: torch.ones(2) & torch.ones(3), lambda: z // 2, lambda: 2 % z, lambda: torch.fmod(z, x),
        lambda: torch.div(z, 2, rounding_mode="floor"), lambda: torch.div(z, 2, rounding_mode="trunc"),
        lambda: z < z, lambda: x >= z, lambda: x < 2j, lambda: z > 1, lambda: z == z, lambda: ~torch.tensor([1, 2]))]


def script_outputs_of_another_dtype(torch):
    z, whole, flags = torch.tensor([3 + 4j]), torch.tensor([1, 2]), torch.tensor([True, False])
    return [attempt(f) for f in (
        lambda: torch.abs(z, out=torch.empty(1, dtype=torch.float64)),
        lambda: torch.abs(z, out=torch.empty(1, dtype=torch.complex64)),
        lambda: torch.abs(z, out=torch.empty(1, dtype=torch.int32)),
        lambda: torch.all(whole, out=torch.tensor(0, dtype=torch.uint8)),
        lambda: torch.any(flags, 0, out=torch.tensor(0, dtype=torch.uint8)),
        lambda: torch.all(whole, out=torch.tensor(0, dtype=torch.int32)),
        lambda: torch.any(flags, 0, out=torch.tensor(0.0)),
        lambda: torch.add(torch.ones(2), 1, out=torch.empty(2, device="meta")),
        lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=torch.empty(2, 2, device="meta")))]


def script_layers_of_another_dtype(torch):
    F, f64 = torch.nn.functional, torch.float64  # noqa: N806
    x, w, image = torch.ones(4, 3), torch.ones(2, 3), torch.ones(1, 1, 2, 2)
    kernel = torch.ones(1, 1, 1, 1)
    return [attempt(f) for f in (
        lambda: F.linear(x.double(), w, torch.ones(2)), lambda: F.linear(x, w, torch.ones(2, dtype=f64)),
        lambda: F.linear(x.long(), w), lambda: F.linear(x[0], w.double(), bias=torch.ones(2, dtype=f64)),
        lambda: F.conv2d(image.double(), kernel, torch.ones(1)), lambda: F.conv2d(image.long(), kernel),
        lambda: F.conv2d(image.double(), kernel, torch.ones(1, dtype=f64), padding=1))]


def script_places_that_are_not_there(torch):
    x = torch.arange(12).view(3, 4)
    flags = torch.tensor([True, False])
    z = torch.zeros(2, 3)

    def put(value):
        z[0] = value

    return [attempt(f) for f in (
        lambda: x[flags], lambda: x[:, flags], lambda: x[1, flags], lambda: x[None, flags],
        lambda: x[torch.ones(3, 5, dtype=torch.bool)], lambda: torch.arange(4)[torch.tensor([-1, -5])],
        lambda: put(np.array([1, 2, 3])), lambda: put([1, 2, 3]), lambda: torch.ones(()).permute())]


def script_numbers_in_the_notation_asked_for(torch):
    tensors = [torch.tensor(v) for v in ([1.23456, 1e-5], [1.0, 1e5], [1.0, 2.0], [0.5, 1e9], [0.0, float("inf")])]
    out = [repr(t) for t in tensors]
    for sci_mode in (True, False):
        torch.set_printoptions(precision=2, sci_mode=sci_mode)
        out += [repr(t) for t in tensors]
    torch.set_printoptions(profile="default")
    return out


def script_warnings_of_arguments_left_out(torch):
    F, x = torch.nn.functional, torch.ones(2, 3)  # noqa: N806
    out = []
    for call in (lambda: F.softmax(x), lambda: F.log_softmax(x), lambda: F.softmin(x), lambda: torch.nn.Softmax()(x),
                 lambda: F.softmax(x), lambda: F.softmax(x, 1)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            call()
        out.append([(w.category.__name__, str(w.message)) for w in seen])
    return out


def script_numbers_of_tensors_with_a_history(torch):
    torch.set_warn_always(True)
    x = torch.ones(1, requires_grad=True)
    y, out = x.sum(), []

    def unrecorded():
        with torch.no_grad():
            return float(y)

    for call in (lambda: float(x), lambda: complex(y), lambda: int(y), lambda: y.item(), lambda: bool(y), unrecorded,
                 lambda: round(math.sin(y), 6), lambda: torch.tensor([[y]]), lambda: torch.as_tensor([y.detach()]),
                 lambda: y.tolist(), lambda: f"{y:.2f}", lambda: float(x.detach()), lambda: torch.zeros(2).fill_(y)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            out.append(call())
        out.append([(w.category.__name__, str(w.message).partition(" (Triggered")[0]) for w in seen])
    torch.set_warn_always(False)
    return out


@pytest.mark.filterwarnings("always")
def test_meshgrid_warns_once_that_it_wants_an_indexing():
    compat.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="required to pass the indexing argument") as seen:
            compat.meshgrid(compat.arange(2))
    finally:
        compat.set_warn_always(False)
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax") as seen:
        compat.nn.functional.softmax(compat.ones(2))
    assert seen[0].filename == __file__


@pytest.mark.filterwarnings("always")
def test_cross_without_an_axis_and_range_warn_at_the_users_line():
    compat.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="torch.cross without specifying the dim arg") as seen:
            compat.cross(compat.ones(4, 3), compat.ones(4, 3))
    finally:
        compat.set_warn_always(False)
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="torch.range is deprecated") as seen:
        compat.range(1, 3)
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="torch.range is deprecated") as seen:
        compat.range(1, 3, dtype=compat.float64)
    assert seen[0].filename == __file__


@pytest.mark.parametrize("name", ["_dynamo.optimize", "_dynamo.explain", "_dynamo.run"])
def test_parts_that_are_not_implemented_name_themselves(name):
    part, _, last = name.rpartition(".")
    with pytest.raises(NotImplementedError, match=f"torch.{name} is part of PyTorch") as error:
        getattr(getattr(compat, part), last)
    assert isinstance(error.value, AttributeError)
    assert not hasattr(getattr(compat, part), last)
