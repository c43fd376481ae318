"""Forward mode through a Function: its jvp on the tangents of the inputs."""


from ..state.edges import version_of
from ..state.levels import GradTrace
from ..state.meta import zeros_as
from ..types.tensor_type import TensorBase, at_level, shape_dtype, wrap
from ..values.tangents import set_tangent, tangent_of


def push_tangents(kind, ctx, args, outputs, level):
    """Give the outputs the tangents that the user's jvp makes of those of the inputs, where these are of its level."""
    trace = level if level.level else None
    tangents = [tangent_of(a) if isinstance(a, TensorBase) and a.level_trace is trace else None for a in args]
    for t in tangents:
        if t is not None:
            break
    else:
        return
    state = ctx._state
    if state.materialize:
        tangents = [zeros_like(a) if t is None and isinstance(a, TensorBase) and shape_dtype(a)[1].kind in "fcV" else t
                    for a, t in zip(args, tangents)]
    if state.dirty:
        tangents = [writeable(a, t) for a, t in zip(args, tangents)]
    versions = [None if t is None else version_of(t) for t in tangents]
    saved, state.kept, state.to_save = state.kept, None, state.for_forward
    try:
        result = kind.jvp(ctx, *tangents)
    finally:
        state.kept, state.to_save = saved, ()
    result = result if isinstance(result, tuple) else (result,)
    if len(result) != len(outputs):
        raise RuntimeError(f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} "
                           f"but got {len(result)}): {kind.__name__}.jvp gives one tangent for each output")
    dirty = {id(t) for t in state.dirty}
    for k, (o, t) in enumerate(zip(outputs, result)):
        if not isinstance(o, TensorBase):
            continue
        check_tangent(kind, k, o, t, k in state.plain)
        place = next((i for i, a in enumerate(args) if a is o), None) if id(o) in dirty else None
        if place is not None:
            if tangents[place] is not t or version_of(t) == versions[place]:
                raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If "
                                   "the forward is modifying an input inplace, then the jvp function must modify the "
                                   "corresponding gradient inplace.")
        elif t is not None:
            check_view(args, tangents, o, t)
        if t is not None and tangent_of(o) is not t:
            set_tangent(o, t)


def writeable(a, t):
    """A tangent as a value of its tensor's level, which the user's jvp may write to."""
    trace = a.level_trace if t is not None else None
    return at_level(trace, t) if type(trace) is GradTrace and t.level_trace is not trace else t


def check_tangent(kind, k, o, t, plain):
    """Refuse what a jvp gave for an output if it is not its tangent."""
    shape, dtype = shape_dtype(o)
    if plain:
        if t is not None:
            raise RuntimeError(f"{kind.__name__}.jvp returned a tangent for output {k}, which forward marked as "
                               "non-differentiable. You should return None at that position instead.")
    elif t is None:
        if dtype.kind in "fcV":
            raise RuntimeError(f"{kind.__name__}.jvp returned None for output {k}, which is of floating point or "
                               "complex dtype; return its tangent, zeros where it does not move")
    elif not isinstance(t, TensorBase):
        raise RuntimeError(f"expected Variable or None (got {type(t).__name__}) for grad output {k}: "
                           f"{kind.__name__}.jvp gives tensors")
    elif dtype.kind not in "fcV":
        raise RuntimeError(f"{kind.__name__}.jvp returned a tangent for output {k}, which is of dtype {dtype}. "
                           "Expected both tensor and its forward grad to be floating point or complex; give None")
    elif shape_dtype(t)[0] != shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           f"Tensor, this is not supported. Tensor is of size {list(shape)} while the given forward "
                           f"gradient is of size {list(shape_dtype(t)[0])}.")


def check_view(args, tangents, o, t):
    """Refuse a tangent that is no view of the input's where the output is a view of an input: writes must reach both.
    """
    base = None if o.level_trace is not None or o.autograd_meta is None else o.autograd_meta.base
    if base is None:
        return
    for a, given in zip(args, tangents):
        if not isinstance(a, TensorBase) or a is not base and (
                a.autograd_meta is None or a.autograd_meta.base is not base):
            continue
        own = None if t.autograd_meta is None else t.autograd_meta.base
        if own is None:
            raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
                               "returning a view.")
        root = None if given is None or given.autograd_meta is None else given.autograd_meta.base
        if given is not None and own is not (given if root is None else root):
            raise RuntimeError("A custom Function is returning a view but the jvp is not returning a view of the "
                               + ("given grad input." if root is None else "same base as the given grad input."))
        return


def zeros_like(t):
    """The tangent of an input that has none."""
    return wrap(zeros_as(t))
