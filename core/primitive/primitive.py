"""Primitives: one operation with all its rules, declared in one statement and checked at registration."""

import types
from collections.abc import Sequence
from operator import is_not

import numpy as np

from ..arrays.avals import aval_of
from ..arrays.backend import BY_TYPE, RAW, namespace_of, special_function
from ..arrays.dtypes import holds_half, is_inexact, widened
from ..errors import RuleError, at_user_line
from ..facts import FACTS, REGISTRY as REGISTRY, Operation
from ..tape.strong_zeros import add_tangents
from ..tape.tape import compile_rule, meets_infinities
from ..trace.device import array_of_list, refuse_operands
from ..trace.foreign_containers import values_of
from ..trace.tracer import Trace, Tracer
from ..types import Any

ndarray = np.ndarray
# Compiled rules of one primitive: a variadic one has as many sets of active operands as programs have, 2**n of n.
_RULE_LIMIT = 512
_VARARGS = 0x04


class _Zero:
    def __repr__(self):
        return "ZERO"


ZERO = _Zero()  # `jvp=ZERO`: the map is flat everywhere, its result is a constant to derivatives


class Formula:
    """A rule and the names it asks for after its first argument(s)."""

    __slots__ = ("fn", "names", "operands")

    def __init__(self, fn, names, operands):
        self.fn = fn
        self.names = names
        self.operands = operands


def argument_names(fn):
    """The parameter names of a plain function, without `inspect` (7.6 us against 0.1)."""
    code = fn.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


class Rules(dict):
    """`{operand index: Formula}`, one kind of rule; `real` holds the forms for native real floats of one dtype."""

    __slots__ = ("real",)

    def __init__(self, table=(), real=None):
        dict.__init__(self, table)
        self.real = self if real is None else real


class NotLowered(Exception):  # noqa: N818 (no error: the operation stays one)
    """Raised by a `lower` function for operands with which an operation stays primitive."""


class Loop:
    """An elementwise computation that is no NumPy ufunc: a SciPy ufunc by name, or a function.

    Args:
        of: the name of a ufunc in `scipy.special`, which is looked up when it is called, or a function of arrays.
        part: which output it is of a ufunc that has several.
    """

    __slots__ = ("of", "part")

    def __init__(self, of, part=None):
        self.of = of
        self.part = part

    def __call__(self, *args):
        fun = special_function(np, self.of) if type(self.of) is str else self.of
        return fun(*args) if self.part is None else fun(*args)[self.part]


