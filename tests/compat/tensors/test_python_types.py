"""Python's types of numbers in the place of a dtype, as PyTorch takes them."""

import pytest

import covector.compat.torch as torch

x = torch.ones(2)
MAKERS = {
    "tensor": lambda d: torch.tensor([1.0, 0.0], dtype=d),
    "as_tensor": lambda d: torch.as_tensor([1.0, 0.0], dtype=d),
    "asarray": lambda d: torch.asarray([1.0, 0.0], dtype=d),
    "to": lambda d: x.to(d),
    "to with a device": lambda d: x.to("cpu", d),
    "to by name": lambda d: x.to(dtype=d),
    "zeros": lambda d: torch.zeros(2, dtype=d),
    "full": lambda d: torch.full((2,), 1, dtype=d),
    "ones_like": lambda d: torch.ones_like(x, dtype=d),
    "empty_like": lambda d: torch.empty_like(x, dtype=d),
    "new_zeros": lambda d: x.new_zeros(2, dtype=d),
    "new_tensor": lambda d: x.new_tensor([1], dtype=d),
    "empty_strided": lambda d: torch.empty_strided((2,), (1,), dtype=d),
    "scalar_tensor": lambda d: torch.scalar_tensor(1, dtype=d),
}
DTYPES = {float: torch.float64, int: torch.int64, bool: torch.bool, complex: torch.complex128}


@pytest.mark.parametrize("kind", DTYPES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", MAKERS)
def test_a_python_type_names_a_dtype(name, kind):
    assert MAKERS[name](kind).dtype is DTYPES[kind]


def test_reductions_and_views_take_python_types():
    assert x.sum(dtype=float).dtype is torch.float64
    assert x.softmax(0, dtype=float).dtype is torch.float64
    assert torch.ones(2, dtype=torch.int64).view(float).dtype is torch.float64
    assert torch.arange(3, dtype=float).dtype is torch.float64
    assert torch.rand(2, dtype=float).dtype is torch.float64


def test_facts_about_dtypes_take_python_types():
    assert torch.promote_types(float, torch.float32) is torch.float64
    assert torch.promote_types(int, int) is torch.int64
    assert torch.finfo(float) == torch.finfo(torch.float64)
    assert torch.iinfo(int) == torch.iinfo(torch.int64)
    assert torch.can_cast(int, float) and not torch.can_cast(float, int)


def test_the_default_dtype_is_no_python_type():
    with pytest.raises(TypeError, match="only floating-point types are supported"):
        torch.set_default_dtype(float)


@pytest.mark.parametrize("kind", [float, complex], ids=lambda kind: kind.__name__)
def test_modules_and_packed_sequences_take_python_types(kind):
    for args, kwargs in (((kind,), {}), (("cpu", kind), {}), ((), {"dtype": kind})):
        assert torch.nn.Linear(1, 1).to(*args, **kwargs).weight.dtype is DTYPES[kind]
        packed = torch.nn.utils.rnn.pack_sequence([torch.ones(2)])
        assert packed.to(*args, **kwargs).data.dtype is DTYPES[kind]


@pytest.mark.parametrize("kind", [int, bool, str, list], ids=lambda kind: kind.__name__)
def test_modules_refuse_types_of_other_things(kind):
    with pytest.raises(TypeError, match="floating point|as dtype"):
        torch.nn.Linear(1, 1).to(kind)


def test_type_takes_types_of_tensors_alone():
    assert x.double().type(torch.Tensor).dtype is x.double().type("torch.Tensor").dtype is torch.float32
    assert x.type(torch.LongTensor).dtype is x.type("torch.LongTensor").dtype is x.type(torch.int64).dtype
    for wrong in (float, "float", "LongTensor", "torch.Long"):
        with pytest.raises(ValueError, match="invalid type: '"):
            x.type(wrong)
    with pytest.raises(TypeError, match="dtype must be a type, str, or dtype object"):
        x.type(3)


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_the_default_type_of_tensors_sets_the_default_dtype():
    try:
        for kind, dtype in ((torch.DoubleTensor, torch.float64), ("torch.HalfTensor", torch.float16),
                            (torch.Tensor, torch.float16), ("torch.FloatTensor", torch.float32)):
            torch.set_default_tensor_type(kind)
            assert torch.ones(1).dtype is dtype
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
@pytest.mark.parametrize("kind", [torch.LongTensor, torch.float64, 3])
def test_the_default_type_of_tensors_is_floating(kind):
    with pytest.raises(TypeError):
        torch.set_default_tensor_type(kind)


def test_types_of_a_gpu_without_one_are_refused():
    if not torch.cuda.is_available():
        for call in (x.type, torch.set_default_tensor_type, torch.nn.Linear(1, 1).type):
            for kind in (torch.cuda.FloatTensor, "torch.cuda.FloatTensor"):
                with pytest.raises(AssertionError, match="not compiled with CUDA"):
                    call(kind)
