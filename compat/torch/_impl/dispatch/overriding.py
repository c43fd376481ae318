"""`__torch_function__`: classes that take over the operations they are arguments of, and types that results keep."""

import functools
import inspect

from ..modes.modes import MODES
from ..state.edges import edge
from ..types.parameter import disabled_torch_function
from ..types.tensor_type import VIEW, Tensor, new
from .builtins import known_as
from .classes import PLAIN_ONLY, WITHOUT, dispatched, overloads
from .signatures import check, signatures
from .telling import by_mode

# The functions that PyTorch has in Python: they hand on their arguments in a way of their own.
IN_PYTHON = frozenset("""
atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod cdist chain_matmul einsum norm split stft
tensordot unravel_index backward
""".split()) | {f"nn.functional.{name}" for name in """
adaptive_avg_pool2d adaptive_avg_pool3d affine_grid alpha_dropout batch_norm binary_cross_entropy
binary_cross_entropy_with_logits celu cosine_embedding_loss cross_entropy ctc_loss dropout dropout1d dropout2d
dropout3d elu embedding embedding_bag feature_alpha_dropout fold gaussian_nll_loss glu grid_sample group_norm
gumbel_softmax hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss
layer_norm leaky_relu local_response_norm log_softmax lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_unpool1d
max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss
multilabel_soft_margin_loss nll_loss normalize pad poisson_nll_loss relu relu6 rms_norm rrelu selu silu smooth_l1_loss
soft_margin_loss softmax softmin softsign tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss
unfold
""".split()}


def overridden(args, kwargs):
    """The handler of an operation, called as `(func, args, kwargs)`: a mode, or classes of arguments; or None."""
    m = MODES.get()
    if m is not None and m.functions:
        return by_mode
    for x in (*args, *kwargs.values()) if kwargs else args:
        kind = type(x)
        if kind in WITHOUT:
            continue
        if kind is list or kind is tuple:
            for v in x:
                if type(v) not in WITHOUT:
                    kind = type(v)
                    break
            else:
                continue
        if not kwargs and as_usual(kind, args):
            return functools.partial(quickly, kind)
        found = overloads(args, kwargs)
        return functools.partial(dispatched, found) if found else None
    return None


def as_usual(kind, args):
    """Tell whether the class of one operand, without a `__torch_function__` of its own, is all that is to be asked; the
    operands may lie in lists and tuples."""
    default = getattr(getattr(kind, "__torch_function__", None), "__func__", None) is default_torch_function
    if not default or PLAIN_ONLY.get():
        return False
    for x in args:
        if type(x) is kind or type(x) in WITHOUT:
            continue
        if type(x) is not list and type(x) is not tuple or not all(type(v) is kind or type(v) in WITHOUT for v in x):
            return False
    return True


def quickly(kind, func, args, kwargs):
    """The fast path of a class's default `__torch_function__`, for plain operands without keywords: the operation on
    tensors that share all they have with them, its output as one of the class."""
    writes, shares, known = manner(func)
    if not known:
        return default_torch_function(kind, func, (kind,), args, kwargs)
    given, held = [], []  # leaves hold their nodes weakly
    for x in args:
        if type(x) is kind:
            if x.dispatch_key > VIEW or writes and not unheard(x):
                return default_torch_function(kind, func, (kind,), args, kwargs)
            x = shared(x, held)
        elif type(x) is tuple or type(x) is list:
            if shares or any(type(v) is kind and v.dispatch_key > VIEW for v in x):
                return default_torch_function(kind, func, (kind,), args, kwargs)
            x = type(x)([shared(v, held) if type(v) is kind else v for v in x])
        given.append(x)
    out = func(*given)
    if writes and type(x := args[0]) is kind:
        t = given[0]
        x.node, x.wants_grad, x.autograd_meta, x.dispatch_key = t.node, t.wants_grad, t.autograd_meta, t.dispatch_key
    if type(out) is not Tensor:
        return converted(out, kind, args)
    for x, t in zip(args, given):
        if out is t:
            return x
    if shares and out.autograd_meta is not None:
        for x, t in zip(args, given):
            if out.autograd_meta.base is t:
                out.autograd_meta.base = x
    # The output is new and nobody else's: it changes its class, which is cheaper than a second tensor.
    out.__class__ = kind
    return out


