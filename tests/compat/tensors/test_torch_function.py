"""`__torch_function__` of subclasses of Tensor and of other classes, and torch.overrides."""

import importlib

import pytest

import covector.compat.torch as compat
from covector.compat.torch._impl.dispatch.call import ROWS
from covector.compat.torch._impl.dispatch.overriding import IN_PYTHON
from covector.compat.torch._impl.dispatch.signatures import signatures
from covector.compat.torch._impl.dispatch.surface import FACTORIES


def attempt(fn):
    try:
        return fn()
    except Exception as error:
        return ("raised", type(error).__name__, str(error).split(";")[0])


def kinds(out):
    return [kinds(x) for x in out] if isinstance(out, tuple | list) else type(out).__name__


def plain(torch):
    class Kept(torch.Tensor):
        pass

    return torch.arange(6.0).reshape(2, 3).requires_grad_().as_subclass(Kept)


FORMS = (
    lambda torch, a, b: a + b, lambda torch, a, b: b * a, lambda torch, a, b: 1 - a, lambda torch, a, b: a.sin(),
    lambda torch, a, b: torch.exp(a), lambda torch, a, b: a.sum(), lambda torch, a, b: a[0],
    lambda torch, a, b: a.view(-1), lambda torch, a, b: a.unbind(), lambda torch, a, b: torch.split(a, 1),
    lambda torch, a, b: a.max(0), lambda torch, a, b: torch.stack([b, a]), lambda torch, a, b: torch.cat([a, b]),
    lambda torch, a, b: torch.zeros_like(a), lambda torch, a, b: a.clone(), lambda torch, a, b: a.detach(),
    lambda torch, a, b: a > 1, lambda torch, a, b: torch.where(a > 1, a, b), lambda torch, a, b: a @ b.t(),
    lambda torch, a, b: torch.nn.functional.relu(a), lambda torch, a, b: a.T, lambda torch, a, b: a.t(),
    lambda torch, a, b: (a * 1).mul_(2), lambda torch, a, b: a.new_zeros(2), lambda torch, a, b: a.data,
    lambda torch, a, b: torch.broadcast_tensors(a, b), lambda torch, a, b: a.double(),
    lambda torch, a, b: torch.mul(b, other=a), lambda torch, a, b: a.sum().item(),
    lambda torch, a, b: torch.linalg.norm(a), lambda torch, a, b: list(a), lambda torch, a, b: a / 2)


def script_results_keep_the_class(torch):
    a, b = plain(torch), torch.ones(2, 3)
    out = [kinds(f(torch, a, b)) for f in FORMS]
    (a * a).sum().backward()
    return out, isinstance(a, torch.Tensor), type(a + 1).__name__, (a * 2).grad_fn is not None


def script_arguments_by_place_reach_functions_with_defaults(torch):
    """PyTorch's functions in Python hand what has a default on by name: a class without an override changes nothing."""
    nn, a, b = torch.nn.functional, plain(torch), torch.ones(2, 3)
    out = [nn.mse_loss(a, b, None, None, "sum"), nn.leaky_relu(-a, 0.5), nn.softmax(a, 1), nn.elu(-a, 2.0),
           nn.pad(a, (1, 0), "constant", 2.0), torch.norm(a, 1)]
    return [kinds(t) for t in out], [t.detach().as_subclass(torch.Tensor) for t in out]


def script_as_subclass_is_an_alias(torch):
    a, n = torch.arange(3.0).requires_grad_(), torch.arange(3)
    kind = type(plain(torch))
    b, c = a.as_subclass(kind), n.as_subclass(kind)
    b.sum().backward()
    c += 1
    return b.grad_fn.name(), c.grad_fn, b._base is a, kinds([b, c, b.as_subclass(torch.Tensor)]), a.grad, n


def script_an_override_sees_the_function(torch):
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, [t.__name__ for t in types]))
            return super().__torch_function__(func, types, args, kwargs)

    a, b = torch.arange(6.0).reshape(2, 3).as_subclass(Logged), torch.ones(2, 3)
    out = []
    for f in FORMS:
        seen.clear()
        kind = kinds(f(torch, a, b))
        out.append((kind, [s[0] for s in seen if s[0] not in ("__get__", "dim", "detach", "__iter__", "unbind", "norm",
                                                              "linalg_norm", "__len__")]))
    return out


