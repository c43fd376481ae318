"""Arguments that PyTorch refuses or takes: states of generators, shapes left out, flags, strides, dtypes of `out=`."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, pytorch

PROGRAMS = [
    "torch.Generator().set_state(torch.ones(3))", "torch.Generator().set_state(3)",
    "torch.Generator().manual_seed('a')", "torch.Generator().manual_seed(1.5)",
    "torch.Generator().manual_seed(2**64)", "torch.Generator().manual_seed(-1).initial_seed() != 0",
    "torch.set_rng_state(torch.ones(3))", "torch.rand(2, generator=3)", "torch.Generator('q')",
    "torch.Generator('cuda')",
    "str(torch.Generator().device)", "x.permute()", "x.view()", "x.reshape()", "torch.ones(1).view()",
    "torch.ones(1).view(()).shape", "torch.tensor(1.0).permute()", "torch.permute(torch.tensor(1.0), ()).shape",
    "x.requires_grad_('a')", "x.requires_grad_(1)", "setattr(x, 'requires_grad', 1)",
    "setattr(x.requires_grad_() * 2, 'requires_grad', True)", "x.contiguous(3)", "x.is_contiguous(3)", "x.byte(1)",
    "x.as_strided((2,), (-1,))", "x.as_strided((2,), (1,), -1)", "x.unfold(0, 1, 0)", "x.unfold(0, -1, 1)",
    "x.cross(x, dim=0)", "x.copy_(3).tolist()", "x - True", "True - x", "torch.autograd.graph.increment_version(3)",
    "(x + torch.tensor(1j, dtype=torch.complex128)).dtype",
    "torch.result_type(x, torch.tensor(1j, dtype=torch.complex128))",
    "(torch.tensor(2.0, dtype=torch.double) * (x * 1j)).dtype",
    "torch.sum(x, 0, out=torch.empty(3, dtype=torch.double)).dtype",
    "torch.sum(x, 0, out=torch.empty(3, dtype=torch.int64)).tolist()",
    "torch.prod(x, 0, out=torch.empty(3, dtype=torch.int64)).tolist()",
    "torch.mean(x, 0, out=torch.empty(3, dtype=torch.double)).dtype",
    "torch.mean(x, 0, out=torch.empty(3, dtype=torch.int64))", "x.split([1, -1])", "x.split([1, -1, 2], 1)",
    "torch.cdist(x, x, -1.0)", "torch.cdist(x, torch.ones(2, 2))", "x.stride(5)", "x.stride(-3)",
    "torch.int64.to_complex()", "torch.bool.to_complex()", "torch.bfloat16.to_complex()",
    "torch.use_deterministic_algorithms('a')", "torch.nn.Linear(2.0, 2)", "torch.zeros((2, None))",
    "torch.nn.functional.linear(torch.tensor(1.0), torch.ones(2, 2))", "torch.nn.Linear(2, 2)(torch.tensor(1.0))",
    "torch.nn.functional.linear(torch.ones(2), torch.tensor(2.0))",
    "torch.nn.Bilinear(2, 2, 1)(torch.tensor(1.0), torch.ones(2))",
]


def outcome(torch, program):
    try:
        return str(eval(program, {"torch": torch, "x": torch.arange(6.0).view(2, 3)}))
    except Exception as error:
        return type(error).__name__


def test_a_generator_in_the_same_state():
    g = compat.Generator().manual_seed(3)
    compat.rand(2, generator=g)
    assert compat.equal(compat.rand(2, generator=g.clone_state()), compat.rand(2, generator=g))


def test_a_state_is_looked_at_before_it_is_taken():
    with pytest.raises(TypeError, match="ByteTensor of 80 elements"):
        compat.Generator().set_state(compat.ones(3))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        compat.ones(2, 3).permute()
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
        compat.ones(2) - True


def test_an_item_of_another_type_is_named():
    for call, words in ((lambda: compat.zeros((2.0, 2)), "found element of type float at pos 0"),
                        (lambda: compat.ones(4).new_zeros(2.0), "found element of type float at pos 0"),
                        (lambda: compat.nn.Linear(2.0, 2), "found element of type float at pos 1"),
                        (lambda: compat.ones([2, "a"]), "found element of type str at pos 1")):
        with pytest.raises(TypeError, match=words):
            call()


def test_items_of_another_type_are_refused_after_others_were_taken():
    for _ in range(2):
        assert compat.full((2, 3), 1).shape == compat.full([2, 3], 1).shape == (2, 3)
        assert compat.ones(2, 3).sum((0, 1)).item() == 6 and compat.ones(2, 3).permute((1, 0)).shape == (3, 2)
    for size in ((2, 3.0), [2, "3"], (2, True), (2, compat.ones(1)), (2, None)):
        with pytest.raises(TypeError, match="must be tuple of ints, |invalid combination of arguments"):
            compat.full(size, 1)
        with pytest.raises(TypeError, match="must be tuple of ints, |invalid combination of arguments"):
            compat.randint(0, 9, size)
    assert compat.full((2, compat.tensor(3)), 1).shape == (2, 3)
    with pytest.raises(TypeError):
        compat.full((2, compat.tensor(3.0)), 1)


def test_ranges_of_integers_of_64_bits():
    top = 2**63
    assert compat.arange(top - 8, top - 2, 3).tolist() == [top - 8, top - 5]
    assert compat.arange(5, 0, -2).tolist() == [5, 3, 1] and compat.arange(3, 3).shape == (0,)
    assert compat.arange(5).dtype == compat.int64 and compat.arange(5, dtype=compat.int8).dtype == compat.int8
    with pytest.raises(RuntimeError, match="inconsistent with step sign"):
        compat.arange(3, 1)
    with pytest.raises(RuntimeError, match="must be nonzero"):
        compat.arange(0, 3, 0)


@pytest.mark.parametrize(("start", "end", "steps"), [
    (0, 1, 600), (-3.5, 2.25, 7), (3, 3, 4), (2, 1, 2), (0.1, 5, 1), (0, 1, 0), (1e-45, 0, 9)])
def test_numbers_at_equal_distances_are_those_of_numpy(start, end, steps):
    first, last = np.float64(np.float32(start)), np.float64(np.float32(end))
    found = compat.linspace(start, end, steps).numpy()
    assert found.dtype == np.float32 and np.array_equal(found, np.linspace(first, last, steps).astype(np.float32))
    wide = compat.linspace(start, end, steps, dtype=compat.float64).numpy()
    assert np.array_equal(wide, np.linspace(start, end, steps))


def test_a_complex_number_in_a_tensor_keeps_the_width_of_others():
    assert (compat.ones(2) + compat.tensor(1j, dtype=compat.complex128)).dtype is compat.complex64


@pytest.mark.reference
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_pytorch(program):
    assert outcome(compat, program) == outcome(pytorch(), program)


@pytest.mark.parametrize(("program", "error", "words"), [
    ("x.split([1, -1, 2], 1)", RuntimeError, "only non-negative entries"), ("x.stride(5)", IndexError, "out of range"),
    ("torch.cdist(x, x, -1.0)", RuntimeError, "non-negative p values"),
    ("torch.cdist(x, torch.ones(2, 2))", RuntimeError, "same number of columns"),
    ("torch.int64.to_complex()", RuntimeError, "Unknown Complex ScalarType for Long"),
    ("torch.use_deterministic_algorithms('a')", TypeError, "must be bool, not str")])
def test_refused_values(program, error, words):
    with pytest.raises(error, match=words):
        eval(program, {"torch": compat, "x": compat.ones(2, 3)})


def script_differences_of_booleans_and_negative_sizes(torch):
    b, o = torch.tensor([True]), torch.ones(1)
    calls = [lambda: b - b, lambda: b - o, lambda: o - b, lambda: b - 1, lambda: b - True, lambda: True - b,
             lambda: b.clone().sub_(b), lambda: torch.rsub(b, b), lambda: torch.sub(b, b, alpha=2),
             lambda: torch.zeros(-1), lambda: torch.zeros((2, -3)), lambda: torch.ones(-1), lambda: torch.empty(-1),
             lambda: torch.full((-1,), 1.0), lambda: o.new_zeros(-2), lambda: o.new_ones(-1), lambda: o.expand(-2)]
    return [attempt(call) for call in calls]
