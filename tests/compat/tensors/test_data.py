"""Tensors from data, their limits, memory formats and casts."""

import copy
import io
import subprocess
import sys
import warnings

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import table


def script_tensor_of_numbers(T):
    return table(
        [
            lambda: T.tensor([2**63]),
            lambda: T.tensor(2**63),
            lambda: T.tensor(2**64),
            lambda: T.tensor([-(2**63) - 1]),
            lambda: T.tensor([2**63 - 1]),
            lambda: T.tensor([2**63], dtype=T.uint64),
            lambda: T.tensor([2**63, 1.5]),
            lambda: T.tensor([300], dtype=T.uint8),
            lambda: T.tensor([-1], dtype=T.uint8),
            lambda: T.tensor([-256], dtype=T.uint8),
            lambda: T.tensor([128], dtype=T.int8),
            lambda: T.tensor([1.5], dtype=T.int32),
            lambda: T.tensor([1e20], dtype=T.int32),
            lambda: T.tensor([float("nan")], dtype=T.int64),
            lambda: T.tensor([1e40]),
            lambda: T.tensor([2**70], dtype=T.float64),
            lambda: T.tensor([1j], dtype=T.float32),
            lambda: T.tensor([1j], dtype=T.int32),
            lambda: T.tensor([0.5, 1j], dtype=T.bool),
            lambda: T.tensor([True, 1.5]),
            lambda: T.tensor([1, 1.5, 2j]),
            lambda: T.tensor([-1], dtype=T.uint64),
            lambda: T.tensor([1.5], dtype=T.uint64),
            lambda: T.tensor([1e6], dtype=T.float16),
        ]
    )


def script_tensor_of_nested_data(T):
    return table(
        [
            lambda: T.tensor([[1, 2], [3]]),
            lambda: T.tensor([[1], 2]),
            lambda: T.tensor([1, [2]]),
            lambda: T.tensor(["a"]),
            lambda: T.tensor("a"),
            lambda: T.tensor(None),
            lambda: T.tensor([1, None]),
            lambda: T.tensor({1: 2}),
            lambda: T.tensor([]),
            lambda: T.tensor([[]]),
            lambda: T.tensor(range(3)),
            lambda: T.tensor([T.ones(1), T.zeros(1)]),
            lambda: T.tensor([T.ones(2), T.zeros(2)]),
            lambda: T.tensor([T.tensor(1.0), 2]),
            lambda: T.tensor([T.tensor(1, dtype=T.int8), 2]),
            lambda: T.tensor([np.float32(1), 2.0]),
            lambda: T.tensor([np.float64(1)]),
            lambda: T.tensor(np.int32(1)),
            lambda: T.tensor([np.ones(2, np.float32), [1, 2]]),
            lambda: T.tensor([np.array(1.0), 2]),
            lambda: T.tensor(np.array([300]), dtype=T.uint8),
            lambda: T.tensor(np.array(["a"])),
            lambda: T.tensor(np.array([1.0, 2.0])[::-1]),
            lambda: T.tensor(np.array([1], dtype=">i4")),
            lambda: T.Tensor([[1, 2], [3]]),
            lambda: T.Tensor(2.5),
            lambda: T.LongTensor([1.5]),
            lambda: T.tensor(b"ab"),
            lambda: T.ones(2).new(2, 3).shape,
            lambda: T.ones(2, dtype=T.int64).new([1, 2]),
            lambda: T.ones(2, dtype=T.int64).new_tensor([1.5]),
        ]
    )