def script_an_override_replaces(torch):
    handled = {}

    class Diagonal(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func in handled:
                return handled[func](*args, **(kwargs or {}))
            return super().__torch_function__(func, types, args, kwargs)

    handled[torch.mean] = lambda t: "mean"
    handled[torch.Tensor.add] = lambda t, u: "sum"
    d = torch.ones(2).as_subclass(Diagonal)
    return torch.mean(d), d.add(1), kinds(d * 2), kinds(d.sum())


def foreign(torch, seen):
    class Scalar:
        def __init__(self, value):
            self.value = value

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, [t.__name__ for t in types], len(args)))
            if func is torch.add:
                return "added"
            if func is torch.sin:
                return torch.sin(args[0].value)
            return NotImplemented

    return Scalar


def script_other_classes_take_over(torch):
    seen = []
    kind = foreign(torch, seen)
    o, b = kind(torch.ones(2)), torch.ones(2)
    out = [attempt(f) for f in (
        lambda: torch.add(o, 1), lambda: torch.add(b, o), lambda: torch.sin(o), lambda: torch.cos(o),
        lambda: torch.stack([b, o]), lambda: torch.where(b > 0, o, b), lambda: torch.mean(o),
        lambda: torch.reshape(o, (2,)), lambda: torch.zeros_like(o))]
    return [x[:2] if isinstance(x, tuple) else x for x in out], seen


