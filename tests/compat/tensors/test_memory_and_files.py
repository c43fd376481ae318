"""Storages, memory read as other dtypes, files, DLPack, comparison: the same on compat and PyTorch."""

import io
from collections import OrderedDict

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, pytorch, shown


def table(lines):
    return [shown(attempt(line)) for line in lines]


def script_storages(T):
    t = T.arange(3.0)
    s = t.untyped_storage()
    part = t[1:]
    shared = part.untyped_storage()
    shared[4] = 1
    return (len(s), s.nbytes(), s.element_size(), str(s.device), type(s).__name__, s.tolist(), t,
            shared.data_ptr() == s.data_ptr(), shared.nbytes(), T.is_storage(s), T.is_storage(t))


def script_set_and_resize(T):
    a, b = T.ones(2), T.arange(6.0)
    a.set_(b)
    c = T.ones(1)
    c.set_(b.untyped_storage(), 1, (2, 2), (2, 1))
    d = T.arange(6.0)
    d.resize_(2)
    e = T.arange(6.0)
    e.resize_(2)
    e.resize_(2, 3)
    return a, a.is_set_to(b), c, d, d._version, e, T.arange(4.0).resize_(3, 3).shape, table([
        lambda: T.ones(2).set_(T.arange(3)), lambda: T.ones(2, requires_grad=True).resize_(3),
        lambda: T.ones(2).set_(), lambda: T.arange(6.0).resize_as_(T.ones(2, 3)), lambda: T.ones(2).resize_(-1),
        lambda: T.arange(6.0).as_strided_((2, 2), (1, 2)), lambda: T.ones(2).is_set_to(T.ones(2)),
        lambda: T.ones(2).is_same_size(T.ones(3)),
    ])


def script_elements_by_python(T):
    x = T.tensor([1.0, 2.0])
    return table([
        lambda: x.clone().apply_(lambda v: v + 1), lambda: T.tensor([1, 2]).apply_(lambda v: v * 3),
        lambda: x.clone().map_(T.tensor([3.0]), lambda a, b: a * b),
        lambda: x.clone().map_(T.tensor([3, 4]), lambda a, b: a * b),
        lambda: x.clone().map2_(x, x, lambda a, b, c: a * b + c),
        lambda: x.clone().requires_grad_().apply_(lambda v: v),
    ])


def script_memory_read_as_another_dtype(T):
    a = T.zeros(2, dtype=T.int64)
    b = a.view(T.int32)
    b.add_(1)
    return a, b, a._version, b._is_view(), table([
        lambda: T.ones(2).view(T.int32), lambda: T.ones(2).view(T.int64), lambda: T.ones(3).view(T.float64),
        lambda: T.ones(2, 4).view(T.float64), lambda: T.ones(2, 4).t().view(T.int16), lambda: T.tensor(1.0).view(
            T.int64), lambda: T.ones(2, requires_grad=True).view(T.complex64).requires_grad,
        lambda: T.ones(2, dtype=T.complex64).view(T.float32), lambda: T.ones(3, dtype=T.int64).view(T.uint8).shape,
    ])


def script_pairs_and_complex_numbers(T):
    z = T.tensor([1 + 2j, 3.0], requires_grad=True)
    p = T.view_as_real(z * 1)
    (p**3).sum().backward()
    x = T.ones(2, 2, requires_grad=True)
    y = x * 1
    T.view_as_complex(y).mul_(3j)
    w = z.detach().clone().requires_grad_() * 1
    T.view_as_real(w)[:, 0].mul_(3)
    return (p, z.grad, y, T.autograd.grad((y**2).sum(), x), T.view_as_complex(x), w, T.view_as_real(z),
            T.func.vmap(T.view_as_real)(z.detach()), T.func.vmap(T.view_as_complex)(x.detach()))