def script_fills_check_their_number(T):
    return table(
        [
            lambda: T.full((2,), 2**63),
            lambda: T.full((2,), 2**64),
            lambda: T.full((2,), 300, dtype=T.uint8),
            lambda: T.full((2,), -1, dtype=T.uint8),
            lambda: T.full((2,), 1e20, dtype=T.int32),
            lambda: T.full((2,), 1j, dtype=T.float32),
            lambda: T.full((2,), 1e40, dtype=T.float32),
            lambda: T.full((2,), 1e6, dtype=T.float16),
            lambda: T.zeros(2, dtype=T.uint8).fill_(300),
            lambda: T.zeros(2, dtype=T.uint8).fill_(-1),
            lambda: T.zeros(2, dtype=T.int32).fill_(1.5),
            lambda: T.zeros(2).fill_(1j),
            lambda: T.zeros(2).fill_(T.ones(2)),
            lambda: T.zeros(2, dtype=T.uint8).__setitem__(0, 300),
            lambda: T.zeros(2).__setitem__(0, 1j),
            lambda: T.zeros(2).__setitem__(0, 1e40),
            lambda: T.zeros(2).__setitem__(T.tensor([1]), -1e40),
            lambda: T.zeros(2).__setitem__(0, 2**63),
            lambda: T.zeros(2, dtype=T.float16).__setitem__(0, -(2**64)),
            lambda: T.zeros(2, dtype=T.complex64).__setitem__(0, 1e40j),
            lambda: T.zeros(2, dtype=T.complex64).fill_(1e40),
            lambda: T.full((2,), complex("inf"), dtype=T.complex64),
            lambda: T.full((2,), -70000.0, dtype=T.int16),
            lambda: T.zeros(2, dtype=T.int32).__setitem__(0, 1.5),
            lambda: T.ones(2, dtype=T.uint8).masked_fill(T.tensor([True, False]), 300),
        ]
    )


def script_writes_through_shared_elements(T):
    def through(write):
        x = T.ones(1)
        write(x.expand(3, 2))
        return x

    return table(
        [
            lambda: through(lambda v: v.__setitem__((0, 0), 5)),
            lambda: through(lambda v: v.fill_(4)),
            lambda: through(lambda v: v[0].zero_()),
            lambda: through(lambda v: v.copy_(T.zeros(3, 2))),
            lambda: through(lambda v: v.__setitem__(0, T.zeros(2))),
            lambda: through(lambda v: v.add_(1)),
            lambda: (lambda a: a[1:].copy_(a[:-1]))(T.arange(4.0)),
            lambda: (lambda a: a.copy_(a))(T.arange(4.0)),
            lambda: (lambda a: a[:2].copy_(a[2:]))(T.arange(4.0)),
        ]
    )


def script_random_checks_its_arguments(T):
    i = T.ones(2, dtype=T.int64)
    return table(
        [
            lambda: T.rand(2, dtype=T.int32),
            lambda: T.randn(2, dtype=T.bool),
            lambda: T.rand_like(i),
            lambda: i.normal_(),
            lambda: i.uniform_(),
            lambda: i.exponential_(),
            lambda: i.cauchy_(),
            lambda: i.log_normal_(),
            lambda: T.ones(2).uniform_(2, 1),
            lambda: T.ones(2).normal_(0, -1),
            lambda: T.ones(2).exponential_(-1),
            lambda: T.ones(2).cauchy_(0, -1),
            lambda: T.ones(2).log_normal_(0, -1),
            lambda: T.ones(2).geometric_(2),
            lambda: T.ones(2).bernoulli_(2),
            lambda: T.ones(2).bernoulli_(T.tensor([2.0, 0.5])),
            lambda: T.ones(2).random_(5, 3),
            lambda: T.ones(2, dtype=T.uint8).random_(0, 1000),
            lambda: T.bernoulli(T.tensor([2.0])),
            lambda: T.bernoulli(T.tensor([1])),
            lambda: T.bernoulli(T.tensor([float("nan")])),
            lambda: T.bernoulli(T.ones(2), 0.0),
            lambda: T.randint(5, 3, (2,)),
            lambda: T.randint(0, (2,)),
            lambda: T.randperm(-1),
            lambda: T.normal(0.0, -1.0, (2,)),
            lambda: T.normal(T.ones(2), T.ones(3)),
            lambda: T.poisson(T.tensor([-1.0])),
            lambda: T.poisson(i),
            lambda: T.multinomial(T.tensor([-1.0, 2.0]), 1),
            lambda: T.multinomial(T.tensor([0.0, 0.0]), 1),
            lambda: T.multinomial(T.tensor([1.0, 2.0]), 0),
            lambda: T.multinomial(T.tensor([1, 2]), 1),
            lambda: bool((T.randn(9, dtype=T.complex64).imag != 0).all()),
            lambda: T.rand(3, 2, dtype=T.complex128).dtype,
        ]
    )


