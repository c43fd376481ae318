"""Primitives: one operation with all its rules, declared in one statement and checked at registration."""

import types
from collections.abc import Sequence

import numpy as np

from ..arrays.avals import aval_of
from ..arrays.backend import namespace_of
from ..arrays.dtypes import is_inexact
from ..errors import RuleError, at_user_line
from ..tape.rules import compile_rule
from ..trace.device import array_of_list, refuse_operands
from ..trace.tracer import Trace, Tracer
from ..types import Any

ndarray = np.ndarray
REGISTRY = {}  # name -> Primitive
_RULE_LIMIT = 512
_VARARGS = 0x04

# Types whose operators are NumPy's own: no tracer inside, so a fast path may call the ufunc at once.
RAW = frozenset({ndarray, bool, int, float, complex} | {np.dtype(c).type for c in "?bhilqBHILQefdgFDG"})


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


class Primitive:
    """One operation: what it computes, and every rule the transforms need. Created by `primitive` and the families."""

    def __init__(self, name, impl, **facts):
        code = impl.__code__
        names = code.co_varnames
        self.name = name
        self.variadic = bool(code.co_flags & _VARARGS)
        self.params = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        rest = names[code.co_argcount + code.co_kwonlyargcount] if self.variadic else None
        self.operands = (rest,) if self.variadic else names[1 : code.co_argcount]
        self.nin = None if self.variadic else len(self.operands)
        self.defaults = impl.__kwdefaults__ or {}
        self.impl = _positional(impl, self.variadic)
        self.declared = impl
        self.family = facts.get("family", "primitive")
        self.outputs = facts.get("outputs")  # None: one array; a count, or a function of the params: a tuple
        self.flat = facts.get("flat", False)
        self.singular = facts.get("singular", False)
        self.quiet = self.singular or facts.get("quiet", False)  # its derivative may overflow where it does not itself
        self.masks = facts.get("masks", False)  # creates structural zeros
        self.view = facts.get("view", False)  # may share memory; a function of the params: if 0-d
        self.copies = facts.get("copies", False)  # a view that copies where no strides give one
        self.broadcasts = facts.get("broadcasts", self.family == "elementwise")  # operands against each other
        self.product = facts.get("product", False)  # of matrices or tensors: worth saving rather than computing again
        self.accepts_none = facts.get("accepts_none", False)  # its vjp handles missing cotangents of several outputs
        self.lazy = facts.get("lazy", False)  # its vjp takes undensified cotangents
        self.shifts = facts.get("shifts", ())  # operands whose plain cotangent is that of the output
        self.bounds = facts.get("bounds")  # of an extreme: its output with where x won, and the rule of `where`
        self.basis = {}  # operand index -> Formula of its cotangents for all unit cotangents, had for free
        self.gram = facts.get("gram")  # `gram(rows, factor, matrix)`: (rows * factor) @ matrix, None if not cheaper
        self.of_units = facts.get("of_units")  # its outputs for the rows of an identity matrix, had for free, or None
        self.moves = facts.get("moves", False)  # its vjp moves or repeats elements, and adds those that meet
        self.exact = facts.get("exact", False)  # its vjp returns the operand's shape and, for plain floats, dtype
        self.linear = facts.get("linear", ())  # operand groups in which it is linear
        self.weak = facts.get("weak", False)  # an operator: Python scalars stay weak through it, as in NumPy
        self.collective = facts.get("collective", False)
        self.effect = facts.get("effect", False)  # never dropped or merged when staged
        self.nondiff = frozenset(facts.get("nondiff", ()))
        self.refused = facts.get("refused", {})  # {operand of nondiff: why it has no derivative}; floats with one raise
        self.shape = facts["shape"]
        self.batch = facts["batch"]
        self.samples = facts["samples"]
        self.jvp = facts.get("jvp", {})  # operand index -> Formula
        self.vjp = facts.get("vjp", {})
        self.jvp_plain = facts.get("jvp_plain", self.jvp)
        self.vjp_plain = facts.get("vjp_plain", self.vjp)
        self.handlers = facts.get("handlers")  # higher-order: {trace kind: handler(trace, prim, args)}, not rules
        self.across = facts.get("across")  # collectives: `across(x, size, *params)` over the named axis
        self.staged_params = facts.get("staged_params")  # what a graph records in place of the parameters
        self.ufunc = None  # the ufunc that it is on plain arrays, if it is one
        self.expands = facts.get("expands", False)  # its impl is operators alone, so it may be run on tracers
        self.absent = facts.get("absent", {})  # {case of the audit: why the operation has none}
        self.fun: Any = None
        self.rules: dict[Any, Any] = {}

    def __repr__(self):
        return f"Primitive({self.name})"

    def arrange(self, args, kwargs):
        """Positional arguments in declared order from any mix of positional and keyword ones."""
        if self.variadic:
            names, given, operands = self.params, (), args
        else:
            names, given, operands = self.operands + self.params, args, ()
        if len(given) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} arguments, but got {len(given)}: {', '.join(names)}")
        out = list(given)
        kwargs = dict(kwargs)
        for name in names[len(given) :]:
            if name in kwargs:
                out.append(kwargs.pop(name))
            elif name in self.defaults:
                out.append(self.defaults[name])
            else:
                raise TypeError(f"{self.name} misses its argument {name!r}")
        if kwargs:
            raise TypeError(f"{self.name} has no argument {next(iter(kwargs))!r}; it takes {', '.join(names)}")
        return (*operands, *out)

    def split(self, args):
        """`(operands, params)` of positional arguments."""
        n = len(args) - len(self.params)
        return args[:n], args[n:]

    def rebind(self, args):
        """The same operation on other values, one level down."""
        return bind(self, tuple(args)) if self.variadic else self.fun(*args)

    def run(self, args):
        """Compute on plain arrays."""
        operands, params = self.split(args)
        for value in operands:
            if type(value) is not ndarray and type(value) not in RAW:
                xp = namespace_of(operands)
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
        """How many outputs, None for a bare array."""
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

    def refuse_derivative(self, i, x):
        """Raise where `x`, a traced value that carries a derivative, is an operand that is declared `refused`."""
        name = self.operands[i]
        if name in self.refused and is_inexact(x.aval.dtype):
            raise RuleError(f"{self.name} is not differentiable with respect to its operand {name!r}, which is traced: "
                            f"{self.refused[name]}; wrap it in stop_gradient{at_user_line()}")

    def tangent(self, tangents, args, ans):
        """The tangent of `ans` from `{operand index: tangent}`, by the general rules."""
        names = self.operands + self.params
        if self.variadic:
            operands, params = self.split(args)
            formula = self.jvp.get(0)
            env = dict(zip(self.params, params))
            env[self.operands[0]] = operands
        else:
            env = dict(zip(names, args))
        env["ans"] = ans
        if self.variadic:
            if formula is None:
                raise RuleError(f"{self.name} has no jvp rule")
            full = [tangents.get(i) for i in range(len(operands))]
            return formula.fn(full, *[_lookup(env, n) for n in formula.names])
        total = None
        done = set()
        for i in tangents:
            formula = self.jvp.get(i)
            if formula is None:
                raise RuleError(f"{self.name} has no jvp rule for its operand {self.operands[i]!r}")
            if i in done:
                continue
            done.update(formula.operands)
            given = [tangents.get(k) for k in formula.operands]
            dx = given[0] if len(formula.operands) == 1 else tuple(given)
            part = formula.fn(dx, *[_lookup(env, n) for n in formula.names])
            total = part if total is None else _add_tangents(total, part)
        return total


