"""Render single equations as NumPy calls, each the very call that runs it without compilation."""

import operator
from functools import partial

import numpy as np

from .....core.arrays.sums import by_products
from .....core.primitive.primitive import REGISTRY, bind
from ....graph.equations import Literal, Var
from ....graph.layout import is_uniform

ndarray = np.ndarray
SYMBOLS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.mod: "%",
    operator.floordiv: "//", operator.eq: "==", operator.ne: "!=", operator.lt: "<", operator.le: "<=",
    operator.gt: ">", operator.ge: ">=", operator.and_: "&", operator.or_: "|", operator.xor: "^", operator.pow: "**",
}
_REDUCED = {ufunc: ufunc.reduce for ufunc in (np.add, np.maximum, np.minimum)}
_BY_NAME = (np.maximum, np.minimum)  # which take their output by name alone
_DOTTED = 1 << 13  # elements of an operand up to which a product is `dot`, as in core/ops/linalg/products.py


def write_equation(source, eq, life):
    """Write one equation; `life` knows which of its values are read afterwards."""
    prim = eq.prim
    if prim.rearranges:
        return _view(source, eq)
    known = prim.ufunc
    if known is not None:
        source.fresh.update(v for v in eq.outputs if v.aval.ndim)
        ufunc, symbol = known
        return _ufunc(source, eq, ufunc, symbol, life)
    if prim.reduces in _REDUCED and not eq.inputs[0].aval.weak and not (
            prim.reduces is np.add and by_products(eq.inputs[0].aval)):
        return _reduction(source, eq, life)
    if prim.updates and _is_plain_update(source, eq):
        return _update(source, eq, life)
    if prim.product == "matrices" and all(0 < v.aval.ndim < 3 for v in eq.inputs):
        return _product(source, eq, life)
    if prim.guards and eq.outputs[0].aval.shape:
        return _strong_zero(source, eq, life)
    return write_call(source, eq)


def write_call(source, eq):
    """Write an equation as a call of its operation."""
    prim = eq.prim
    inputs = list(map(source.ref, eq.inputs))
    if eq.leaves_numbers:  # an implementation is of arrays
        inputs = [f"{source.object(v.aval.dtype.type, v.aval.dtype.name)}({x})" for v, x in zip(eq.inputs, inputs)]
    args = [*inputs, *map(source.param, eq.params)]
    if prim.variadic:
        text = f"{source.object(bind, 'bind')}({source.object(prim, prim.name)}, ({', '.join(args)},))"
    else:
        text = f"{source.object(prim.fun, prim.name)}({', '.join(args)})"
    names = [source.name(v) for v in eq.outputs]
    source.write(f"{', '.join(names)}{',' if prim.outputs is not None else ''} = {text}" if names else text)


def into(ufunc, name):
    """The argument that says where a ufunc writes to."""
    return f"out={name}" if ufunc in _BY_NAME else name


def _view(source, eq):
    """Write a view; one of a buffer is made with the buffer."""
    (given,), out = eq.inputs, eq.outputs[0]
    x = source.ref(given)
    prim = eq.prim
    if type(given) is not Var or not given.aval.shape or given.aval.weak:
        return write_call(source, eq)
    if source.memory.slot_of(x) is not None and _is_view(source, eq):
        return source.memory.view(x, source.name(out, "w"), prim, eq.params)
    target = source.name(out)
    text = prim.written or f"{source.object(prim.fun, prim.name)}({{x}}, {{{prim.params[0]}}})"
    params = [source.index(p) if name == "index" else source.param(p) for name, p in zip(prim.params, eq.params)]
    return source.write(f"{target} = {text.format(x=x, **dict(zip(prim.params, params)))}")


def _is_view(source, eq):
    """Tell whether a view of a buffer is an array in the same memory, not a scalar or a copy."""
    x = np.empty(eq.inputs[0].aval.shape, np.bool_)
    if not source.layouts.is_compact(eq.inputs[0]):
        return False
    found = eq.prim.impl(np, x, *eq.params)
    return type(found) is ndarray and found.ndim > 0 and np.may_share_memory(found, x)


def _is_plain_update(source, eq):
    """Tell whether a write goes into a compact array of one dtype, at a place that a slice or a number says."""
    x, v = eq.inputs
    out = eq.outputs[0]
    same = x.aval.dtype == out.aval.dtype and (v.aval.dtype == out.aval.dtype and not v.aval.weak)
    return same and x.aval.ndim > 0 and (source.layouts.is_compact(x) or is_uniform(x))


def _update(source, eq, life):
    """Write a value into an array, or add it there: in place where nobody else reads the array."""
    (x, v), (index, add, _), out = eq.inputs, eq.params, eq.outputs[0]
    held, memory = life.held, source.memory
    value = source.ref(v)
    if type(x) is Var and x in source.fresh and x in life.dying and (x not in held or out not in life.leaving):
        name = source.names[out] = source.names[x]
        if x in held:
            held[out] = held.pop(x)
    elif memory.takes(out, life.leaving):
        name = source.names[out] = memory.buffer(out, held)
        fill = f"{source.object(np.copyto, 'copyto')}({name}, {source.ref(x)})"
        source.write(f"{name}.fill(0)" if _is_zero(x) else fill)
    else:
        name = source.name(out)
        zeros = f"{source.object(np.zeros, 'zeros')}({out.aval.shape!r}, {source.object(out.aval.dtype, 'dtype')})"
        source.write(f"{name} = {zeros if _is_zero(x) else f'{source.ref(x)}.copy()'}")
    source.fresh.add(out)
    part = np.empty(out.aval.shape, np.bool_)[index]
    where = f"{name}[{source.index(index)}]"
    if not add:
        source.write(f"{where} = {value}")
    elif type(part) is not ndarray or not part.ndim:
        source.write(f"{where} += {value}")
    else:
        view = source.name(Var(out.aval), "w")
        if not memory.view(name, view, REGISTRY["getitem"], (index,)):
            source.write(f"{view} = {where}")
        source.write(f"{source.object(np.add, 'add')}({view}, {value}, {view})")