def script_subclasses_are_asked_first(torch):
    seen = []

    class Base(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((cls.__name__, [t.__name__ for t in types]))
            return NotImplemented if cls is Derived else super().__torch_function__(func, types, args, kwargs)

    class Derived(Base):
        pass

    a, b = torch.ones(2).as_subclass(Base), torch.ones(2).as_subclass(Derived)
    out = [x[:2] if isinstance(x, tuple) else kinds(x) for x in (attempt(lambda: torch.add(a, b)),)]
    return out, seen


def script_overrides_in_functions_of_ones_own(torch):
    overrides = importlib.import_module(torch.__name__ + ".overrides")
    seen = []
    kind = foreign(torch, seen)

    def own(x, y=0):
        if overrides.has_torch_function((x,)):
            return overrides.handle_torch_function(own, (x,), x, y=y)
        return "plain"

    @overrides.wrap_torch_function(lambda x: (x,))
    def wrapped(x):
        return "plain"

    class Kept(torch.Tensor):
        pass

    o, b, k = kind(1), torch.ones(2), torch.ones(2).as_subclass(Kept)
    return (own(b), attempt(lambda: own(o))[:2], seen, wrapped(b), attempt(lambda: wrapped(o))[:2],
            [overrides.is_tensor_like(x) for x in (o, b, k, 1)],
            [overrides.has_torch_function((x,)) for x in (o, b, k, 1)],
            overrides.has_torch_function_unary(o), overrides.has_torch_function_variadic(b, o))


class Recorder:
    """No tensor: notes what it is given to."""

    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append((func, args, kwargs or {}))
        return "answer"


def named(name):
    home = compat
    for part in name.split("."):
        home = getattr(home, part)
    return home


def overridable():
    """Each public function of tensors with arguments that it takes; one that looks at values is a recorder."""
    for name in sorted({*ROWS, *FACTORIES}):
        way = next((s for s in signatures(name) if any(p.kind in ("Tensor", "Tensors", "duck", "operand")
                                                       for p in s.parameters)), None)
        if way is None or name.startswith("_"):
            continue
        try:
            fun = named(name)
        except AttributeError:
            continue  # a method only
        given = [[Recorder()] if p.kind == "Tensors" else Recorder() if p.kind in ("Tensor", "duck", "operand") else 2
                 for p in way.parameters[:way.positional] if p.required]
        yield pytest.param(name, fun, given, id=name)


@pytest.mark.parametrize(("name", "fun", "given"), list(overridable()))
def test_a_public_function_hands_an_override_itself_and_what_it_was_given(name, fun, given):
    Recorder.calls.clear()
    assert fun(*given) == "answer"
    (func, args, kwargs), = Recorder.calls
    assert func is fun
    assert len(args) == len(given)
    assert all(a is b for a, b in zip(args, given))
    assert not kwargs or name in IN_PYTHON


def normalised(torch, fun, kind, **more):
    """A normalisation of a tensor of a class, and what it leaves in the running statistics."""
    x = (torch.arange(24.0).reshape(2, 3, 4) * 0.7).sin()
    mean, var = torch.tensor([0.1, -0.2, 0.3]), torch.tensor([1.0, 2.0, 0.5])
    weight, bias = torch.tensor([2.0, 0.5, -1.0]), torch.tensor([0.0, 1.0, 2.0])
    out = getattr(torch.nn.functional, fun)(kind(x), kind(mean), kind(var), weight, kind(bias), **more)
    return [t.as_subclass(torch.Tensor).detach() for t in (out, mean, var)], type(out).__name__


FORMS_OF_NORMS = [("batch_norm", {}), ("batch_norm", {"eps": 0.5}), ("batch_norm", {"training": True, "momentum": 0.3}),
                  ("batch_norm", {"training": True, "eps": 0.5}), ("instance_norm", {}),
                  ("instance_norm", {"use_input_stats": False, "eps": 0.5}), ("instance_norm", {"momentum": 0.3})]


def script_a_normalization_of_a_subclass_is_that_of_the_tensor(torch):
    class Kept(torch.Tensor):
        pass

    return [normalised(torch, fun, lambda t: t.as_subclass(Kept), **more) for fun, more in FORMS_OF_NORMS]


@pytest.mark.parametrize(("fun", "more"), FORMS_OF_NORMS)
def test_a_normalization_of_a_subclass_is_that_of_the_tensor(fun, more):
    class Kept(compat.Tensor):
        pass

    plain, _ = normalised(compat, fun, lambda t: t, **more)
    kept, kind = normalised(compat, fun, lambda t: t.as_subclass(Kept), **more)
    assert kind == "Kept"
    for a, b in zip(plain, kept):
        assert a.tolist() == b.tolist()


def shown(v):
    """An argument as words: its class where it is a tensor, which is not asked for a property of its own."""
    if hasattr(type(v), "requires_grad"):
        return type(v).__name__
    return [shown(x) for x in v] if isinstance(v, tuple | list) else str(v)


FUNCTIONS = (
    lambda F, x, y: F.batch_norm(x, None, None, training=True),
    lambda F, x, y: F.batch_norm(x, y, y, None, y, False, 0.2),
    lambda F, x, y: F.instance_norm(x), lambda F, x, y: F.instance_norm(x, eps=0.1), lambda F, x, y: F.relu(x),
    lambda F, x, y: F.relu(x, True), lambda F, x, y: F.dropout(x, 0.0), lambda F, x, y: F.linear(x, x[0]),
    lambda F, x, y: F.dropout(x, 1.0, inplace=False), lambda F, x, y: F.celu(x, 2.0),
    lambda F, x, y: F.mse_loss(x, x, reduction="sum"), lambda F, x, y: F.pad(x, (1, 1)),
    lambda F, x, y: F.linear(x, weight=x[0], bias=y), lambda F, x, y: F.cross_entropy(y, y.exp(), label_smoothing=0.1),
    lambda F, x, y: F.softmax(x, 1), lambda F, x, y: F.layer_norm(x, (3,), y), lambda F, x, y: F.gelu(x),
    lambda F, x, y: F.embedding((y * 0).long(), x[0], max_norm=5.0), lambda F, x, y: F.gumbel_softmax(x, 0.5),
    lambda F, x, y: F.scaled_dot_product_attention(x, x, x, None, 0.0), lambda F, x, y: F.normalize(x, dim=0),
    lambda F, x, y: F.one_hot((y * 0).long(), 2), lambda F, x, y: F.hardtanh(x, -2.0, 2.0),
    lambda F, x, y: F.interpolate(x, scale_factor=2), lambda F, x, y: F.multilabel_margin_loss(x[0], x[0].long() * 0))


def script_functions_hand_on_their_arguments_as_pytorch_does(torch):
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((getattr(func, "__name__", ""), shown(args), {k: shown(v) for k, v in (kwargs or {}).items()}))
            return super().__torch_function__(func, types, args, kwargs)

    out = []
    for f in FUNCTIONS:
        x, y = torch.arange(18.0).reshape(2, 3, 3).sin().as_subclass(Logged), torch.ones(3).as_subclass(Logged)
        seen.clear()
        kind = type(f(torch.nn.functional, x, y)).__name__
        out.append((kind, [s for s in seen if s[0] in dir(torch.nn.functional)]))
    return out


def script_functions_hand_on_out_as_pytorch_does(torch):
    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, shown(args), {k: shown(v) for k, v in kwargs.items()}

    x, out = torch.ones(3, 3).as_subclass(Logged), torch.ones(3, 3)
    normalize = torch.nn.functional.normalize
    return [torch.norm(x), torch.norm(x, dim=0, out=out[0]), torch.tensordot(x, x), torch.tensordot(x, x, 1, out=out),
            normalize(x), normalize(x, out=out), normalize(out, 1.0, out=x), normalize(x, 2.0, 1, 1e-12, out)]


def script_tensors_beside_a_plain_one_take_over(torch):
    class Kept(torch.Tensor):
        pass

    a, b = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3, dtype=torch.float64).as_subclass(Kept)
    i = torch.tensor([1, 0]).as_subclass(Kept)
    out = [a.expand_as(b), a.view_as(b), a.reshape_as(b), a.to(b), a[i], a[:, i], torch.linspace(b[0, 0], 2, 3),
           torch.normal(b, 1.0), torch.bernoulli(b), a.clone().index_put_((i,), a[0])]
    a[i] = 7.0
    return [(type(t).__name__, tuple(t.shape), str(t.dtype)) for t in out], a, type(a).__name__