def _add_tangents(a, b):
    if type(a) is tuple:
        return tuple(y if x is None else x if y is None else x + y for x, y in zip(a, b))
    return a + b


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
    return types.FunctionType(code, impl.__globals__, impl.__name__, None, impl.__closure__)


def promote_weak(prim, args, values, n):
    """NumPy's promotion for traced Python scalars: a plain number beside arrays takes their dtype.

    Returns whether the output is weak again: an operator on nothing but weak scalars.
    """
    weak = [type(a) in _WEAK_TYPES or isinstance(a, Tracer) and a.aval.weak for a in args[:n]]
    if all(weak):
        return prim.weak
    for i in range(n):
        if weak[i] and type(values[i]) in _SCALAR_TYPES:
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
            elif prim.refused:
                prim.refuse_derivative(i, a)
    return values, mine, weak and prim.family == "elementwise" and promote_weak(prim, args, values, n)


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
    lists = False
    for i in range(n):
        a = args[i]
        if isinstance(a, Tracer):
            if a.owner is None:
                buffers = True
            elif a.owner.level > level:
                top = a.owner
                level = top.level
        elif type(a) is list or type(a) is tuple:
            lists = True
    if lists:
        return bind(prim, (*[array_of_list(a) if type(a) in (list, tuple) else a for a in args[:n]], *args[n:]))
    if buffers:
        return _bind_buffers(prim, args, n)
    if top is None:
        return prim.run(args)
    return top.process(prim, args)


def _bind_buffers(prim, args, n):
    """Read the buffers among the operands; a view of one stays tied to it."""
    if prim.view and n == 1:
        return args[0].view_through(prim, args[1:])
    read = [a.read() if isinstance(a, Tracer) and a.owner is None else a for a in args[:n]]
    return prim.fun(*read, *args[n:]) if not prim.variadic else bind(prim, (*read, *args[n:]))