def _is_zero(v):
    """Tell whether a value is a constant of zeros, all of them positive."""
    if type(v) is not Literal or type(v.value) is not ndarray or v.value.dtype.kind not in "fiub":
        return False
    value = v.value
    one = value[(slice(0, 1),) * value.ndim] if not any(value.strides) else value
    return not one.any() and not np.signbit(one).any() if value.dtype.kind == "f" else not one.any()


def _ufunc(source, eq, ufunc, symbol, life):
    """Write a ufunc or an operator."""
    out, memory = eq.outputs[0], source.memory
    args = list(map(source.ref, eq.inputs))
    sign, name = SYMBOLS.get(symbol), None
    if sign != "**" and memory.takes(out, life.leaving):
        name = memory.reuse_operand(eq, life.held, life.dying) or memory.buffer(out, life.held)
    elif sign != "**":
        name = source.names.get(memory.take_donated(eq, life.dying))
    if name is not None:
        source.names[out] = name
        return source.write(f"{source.object(ufunc, ufunc.__name__)}({', '.join(args)}, {into(ufunc, name)})")
    loops = sign is not None and (  # of arrays 20 ns less than the operator; of scalars 300 more, but rules divide by 0
        eq.quiet is True and eq.leaves_numbers if not out.aval.ndim else sign != "**")
    if sign is not None and not loops:
        text = f"{args[0]} {sign} {args[1]}"
    elif symbol is operator.invert:
        text = f"~{args[0]}"
    else:
        fun = ufunc if loops or symbol is None else symbol
        text = f"{source.object(fun, fun.__name__)}({', '.join(args)})"
    return source.write(f"{source.name(out)} = {_number(source, eq, text)}")


def _strong_zero(source, eq, life):
    """Write a look at a product: most are given on as they are, in the memory of one that nobody reads any more."""
    out, memory = eq.outputs[0], source.memory
    args = list(map(source.ref, eq.inputs))
    run = partial(eq.prim.impl, np)
    if not memory.takes(out, life.leaving):
        return source.write(f"{source.name(out)} = {source.object(run, eq.prim.name)}({', '.join(args)})")
    name = source.names[out] = memory.reuse_operand(eq, life.held, life.dying) or memory.buffer(out, life.held)

    def into_memory(ct, c, out):
        if c is not out or not c.size or np.isnan(np.maximum.reduce(c, None)):
            np.copyto(out, run(ct, c))

    return source.write(f"{source.object(into_memory, eq.prim.name)}({', '.join(args)}, {name})")


def _number(source, eq, text):
    """The text as a number of NumPy's, where Python numbers alone would give one of Python's."""
    dtype = eq.outputs[0].aval.dtype
    return f"{source.object(dtype.type, dtype.name)}({text})" if eq.leaves_numbers else text


def _reduction(source, eq, life):
    """Write a sum or an extreme over axes."""
    (x,), (axes, keepdims), out = eq.inputs, eq.params, eq.outputs[0]
    reduce = source.object(_REDUCED[eq.prim.reduces], eq.prim.name[7:] + "_over")
    if not source.memory.takes(out, life.leaving):
        plain = x.aval.ndim == 1 and axes == (0,) and not keepdims
        rest = "" if plain else f", {axes!r}, None, None, {keepdims}"
        source.write(f"{source.name(out)} = {reduce}({source.ref(x)}{rest})")
        return
    name = source.names[out] = source.memory.buffer(out, life.held)
    source.write(f"{reduce}({source.ref(x)}, {axes!r}, None, {name}, {keepdims})")


def _product(source, eq, life):
    """Write a product of vectors and matrices as `core.ops.linalg.products.product` computes it."""
    (x, y), out = eq.inputs, eq.outputs[0]
    dotted = x.aval.size < _DOTTED or x.aval.shape[-1] == 1
    same = x.aval.dtype == y.aval.dtype == out.aval.dtype and out.aval.dtype.kind in "fc"
    if source.memory.takes(out, life.leaving) and same and out.aval.ndim == 2:
        name = source.names[out] = source.memory.buffer(out, life.held)
        fun = source.object(np.dot, "dot") if dotted else source.object(np.matmul, "matmul")
        source.write(f"{fun}({source.ref(x)}, {source.ref(y)}, {name})")
    elif dotted and not (type(x) is Literal and type(x.value) is not ndarray):
        source.write(f"{source.name(out)} = {source.ref(x)}.dot({source.ref(y)})")
    else:
        source.write(f"{source.name(out)} = {source.ref(x)} @ {source.ref(y)}")