def shared(x, held):
    """A tensor that shares all it has with one of a subclass; the node that a leaf starts with is held in a list."""
    meta = x.autograd_meta
    if meta is not None and meta.base is not None or x.node is None and x.wants_grad:
        node = edge(x)
        if x.node is None and x.wants_grad:
            held.append(node)
    t = new(Tensor)
    t.value = x.value
    t.node = x.node
    t.autograd_meta = meta
    t.level_trace = None
    t.wants_grad = x.wants_grad
    t.dispatch_key = x.dispatch_key
    return t


@functools.lru_cache(512)
def manner(func):
    """Tell whether a function of tensors writes to the first, gives a view or writes, and whether `quickly` knows
    which of the two."""
    name = func.__name__
    writes = name in _WRITES
    shares = getattr(func, "row", None) is None or name.endswith("_")
    return writes, shares, not shares or writes or name in _SHOWS


_SHOWS = frozenset("__getitem__ view reshape permute transpose t unsqueeze squeeze select narrow flatten".split())
_WRITES = frozenset("add_ sub_ mul_ div_ copy_ fill_ zero_ __setitem__".split())


def unheard(t):
    """Tell whether no hook or retained gradient is tied to a tensor, or to the base that it is a view of."""
    meta = t.autograd_meta
    for u in (t,) if meta is None or meta.base is None else (t, meta.base):
        node = u.node
        if node is not None and node.extra is not None and not (node.extra.quiet or node.extra.packed):
            return False
        if u.autograd_meta is not None and (u.autograd_meta.hooks or u.autograd_meta.relaid):
            return False
    return True


def default_torch_function(cls, func, types, args=(), kwargs=None):
    """The default `__torch_function__`: the operation itself, its outputs as tensors of the class."""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    before = PLAIN_ONLY.get()
    try:
        PLAIN_ONLY.set(True)
        out = func(*args, **(kwargs or {}))
        return out if cls is Tensor or unwrapped(func) else converted(out, cls, args)
    finally:
        PLAIN_ONLY.set(before)


def unwrapped(func):
    """Tell whether what a function gives stays of the class that it has: `grad` and `_base`."""
    return getattr(func, "__name__", None) == "__get__" and getattr(func, "__self__", None) in (
        Tensor.grad, Tensor._base)


def converted(out, cls, args):
    """The tensors of an output as tensors of a class."""
    if type(out) is Tensor:
        if any(out is a for a in args):
            return out.as_subclass(cls)
        out.__class__ = cls
        return out
    if isinstance(out, tuple | list):
        made = [converted(x, cls, args) for x in out]
        return type(out)(*made) if hasattr(out, "_fields") else type(out)(made)
    return out


def dispatching(fun, name=None, looked=None):
    """The public form of a function that makes others of its arguments: it asks their classes first.

    Args:
        looked: where torch's signatures are looked at before, what is known of its calls, for `check`.
    """
    known = set()  # the types of calls that fit a signature, and that no class takes over

    @functools.wraps(fun)
    def public(*args, **kwargs):
        usual = (m := MODES.get()) is None or m.still
        if usual:
            key = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else tuple(map(type, args))
            if key in known:
                return fun(*args, **kwargs)
        override = overridden(args, kwargs)
        if override is not None:
            return override(known_as(public), *handed_on(override, name, fun, args, kwargs))
        if looked is not None:
            args, kwargs, _ = check(looked, args, kwargs)
        if usual and len(known) < _KNOWN and (looked is None or key in looked.seen) and WITHOUT.issuperset(
                map(type, (*args, *kwargs.values()))):
            known.add(key)
        return fun(*args, **kwargs)

    if hasattr(fun, "ahead"):
        public = fun.ahead(public)
    public.__name__ = public.__qualname__ = (name or fun.__name__).rpartition(".")[2]
    public.asks_classes = True
    return public


def composed(fun):
    """The public form of a function that is made of operations: classes of other layouts are asked by these."""

    @functools.wraps(fun)
    def public(*args, **kwargs):
        override = overridden(args, kwargs)
        if override is None or override is not by_mode and any(
                getattr(type(x), "other_layout", False) for x in overloads(args, kwargs)):
            return fun(*args, **kwargs)
        return override(known_as(public), args, kwargs)

    public.asks_classes = True
    return public


_KNOWN = 64  # combinations of types


