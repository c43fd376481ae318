"""A Function under vmap: by its own vmap, or by a rule made of its forward, backward and jvp."""

from typing import NamedTuple

from ..modes.modes import MODES, enter_below, restore
from ..state.levels import BatchTrace, batched, lowered, within
from ..types.pytree import broadcast_prefix, tree_flatten as flatten, tree_structure
from ..types.tensor_type import Tensor, TensorBase, at_level, shape_dtype
from .function_node import overrides


class VmapInfo(NamedTuple):
    """Information for a Function's vmap: the batch size, and how random numbers are to behave."""

    batch_size: int
    randomness: str


MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def apply_batched(kind, args, trace, base):
    """A Function whose innermost level is a vmap: one level down on whole batches. `base` is the class Function."""
    own = overrides(kind, "vmap")
    if kind.generate_vmap_rule and own:
        raise RuntimeError(f"You tried to vmap over {kind.__name__}, but it has both generate_vmap_rule=True and an "
                           "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden "
                           f"vmap staticmethod to avoid ambiguity. {MORE}")
    if trace.own and not overrides(kind, "setup_context"):
        raise RuntimeError(f"{kind.__name__} is applied in a sweep with several cotangents at once that is recorded "
                           f"(create_graph), and has no setup_context; override it. {MORE}")
    if not kind.generate_vmap_rule and not own and not trace.own:
        raise RuntimeError(f"You tried to vmap over {kind.__name__}, but it does not have vmap support. Please "
                           f"override "
                           f"and implement the vmap staticmethod or set generate_vmap_rule=True. {MORE}")
    before = MODES.get()
    try:
        enter_below(trace)
        return by_rule(kind, args, trace) if own else by_generated(kind, args, trace, base)
    finally:
        restore(before)


def by_rule(kind, args, trace):
    """The output of the Function's vmap, as values of the batch."""
    flat, spec = flatten(tuple(args))
    below, dims = zip(*[as_mapped(trace, x) for x in flat])
    found = kind.vmap(VmapInfo(trace.size, trace.randomness), spec.unflatten(dims), *spec.unflatten(below))
    expected = ("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
                "compatible with the output. ")
    if not isinstance(found, tuple):
        raise RuntimeError(f"{expected}Got a {type(found)} instead")
    if len(found) != 2:
        raise RuntimeError(f"{expected}Got {len(found)} returns instead")
    out, out_dims = found
    outs, out_spec = flatten(out)
    axes = broadcast_prefix(out_dims, out_spec)
    if axes is None:
        raise RuntimeError("The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
                           f"tuple. Expected out_dims={out_dims} to be compatible with the structure of `output`. "
                           f"out_dims has structure {tree_structure(out_dims)} but output has structure {out_spec}. "
                           f"{MORE}")
    given = {id(b): x for b, x in zip(below, flat) if isinstance(b, TensorBase)}
    return out_spec.unflatten([given[id(o)] if id(o) in given else wrapped(trace, o, a) for o, a in zip(outs, axes)])


def as_mapped(trace, x):
    """A value of the batch as it was before its mapped axis went in front, and that axis; None for others."""
    if not isinstance(x, TensorBase) or x.level_trace is not trace:
        return x, None
    if x.autograd_meta is not None and x.autograd_meta.mapped is not None:
        return x.autograd_meta.mapped
    return x.value, 0


def wrapped(trace, o, axis):
    """An output as a value of the batch."""
    if not isinstance(o, TensorBase):
        return o
    ndim = len(shape_dtype(o)[0])
    if axis is not None and not -ndim <= axis < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {axis}): "
                         "out_dims of the Function's vmap staticmethod names an axis that its output has not")
    return batched(trace, o, axis if axis is None else axis % ndim)


def by_generated(kind, args, trace, base):
    """The output of a Function that runs forward, setup_context, backward and jvp under a vmap of the same size."""
    flags = [isinstance(x, TensorBase) and x.level_trace is trace for x in args]
    made = generated(kind, base, flags, trace.size, trace.randomness)
    *outs, record = made.apply(*[lowered(trace, x) for x in args])
    outs = [at_level(trace, o) if mine else o for o, mine in zip(outs, record.flags)]
    return outs[0] if record.single else tuple(outs)


class Batch:
    """A vmap that is entered several times: each time values go in and out with the batch axis in front, or without."""

    def __init__(self, size, randomness):
        self.size = size
        self.randomness = randomness

    def run(self, func, args, flags):
        """`func` on values, those flagged as batched; gives its outputs bare, and which of them are batched."""
        trace = BatchTrace(self.size, self.randomness)
        out = within(trace, func, [at_level(trace, x) if f and isinstance(x, TensorBase) else x
                                   for x, f in zip(args, flags)], {})
        return self.lower_values(trace, out)

    @staticmethod
    def lower_values(trace, values):
        """Values one level down, and flags; for one value as for a tuple."""
        several = values if isinstance(values, tuple) else (values,)
        flags = [isinstance(x, TensorBase) and x.level_trace is trace for x in several]
        return [lowered(trace, x) for x in several], flags


class Answer:
    """The non-tensor part of a forward's output: whether it was a single value, and which outputs are batched."""

    def __init__(self, single, flags):
        self.single = single
        self.flags = flags


