"""Programs of calls on dual tensors: the values of an operation and their tangents by one straight line of primitives.

The body of a call is staged as for any other program (`call_cache.py`); then the tangent rule of each of its equations
is staged behind it, on the same boxes. Nothing is recorded there: an operand that has a history as well goes the
general path.
"""

from ....._engine import Literal
from .....extend import REGISTRY, aval_of
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..modes.warnings import INSTEAD
from ..staged.recorder import Box, Recorder, Unfit
from ..state.levels import DUAL
from ..types.dtypes import Default
from ..types.number_cache import FLOATS
from ..types.parameter import Parameter
from ..types.tensor_type import GENERAL, VIEW, Record, Tensor, needs_grad
from ..values.tangents import tangent_of
from .call_key import NESTS, STATIC, whole
from .call_source import DECLINED, CallWriter, Program
from .output_aliasing import DUPLICATE
from .staged_calls import LARGE, alike, close, keep, staged, tensors_of

broadcast_to = REGISTRY["broadcast_to"].fun


def run(row, args, kwargs, epoch, otherwise):
    """The output of a call in a dual level; `otherwise()` gives it where there is no program."""
    key, tensors, tangents = [DUAL, Default.float], [], []
    if not described(args, key, tensors, tangents, row.blind, epoch) or kwargs and not described_by_name(
            kwargs, key, tensors, tangents, row.blind, epoch) or not tangents:
        return otherwise()
    key = tuple(key)
    programs = row.programs
    program = programs.get(key, 0)
    if type(program) is DualProgram:
        answer = program.run(epoch, *tensors, *tangents)
        return otherwise() if answer is DECLINED else answer
    answer = otherwise()
    if type(program) is int:
        keep(programs, key, 1 if not program else made(row, args, kwargs, tensors, tangents, epoch, answer))
    return answer


def described(args, key, tensors, tangents, blind, epoch):
    """Add what a program depends on to a key, the tensors and the arrays of their tangents to lists; False where there
    can be no program."""
    for a in args:
        kind = type(a)
        if kind is Tensor or kind is Parameter:
            if a.level_trace is not None or a.node is not None or a.wants_grad:
                return False
            x, meta, dx = a.value, a.autograd_meta, None
            dtype = x.itemsize
            if meta is not None:
                if meta.inference or meta.base is not None and needs_grad(meta.base):
                    return False
                found = meta.tangent
                dx = found[1] if found is not None and found[0] is epoch else tangent_of(a)
            if dx is None:
                if a.dispatch_key == GENERAL and x.dtype not in FLOATS:
                    if not blind or not whole(a, False):
                        return False
                    dtype = x.dtype
                key += (x.shape, x.strides, dtype, None)
            else:
                d = dx.value
                if dx.level_trace is not None or dx.node is not None or dx.wants_grad or dx.dispatch_key > VIEW or (
                        dx.dispatch_key and needs_grad(dx.autograd_meta.base)) or (
                        d.dtype is not x.dtype or d.shape != x.shape):
                    return False
                tangents.append(d)
                key += (x.shape, x.strides, dtype, d.strides)
            tensors.append(a)
        elif kind in STATIC:
            key += (kind, a)
        elif kind is float:
            key += (kind, a if a and a == a else str(a))
        elif kind in NESTS:
            key += (kind, len(a))
            if not described(a, key, tensors, tangents, blind, epoch):
                return False
        else:
            return False
    return True


def described_by_name(kwargs, key, tensors, tangents, blind, epoch):
    """`described` of the arguments that are given by name."""
    key += kwargs
    return "out" not in kwargs and described(kwargs.values(), key, tensors, tangents, blind, epoch)


def made(row, args, kwargs, tensors, tangents, epoch, answer):
    """The program of a call, beside its output by the general path; None where there is none."""
    token, before = error_state(), INSTEAD.get()
    try:
        suppress_fp_warnings()
        INSTEAD.set(Unfit)
        program = DualProgram(row, args, kwargs, tensors, tangents, tensors_of(answer))
        mine = program.run(epoch, *tensors, *tangents)
        theirs, mine = tensors_of(answer), [] if mine is DECLINED else tensors_of(mine)
        return program if len(theirs) == len(mine) and all(map(agree, theirs, mine)) else None
    except NotImplementedError:
        return None
    finally:
        try:
            INSTEAD.set(before)
        finally:
            restore_fp_warnings(token)


