"""Running a Function: forward without recording, then history for its outputs, at each level it is called in."""

import warnings
from functools import partial

from ..... import _engine, _interpreters, _primitives, extend
from ..graph import versions
from ..graph.anomaly import stamp
from ..modes.inference import refused
from ..modes.modes import IN_NO_GRAD, MODES, enter_below, enter_level, modes, restore, set_modes
from ..state.edges import accumulator, edge, refusal, replay, version_of
from ..state.levels import AMBIENT, DUAL, recorders
from ..state.meta import facts_of
from ..types.arrays import ARRAYS
from ..types.tensor_type import FOREIGN, GENERAL, TensorBase, at_level, bottom, more, needs_grad, shape_dtype
from ..values.core_values import lift, lower
from ..views.views import move_history, rebase
from .function_node import State, backward_of, overrides, set_aside
from .function_saved import apart, pack
from .function_tangents import push_tangents
from .intermediates import Again, computed_for_itself

NOT_AN_INPUT = ("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty().")


def new_ctx(kind, args, level=AMBIENT):
    """A node that serves as ctx."""
    ctx = (kind._backward_cls if level is AMBIENT else kind._generated_cls)()
    state = State(kind)
    object.__setattr__(ctx, "_state", state)
    ctx.rule = None
    ctx.parents = ()
    ctx.saved = None
    ctx.extra = None
    ctx.seq = None
    tensors = [isinstance(a, TensorBase) for a in args]
    state.tensors = tuple([i for i, one in enumerate(tensors) if one])
    state.needs = tuple([one and needs_grad(a) for one, a in zip(tensors, args)])
    state.count = len(args)
    return ctx


def run_forward(kind, ctx, args):
    """Forward with recording off; setup_context where the Function has one."""
    before = MODES.get()
    try:
        if DUAL.get() is not None:
            set_modes(grad=False, frozen=(*modes().frozen, None))
        else:
            MODES.set(IN_NO_GRAD if before is None else before.ungrading())
        output = set_up(kind, ctx, args)
    finally:
        restore(before)
    set_aside(ctx)
    return output


def set_up(kind, ctx, args):
    """Run forward and fill the ctx; gives what forward returned."""
    if not overrides(kind, "setup_context"):
        return kind.forward(ctx, *args)
    output = kind.forward(*args)
    kind.setup_context(ctx, args, output)
    return output


def forward_of(kind, args):
    """A new ctx that forward has filled, recorded as other operations are."""
    ctx = new_ctx(kind, args)
    set_up(kind, ctx, args)
    set_aside(ctx)
    return ctx


def apply_at(kind, args, level):
    """Run at the ambient level or one of func.grad and record there."""
    ctx = new_ctx(kind, args, level)
    needs = ctx._state.needs
    recording = level.recording and any(needs)
    if recording:
        # `edge` refuses a stale view before forward writes to it
        ctx._state.edges = [edge(a) if need else None for a, need in zip(args, needs)]
    before = MODES.get()
    try:
        enter_level(level)
        below = level is not AMBIENT and overrides(kind, "setup_context")
        output = forward_below(kind, ctx, args, level) if below else run_forward(kind, ctx, args)
    finally:
        restore(before)
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    if single and not isinstance(output, TensorBase):
        return output
    outputs = record(ctx, args, outputs, level, needs if recording else ())
    if level is not AMBIENT or DUAL.get() is not None:
        before = MODES.get()
        try:
            enter_level(level)
            push_tangents(kind, ctx, args, outputs, level)
        finally:
            restore(before)
    return outputs[0] if single else outputs


def forward_below(kind, ctx, args, level):
    """Apply the Function one level down, so that the levels below use its backward too; then set up the context."""
    inner = [a.value if isinstance(a, TensorBase) and a.level_trace is level else a for a in args]
    before = MODES.get()
    try:
        enter_below(level)
        found = kind._applied(inner)
    finally:
        restore(before)
    own = {id(v): a for v, a in zip(inner, args) if isinstance(a, TensorBase)}
    lifted = [own[id(o)] if id(o) in own else at_level(level, o) if isinstance(o, TensorBase) else o
              for o in (found if isinstance(found, tuple) else (found,))]
    output = tuple(lifted) if isinstance(found, tuple) else lifted[0]
    before = MODES.get()
    try:
        set_modes(grad=False, alone=level)  # what it computes of its own has the history of the levels below
        kind.setup_context(ctx, tuple(args), output)
    finally:
        restore(before)
    return output