class Primitive(Operation):
    """One operation: what it computes, and every rule the transforms need. Created by `primitive` and the families."""

    def __init__(self, name, impl, *, outputs=None, nondiff="", refused=(), effects="", handlers=None, linear=(),
                 elementwise=False, bilinear=False, flat=False, singular=False, zeros=False, gates=False,
                 view=False, exact=False, weak=False, numbers=False, unview=None, lower=None, composite=False,
                 **facts):
        # The compiler finds primitives by name, so a second one may not replace the first.
        if name in REGISTRY:
            raise RuleError(f"a primitive named {name!r} is registered already; choose another name")
        if singular and not elementwise:
            raise RuleError(f"primitive {name!r} is declared singular, which says that elementwise derivatives may be "
                            f"infinite, but it is not elementwise; drop singular, zeros are strong in all rules")
        code = impl.__code__
        names = code.co_varnames
        self.name = name
        self.variadic = bool(code.co_flags & _VARARGS)
        self.params = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        rest = names[code.co_argcount + code.co_kwonlyargcount] if self.variadic else None
        self.operands: tuple[Any, ...] = (rest,) if self.variadic else names[1 : code.co_argcount]
        self.impl = _positional(impl, self.variadic)
        self.outputs = outputs  # None: one array; a count, or a function of the params: a tuple
        # {index of an operand without a derivative: why nobody knows it (floats that are traced raise), or None}
        self.nondiff = {self.index(n.strip()): dict(refused).get(n.strip()) for n in nondiff.split(",") if n.strip()}
        self.shape: Any = None
        self.batch: Any = None
        self.batch_params: Any = None  # `(params, size, shape)` -> the parameters of the same operation on a batch
        self.jvp = self.vjp = Rules()
        # How it is said in operations on real operands: a ufunc, a `Loop`, or a function; None of an atom.
        self.lower: Any = lower
        # Whether the impl runs these operations, one by one, to the last bit; "always": it stands for them in
        # derivatives alone.
        self.composite = composite
        self.ufunc: Any = None  # (the ufunc that computes it on arrays, its operator or None), if nothing else does
        self.unview = unview  # `unview(x, part, *params)`: x with what the operation takes of it replaced by part
        self.effects = frozenset(effects.split())  # "acts": never dropped or merged; "collective"; "context": reads one
        self.handlers = handlers  # higher-order: {trace kind: handler(trace, prim, args)}, not rules
        self.linear = linear  # operand groups in which it is linear
        self.elementwise = elementwise
        self.flat = flat
        self.slopes = {}  # {operand: (what the rule multiplies with, the names it asks for)}, where it is elementwise
        self.singular = singular  # elementwise, and its derivatives may be infinite: without warnings
        self.zeros = zeros  # creates structural zeros; "back": only its cotangents have some
        self.gates = gates  # its rules only let elements through or not
        # In the first two operands.
        self.bilinear = bilinear or not elementwise and len(linear) == 2 and linear == self.operands[:2]
        self.numbers = elementwise or numbers  # Python numbers take the dtype of the arrays beside them, as in NumPy
        self.weak = weak  # an operator: Python scalars stay weak through it, as in NumPy
        self.view = view  # may share memory; a function of the params: if 0-d
        self.exact = exact  # its vjp answers in the operand's shape and, for plain floats, dtype
        self.fun: Any = None
        self.rules: dict[Any, Any] = {}
        self._strong: bool | None = None
        for fact, value in facts.items():
            if fact not in FACTS:
                raise RuleError(f"the statement of primitive {name} gives {fact!r}, which nothing reads; the optional "
                                f"facts are {', '.join(FACTS)}")
            setattr(self, fact, value)

    def __repr__(self):
        return f"Primitive({self.name})"

    def index(self, operand):
        """Return the position of an operand."""
        if operand not in self.operands:
            raise RuleError(f"primitive {self.name} has no operand {operand!r}; its operands are "
                            f"{', '.join(self.operands)}")
        return self.operands.index(operand)

    def arrange(self, args, kwargs):
        """Positional arguments in declared order from any mix of positional and keyword ones."""
        if self.variadic:
            names, given, operands = self.params, (), args
        else:
            names, given, operands = self.operands + self.params, args, ()
        if len(given) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} arguments, but got {len(given)}: {', '.join(names)}")
        out = list(given)
        asked = names[len(given) :]
        for name in kwargs:
            if name not in asked:
                raise TypeError(f"{self.name} has no argument {name!r}; it takes {', '.join(names)}")
        known = (self.impl.__kwdefaults__ or {}) | kwargs
        for name in asked:
            if name not in known:
                raise TypeError(f"{self.name} misses its argument {name!r}")
            out.append(known[name])
        return (*operands, *out)

    def split(self, args):
        """`(operands, params)` of positional arguments."""
        n = len(args) - len(self.params)
        return args[:n], args[n:]

    def rebind(self, args):
        """Apply the operation to other values, one level down."""
        return bind(self, tuple(args)) if self.variadic else self.fun(*args)

    def run(self, args):
        """Compute on plain arrays."""
        operands, params = self.split(args)
        for value in operands:
            if type(value) is not ndarray and type(value) not in RAW:
                xp = namespace_of(operands)
                if xp is not np:  # which takes scalars of NumPy beside its arrays, but no 0-d arrays
                    operands = [v[()] if type(v) is ndarray else v for v in operands]
                    args = (*operands, *params)
                break
        else:
            xp = np
        try:
            if self.variadic:
                return self.impl(xp, *params, operands)
            return self.impl(xp, *args)
        except (TypeError, ValueError, IndexError):
            refuse_operands(self, operands, params)

    def count(self, params):
        """Return the number of outputs, None for a bare array."""
        return self.outputs(*params) if callable(self.outputs) else self.outputs

    def rule(self, active, plain=False, fixes=None):
        """The compiled reverse rule for the operands `active` (indices).

        `plain` takes the real forms and needs no cast; `fixes` says which operands were broadcast (by default none if
        plain, all if not).
        """
        key = (active, plain, fixes)
        rule = self.rules.get(key)
        if rule is None:
            if len(self.rules) >= _RULE_LIMIT:
                self.rules.clear()
            fixed = fixes if fixes is not None else () if plain else active
            rule = self.rules[key] = compile_rule(self, active, plain, fixed)
        return rule

    @property
    def strong(self):
        """Tell whether zero tangents may meet infinite factors, so that they must be strong."""
        known = self._strong
        if known is None:
            known = self._strong = meets_infinities(self, self.jvp.values())
        return known

    def refuse_derivative(self, i, x):
        """Raise where `x`, a traced value that carries a derivative, is operand `i`, and its derivative is unknown."""
        if self.nondiff[i] is not None and is_inexact(x.aval.dtype):
            raise RuleError(f"{self.name} is not differentiable with respect to its operand {self.operands[i]!r}, "
                            f"which is traced here: {self.nondiff[i]}; wrap it in stop_gradient{at_user_line()}")

    def tangent(self, tangents, args, ans):
        """The tangent of `ans` from `{operand index: tangent}`, by the general rules; of half precision in float32."""
        if holds_half(ans) and not (self.view or self.moves or self.lazy or self.own_width):
            tangents = {i: widened(t) for i, t in tangents.items()}
            args, ans = [widened(v) for v in args], widened(ans)
        operands, params = self.split(args)
        env = dict(zip(self.params, params), ans=ans)
        env |= {self.operands[0]: operands} if self.variadic else zip(self.operands, operands)
        total = None
        done = set()
        for i in [0] if self.variadic else tangents:
            formula = self.jvp.get(i)
            if formula is None:
                raise RuleError(f"{self.name} has no jvp rule for its operand {self.operands[i]!r}")
            if i in done:
                continue
            # A joint rule (`"x, y"`) is entered under each of its operands, and must be called once for all of them.
            group = range(len(operands)) if self.variadic else formula.operands
            done.update(group)
            given = tuple([tangents.get(k) for k in group])
            dx = given if self.variadic or len(given) > 1 else given[0]
            part = formula.fn(dx, *[_lookup(env, n) for n in formula.names])
            total = part if total is None else add_tangents(total, part)
        return total