def script_function_modes(torch):
    log = []

    class Log(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Wide(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **{**(kwargs or {}), **({"dtype": torch.float64} if func is torch.ones else {})})

    class Add(torch.overrides.TorchFunctionMode):
        def __init__(self, k):
            self.k = k

        def __torch_function__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            return out + self.k if func is torch.sin else out

    with Log():
        x = torch.ones(2)
        y = torch.zeros_like(x) + x.exp() * 2
        y.mul_(3)
        z = torch.cat([torch.nn.functional.relu(x), torch.tensor([1.0])])
    with Wide(), Add(10):
        with Add(1) as inner, inner:
            both = torch.sin(torch.ones(2))
    return log, x, y, z, both, torch.ones(2), torch.sin(x)


def script_modes_before_classes(torch):
    class Named(torch.Tensor):
        pass

    class Types(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append([kind.__name__ for kind in types])
            return func(*args, **(kwargs or {}))

    class No(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise KeyError(func.__name__)

    seen = []
    t = torch.ones(2).as_subclass(Named)
    with Types():
        out = t + torch.ones(2)
    with pytest.raises(KeyError), No():
        torch.ones(2)
    leaf = torch.ones(2, requires_grad=True)
    with Types():
        loss = (leaf * leaf).sum()
    loss.backward()
    return type(out).__name__, seen, leaf.grad, torch.ones(2)


def script_backward_passes_ask_the_class(torch):
    def logged(kind):
        class Logged(kind):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                log.append((func.__name__, len(args), sorted(kwargs or {})))
                return super().__torch_function__(func, types, args, kwargs)

        return Logged

    log, out = [], []
    kept = type(plain(torch))
    for kind in (kept, logged(kept)):
        x, z = torch.tensor([1.0, 2.0]).as_subclass(kind).requires_grad_(), torch.ones(2, requires_grad=True)
        y = (x * x * z).sum()
        x.register_hook(lambda g: out.append(kinds(g)))
        out += kinds(torch.autograd.grad(y, x, create_graph=True))
        out += kinds(torch.autograd.grad(y, (z, x), retain_graph=True))
        y.backward(retain_graph=True)
        torch.autograd.backward([y], inputs=[x], retain_graph=True)
        out += kinds([x.grad, z.grad])
        out += kinds(torch.autograd.grad(y.as_subclass(torch.Tensor), z))
    return out, [entry for entry in log if entry[0] not in ("__get__", "__iter__", "unbind", "__len__", "dim")]