def script_pairs_check_their_memory(T):
    return table([
        lambda: T.view_as_real(T.ones(2)), lambda: T.view_as_complex(T.ones(2, 3)),
        lambda: T.view_as_complex(T.ones(2, 2, dtype=T.int32)), lambda: T.view_as_complex(T.ones(2, 2).t()),
        lambda: T.view_as_complex(T.tensor(1.0)), lambda: T.view_as_complex(T.ones(2, 4)[:, 1:3]),
        lambda: T.view_as_complex(T.ones(2, 3)[:, :2]),
    ])


def script_polar_and_complex(T):
    r, phi = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([0.0, 1.5], requires_grad=True)
    z = T.polar(r, phi)
    c = T.complex(r, phi)
    grads = [*T.autograd.grad((z.real * 2 + z.imag).sum(), (r, phi)), *T.autograd.grad(c.abs().sum(), (r, phi))]
    return (z, c, [g.contiguous() for g in grads],
            T.complex(T.tensor([float("inf")]), T.tensor([1.0])),
            table([lambda: T.polar(r, phi.double()), lambda: T.polar(T.ones(1).int(), T.ones(1).int())]))


def script_small_questions(T):
    x = T.ones(2, 3)
    return table([
        lambda: T.is_floating_point(x), lambda: T.is_floating_point(1.0), lambda: T.is_complex(x),
        lambda: T.is_signed(x), lambda: T.numel(x), lambda: T.numel(3), lambda: T.typename(x),
        lambda: T.typename(3), lambda: T.typename(np.ones(1)), lambda: T.is_nonzero(T.tensor([1.0])),
        lambda: T.is_nonzero(x), lambda: T.is_nonzero(T.ones(0)), lambda: (T.e, T.pi, T.inf, T.newaxis),
        lambda: T.cuda.is_available(), lambda: T.cuda.device_count(), lambda: x.as_subclass(int),
        lambda: x.__rdiv__(3), lambda: T.sigmoid_(T.ones(2)), lambda: T.get_device(x),
        lambda: T.device("foo"), lambda: T.device("cpu:0:1"), lambda: T.device("cuda:"), lambda: T.device("cpu", -1),
        lambda: T.device("cpu:0", 1), lambda: T.device(0), lambda: x.to_dense(), lambda: x.dense_dim(),
        lambda: x.t().dim_order(),
    ])


def script_device_as_a_context(T):
    with T.device("cpu"):
        return T.ones(2), T.get_default_device()


def script_fork_rng_restores_the_state(T):
    T.manual_seed(3)
    a = T.rand(2)
    T.manual_seed(3)
    with T.random.fork_rng():
        T.rand(5)
    return T.equal(a, T.rand(2))


def script_assert_close(T):
    c, one = T.testing.assert_close, T.ones(2)
    return table([
        lambda: c(one, one), lambda: c(one, one + 1), lambda: c(one, T.ones(3)), lambda: c(one, one.double()),
        lambda: c(one, one.double(), check_dtype=False), lambda: c([one, 1.0], [one, 2.0]),
        lambda: c({"a": [one]}, {"a": [one * 0]}), lambda: c({"a": one}, {"b": one}), lambda: c([1], [1, 2]),
        lambda: c(1, 1.0), lambda: c(1.0, 1.1), lambda: c(1, 2), lambda: c(True, False), lambda: c(None, one),
        lambda: c(T.tensor(float("nan")), T.tensor(float("nan"))),
        lambda: c(T.tensor(float("nan")), T.tensor(float("nan")), equal_nan=True),
        lambda: c(T.tensor([1, 2, 3]), T.tensor([1, 2, 4])), lambda: c(one, one, rtol=0.1),
        lambda: c(T.tensor([1.0, 2.0]), T.tensor([1.0, 4.0]), rtol=0.1, atol=0.0), lambda: c("a", "a"),
        lambda: c(T.tensor([True]), T.tensor([False])), lambda: c(T.tensor([1 + 1j]), T.tensor([1 + 2j])),
        lambda: c(one, one + 1, msg="boo"), lambda: c(one, one + 1, msg=lambda m: "X" + m[:20]),
        lambda: c(T.ones(2, 3), T.ones(3, 2).t(), check_stride=True), lambda: c(T.tensor(1.0), T.tensor(2.0)),
        lambda: c(np.ones(2), np.zeros(2)), lambda: c(one.requires_grad_(), T.ones(2) + 1e-6),
    ])


