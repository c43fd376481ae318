"""Declare primitives: `primitive` in full, and the families `elementwise` and `linear`, which derive most rules."""

import functools
import operator

import numpy as np

from .. import ROADS
from ..arrays.avals import make_aval
from ..arrays.sums import LARGE, small
from ..errors import RuleError
from ..tape.unbroadcast import conj
from ..types import Any, Callable, Operation
from .broadcasting import elementwise_batch, elementwise_shape
from .call_lanes import general_lane, pair_lane, single_lane
from .kernels import Loops, with_kernel
from .lanes import binary_lane, flat_lane, unary_lane
from .primitive import REGISTRY, ZERO, Formula, NotLowered, Primitive, Rules, argument_names

ndarray = np.ndarray


def primitive(
    name: str, *, impl: Callable[..., Any], shape: Any, samples: Any, batch: Any = None, batch_params: Any = None,
    jvp: Any = None, vjp: Any = None, real_vjp: Any = None, basis: Any = None, outputs: Any = None, nondiff: str = "",
    lane: Any = None, kernel: Any = None, **facts: Any,
) -> Operation:
    """Declare and register a primitive.

    Args:
        name: unique; shown in graphs and messages.
        impl: `impl(xp, x, y, *, axis)`: positional names are arrays, keyword-only names static parameters.
        shape: asks by name for operand avals and parameters; returns the output's `Aval` (or a tuple of them).
        jvp, vjp: `{"x": rule, "x, y": joint rule}`; after the tangent(s) or the cotangent a rule lists what it needs.
            `ZERO` says that the map is flat everywhere.
        real_vjp: faster forms for native real floats of at most two axes, whose outputs need no cast or un-broadcast.
        basis: `{"x": rows}`: what real_vjp gives for each unit cotangent, stacked, where that costs next to nothing.
            `rows(ct, …)` asks for names of that real_vjp; `ct` has `shape`, `ndim`, `size` and `complete` (are all
            units asked for?), no values. None where there is no short cut.
        batch: asks by name for operands (batched ones with the batch axis in front, the others as they are),
            parameters, `batched` (a tuple of bools, one an operand) and `size`, which may be 0; returns the output with
            the batch axis in front. Where it calls the operation itself, on operands of more axes, all rules meet
            those: align axes behind the batch axis, which `check` tries by nested maps.
        batch_params: in place of `batch` where that is the same operation with other parameters: asks by name for
            parameters, `size` and `x_shape` (of one example) and returns them all.
        samples: `samples(rng)` gives a list of `covector.extend.Sample` for the checker.
        outputs: None for one array; the number of arrays in the tuple returned, or a function of the parameters.
        nondiff: `"mask, index"`: integer and boolean operands that carry no derivative. An operand that moves the
            output, but by a derivative that nobody knows, stands here and in `refused={"x": "why"}`, and then raises.
        kernel: a `Rows`, where rows of large arrays run as compiled loops if they can, or `Loops` over arrays.
        lower: a function of the operands and parameters that says it in operations, for compilers; of real operands,
            and it raises `NotLowered` of those that stay. None of an atom, which compilers know.
        facts: traits of `Primitive` (`view`, `zeros`, `singular`, `flat`, `linear`, …) and what `core/facts.py` lists.
    Returns:
        the public function, whose `.prim` is the `Primitive`.
    Raises:
        RuleError: a rule is missing, or requests a name that the operation does not have.

    >>> import covector
    >>> from covector.extend import REGISTRY, Sample, primitive
    >>> twice = primitive(
    ...     "example_twice", impl=lambda xp, x: xp.multiply(x, 2.0), shape=lambda x: x, batch=lambda x: twice(x),
    ...     jvp={"x": lambda dx: twice(dx)}, vjp={"x": lambda ct: twice(ct)},
    ...     samples=lambda rng: [Sample(rng.standard_normal(3))])
    >>> float(covector.grad(twice)(3.0))
    2.0
    >>> _ = REGISTRY.pop("example_twice")
    """
    prim = Primitive(name, impl, outputs=outputs, nondiff=nondiff, samples=samples, **facts)
    known = _known(prim)
    asked = {*prim.operands, *prim.params}
    prim.shape = _by_name(prim, shape, "shape", asked)
    if batch_params is not None:
        prim.batch_params = _shifted(prim, batch_params)
    if batch is not None or batch_params is None:
        prim.batch = _by_name(prim, batch, "batch", asked | {"batched", "size"})
    prim.flat = prim.flat or jvp is ZERO or vjp is ZERO
    if not prim.flat:
        prim.jvp = Rules(_formulas(prim, jvp, "jvp", known))
        prim.vjp = Rules(_formulas(prim, vjp, "vjp", known), real_vjp and _formulas(prim, real_vjp, "vjp", known))
        if basis is not None:
            prim.basis = {i: formula for key, fn in basis.items() for i, formula in _formulas(
                prim, {key: fn}, "basis", set(prim.vjp.real[prim.index(key)].names)).items()}
    if kernel is not None:
        kernel.attach(prim)
    if samples is None:
        raise RuleError(f"primitive {name} has no samples; give samples=lambda rng: [...], the checker reads them")
    return _register(prim, lane)