def script_ranges_and_numbers_check_their_arguments(T):
    return table(
        [
            lambda: T.eye(-1),
            lambda: T.eye(2, -1),
            lambda: T.linspace(0, 1, steps=-1),
            lambda: T.logspace(0, 1, -1),
            lambda: T.linspace(0, 1j, 3),
            lambda: float(T.ones(2)),
            lambda: int(T.ones(0)),
            lambda: complex(T.ones(2)),
            lambda: bool(T.ones(2)),
            lambda: T.ones(2).item(),
            lambda: T.range(0, 3),
            lambda: T.range(1, 2, 0.5),
            lambda: T.range(3, 1),
            lambda: T.complex(T.ones(1), T.ones(1).double()),
            lambda: T.complex(T.ones(1).int(), T.ones(1).int()),
            lambda: T.complex(T.ones(1), 2.0),
            lambda: T.complex(T.ones(2), T.ones(3)),
            lambda: T.complex(T.ones(2), T.ones(1)),
            lambda: T.ones(2).to(3),
            lambda: T.ones(2).to(None),
            lambda: T.ones(2).to(T.float64, True, True).dtype,
            lambda: T.ones(2).to("cpu", T.float64).dtype,
            lambda: T.ones(2).to(foo=1),
        ]
    )


def script_limits(T):
    names = "bits eps max min tiny smallest_normal resolution dtype".split()
    floating = [T.bfloat16, T.float16, T.float32, T.float64]
    return (
        table(
            [
                lambda: T.finfo(T.int32),
                lambda: T.iinfo(T.float32),
                lambda: T.iinfo(T.bool),
                lambda: T.finfo(),
                lambda: T.finfo(T.complex64),
            ]
        ),
        [repr(T.finfo(d)) for d in floating],
        [[getattr(T.finfo(d), n) for n in names] for d in floating],
        [repr(T.iinfo(d)) for d in (T.uint8, T.int8, T.int16, T.int32, T.int64)],
        T.iinfo(T.int16).bits,
    )


def script_memory_formats(T):
    x = T.arange(24.0).reshape(1, 2, 3, 4)
    last = x.contiguous(memory_format=T.channels_last)
    big = T.ones(2, 3, 4, 5, 6)
    return (
        last,
        x.to(memory_format=T.channels_last),
        x.clone(memory_format=T.channels_last),
        x.double(memory_format=T.channels_last),
        T.empty(2, 3, 4, 5, memory_format=T.channels_last).stride(),
        T.zeros_like(x, memory_format=T.channels_last),
        T.empty_like(last).stride(),
        last.clone(),
        last + 1,
        last.double(),
        last.contiguous(),
        T.ones_like(last, memory_format=T.contiguous_format),
        [last.is_contiguous(memory_format=f) for f in (T.contiguous_format, T.channels_last)],
        [x.is_contiguous(memory_format=f) for f in (T.contiguous_format, T.channels_last)],
        big.contiguous(memory_format=T.channels_last_3d).stride(),
        last.diagonal(0, 1, 3).stride(),
        table(
            [
                lambda: T.ones(2, 3).contiguous(memory_format=T.channels_last),
                lambda: big.contiguous(memory_format=T.channels_last),
                lambda: T.ones(2, 3).to(memory_format=T.channels_last),
                lambda: T.ones(2, 3).is_contiguous(memory_format=T.channels_last),
                lambda: x.contiguous(memory_format=T.preserve_format),
            ]
        ),
    )


def script_memory_formats_keep_history(T):
    x = T.arange(24.0).reshape(1, 2, 3, 4).requires_grad_()
    y = x.contiguous(memory_format=T.channels_last)
    (y * y).sum().backward()
    return y, x.grad


def script_writes_through_views_of_other_orders(T):
    x = T.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=T.channels_last).clone()
    x.diagonal(0, 2, 3).fill_(-1)
    y = T.zeros(1, 3, 2, 2).contiguous(memory_format=T.channels_last).clone()
    y.unfold(1, 1, 1).fill_(2)
    return x, y


def script_deepcopy_keeps_sharing(T):
    a = T.zeros(2, 3)
    b, c, d = copy.deepcopy([a, a.view(6), a.t()])
    b.add_(1)
    e = copy.deepcopy(T.zeros(4, 6)[1:, ::2])
    f = copy.deepcopy(T.ones(1).expand(3, 2))
    return a, b, c, d, b.data_ptr() == c.data_ptr(), e.stride(), e.storage_offset(), f.stride()