class Kept:
    """State of a generated rule for one call: which of its outputs and saved tensors are batched, and the shapes of its
    inputs for one example."""

    def __init__(self, answer, count):
        self.answer = answer
        self.backward_flags = self.forward_flags = ()
        self.likes = [None] * count


class InnerCtx:
    """The ctx of a Function under a generated rule: attributes are those of the outer one, saved tensors its own."""

    def __init__(self, ctx, kept, trace=None, tensors=()):
        self.__dict__.update(_ctx=ctx, _kept=kept, _trace=trace, _tensors=tensors)

    def __getattr__(self, name):
        return getattr(self._ctx, name)

    def __setattr__(self, name, value):
        setattr(self._ctx, name, value)

    @property
    def saved_tensors(self):
        """The saved tensors as values of the batch."""
        return self._tensors

    def save_for_backward(self, *tensors):
        """Keep whole batches, and which are batches."""
        values, self._kept.backward_flags = Batch.lower_values(self._trace, tensors)
        self._ctx.save_for_backward(*values)

    def save_for_forward(self, *tensors):
        """Keep whole batches, and which are batches."""
        values, self._kept.forward_flags = Batch.lower_values(self._trace, tensors)
        self._ctx.save_for_forward(*values)

    def mark_dirty(self, *tensors):
        """Name whole batches."""
        self._ctx.mark_dirty(*Batch.lower_values(self._trace, tensors)[0])

    def mark_non_differentiable(self, *tensors):
        """Name whole batches."""
        self._ctx.mark_non_differentiable(*Batch.lower_values(self._trace, tensors)[0])


def generated(kind, base, flags, size, randomness):
    """A Function of whole batches that does what `kind` does to each example."""
    batch = Batch(size, randomness)

    class Generated(base):
        generate_vmap_rule = True

        @staticmethod
        def forward(*args):
            """Forward of the batch, and what is to be known of its outputs."""
            single = []

            def run(*inner):
                out = kind.forward(*inner)
                single.append(not isinstance(out, tuple))
                return out

            outs, mine = batch.run(run, args, flags)
            return *outs, Answer(single[0], mine)

        @staticmethod
        def setup_context(ctx, inputs, output):
            """The user's, on values of the batch."""
            *outs, answer = output
            trace = BatchTrace(size, randomness)
            kept = Kept(answer, len(inputs))
            setattr(ctx, key, kept)

            def run(*values):
                given, made = values[: len(inputs)], values[len(inputs):]
                kept.likes = [shape_dtype(x)[0] if isinstance(x, TensorBase) else None for x in given]
                kind.setup_context(InnerCtx(ctx, kept, trace), given, made[0] if answer.single else made)

            values = [at_level(trace, x) if f and isinstance(x, TensorBase) else x
                      for x, f in zip((*inputs, *outs), (*flags, *answer.flags))]
            within(trace, run, values, {})

        @staticmethod
        def backward(ctx, *grads):
            """The user's, on values of the batch; the gradient of what was not batched is summed over it."""
            kept, saved = getattr(ctx, key), ctx.saved_tensors
            grads = grads[:-1]

            def run(*values):
                inner = InnerCtx(ctx, kept, tensors=tuple(values[: len(saved)]))
                return (kind.vjp if overrides(kind, "vjp") else kind.backward)(inner, *values[len(saved):])

            found, mine = batch.run(run, (*saved, *grads), (*kept.backward_flags, *kept.answer.flags))
            found, mine = found[: len(flags)], mine[: len(flags)]
            return tuple([g if g is None else reduced(g, m, f, size, like)
                          for g, m, f, like in zip(found, mine, flags, kept.likes)])

        @staticmethod
        def jvp(ctx, *tangents):
            """The user's, on values of the batch."""
            kept, saved = getattr(ctx, key), ctx.saved_tensors

            def run(*values):
                return kind.jvp(InnerCtx(ctx, kept, tensors=tuple(values[: len(saved)])), *values[len(saved):])

            found, mine = batch.run(run, (*saved, *tangents), (*kept.forward_flags, *flags))
            return *[reduced(t, m, f, size, None) if isinstance(t, TensorBase) else t
                     for t, m, f in zip(found, mine, kept.answer.flags)], None

    key = f"_batch_{id(Generated)}"  # one for each vmap around: their contexts are one object
    Generated.__name__ = Generated.__qualname__ = f"Vmapped{kind.__name__}"
    return Generated


def reduced(g, batched, wanted, size, like):
    """A gradient or tangent with a batch axis in front exactly where its value has one, in the shape of an example."""
    if batched and not wanted:
        return g.sum(0)
    if wanted and not batched:
        g = Tensor.expand(g, size, *shape_dtype(g)[0]).clone()  # a gradient may be written to
    if not wanted or like is None:
        return g
    shape = shape_dtype(g)[0][1:]
    lead = len(shape) - len(like)
    axes = [*range(lead), *[i + lead for i, n in enumerate(like) if n == 1 and shape[i + lead] != 1]]
    return g.sum([a + 1 for a in axes]).reshape((size, *like)) if axes else g