def _known(prim):
    """The names that a derivative rule may ask for."""
    return {*prim.operands, *prim.params, "ans", *[f"{n}_aval" for n in prim.operands]}


def _register(prim, lane=None):
    # Formulas of `chosen` are checked as vjp rules are: a misspelt name fails at import, not in a backward pass.
    if prim.chosen is not None:
        prim.chosen = _formulas(prim, prim.chosen, "vjp", _known(prim))
    if lane is None:
        lane = _lane_of(prim)
    prim.lane = lane
    fun = (general_lane if ROADS == "general" else lane)(prim)
    fun.prim = prim
    fun.__name__ = fun.__qualname__ = prim.name
    fun.__module__ = prim.impl.__module__
    prim.fun = fun
    REGISTRY[prim.name] = prim
    return fun


def _lane_of(prim):
    if prim.outputs is not None or prim.variadic:
        return general_lane
    if len(prim.operands) == 1:
        return single_lane
    bare = not (prim.params or prim.nondiff or prim.flat or prim.zeros or prim.elementwise)
    return pair_lane if len(prim.operands) == 2 and bare else general_lane


def _formulas(prim, rules, kind, known):
    """`{operand index: Formula}` of a rule table, complete or an error."""
    if not isinstance(rules, dict):
        raise RuleError(f"primitive {prim.name} declares no {kind}; give a rule an operand, or ZERO if it is flat")
    table = {}
    for key, fn in rules.items():
        operands: Any = tuple(prim.index(n.strip().removeprefix("*")) for n in key.split(","))
        skip = 1
        if prim.variadic:
            joint = getattr(fn, "joint", False) or kind == "jvp"
            skip = 1 if kind == "jvp" else 2
            operands = "all" if joint else operands
        names = argument_names(fn)[skip:]
        unknown = [n for n in names if n not in known]
        if unknown:
            raise RuleError(
                f"the {kind} rule of {prim.name} for {key!r} asks for {unknown[0]!r}, "
                f"which is none of {', '.join(sorted(known))}"
            )
        formula = Formula(fn.fn if type(fn) is _Named else fn, names, operands)
        for i in [0] if prim.variadic else operands:
            table[i] = formula
    missing = [n for i, n in enumerate(prim.operands) if i not in table and i not in prim.nondiff]
    if missing and kind != "basis":
        raise RuleError(f"primitive {prim.name} has no {kind} rule for {missing[0]!r}; a missing rule is an error, "
                        f"declare it or list the operand in nondiff")
    return table


