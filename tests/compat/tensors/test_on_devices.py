"""Tensors on a GPU: places, copies between devices, what shares memory with CuPy, refused mixtures, files, printing."""

import copy
import io
import pickle

import numpy as np
import pytest

import covector.compat.torch as torch

pytestmark = [pytest.mark.gpu, pytest.mark.skipif("not torch.cuda.is_available()", reason="CuPy finds no device")]
MIXED = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def on_gpu(*args, **named):
    return torch.tensor(*args, device="cuda", **named)


def test_devices_have_pytorchs_names():
    assert torch.device("cuda") != torch.device("cuda:0")
    assert torch.device(0) == torch.device("cuda", 0) == torch.zeros(1, device="cuda").device
    with torch.device("cuda"):
        assert torch.zeros(1).is_cuda
        assert not torch.zeros(1, device="cpu").is_cuda
    assert not torch.zeros(1).is_cuda
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.zeros(1, device="cuda:1000")


@pytest.mark.parametrize("make", [
    lambda **place: torch.zeros(2, 3, **place), lambda **place: torch.ones(2, 3, **place),
    lambda **place: torch.full((2, 3), 1.5, **place), lambda **place: torch.full((2,), True, **place),
    lambda **place: torch.arange(5, **place), lambda **place: torch.arange(0.5, 3, 0.5, **place),
    lambda **place: torch.eye(3, **place), lambda **place: torch.linspace(0, 1, 5, **place),
    lambda **place: torch.zeros(2, 3, 4, 4, **place).contiguous(memory_format=torch.channels_last),
    lambda **place: torch.zeros_like(torch.ones(2, 3).T, **place),
    lambda **place: torch.ones(1, dtype=torch.int64).new_full((2,), 7, **place)])
def test_factories_make_the_same_there(make):
    there, here = make(device="cuda"), make()
    assert there.device == torch.device("cuda:0")
    assert there.dtype is here.dtype
    assert there.stride() == here.stride()
    assert there.cpu().tolist() == here.tolist()


def test_what_is_made_like_a_tensor_lies_where_it_does():
    t = on_gpu([1.0, 2.0])
    made = [torch.zeros_like(t), torch.full_like(t, 3.0), torch.rand_like(t), t.new_zeros(2), t.new_tensor([1]),
            t.clone(), t.detach(), t.data, copy.deepcopy(t)]
    assert all(m.is_cuda for m in made)
    assert not torch.zeros_like(t, device="cpu").is_cuda


def test_memory_is_shared_with_cupy_both_ways(cupy):
    t = torch.arange(4.0, device="cuda")
    array = cupy.asarray(t)
    array[0] = 7
    back, dlpack = torch.as_tensor(array), torch.from_dlpack(array)
    back[1], dlpack[2] = 8, 9
    assert t.tolist() == [7, 8, 9, 3]
    assert back.data_ptr() == dlpack.data_ptr() == t.data_ptr()
    assert t.__dlpack_device__() == (2, 0)
    assert cupy.from_dlpack(t[1:])[0] == 8
    assert not hasattr(torch.zeros(1), "__cuda_array_interface__")
    with pytest.raises(RuntimeError, match="requires grad"):
        cupy.asarray(on_gpu([1.0], requires_grad=True))


def test_numpy_gets_no_memory_of_a_device():
    for read in (np.asarray, torch.Tensor.numpy, np.sin):
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()"):
            read(on_gpu([1.0]))
    assert on_gpu([1.0], requires_grad=True).numpy(force=True).tolist() == [1.0]


@pytest.mark.parametrize("mix", [
    lambda there, here: there + here, lambda there, here: there.add_(here), lambda there, here: there.lerp_(here, 0.5),
    lambda there, here: torch.add(there, 1, out=here), lambda there, here: torch.cat([there, here]),
    lambda there, here: torch.where(there > 0, there, here), lambda there, here: here.mul_(there[0])])
def test_mixtures_are_refused(mix):
    there, here = on_gpu([1.0, 2.0]), torch.tensor([3.0, 4.0])
    with pytest.raises(RuntimeError, match=MIXED):
        mix(there, here)
    assert there.tolist() == [1, 2]
    assert here.tolist() == [3, 4]


def test_numbers_of_the_cpu_meet_tensors_of_a_gpu():
    k = torch.tensor(2.0, requires_grad=True)
    t = on_gpu([1.0, 3.0], requires_grad=True)
    y = t * k + 1
    y = y.mul_(k)
    y.sum().backward()
    assert t.grad.is_cuda
    assert t.grad.tolist() == [4, 4]
    assert not k.grad.is_cuda
    assert k.grad.item() == 18


def test_copies_carry_gradients_back():
    here = torch.tensor([1.0, 2.0], requires_grad=True)
    (here.cuda() ** 2).sum().backward()
    assert here.grad.device == torch.device("cpu")
    assert here.grad.tolist() == [2, 4]
    y = torch.zeros(2, device="cuda")
    y.copy_(here)
    (y * 3).sum().backward()
    assert here.grad.tolist() == [5, 7]
    z = torch.zeros(3, device="cuda")
    z[:2] = torch.ones(2)
    assert z.tolist() == [1, 1, 0]


def test_index_arrays():
    t = torch.arange(4.0, device="cuda")
    assert t[torch.tensor([3, 0])].tolist() == [3, 0]
    assert t[torch.tensor([True, False, False, True])].is_cuda
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device as the"):
        torch.zeros(4)[on_gpu([1])]
    with pytest.raises(IndexError, match="index 9 is out of bounds for dimension 0 with size 4"):
        t[on_gpu([9])]