def record(ctx, args, outputs, level, needs):
    """Give the outputs their history; `needs` says which inputs ask for a gradient, empty if nothing is recorded."""
    recording = bool(needs)
    state = ctx._state
    inputs = {id(args[i]) for i in state.tensors}
    plain = {id(t) for t in state.non_differentiable}
    dirty = written_inputs(state.dirty, inputs, outputs, recording) if state.dirty else ()
    if recording:
        join(ctx, args, needs)
    state.outputs = len(outputs)
    state.shapes = tuple([facts_of(o) if isinstance(o, TensorBase) else None for o in outputs])
    state.plain = tuple([k for k, o in enumerate(outputs) if id(o) in plain]) if plain else ()
    differentiable = [k for k, facts in enumerate(state.shapes)
                      if facts is not None and facts[1].kind in "fcV" and k not in state.plain]
    out = []
    made = {}  # id of what forward returned -> the output made of it: one returned twice is one tensor
    for k, o in enumerate(outputs):
        if id(o) in made:
            twin = made[id(o)]
            if recording and twin.node is not None:
                twin.node = output_node(ctx, k, level)
            out.append(twin)
            continue
        if not isinstance(o, TensorBase):
            out.append(o)
            continue
        is_input = id(o) in inputs
        diff = k in differentiable
        if id(o) in dirty:
            if recording:
                write_history(o, output_node(ctx, k, level))
            out.append(apart(o, level) if not recording and needs_grad(o) else o)
            continue
        if is_input or not is_new_leaf(o):
            base = o
            o = apart(o, level)
            if is_input and diff and (recording or not needs_grad(base)):
                alias(o, base)
        if not is_input:
            made[id(outputs[k])] = o
        if not recording or not diff:
            if level.recording and o.autograd_meta is not None and o.autograd_meta.base is not None and not is_input:
                o.autograd_meta.creation = "multi" if len(differentiable) > 1 else "custom"
            if id(outputs[k]) in plain and is_input:
                o = o.detach()
            o.node = None
            out.append(o)
            continue
        o.wants_grad = False
        o.node = output_node(ctx, k, level)
        if o.autograd_meta is not None and o.autograd_meta.base is not None:
            o.autograd_meta.creation = "multi" if len(differentiable) > 1 else "custom"
            o.autograd_meta.attr_version = version_of(o)
        out.append(o)
    save(ctx, args, outputs, out, level, recording)
    return tuple(out)


def written_inputs(marked, inputs, outputs, recording):
    """The ids of the inputs that forward marked as written to, or PyTorch's refusals; the writes are noted."""
    dirty = {id(t) for t in marked}
    if not dirty <= inputs:
        if recording:
            if any(t.autograd_meta is not None and t.autograd_meta.base is not None for t in marked
                   if id(t) not in inputs):
                raise RuntimeError(NOT_AN_INPUT)
            warnings.warn(NOT_AN_INPUT, UserWarning, stacklevel=5)
        dirty &= inputs
    if dirty and not dirty <= {id(o) for o in outputs}:
        raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. The "
                           "inputs that are modified inplace must all be outputs of the Function.")
    for t in marked:
        if id(t) not in inputs:
            continue
        b = bottom(t)
        if type(b) in ARRAYS:
            versions.bump(b)
        if not recording:
            continue
        base = None if t.autograd_meta is None else t.autograd_meta.base
        if base is not None and t.autograd_meta.creation is not None:
            raise RuntimeError(refusal(t, "is being"))
        if t.wants_grad and t.node is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if base is not None and base.node is None and (base.wants_grad or t.node is not None):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    return dirty