def handed_on(override, name, fun, args, kwargs):
    """The arguments as an override gets them: those with a default by name where PyTorch's function is in Python, and
    a program's own `__torch_function__` may look at them."""
    if name not in IN_PYTHON or type(override) is functools.partial and override.func is quickly:
        return args, kwargs
    try:
        given = signature_of(name, fun).bind(*args, **kwargs)
    except TypeError:
        return args, kwargs  # the function itself refuses them
    given.apply_defaults()
    placed, named = [], {}
    for p in given.signature.parameters.values():
        v = given.arguments[p.name]
        if p.kind is p.VAR_POSITIONAL:
            placed += v
        elif p.kind is p.VAR_KEYWORD:
            named |= v
        elif p.default is p.empty:
            placed.append(v)
        else:
            named[p.name] = v
    return tuple(placed), named


@functools.lru_cache(256)
def signature_of(name, fun):
    """The signature of PyTorch's function: with `out`, which the body of an operation does not have."""
    signature = inspect.signature(fun)
    if not any(way.out or "out" in way.names for way in signatures(name)):
        return signature
    out = inspect.Parameter("out", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    return signature.replace(parameters=[*signature.parameters.values(), out])


class DisableTorchFunctionSubclass:
    """A context in which subclasses of Tensor do not take over."""

    def __enter__(self):
        self.before = PLAIN_ONLY.get()
        PLAIN_ONLY.set(True)

    def __exit__(self, *exc):
        PLAIN_ONLY.set(self.before)


def prepare(cls):
    """Let the methods that a new subclass of Tensor inherits ask its `__torch_function__`."""
    if cls.__torch_function__ is disabled_torch_function:
        return
    base = Tensor
    usual = cls.other_layout or getattr(cls.__torch_function__, "__func__", None) is default_torch_function
    kept, views = (UNASKED | _FACTS, _VIEWS) if usual else (UNASKED, None)
    # Members that a class below Tensor defines, or one between the two, stay as they are.
    own = {name for kind in cls.__mro__[: cls.__mro__.index(base)] for name in vars(kind)}
    for name, member in list(vars(base).items()):
        if name in own or name in kept or cls.other_layout and name in _STATE:
            continue
        if callable(member) and not isinstance(member, type | staticmethod | classmethod):
            if member.__name__ not in vars(base):
                member.__name__ = name
            method = asking(vars(base)[_OPERATORS[name]] if name in _OPERATORS else member)
            setattr(cls, name, compared(method) if name in ("__eq__", "__ne__") else method)
        elif isinstance(member, property) and (views is None or name in views):
            ways = member.__get__, member.fset and member.__set__, member.fdel and member.__delete__
            setattr(cls, name, property(*[way and asking(way) for way in ways], member.__doc__))
    if "__iter__" not in own:
        cls.__iter__ = iterate


def iterate(self):
    """The parts along the first axis, of the class of the tensor."""
    if not self.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


# PyTorch passes the method, not the operator.
_OPERATORS = {"__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul",
              "__truediv__": "div", "__matmul__": "matmul", "__gt__": "gt", "__ge__": "ge", "__lt__": "lt",
              "__le__": "le", "__ne__": "ne", "__mod__": "remainder", "__pow__": "pow", "__iadd__": "add_",
              "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__ifloordiv__": "floor_divide_",
              "__imod__": "remainder_", "__ipow__": "pow_", "__rtruediv__": "__rdiv__"}


_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})  # what the default way makes tensors of
_STATE = frozenset("requires_grad_ retain_grad register_hook register_post_accumulate_grad_hook backward".split())
UNASKED = frozenset("""
__new__ __init__ __init_subclass__ __class__ __hash__ __reduce__ __deepcopy__ __copy__ __torch_function__
__class_getitem__ __array_wrap__ __array_priority__ as_subclass __dir__ __getattr__ __setattr__ __iter__
""".split())
_FACTS = frozenset("""
__array__ __repr__ __str__ __format__ __len__ size dim ndimension numel nelement stride storage_offset data_ptr
is_floating_point is_complex is_signed is_contiguous element_size _is_view is_inference
""".split())  # which are the same for a class that leaves operations as they are


def compared(method):
    """A comparison by `==` or `!=`: with what no class compares, Python tells whether it is the same object."""

    @functools.wraps(method)
    def told(self, other):
        try:
            return method(self, other)
        except TypeError:
            return NotImplemented

    return told


def asking(member):
    """A method that asks the classes of its arguments first."""

    def method(self, *args, **kwargs):
        override = overridden((self, *args), kwargs)
        if override is None:
            return member(self, *args, **kwargs)
        return override(member, *handed_on(override, method.__name__, member, (self, *args), kwargs))

    method.__name__ = method.__qualname__ = getattr(member, "__name__", "__get__")
    method.__doc__ = getattr(member, "__doc__", None)
    return method