def joint(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a variadic vjp rule that computes all cotangents at once.

    Args:
        rule: `rule(ct, active, …)` returns one cotangent per active operand.
    Returns:
        `rule`.

    >>> from covector.extend import joint
    >>> joint(lambda ct, active: [ct for _ in active]).joint
    True
    """
    rule.joint = True  # type: ignore[attr-defined] # a mark on the function
    return rule


def _by_name(prim, fn, kind, known):
    """`fn` as a function of `(operands, params, batched, size)`-like mappings, its names checked once."""
    if fn is None:
        raise RuleError(f"primitive {prim.name} declares no {kind} rule")
    names = argument_names(fn)
    unknown = [n for n in names if n not in known]
    if unknown:
        raise RuleError(f"the {kind} rule of {prim.name} asks for {unknown[0]!r}, "
                        f"which is none of {', '.join(sorted(known))}")
    # Names become positions here, at registration: no signature is inspected while an operation runs.
    order = {n: i for i, n in enumerate((*prim.operands, *prim.params, "batched", "size"))}
    slots = tuple(order[n] for n in names)

    def call(operands, params, batched=None, size=None):
        if prim.variadic:
            operands = (operands,)
        record = (*operands, *params, batched, size)
        return fn(*[record[k] for k in slots])

    return call


def _shifted(prim, batch_params):
    """The rule for a batch of the one operand, which is the same operation with the parameters `batch_params`."""
    names = argument_names(batch_params)
    unknown = [n for n in names if n not in (*prim.params, "size", "x_shape")]
    if unknown:
        raise RuleError(f"batch_params of {prim.name} asks for {unknown[0]!r}, which is none of "
                        f"{', '.join(prim.params)}, size, x_shape")

    def params_of(params, size, shape):
        known = dict(zip(prim.params, params), size=size, x_shape=shape)
        return batch_params(*[known[n] for n in names])

    def batch(operands, params, batched=None, size=None):
        (x,) = operands
        return prim.fun(x, *params_of(params, size, x.shape[1:]))

    prim.batch = batch
    return params_of


def elementwise(
    name: str, *, samples: Any, impl: Any = None, d: Any = None, jvp: Any = None, vjp: Any = None,
    real_vjp: Any = None, real_jvp: Any = None, op: Any = None, lower: Any = None, same: Any = None,
    kernel: Any = None, **facts: Any,
) -> Operation:
    """Declare an elementwise primitive: shape, broadcasting, un-broadcasting and batching follow from the family.

    Args:
        impl: as for `primitive`; by default a library's ufunc of the name of `op`, or the operator, of `x` (and `y`).
        d: `{"x": lambda x, ans: …}`: the partial derivative by each operand, or ZERO where it is flat everywhere.
            Holomorphic: the vjp multiplies with the conjugate.
        jvp, vjp: full rules instead of `d`, for maps that are not holomorphic or have a better form.
        real_vjp, real_jvp: faster forms of the rules derived from `d`, used only for native real floats; `"x, y"` of
            real_vjp is the pair of both, if both are differentiated.
        op: the ufunc or operator that computes it on plain arrays (default: the `impl` on NumPy).
        lower: as for `primitive`, or a ufunc or `Loop` (default: the `impl`).
        same: whether float64 gives float64; found out by default, and taken for granted of covector's own.
        kernel: of one operand: `{}` if it and its derivative run as compiled loops on large arrays, where they can;
            "impl", "vjp" or "jvp" give in operations, without asking for values, what does not say itself so; None
            leaves a rule to NumPy. Or `Loops`, for a ufunc or operator.
    Returns:
        the public function, whose `.prim` is the `Primitive`.
    Raises:
        RuleError: as for `primitive`.

    >>> import covector
    >>> from covector.extend import REGISTRY, elementwise
    >>> cube = elementwise("example_cube", impl=lambda xp, x: x**3, d={"x": lambda x: 3 * x**2},
    ...                    samples=lambda rng: [(rng.standard_normal(3), {})])
    >>> float(covector.grad(cube)(2.0))
    12.0
    >>> _ = REGISTRY.pop("example_cube")
    """
    impl = impl or _run_by(op)
    gates = facts.pop("gates", d is None and facts.get("zeros", False) and not facts.get("singular", False))
    prim = Primitive(name, impl, samples=samples, elementwise=True, flat=d is ZERO or jvp is ZERO, gates=gates, **facts)
    known = _known(prim)
    if type(kernel) is Loops:
        LARGE[op if isinstance(op, np.ufunc) else _UFUNCS[op]] = kernel.beside(kernel.attach(prim))
        kernel = None
    if kernel is not None:
        prim.impl = with_kernel(name, "impl", prim.impl, kernel.get("impl") or _itself(prim, lower), _kinds(
            prim, (*prim.operands, *prim.params)))
    if not prim.flat:
        live = [n for i, n in enumerate(prim.operands) if i not in prim.nondiff]
        scaled = {n: _scaled(d[n], conjugate=False) for n in live if n in (d or ())}
        general = vjp or {n: _scaled(d[n], conjugate=True) for n in scaled}
        # `slopes` lets strong zeros and blocks multiply by the factor themselves, so it must be the factor of the
        # rule.
        if vjp is None and (real_vjp is kernel is None or prim.linear == prim.operands):  # else rules have other terms
            prim.slopes = {prim.index(n): (d[n], argument_names(d[n])) for n in scaled}
        prim.jvp = Rules(_formulas(prim, jvp or scaled, "jvp", known), _formulas(
            prim, real_jvp or jvp or scaled, "jvp", known))
        together = ", ".join(prim.operands)
        plain = dict(real_vjp or vjp or scaled)
        # The pair serves one case, both operands differentiated in real forms; each operand keeps a rule of its own.
        pair = plain.pop(together, None) if len(prim.operands) > 1 else None
        prim.vjp = Rules(_formulas(prim, general, "vjp", known), _formulas(prim, plain, "vjp", known))
        if pair is not None:
            prim.vjp.real["all"] = _formulas(prim, {together: pair}, "vjp", known)[0]
        for kind, rules in (("vjp", prim.vjp.real), ("jvp", prim.jvp.real)) if kernel is not None else ():
            fn, names = rules[0].fn, rules[0].names
            define = kernel.get(kind, fn)
            if define is not None:
                rules[0] = Formula(with_kernel(name, kind, fn, define, ("array", *_kinds(prim, names))), names,
                                   rules[0].operands)
    prim.shape = elementwise_shape(prim, kernel is not None)
    prim.batch = elementwise_batch(prim)
    native = op is None or isinstance(op, np.ufunc)
    run = functools.partial(prim.impl, np)
    prim.lower = lower or (op if isinstance(op, np.ufunc) else _UFUNCS.get(op) or _on_symbols(run))
    prim.composite = prim.composite or lower is None and type(prim.lower) is not np.ufunc
    if lower is None and type(prim.lower) is np.ufunc:
        prim.ufunc = prim.lower, None if op is prim.lower else op
    op = op or run
    if prim.params or not (_keeps_floats(prim) if same is None else same):
        lane = None
    elif prim.flat:
        lane = lambda prim: flat_lane(prim, op)  # noqa: E731
    elif len(prim.operands) == 1:
        lane = lambda prim: unary_lane(prim, small(op))  # noqa: E731
    elif len(prim.operands) == 2 and not prim.nondiff and len(prim.jvp.real[0].operands) == 1:
        ufunc = op if isinstance(op, np.ufunc) else None
        lane = lambda prim: binary_lane(prim, small(op, ufunc), native)  # noqa: E731
    else:
        lane = None
    return _register(prim, lane)


def _on_symbols(run):
    """Derive a lowering by running the implementation on symbols, `NotLowered` where it needs real arrays."""
    def lower(*args):
        try:
            return run(*args)
        except (TypeError, ValueError, AttributeError, NotImplementedError):
            raise NotLowered from None

    return lower


def _itself(prim, lower):
    """The operation itself as a kernel definition: as one call, or lowered if it has parameters."""
    return (lower or functools.partial(prim.impl, np)) if prim.params else lambda x: prim.fun(x)


def _kinds(prim, names):
    """The kind of each requested value: an array, or a float parameter."""
    return tuple(["float" if n in prim.params else "array" for n in names])


def _run_by(op):
    """The implementation of a primitive that is a ufunc or an operator."""
    if isinstance(op, np.ufunc):
        named = operator.attrgetter(op.__name__)
        return (lambda xp, x: named(xp)(x)) if op.nin == 1 else lambda xp, x, y: named(xp)(x, y)
    if op is operator.invert:
        return lambda xp, x: op(x)
    # np.float64 is a float: beside a complex number Python would answer with a number of its own
    return lambda xp, x, y: op(np.complex128(x) if type(x) is complex and type(y) is np.float64 else x, y)


_UFUNCS = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
    operator.pow: np.power, operator.mod: np.remainder, operator.floordiv: np.floor_divide, operator.eq: np.equal,
    operator.ne: np.not_equal, operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater,
    operator.ge: np.greater_equal, operator.and_: np.bitwise_and, operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor, operator.invert: np.invert,
}


def _scaled(partial, conjugate):
    """The rule `ct * partial(…)` (or its conjugate), asking for the names that `partial` asks for."""
    names = argument_names(partial)
    rule: Any
    if conjugate:
        rule = lambda ct, *asked: ct * conj(partial(*asked))  # noqa: E731
    # Fixed parameters in place of `*asked` for the common counts: a call with `*` builds a tuple.
    elif len(names) == 1:
        rule = lambda ct, x: ct * partial(x)  # noqa: E731
    elif len(names) == 2:
        rule = lambda ct, x, y: ct * partial(x, y)  # noqa: E731
    else:
        rule = lambda ct, *asked: ct * partial(*asked)  # noqa: E731
    return _Named(rule, names)


class _Named:
    """A rule whose names are known from elsewhere; looks to `_formulas` like a function with that signature."""

    class _Code:
        __slots__ = ("co_varnames", "co_argcount", "co_kwonlyargcount")
        co_varnames: tuple[str, ...]
        co_argcount: int
        co_kwonlyargcount: int

    def __init__(self, fn, names):
        self.fn = fn
        self.__code__ = code = self._Code()
        code.co_varnames = ("ct", *names)
        code.co_argcount = len(code.co_varnames)
        code.co_kwonlyargcount = 0

    def __call__(self, *args):
        return self.fn(*args)


def linear(
    name: str, *, impl: Callable[..., Any], transpose: Callable[..., Any], shape: Any, samples: Any, batch: Any = None,
    **facts: Any,
) -> Operation:
    """Declare a primitive that is linear in its one differentiable operand: the jvp is the map itself.

    Args:
        transpose: `transpose(ct, x_aval, axis…)`, the vjp; the family handles dtype and shape.
    Returns:
        the public function, whose `.prim` is the `Primitive`.
    Raises:
        RuleError: as for `primitive`.

    >>> import numpy as np, covector
    >>> from covector.extend import REGISTRY, linear
    >>> backwards = linear("example_backwards", impl=lambda xp, x: x[::-1], transpose=lambda ct: backwards(ct),
    ...                    shape=lambda x: x, batch=lambda x: x[:, ::-1],
    ...                    samples=lambda rng: [(rng.standard_normal(3), {})])
    >>> covector.grad(lambda x: backwards(x) @ np.array([1.0, 2.0]))(np.zeros(2))
    array([2., 1.])
    >>> _ = REGISTRY.pop("example_backwards")
    """
    code = impl.__code__
    operand = code.co_varnames[1]
    extra = code.co_varnames[2 : code.co_argcount]
    params = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    asked = (*extra, *params)
    # The jvp of a linear map is the map, which exists only when `primitive` has returned: hence the cell.
    holder = []
    push = _Named(lambda dx, *rest: holder[0](dx, *rest), asked)
    fun = primitive(name, impl=impl, shape=shape, batch=batch, samples=samples, jvp={operand: push},
                    vjp={operand: transpose}, linear=(operand,), nondiff=", ".join(extra), **facts)
    holder.append(fun)
    return fun


def _keeps_floats(prim):
    """Tell whether float64 comes out where float64 goes in, on which lanes rely; of our own the checker sees that."""
    # A lane gives the output the aval of the operand, which is wrong of an impl that changes the dtype. Asking runs a
    # user's impl once; of ours `check` compares the shape rule with the real output.
    if prim.flat or (prim.impl.__module__ or "").startswith("covector."):
        return True
    try:
        found = prim.shape([make_aval((1,), np.dtype(float))] * len(prim.operands), ())
    except (TypeError, ValueError):
        return False
    return found.dtype == np.float64
