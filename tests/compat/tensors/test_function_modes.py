"""What a `TorchFunctionMode` and a `__torch_function__` are told of: methods, attributes, initial values of modules."""

import concurrent.futures
import functools

import numpy as np
import pytest

import covector.compat.torch as compat
from covector.compat.torch._impl.dispatch import telling


def called(torch, func):
    """A function as words; what reads or sets an attribute by the name of that."""
    name = func.__name__
    if name in ("__get__", "__set__"):
        name = torch.overrides.resolve_name(func).removeprefix("torch.Tensor.")
    return name


def logging_mode(torch, log):
    class Log(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append((called(torch, func), [t.__name__ for t in types if t.__name__ not in ("Tensor", "Parameter")]))
            return func(*args, **(kwargs or {}))

    return Log


def logging_class(torch, log):
    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            log.append((called(torch, func), [t.__name__ for t in types]))
            return super().__torch_function__(func, types, args, kwargs)

    return Logged


def assigned(x, name, value):
    setattr(x, name, value)


QUESTIONS = (
    "size dim ndimension numel nelement is_floating_point is_complex is_signed is_contiguous is_inference is_conj "
    "is_neg is_shared _is_view stride storage_offset data_ptr element_size untyped_storage type get_device dense_dim "
    "sparse_dim tolist detach requires_grad_ clone contiguous t flatten squeeze unbind float double "
    "long cpu unique nonzero normal_ uniform_ exponential_ random_ cauchy_ log_normal_ zero_ t_ squeeze_ ravel "
    "resolve_conj adjoint __len__ __repr__ __reversed__").split()
ATTRIBUTES = (
    "shape dtype device layout ndim requires_grad grad grad_fn is_leaf data T mT H real output_nr _version _base "
    "is_cuda is_cpu is_sparse is_meta is_quantized is_mkldnn is_mps is_nested itemsize nbytes retains_grad").split()
ASKED = (
    lambda x: x.size(0), lambda x: x.view(3, 2), lambda x: x.reshape(-1), lambda x: x.permute(1, 0),
    lambda x: x.transpose(0, 1), lambda x: x.unsqueeze(0), lambda x: x.expand(2, 2, 3), lambda x: x.narrow(0, 0, 1),
    lambda x: x.select(0, 1), lambda x: x.split(1), lambda x: x.chunk(2), lambda x: x.unfold(1, 2, 1),
    lambda x: x.diagonal(), lambda x: x.as_strided((2,), (1,)), lambda x: x.new_zeros(2), lambda x: x.new_ones(2),
    lambda x: x.new_full((2,), 1.0), lambda x: x.new_tensor([1.0]), lambda x: x.new_empty(2), lambda x: x.repeat(1, 2),
    lambda x: x.bernoulli_(0.5), lambda x: x.geometric_(0.5), lambda x: x.fill_(1.0), lambda x: x.copy_(x * 2),
    lambda x: x.unsqueeze_(0), lambda x: x.transpose_(0, 1), lambda x: x.movedim(0, 1),
    lambda x: x.unflatten(1, (3, 1)),
    lambda x: x.sum().item(), lambda x: float(x.sum()), lambda x: bool(x.sum()), lambda x: int(x.sum()),
    lambda x: [1, 2, 3][x[0, 0].long()], lambda x: len(x), lambda x: list(x), lambda x: x[0] in x, lambda x: repr(x),
    lambda x: str(x), lambda x: format(x), lambda x: reversed(x), lambda x: 1 - x,
    lambda x: 1 / x, lambda x: x // 2, lambda x: 3 % x, lambda x: 2 ** x, lambda x: +x, lambda x: -x, lambda x: x % 2,
    lambda x: x ** 2, lambda x: x != 2, lambda x: x.type_as(x), lambda x: x.equal(x), lambda x: x.allclose(x),
    lambda x: x.is_same_size(x), lambda x: assigned(x, "requires_grad", True), lambda x: assigned(x, "data", x.data))


GRADED = (lambda x: x.retain_grad(), lambda x: x.register_hook(lambda g: g), lambda x: x.sum().backward(),
          lambda x: x.register_post_accumulate_grad_hook(lambda t: None), lambda x: assigned(x, "grad", None))


def plain(torch):
    return torch.arange(1.0, 7.0).reshape(2, 3).clone()


def questions(torch, kind):
    """Every question to a tensor of a class: its name, and a function without arguments."""
    def new():
        return plain(torch).as_subclass(kind) if kind is not torch.Tensor else plain(torch)

    for name in QUESTIONS:
        yield name, getattr(new(), name)
    for name in ATTRIBUTES:
        yield name, functools.partial(getattr, new(), name)
    for k, call in enumerate(ASKED):
        yield f"call {k}", functools.partial(call, new())
    for k, call in enumerate(GRADED):
        yield f"gradient {k}", functools.partial(call, new().requires_grad_())


def script_a_mode_is_told_of_methods_and_attributes(torch):
    log, told = [], {}
    mode = logging_mode(torch, log)
    for name, ask in questions(torch, torch.Tensor):
        with mode():
            ask()
        told[name] = list(log)
        log.clear()
    return told


def script_a_class_is_told_of_methods_and_attributes(torch):
    log, told = [], {}
    for name, ask in questions(torch, logging_class(torch, log)):
        log.clear()
        ask()
        told[name] = list(log)
    return told


def script_a_mode_is_told_of_initialisations(torch):
    log, told = [], []
    mode, init = logging_mode(torch, log), torch.nn.init
    hidden = ("_set_grad_enabled grad_fn.__get__ dim size shape.__get__ is_contiguous is_meta.__get__ tensor "
              "dtype.__get__ is_cuda.__get__").split()  # how the size of a layer is looked at
    for make in (lambda: init.uniform_(x), lambda: init.normal_(x, 1.0, std=2.0), lambda: init.constant_(x, 2.0),
                 lambda: init.kaiming_uniform_(x, a=1), lambda: init.kaiming_normal_(x), lambda: init.ones_(x),
                 lambda: init.zeros_(x), lambda: init.xavier_uniform_(x), lambda: init.xavier_normal_(x),
                 lambda: torch.nn.Linear(3, 2), lambda: torch.nn.Linear(3, 2, bias=False),
                 lambda: torch.nn.LayerNorm(3),
                 lambda: torch.nn.Conv2d(2, 3, 2), lambda: torch.nn.Embedding(4, 3), lambda: torch.nn.PReLU(),
                 lambda: torch.nn.LSTMCell(3, 2), lambda: torch.nn.GroupNorm(2, 2), lambda: torch.nn.Bilinear(3, 2, 2),
                 lambda: torch.nn.BatchNorm2d(2), lambda: torch.nn.Parameter(x)):
        x = plain(torch)
        log.clear()
        with mode():
            make()
        told.append([entry for entry in log if entry[0] not in hidden])
    return told


def script_a_class_takes_over_initialisations(torch):
    class Chosen(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func in (torch.nn.init.uniform_, torch.nn.init.normal_, torch.nn.init.constant_):
                return func.__name__, len(args), sorted(kwargs), kwargs.get("b"), kwargs.get("std"), kwargs.get("val")
            return super().__torch_function__(func, types, args, kwargs)

    x, init = plain(torch).as_subclass(Chosen), torch.nn.init
    return init.uniform_(x, 1.0), init.normal_(x, std=3.0), init.constant_(x, 4.0)


def script_functions_are_known_by_identity(torch):
    class Chosen(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return next((name for name, fun in known.items() if fun == func), None) or func(*args, **(kwargs or {}))

    known = {"size": torch.Tensor.size, "shape": torch.Tensor.shape.__get__, "view": torch.Tensor.view,
             "normal": torch.Tensor.normal_, "init": torch.nn.init.uniform_, "set": torch.Tensor.grad.__set__}
    x = plain(torch)
    with Chosen():
        found = [x.size(), x.shape, x.view(-1), x.normal_(), torch.nn.init.uniform_(x), x.ndim]
        x.grad = torch.ones(2, 3)
    return found, x.grad, tuple(x.shape), tuple(x.size())


def script_modes_stand_before_classes(torch):
    log = []
    mode, kind = logging_mode(torch, log), logging_class(torch, log)
    x, s = plain(torch), plain(torch).as_subclass(kind)
    log.clear()
    with mode():
        for ask in (lambda: s + 1, lambda: s.shape, lambda: s.size(), lambda: s.view(-1), lambda: 1 - s, lambda: s.grad,
                    lambda: torch.add(x, s), lambda: torch.nn.init.normal_(s), lambda: torch.zeros_like(s)):
            ask()
        with mode():
            s.shape, s.view(-1), x.shape, s + x
        with torch.DisableTorchFunctionSubclass():
            log.append("no classes")
            s + 1, x.size(), x.shape
        with torch.DisableTorchFunction():
            log.append("neither")
            s.shape, s + 1, x.size()
    return log


def script_what_a_mode_does_not_answer_classes_do(torch):
    class No(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    class Eight(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return 8

    s = torch.ones(2).as_subclass(Eight)
    with No():
        found = torch.add(s, 1)
        with pytest.raises(TypeError):
            torch.ones(2)
    return found


def script_grad_is_of_its_own_class(torch):
    log = []
    kind = logging_class(torch, log)
    x = torch.ones(2).as_subclass(kind).requires_grad_()
    (x.as_subclass(torch.Tensor) * 2).sum().backward()
    y = x.view(2)
    return type(x.grad).__name__, type(y._base).__name__, x == None, x != None  # noqa: E711


def script_names_of_functions(torch):
    o = torch.overrides
    functions = o.get_overridable_functions()
    some = "add cat mean where split einsum relu".split(), "view size item normal_ zero_".split()
    return ([f in functions[torch] for f in map(torch.__dict__.get, some[0])],
            [getattr(torch.Tensor, n) in functions[torch.Tensor] for n in some[1]],
            torch.ones in functions[torch], torch.linalg.norm in functions[torch.linalg],
            torch.Tensor.shape.__get__ in functions[torch.Tensor.shape],
            [o.resolve_name(f) for f in (torch.add, torch.nn.functional.relu, torch.linalg.norm, torch.Tensor.view,
                                         torch.Tensor.shape.__get__, torch.Tensor.grad.__set__, len)],
            [o.is_tensor_method_or_property(f) for f in (torch.Tensor.view, torch.Tensor.shape.__get__, torch.cat)],
            torch.Tensor.grad.__get__ in o.get_default_nowrap_functions())


def test_attributes_ask_no_longer_when_the_last_mode_is_left():
    log = []
    mode, shape = logging_mode(compat, log), compat.Tensor.shape
    own = telling.ATTRIBUTES["shape"][1][0]
    x = plain(compat)
    with mode():
        assert compat.Tensor.shape is shape
        assert shape.fget is not own
        with mode():
            pass
        x.shape
    with pytest.raises(KeyError), mode():
        raise KeyError
    assert telling.REMEMBERS or compat.Tensor.shape.fget is own
    assert [name for name, _ in log] == ["shape.__get__"]
    assert compat.Tensor.shape.__doc__


def test_a_mode_is_told_of_what_numpy_asks():
    log = []
    with logging_mode(compat, log)():
        compat.ones(2).numpy(), np.asarray(compat.ones(2))
    assert [name for name, _ in log] == ["ones", "numpy", "ones", "__array__"]


def test_a_mode_is_of_one_thread():
    log = []
    x = plain(compat)
    with concurrent.futures.ThreadPoolExecutor(1) as pool, logging_mode(compat, log)():
        assert tuple(pool.submit(lambda: x.shape).result()) == (2, 3)
        assert pool.submit(lambda: x.numel()).result() == 6
    assert log == []


def test_what_a_mode_changes_stays():
    class Off(compat.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            compat.set_grad_enabled(False)
            return func(*args, **(kwargs or {}))

    with Off():
        compat.ones(2)
        found = compat.is_grad_enabled()
    compat.set_grad_enabled(True)
    assert not found


@pytest.mark.parametrize("name", ["_mkldnn", "_prims", "_inductor", "_C._jit_pass_cse", "_C._set_conj"])
def test_a_private_part_that_is_not_there_names_itself(name):
    home, _, last = f"torch.{name}".rpartition(".")
    with pytest.raises(NotImplementedError, match=f"torch.{name} is ") as caught:
        getattr(compat._C if home.endswith("_C") else compat, last)
    assert isinstance(caught.value, AttributeError)


def script_parts_of_c_that_programs_reach(torch):
    c = torch._C
    return (issubclass(torch.autograd.Function, c._FunctionBase), issubclass(torch.Tensor, c._TensorBase),
            c._is_view_replay_enabled(), c._is_torch_function_enabled(), c._len_torch_function_stack(),
            c._LinAlgError is torch.linalg.LinAlgError, c.get_default_dtype is torch.get_default_dtype)
