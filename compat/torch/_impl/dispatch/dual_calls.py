"""Programs of calls on dual tensors: the values of an operation and their tangents by one straight line of primitives.

The body of a call is staged as for any other program (`lowering.py`); then the tangent rule of each of its equations
is staged behind it, on the same boxes. Nothing is recorded there: an operand that has a history as well goes the
general path.
"""

from ..... import _engine, _interpreters
from ....._interpreters import Literal
from .....extend import aval_of
from ..staged.recorder import Recorder, Unfit
from ..state.levels import DUAL
from ..types.dtypes import Default
from ..types.number_cache import FLOATS
from ..types.parameter import Parameter
from ..types.tensor_type import GENERAL, VIEW, Record, Tensor, needs_grad
from ..values.tangents import tangent_of
from .call_key import NESTS, STATIC, whole
from .call_source import DECLINED, DUPLICATE, CallWriter, Program
from .staged_calls import LARGE, MISSED, alike, missed, same, staged, tensors_of


def quick(row, args, kwargs, epoch):
    """The output of a call in a dual level, by its program; a `Missed` where there is none, None where no operand has a
    tangent or one is recorded."""
    key, tensors, tangents = [DUAL, Default.float], [], []
    if not described(args, key, tensors, tangents, row.blind, epoch) or kwargs and not described_by_name(
            kwargs, key, tensors, tangents, row.blind, epoch) or not tangents:
        return None
    key = tuple(key)
    program = row.programs.get(key)
    if type(program) is not DualProgram:
        return missed(row.programs, key, lambda answer: made(row, args, kwargs, tensors, tangents, epoch, answer))
    answer = program.run(epoch, *tensors, *tangents)
    return MISSED if answer is DECLINED else answer


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
            # 0.0 and -0.0 are equal, and NaN is not equal to itself: as parts of a key they go by their text.
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
    program = DualProgram(row, args, kwargs, tensors, tangents, tensors_of(answer))
    mine = program.run(epoch, *tensors, *tangents)
    theirs, mine = tensors_of(answer), [] if mine is DECLINED else tensors_of(mine)
    return program if len(theirs) == len(mine) and all(map(agree, theirs, mine)) else None


def agree(a, b):
    """Tell whether two tensors have the same elements, and the same tangents."""
    if not alike(a, b):
        return False
    da, db = tangent_of(a), tangent_of(b)
    if da is None or db is None:
        return da is db
    return da.value.dtype is db.value.dtype and da.value.shape == db.value.shape and same(da.value, db.value)


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
    # Of those that are there now: the equations of tangents are appended to the same list.
    for eq in list(recorder.equations):
        places = [i for i, v in enumerate(eq.inputs) if type(v) is not Literal and v in known]
        if eq.prim.flat or not eq.outputs or not places:
            continue
        if any(i in eq.prim.nondiff for i in places):
            raise Unfit
        given = [*[known[eq.inputs[i]].node for i in places], *eq.inputs, *eq.outputs]
        prim = Pushed(eq, places, [aval_of(recorder.values[v]) for v in eq.outputs])
        found = prim.parts([v.value if type(v) is Literal else recorder.values[v] for v in given])
        prim.kept = [k for k, t in enumerate(found) if t is not None]
        if prim.kept:
            made = [_interpreters.Var(aval_of(found[k])) for k in prim.kept]
            recorder.equations.append(_interpreters.Equation(prim, given, (), made))
            known.update((eq.outputs[k], recorder.box(v, found[k])) for k, v in zip(prim.kept, made))
            prim.outputs = None if len(made) == 1 else len(made)


class Pushed(_engine.Operation):
    """The primitive of an equation that computes the tangents of another one's outputs, as the general road does."""

    nondiff, flat = (), True

    def __init__(self, eq, places, avals):
        super().__init__("pushed")
        self.kept = range(len(avals))  # the outputs that have one
        count, n = len(places), len(eq.inputs)

        def parts(arrays):
            operands, outs = arrays[count : count + n], arrays[count + n :]
            found = eq.prim.tangent(dict(zip(places, arrays)), (*operands, *eq.params),
                                    outs[0] if eq.prim.outputs is None else tuple(outs))
            found = map(_interpreters.conform_tangent, (found,) if eq.prim.outputs is None else found, avals)
            return [t if getattr(t, "base", None) is None else t.copy() for t in found]  # memory of its own

        def impl(xp, *arrays):
            found = parts(arrays)
            return found[self.kept[0]] if self.outputs is None else tuple([found[k] for k in self.kept])

        self.parts, self.impl = parts, impl


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
