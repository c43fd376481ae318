"""`__torch_function__` of subclasses of Tensor and of other classes, and torch.overrides."""

import importlib


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