def join(ctx, args, needs):
    """Make a node of the context: its edges lead to the inputs that ask for a gradient."""
    places = [i for i, need in enumerate(needs) if need]
    state = ctx._state
    edges = [edge(args[i]) if state.dirty else state.edges[i] for i in places]
    kept = [(i, n) for i, n in zip(places, edges) if n is not None]
    state.edges = None
    state.where = tuple([(i, facts_of(args[i])) for i, _ in kept])
    ctx.parents = kept[0][1] if len(kept) == 1 else tuple([n for _, n in kept])
    ctx.seq = _engine.next_seq()
    m = modes()
    if m.anomaly is not None or m.nans is not None:
        stamp(ctx)


def is_new_leaf(o):
    """Tell whether an output was made by forward for itself: no history of its own to lose."""
    return o.node is None and not o.wants_grad


def alias(o, base):
    """Make an output that is an input a view of it."""
    meta = more(o)
    parent = base.autograd_meta
    meta.base = parent.base if parent is not None and parent.base is not None else base
    meta.steps = (*(parent.steps if parent is not None and parent.base is not None else ()), (GETITEM, ((Ellipsis,),)))
    meta.since = 0 if parent is None else parent.since if parent.base is not None else len(parent.relaid)
    meta.creation = "custom"
    o.dispatch_key = GENERAL


GETITEM = extend.REGISTRY["getitem"]


def output_node(ctx, k, level):
    """The node of output k."""
    if ctx._state.outputs == 1:
        return ctx
    return level.node(_interpreters.pick_rule(ctx._state.outputs, k), ctx, None)


def write_history(o, node):
    """The history of a dirty input."""
    if o.autograd_meta is not None and o.autograd_meta.base is not None:
        base_edge = edge_before(o.autograd_meta.base)
        rebase(o, node, base_edge, ())
        replay(o, edge(o.autograd_meta.base))
        o.autograd_meta.attr_version = version_of(o)
    else:
        move_history(o, node)


def edge_before(base):
    """The history of a base before the write."""
    return accumulator(base) if base.wants_grad and base.node is None else base.node


def save(ctx, args, given, outputs, level, recording):
    """Keep what backward asked for: inputs as tensors, outputs without history (else a cycle)."""
    state = ctx._state
    if not (state.to_save or state.for_forward or recording and (ctx.__dict__ or state.named)):
        state.kept, state.to_save = (), ()
        return
    where = {id(o): k for k, o in enumerate(given) if isinstance(o, TensorBase)}
    inputs = {id(args[i]) for i in state.tensors}
    kept = []
    if recording and level is AMBIENT:
        own = [k for k, t in enumerate(state.to_save) if t is not None and id(t) not in inputs and id(t) not in where]
        if (own or ctx.__dict__ or state.named) and (places := computed_for_itself(ctx, args, own, (inputs, where))):
            state.again = Again(partial(forward_of, state.kind), args, places, {id(t) for t in state.dirty})
    if overrides(state.kind, "setup_context"):
        dirty = {id(t) for t in state.dirty}
        if any(id(t) in inputs and id(t) in where and id(t) not in dirty
               for t in (*state.to_save, *state.for_forward) if t is not None):
            raise RuntimeError("An input that has been returned as-is as output is being saved for backward. This is "
                               "not supported if you override setup_context. You should return and save a view of the "
                               "input instead, e.g. with x.view_as(x) or setup ctx inside the forward function itself.")
    to_save, state.to_save = state.to_save, ()  # before a hook may raise: an output kept here would make a cycle
    for t in to_save:
        if t is None:
            kept.append(None)
            continue
        k = where.get(id(t))
        if k is not None and id(t) not in inputs:
            source = outputs[k]
            kept.append((apart(source, level), version_of(source), k if source.node is not None else None, None))
        else:
            if k is not None and id(t) in inputs and outputs[k] is t:
                kept.append((apart(t, level), version_of(t), k if t.node is not None else None, None))
            else:
                if recording and t.autograd_meta is not None and t.autograd_meta.inference:
                    raise refused()
                kept.append((t, version_of(t), None, t.node))
    m = modes()
    if m.hooks and any(kept):
        kept = [pack(item, m.hooks[-1]) for item in kept]  # what the hooks gave stands for the tensors, which may go
    state.kept = tuple(kept)