def script_asarray(T):
    x = T.ones(2, requires_grad=True)
    return table(
        [
            lambda: T.asarray([1, 2]),
            lambda: T.asarray([1], copy=False),
            lambda: T.asarray(np.ones(2), copy=False),
            lambda: T.asarray(x, requires_grad=False).requires_grad,
            lambda: T.asarray(x).requires_grad,
            lambda: T.asarray(b"abcd", dtype=T.uint8),
            lambda: T.asarray(np.float32(3)),
            lambda: T.asarray(np.ones(2), dtype=T.float32, copy=False),
            lambda: T.as_tensor(np.array([1.0])[::-1]),
            lambda: T.frombuffer(bytearray(b"abcdefgh"), dtype=T.int32, count=1, offset=4),
            lambda: T.frombuffer(bytearray(b"abcdefg"), dtype=T.int32),
            lambda: T.frombuffer(b"", dtype=T.int8),
            lambda: T.frombuffer(bytearray(b"abcd"), dtype=T.int32, count=2),
            lambda: T.frombuffer(bytearray(b"abcd"), dtype=T.int8, offset=9),
        ]
    )


def script_empty_strided(T):
    return table(
        [
            lambda: T.empty_strided((2, 3), (1, 2)).fill_(1),
            lambda: T.empty_strided((2, 3), (1,)),
            lambda: T.empty_strided((2,), (-1,)),
            lambda: T.empty_strided((0, 3), (1, 1)).shape,
            lambda: T.ones(1).double().new_empty_strided((2, 2), (4, 1)).dtype,
        ]
    )


def warned(fn):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fn()
    return [str(w.message)[:55] for w in caught]


def test_dropped_imaginary_parts_and_read_only_memory_are_warned_of():
    import covector.compat.torch as torch
    from covector.compat.torch._impl.modes import warnings as once

    z = torch.ones(2, dtype=torch.complex64)
    words = "Casting complex values to real discards the imaginary p"
    assert warned(lambda: z.to(torch.float32)) == warned(lambda: z.int()) == [words]
    assert warned(lambda: torch.ones(2).copy_(z)) == [words]
    assert warned(lambda: z.to(torch.complex128)) == warned(lambda: z.bool()) == []
    once._GIVEN.clear()
    read_only = np.frombuffer(b"abcd", np.uint8)
    assert len(warned(lambda: torch.from_numpy(read_only))) == 1
    assert warned(lambda: torch.from_numpy(read_only)) == []


def script_integers_beside_small_dtypes(T):
    u, i = T.ones(2, dtype=T.uint8), T.ones(2, dtype=T.int8)
    return table(
        [
            lambda: u + 300,
            lambda: T.zeros(2, dtype=T.int32) + 2**40,
            lambda: u * -1,
            lambda: u - 2,
            lambda: i * 200,
            lambda: u < -1,
            lambda: u == 257,
            lambda: i > 200,
            lambda: T.tensor([1]) + 2**64,
            lambda: u.clone().add_(300),
            lambda: T.tensor([-5]) & 300,
            lambda: u.clamp(0, 300),
            lambda: T.where(T.tensor([True, False]), u, 300),
            lambda: u.clamp(max=5),
        ]
    )