def _lookup(env, name):
    if name in env:
        return env[name]
    value = env[name[:-5]]  # x_aval
    return tuple(aval_of(v) for v in value) if type(value) is tuple else aval_of(value)


def _positional(impl, variadic):
    """`impl` with its keyword-only names made positional: `**` costs 0.6 us a call.

    Variadic ones take the operands as one tuple, last (where their local already lies).
    """
    code = impl.__code__
    extra = code.co_kwonlyargcount + (1 if variadic else 0)
    flags = code.co_flags & ~_VARARGS
    code = code.replace(co_argcount=code.co_argcount + extra, co_kwonlyargcount=0, co_flags=flags)
    out = types.FunctionType(code, impl.__globals__, impl.__name__, None, impl.__closure__)
    out.__kwdefaults__ = impl.__kwdefaults__
    return out


def promote_weak(prim, args, values, n):
    """NumPy's promotion for traced Python scalars: a plain number beside arrays takes their dtype.

    Returns whether the output is weak again: an operator on nothing but weak scalars.
    """
    weak = [type(a) in _WEAK_TYPES or isinstance(a, Tracer) and a.aval.weak for a in args[:n]]
    # Python computes with its own numbers alone; only beside an array do they take the dtype of that (NEP 50).
    if all(weak):
        return prim.weak
    for i in range(n):
        if weak[i] and type(values[i]) in _SCALAR_TYPES:
            # NumPy scalars are strong in NumPy's promotion, and would turn float32 beside them into float64.
            values[i] = values[i].item()
    return False