def test_gradients_of_another_device_are_refused():
    t = on_gpu([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="invalid gradient at index 0 - expected device cuda:0 but got cpu"):
        (t * 2).backward(torch.ones(2))
    with pytest.raises(RuntimeError, match="gradient with device type 'cpu' to a tensor with device type 'cuda'"):
        t.grad = torch.ones(2)
    (t * 2).sum().backward(torch.tensor(3.0))
    assert t.grad.tolist() == [6, 6]

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g.cpu()

    with pytest.raises(RuntimeError, match="Function WrongBackward returned an invalid gradient at index 0 - expected"):
        Wrong.apply(t).sum().backward()


def test_functions_get_zeros_where_nothing_arrives():
    seen = []

    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            seen.append(h)
            return g + h

    t = on_gpu([1.0, 2.0], requires_grad=True)
    Pair.apply(t)[0].sum().backward()
    assert seen[0].is_cuda
    assert t.grad.tolist() == [1, 1]


def test_saved_tensors_wait_on_the_cpu():
    kept = []
    t = on_gpu([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        t * t
    assert all(x.is_cuda for x in kept)
    with torch.autograd.graph.save_on_cpu():
        y = t ** 3
    y.sum().backward()
    assert t.grad.is_cuda
    assert t.grad.tolist() == [3, 12]


def test_transforms_of_func():
    x = on_gpu([0.5, 1.0])
    f = lambda v: (v * v.prod()).sum()  # noqa: E731
    here = x.cpu()
    for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd, torch.func.hessian):
        there = transform(f)(x)
        assert there.is_cuda
        torch.testing.assert_close(there.cpu(), transform(f)(here))
    out, dot = torch.func.jvp(f, (x,), (torch.ones_like(x),))
    assert dot.is_cuda
    assert torch.vmap(lambda v: v.sum())(torch.ones(2, 3, device="cuda")).tolist() == [3, 3]
    assert torch.autograd.gradcheck(lambda v: v.sin() * v, x.double().requires_grad_())


def test_views_and_storages():
    t = torch.arange(6.0, device="cuda")
    v = t.view(2, 3)[1:]
    v.add_(10)
    assert t.tolist() == [0, 1, 2, 13, 14, 15]
    assert t._version == v._version == 1
    assert v.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    assert v.storage_offset() == 3
    assert t.untyped_storage().device == torch.device("cuda:0")
    assert t.as_strided((2, 2), (1, 2), 1).tolist() == [[1, 13], [2, 14]]
    d = t.detach()
    d[0] = 5
    assert t[0] == 5
    with pytest.raises(RuntimeError, match="the devices must match"):
        t.set_(torch.zeros(2))


def test_files_and_pickles_keep_the_place():
    t = torch.arange(4.0, device="cuda")
    file = io.BytesIO()
    torch.save({"a": t, "b": t[1:3], "c": torch.ones(1)}, file)
    for place, names in ((None, "cuda cuda cpu"), ("cpu", "cpu cpu cpu"), ("cuda", "cuda cuda cuda"),
                         ({"cuda:0": "cpu"}, "cpu cpu cpu")):
        file.seek(0)
        found = torch.load(file, map_location=place)
        assert [x.device.type for x in found.values()] == names.split()
        assert found["b"].tolist() == [1, 2]
        found["a"][1] = 9
        assert found["b"][0] == 9
    assert pickle.loads(pickle.dumps(t)).is_cuda


def test_what_is_printed():
    assert repr(on_gpu([1.0, 2.0])) == "tensor([1., 2.], device='cuda:0')"
    assert repr(torch.zeros(2, 0, device="cuda", dtype=torch.int32)) == (
        "tensor([], device='cuda:0', size=(2, 0), dtype=torch.int32)")
    made = torch.ones(1, device="cuda", requires_grad=True) * 2
    assert repr(made).endswith("device='cuda:0', grad_fn=<MulBackward0>)")
    long = torch.arange(3000.0).reshape(3, 1000)
    assert repr(long.cuda()) == repr(long)[:-1] + ", device='cuda:0')"


@pytest.mark.parametrize("make", [
    lambda: torch.sparse_coo_tensor(on_gpu([[0, 1]]), on_gpu([1.0, 2.0])),
    lambda: torch.ones(2, device="cuda").to_sparse(),
    lambda: torch.sparse_coo_tensor([[0]], [1.0], device="cuda"),
    lambda: torch.sparse_coo_tensor([[0]], [1.0]).to("cuda"),
    lambda: torch.nn.functional.embedding(on_gpu([0]), on_gpu([[1.0, 2.0]], requires_grad=True), sparse=True)])
def test_sparse_tensors_are_refused(make):
    with pytest.raises(NotImplementedError, match="sparse tensors on a GPU are not supported"):
        make()


def test_elements_are_changed_by_python_on_the_cpu_alone():
    with pytest.raises(TypeError, match="apply_ is only implemented on CPU tensors"):
        on_gpu([1.0]).apply_(lambda v: v)


def test_comparisons_look_at_the_device():
    with pytest.raises(AssertionError, match="The values for attribute 'device' do not match: cuda:0 != cpu."):
        torch.testing.assert_close(on_gpu([1.0]), torch.tensor([1.0]))
    torch.testing.assert_close(on_gpu([1.0]), torch.tensor([1.0]), check_device=False)