WITHOUT_BFLOAT16 = """
import copy, io, sys
sys.modules["ml_dtypes"] = None
import covector.compat.torch as torch
x = torch.ones(2)
roads = [lambda: torch.zeros(2, dtype=torch.bfloat16), lambda: x.bfloat16(), lambda: torch.ones(2).int().bfloat16(),
         lambda: x.to(torch.bfloat16), lambda: x.type("torch.BFloat16Tensor"), lambda: x.type(torch.bfloat16),
         lambda: torch.load(io.BytesIO(sys.stdin.buffer.read()))]
print(copy.copy(torch.bfloat16) is torch.bfloat16, torch.bfloat16 in {torch.half: 1}, torch.finfo(torch.bfloat16).eps,
      torch.promote_types(torch.bfloat16, torch.half), x.dtype == torch.bfloat16)
print(x.half().dtype, x.to(torch.float16).dtype, x.type("torch.HalfTensor").dtype)
for road in roads:
    try:
        print(road())
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_without_its_package_bfloat16_is_named_and_refused_on_every_road():
    pytest.importorskip("ml_dtypes", reason="writes the file; needs the `bf16` extra")
    file = io.BytesIO()
    compat.save(compat.ones(2).bfloat16(), file)
    done = subprocess.run([sys.executable, "-P", "-c", WITHOUT_BFLOAT16], input=file.getvalue(), capture_output=True,
                          timeout=60, check=True)
    named, cast, *refusals = done.stdout.decode().splitlines()
    assert named == "True False 0.0078125 torch.float32 False"
    assert cast == "torch.float16 torch.float16 torch.float16"
    words = " bfloat16 needs the package ml_dtypes, which is not installed; pip install covector[bf16]"
    assert refusals == [kind + words for kind in ("NotImplementedError", "NotImplementedError", "NotImplementedError",
                                                  "NotImplementedError", "NotImplementedError", "NotImplementedError",
                                                  "UnpicklingError")]


def script_data_without_elements_has_a_counter_of_its_own(torch):
    x, found = torch.zeros(2, 3), []
    for t in (torch.zeros(0, 3), x[:, 3:], x[2:].t()):
        d = t.data
        d.mul_(2)
        found.append([t._version, d._version, tuple(d.shape)])
    return found, x._version


def script_factories_of_sizes(T):
    x = T.ones(2, 3)
    makers = T.zeros, T.ones, T.empty, T.rand, T.randn
    rows = [lambda make=make, size=size: tuple(make(*size).shape) for make in makers for size in (
        (2, 3), ((2, 3),), ([2, 0],), ((),), (T.Size([2]),))]
    rows += [lambda: T.zeros(-1), lambda: T.ones(2, -1), lambda: T.zeros(2.0), lambda: T.zeros(True),
             lambda: T.zeros((2,), 3), lambda: T.ones(2, dtype=T.int32),
             lambda: T.zeros((1, 2), dtype=T.bool), lambda: T.randn(2, dtype=T.int32),
             lambda: T.rand(2, dtype=T.float64).dtype, lambda: T.randn(2, requires_grad=True).requires_grad,
             lambda: T.full_like(x, 2), lambda: T.full_like(x.int(), 2.7), lambda: T.full_like(x.bool(), 2),
             lambda: T.full_like(x.byte(), 300), lambda: T.full_like(x, "a"), lambda: T.full_like(x),
             lambda: T.zeros_like(x, 1), lambda: T.ones_like(x.t()).stride(),
             lambda: T.ones_like(x.clone().requires_grad_()).requires_grad,
             lambda: T.empty_like(x.int()).dtype, lambda: x.int().new_zeros(2), lambda: x.double().new_ones((1, 2)),
             lambda: x.new_empty(2, requires_grad=True).requires_grad, lambda: x.new_full((2,), 1.5),
             lambda: T.normal(0.0, -1.0, (2,)), lambda: T.normal(x, -x), lambda: T.normal(0.0, 1.0, (2, 3)).shape,
             lambda: T.randn_like(x.double()).dtype, lambda: T.rand_like(x, requires_grad=True).requires_grad]
    return table(rows)


def test_factories_of_sizes_ask_the_modes():
    T = compat
    x = T.ones(2)
    with T.inference_mode():
        assert all(t.is_inference() for t in (T.zeros(2), T.randn(2), T.ones_like(x), x.new_zeros(2)))
    with T.device("meta"):
        assert T.zeros(2).is_meta and T.rand(2).is_meta
    T.set_default_dtype(T.float64)
    try:
        assert T.zeros(2).dtype is T.randn(2).dtype is T.float64 is not T.zeros_like(x).dtype
    finally:
        T.set_default_dtype(T.float32)
    written = T.func.grad(lambda x: (T.zeros_like(x).add_(x) * T.ones(2).mul_(x)).sum())(x)
    assert written.tolist() == [2.0, 2.0]
    drawn = T.func.vmap(lambda x: x + T.rand(3), randomness="different")(T.zeros(2, 3))
    assert drawn[0].tolist() != drawn[1].tolist()
    T.manual_seed(1)
    one = T.randn(2).tolist(), T.rand(2).tolist()
    g = T.Generator().manual_seed(1)
    assert one == (T.randn(2, generator=g).tolist(), T.rand(2, generator=g).tolist())