def take_operands(trace: Trace, prim: Primitive, args: Sequence[Any]) -> tuple[list[Any], list[int], bool]:
    """Unwrap the operands of an operation: take the values out of the tracers of one trace.

    Args:
        trace: the `Trace` that processes the operation.
        prim: the `Primitive`.
        args: its operands, then its static parameters, as passed to `Trace.process`.
    Returns:
        `(values, mine, weak)`: the values to compute with; the positions of the operands of `trace` that can carry a
        derivative; whether the output is again a weakly typed scalar, which adopts the dtype it is combined with.

    >>> from covector.extend import REGISTRY, Trace, take_operands
    >>> take_operands(Trace(), REGISTRY["sin"], (2.0,))
    ([2.0], [], False)
    """
    n = len(args) - len(prim.params)
    values = list(args)
    mine = []
    weak = False
    for i in range(n):
        a = args[i]
        if isinstance(a, Tracer) and a.owner is trace:
            values[i] = a.value
            weak = weak or a.aval.weak
            if i not in prim.nondiff:
                mine.append(i)
            elif prim.nondiff[i] is not None:
                prim.refuse_derivative(i, a)
    return values, mine, weak and prim.numbers and promote_weak(prim, args, values, n)


def below(x):
    """The value of a tracer, without its derivative; Python numbers stay numbers."""
    value = x.value
    return value.item() if x.aval.weak and isinstance(value, np.generic | ndarray) else value


_WEAK_TYPES = frozenset({int, float, complex, bool})
_SCALAR_TYPES = frozenset({np.float64, np.complex128})


def bind(prim: Primitive, args: tuple[Any, ...]) -> Any:
    """Apply a primitive: the trace with the highest level among the operands processes it, or else the backend.

    Args:
        prim: the `Primitive`.
        args: its operands, then its parameters in declared order.
    Returns:
        the output, or a tuple of outputs.

    >>> from covector.extend import REGISTRY, bind
    >>> float(bind(REGISTRY["multiply"], (2.0, 3.0)))
    6.0
    """
    n = len(args) - len(prim.params)
    top = None
    level = -1
    buffers = False
    others = False
    for i in range(n):
        a = args[i]
        if isinstance(a, Tracer):
            if a.owner is None:
                buffers = True
            # Levels only grow, so the youngest trace is the innermost transform: its derivative is taken first.
            elif a.owner.level > level:
                top = a.owner
                level = top.level
        elif type(a) not in _PLAIN and type(a) not in BY_TYPE:
            others = True
    if others:
        if any(hasattr(type(a), "tocsr") for a in args[:n]):
            return Tracer.beside_sparse(prim, args[:n])
        # Bound again where an operand was replaced: the plain value in a foreign one may be a tracer itself.
        known = [array_of_list(a) if type(a) in (list, tuple) else values_of(a) for a in args[:n]]
        if any(map(is_not, known, args)):
            return bind(prim, (*known, *args[n:]))
    if buffers:
        return _bind_buffers(prim, args, n)
    if top is None:
        return prim.run(args)
    return top.process(prim, args)


_PLAIN = frozenset({np.ndarray, *_WEAK_TYPES, *_SCALAR_TYPES, np.float32, np.int64, np.bool_})


def _bind_buffers(prim, args, n):
    """Read the buffers among the operands; a view of one stays tied to it."""
    if prim.view and n == 1:
        return args[0].view_through(prim, args[1:])
    read = [a.read() if isinstance(a, Tracer) and a.owner is None else a for a in args[:n]]
    return prim.fun(*read, *args[n:]) if not prim.variadic else bind(prim, (*read, *args[n:]))