def apply_foreign(kind, args):
    """Inside covector's own transforms: the user's backward as a rule of covector's."""
    places = [i for i, a in enumerate(args) if isinstance(a, TensorBase) and shape_dtype(a)[1].kind in "fcV"]
    shape = {}
    if any(mapped_here(a) and recorders(a.value) for a in args if isinstance(a, TensorBase)):
        raise RuntimeError(f"{kind.__name__} under covector.vmap, of tensors that have a history or a tangent outside "
                           "of it, is not supported; use torch.vmap")

    def full(values):
        whole = list(args)
        for i, v in zip(places, values):
            whole[i] = lift(v)
        return tuple(whole)

    def forward(*values):
        whole = full(values)
        ctx = shape["ctx"] = new_ctx(kind, whole)
        ctx._state.needs = tuple([i in places for i in range(len(args))])
        output = run_foreign(kind, ctx, whole)
        shape["single"] = not isinstance(output, tuple)
        outputs = (output,) if shape["single"] else output
        plain = {id(t) for t in ctx._state.non_differentiable}
        shape["outputs"] = [None if isinstance(o, TensorBase) else o for o in outputs]
        ctx._state.kept = None
        ctx._state.shapes = tuple([shape_dtype(o) if isinstance(o, TensorBase) else None for o in outputs])
        return tuple([STOP(lower(o)) if id(o) in plain else lower(o) for o in outputs if isinstance(o, TensorBase)])

    @_primitives.custom_vjp
    def fun(*values):
        return forward(*values)

    def fwd(*values):
        outs = forward(*values)
        return outs, tuple([None if t is None else lower(t) for t in shape["ctx"]._state.to_save])

    def bwd(kept, cts):
        ctx = shape["ctx"]  # not among what covector keeps, which holds arrays alone
        ctx._state.to_save = tuple([None if v is None else lift(v) for v in kept])
        given = iter([lift(conj(c)) for c in cts])
        result = backward_of(kind)(ctx, *[None if s is None else next(given) for s in ctx._state.shapes])
        result = result if isinstance(result, tuple) else (result,)
        return tuple([None if result[i] is None else conj(lower(result[i])) for i in places])

    fun.defvjp(fwd, bwd)
    outs = fun(*[lower(args[i]) for i in places])
    found = iter([lift(o) for o in outs])
    outs = tuple([next(found) if s is not None else o for s, o in zip(shape["ctx"]._state.shapes, shape["outputs"])])
    return outs[0] if shape["single"] else outs


def mapped_here(t):
    """Tell whether the innermost transform of a tensor is covector's own vmap."""
    return t.level_trace is FOREIGN and isinstance(t.value, extend.Batched)


def run_foreign(kind, ctx, args):
    """Forward below a transform of covector's, where the levels that remain record the Function, not its parts."""
    tensors = [a for a in args if isinstance(a, TensorBase)]
    if overrides(kind, "setup_context") and not any(
            mapped_here(a) or a.level_trace is FOREIGN and getattr(a.value.owner, "kind", None) == "graph"
            for a in tensors):  # in a graph: below is no level that could record it
        output = kind._applied(args)
        before = MODES.get()
        try:
            set_modes(grad=False)
            kind.setup_context(ctx, args, output)
        finally:
            restore(before)
        return output
    if any(recorders(lower(a)) for a in tensors):
        raise RuntimeError(f"{kind.__name__} is applied inside a covector transform to tensors that have a history "
                           "or a tangent outside it, which would be lost; override setup_context")
    return run_forward(kind, ctx, args)


def conj(v):
    """The conjugate of complex values: covector's rules conjugate at their boundary, torch's do not."""
    return v.conj() if getattr(v, "dtype", None) is not None and v.dtype.kind == "c" else v


STOP = extend.REGISTRY["stop_gradient"].fun