def agree(a, b):
    """Tell whether two tensors have the same elements, and the same tangents."""
    if not alike(a, b):
        return False
    da, db = tangent_of(a), tangent_of(b)
    if da is None or db is None:
        return da is db
    return da.value.dtype is db.value.dtype and da.value.shape == db.value.shape and close(da.value, db.value)


class DualProgram(Program):
    """`run(epoch, *tensors, *tangents)` gives the output, or DECLINED; the tangents are arrays."""

    __slots__ = ()

    def __init__(self, row, args, kwargs, tensors, tangents, like):
        if max([t.value.size for t in tensors]) > LARGE:
            raise Unfit
        recorder = Recorder()
        answer = staged(recorder, row, args, kwargs, tensors)[0]
        rest = iter(tangents)
        known = {}
        for t, v in zip(tensors, list(recorder.inputs)):
            if tangent_of(t) is not None:
                d = next(rest)
                known[v] = recorder.input(aval_of(d), d)
        push(recorder, known)
        name = "dual_program_of_" + row.name.replace(".", "_")
        writer = DualWriter(recorder, (), None)
        self.finish(name, writer, writer.dual_text(name, answer, [t.value for t in like], known, len(tensors)))


def push(recorder, known):
    """Stage the tangents of all equations: `known` has those of the inputs, and gets those of what is computed."""
    for eq in list(recorder.equations):
        prim = eq.prim
        given = {i: known[v] for i, v in enumerate(eq.inputs) if type(v) is not Literal and v in known}
        if prim.flat or not eq.outputs or not given:
            continue
        if any(i in prim.nondiff for i in given):
            raise Unfit
        operands = [v.value if type(v) is Literal else recorder.box(v, recorder.values[v]) for v in eq.inputs]
        outs = [recorder.box(v, recorder.values[v]) for v in eq.outputs]
        found = prim.tangent(given, (*operands, *eq.params), outs[0] if prim.outputs is None else tuple(outs))
        for v, t in zip(eq.outputs, (found,) if prim.outputs is None else found):
            value = aval_of(recorder.values[v])
            if t is None or value.dtype.kind not in "fcV":
                continue
            if type(t) is not Box or t.aval.dtype is not value.dtype:
                raise Unfit
            known[v] = t if t.aval.shape == value.shape else broadcast_to(t, value.shape)


class DualWriter(CallWriter):
    """Writes the source of a graph whose outputs are tensors with tangents."""

    def dual_text(self, name, answer, like, known, count):
        """The function's text; the first `count` inputs are tensors, the others arrays of tangents."""
        results = []
        shown = self.expression(answer, results)
        tangents = []
        for box in results:
            t = known.get(box.node)
            if t is not None and (t.node in self.inputs or any(t is u for u in tangents)):
                t = DUPLICATE.fun(t)  # memory of its own
            tangents.append(t)
        graph = self.recorder.finish([*results, *[t for t in tangents if t is not None]])
        if not set(graph.outputs).isdisjoint(self.inputs):
            raise Unfit
        tensors = [f"t{i}" for i in range(count)]
        self.write(0, f"def {name}(epoch, {', '.join(tensors + [self.names[v] for v in self.inputs[count:]])}):")
        self.write(1, f"{', '.join([self.names[v] for v in self.inputs[:count]])} = "
                      f"{', '.join(t + '.value' for t in tensors)}")
        self.write(1, "token = state()")
        self.write(1, "try:")
        self.write(2, "enter(QUIET)")
        for k, eq in enumerate(graph.equations):
            self.compute(k, eq)
        self.write(1, "except REFUSED:")
        self.write(2, "return DECLINED")
        self.write(1, "finally:")
        self.write(2, "leave(token)")
        roots = self.shared_roots(graph)
        spots = iter(range(len(results), len(graph.outputs)))
        for k, (t, array) in enumerate(zip(tangents, like, strict=True)):
            self.tensor(k, graph.outputs[k], array, roots)
            if t is not None:
                j = next(spots)
                v = graph.outputs[j]
                if array.base is not None or getattr(self.values[v], "base", None) is not None:
                    raise Unfit  # a view: its tangent has to lie in its memory as the view does
                self.tensor(j, v, array, roots)
                self.make(f"meta{k}", f"{self.constant(Record, 'Record')}()", tangent=f"(epoch, out{j}, False)")
                self.write(1, f"out{k}.autograd_meta = meta{k}")
                self.write(1, f"out{k}.dispatch_key = {GENERAL}")
        self.write(1, f"return {shown}")
        self.let_go(graph)
        return "\n".join(self.lines) + "\n"