def script_dlpack(T):
    a = np.arange(3.0)
    t = T.from_dlpack(a)
    t[0] = 7
    capsule = T.utils.dlpack.from_dlpack(T.utils.dlpack.to_dlpack(T.arange(3)))
    return (t, a.tolist(), np.from_dlpack(T.arange(3)).tolist(), capsule.add_(1), T.from_dlpack(t) is t,
            tuple(int(n) for n in t.__dlpack_device__()),
            attempt(lambda: np.from_dlpack(T.ones(2, requires_grad=True))),
            np.from_dlpack(T.ones(2, 3).t()).strides, np.from_dlpack(T.tensor([True])).tolist())


def state(T):
    """What a file has to bring back: shared memory, strides, flags, dtypes, containers."""
    base = T.arange(6.0)
    return OrderedDict(
        w=base.view(2, 3).t(), row=base[2:4], leaf=T.ones(2, requires_grad=True), ints=T.tensor([1, 2]),
        flags=T.tensor([True, False]), half=T.ones(2).half(), brain=T.ones(2).bfloat16(), z=T.tensor([1 + 2j]),
        none=None, number=3, text="x", shape=T.Size([2, 3]), dtype=T.float32, device=T.device("cpu"),
        nest=[{"a": (1.5, T.zeros(0))}, T.tensor(2.0)])


def script_files(T):
    file = io.BytesIO()
    T.save(state(T), file)
    file.seek(0)
    back = T.load(file)
    back["w"][2, 0] = 9
    return back, type(back).__name__, [str(v) for v in back.values()]


class Thing:
    """Not allowed by weights_only."""


def script_files_allow_weights_only(T):
    file = io.BytesIO()
    T.save({"t": Thing()}, file)
    file.seek(0)
    kind = attempt(lambda: T.load(file))[1]
    file.seek(0)
    return kind, type(T.load(file, weights_only=False)["t"]).__name__


@pytest.mark.reference
@pytest.mark.parametrize("writes", ["compat", "torch"])
def test_files_are_read_by_both(writes, tmp_path):
    torch = pytorch()
    writer, reader = (compat, torch) if writes == "compat" else (torch, compat)
    path = tmp_path / "state.pt"
    writer.save(state(writer), path)
    back = reader.load(path)
    back["w"][2, 0] = 9
    assert back["row"].tolist() == [9.0, 3.0]  # still the same memory
    for key, there in state(reader).items():
        here = back[key]
        if isinstance(here, reader.Tensor) and key not in ("w", "row"):
            assert (here.dtype, here.shape, here.stride(), here.requires_grad) == (
                there.dtype, there.shape, there.stride(), there.requires_grad)
            assert here.tolist() == there.tolist()
        elif key in ("none", "number", "text", "shape", "dtype", "device"):
            assert here == there
    assert back["nest"][0]["a"][0] == 1.5 and back["nest"][1].item() == 2.0


def test_growing_shared_memory_is_refused():
    t = compat.arange(4.0)
    other = t.detach()
    with pytest.raises(NotImplementedError, match="share"):
        t.resize_(8)
    assert other.tolist() == t.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_memory_with_gaps_makes_no_views_of_other_strides():
    t = compat.from_numpy(np.arange(12.0).reshape(3, 4)[:, ::2])
    t.data.mul_(2)
    assert t.tolist() == [[0.0, 4.0], [8.0, 12.0], [16.0, 20.0]]
