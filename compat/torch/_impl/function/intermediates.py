"""Values that a forward computed for itself and left on the ctx: their derivative runs forward again, recorded.

Forward runs unrecorded, so what it keeps beside its inputs and outputs has no history, and a second derivative would
take it for a constant. A backward that is recorded gets such values with a node, which costs nothing until a second
derivative arrives there: then forward runs once more, on copies of its inputs, and must give the same values.
"""

from ....._engine import FREED
from ..engine.engine import run
from ..graph.node import WithoutRule
from ..graph.node_errors import UNDEFINED, freed
from ..modes.modes import MODES, restore, set_modes
from ..random.generator import fork_rng
from ..state.edges import version_of
from ..types.pytree import tree_flatten
from ..types.tensor_type import TensorBase, bottom, needs_grad, shape_dtype
from .function_saved import one
from .once_differentiable import behind


class Again:
    """The arguments of a second run of forward.

    Args:
        forward: fills a new ctx, from the arguments.
        places: where the values are: `(None, number)` of the saved tensors, `(name, number of a leaf)` of attributes.
        dirty: the ids of inputs that forward wrote to.
    """

    __slots__ = ("args", "forward", "places", "versions")

    def __init__(self, forward, args, places, dirty):
        self.forward = forward
        self.places = places
        self.versions = [version_of(a) if isinstance(a, TensorBase) and id(a) not in dirty else None for a in args]
        self.args = [a.detach().requires_grad_(needs_grad(a)) if id(a) in dirty else a for a in args]  # without a cycle

    def run(self, create_graph):
        """Run forward recorded, on copies of its inputs: those that ask for a gradient, and the new ctx."""
        inputs, args = [], []
        for a in self.args:
            if isinstance(a, TensorBase):
                needed = needs_grad(a)
                a = a.clone() if create_graph and needed else a.detach().requires_grad_(needed)
                if needed:
                    inputs.append(a)
                a = a.clone()  # forward may write to it
            args.append(a)
        return inputs, self.forward(tuple(args))

    def changed(self):
        """Tell whether an input was written to, by forward or since."""
        return any(isinstance(a, TensorBase) and version_of(a) != v for a, v in zip(self.args, self.versions))


def computed_for_itself(ctx, args, saved, known):
    """The places of values on a ctx that could have a derivative of their own.

    Args:
        saved: the numbers of saved tensors that are neither inputs nor outputs.
        known: maps whose keys are the ids of inputs and outputs.
    """
    found = [(None, k) for k in saved if candidate(ctx._state.to_save[k], args)] if saved else []
    for name, value in attributes(ctx):
        if type(value) in _PLAIN or id(value) in known[0] or id(value) in known[1]:
            continue
        for k, t in enumerate(leaves(value)[0]):
            if isinstance(t, TensorBase) and not any(id(t) in ids for ids in known) and candidate(t, args):
                found.append((name, k))
    return found


_PLAIN = frozenset((int, float, bool, str, type(None)))


def candidate(t, args):
    """Tell whether a tensor may depend on arguments unrecorded; a detached input is a constant."""
    if needs_grad(t) or shape_dtype(t)[1].kind not in "fcV":
        return False
    for a in args:
        if isinstance(a, TensorBase) and a.value is t.value:
            return False
    return True


def attributes(ctx):
    """The attributes that the user's code has put on a ctx, by name."""
    return ctx.__dict__.items() if ctx._state.named is None else (ctx.__dict__ | ctx._state.named).items()


def leaves(value):
    """The tensors of an attribute and how they make it: of itself, or of a list, tuple or dict."""
    return tree_flatten(value) if type(value) in (list, tuple, dict) else ([value], None)


class Intermediate(WithoutRule):
    """The node of such a value; `saved` is the ctx's name, `Again`, the place and the value."""

    __slots__ = ()

    def name(self):
        """The name of the Function's node, and of the attribute."""
        return "Intermediate" if self.saved is FREED else f"{self.saved[0]}::{called(self.saved[2])}"

    def apply(self, ct, drive):
        """Run forward again for the cotangents of its inputs."""
        if ct is UNDEFINED:
            return self.undefined()
        if self.saved is FREED:
            raise freed()
        owner, again, place, value = self.saved
        before = MODES.get()
        try:
            set_modes(grad=True)
            with fork_rng():
                inputs, ctx = again.run(drive.create_graph)
            found = value_at(ctx, place)
        except Exception as error:
            raise refused(owner, place, str(error)) from error
        finally:
            restore(before)
        if not drive.retain:
            self.saved = FREED
        if found is not None and not needs_grad(found):
            return self.undefined()  # a constant, though it may be another one in each run
        if again.changed():
            raise refused(owner, place, "an input was written to in place")
        if found is None or not same(found, value):
            raise refused(owner, place, "it gave another value")
        grads = run((found,), (drive.tensor(ct),), True, drive.create_graph, tuple(inputs), False, True)
        out = tuple([UNDEFINED if g is None else drive.value(g) for g in grads])
        return out if type(self.parents) is tuple else out[0]


def refused(owner, place, why):
    """The error for a value whose derivative cannot be had."""
    return RuntimeError(
        f"{owner}: a second derivative goes through {called(place)}, which forward computed unrecorded, and running "
        f"forward again does not give it ({why}); save inputs and compute it in backward, return it as an output and "
        "save that, or mark backward as once_differentiable")


def called(place):
    """The user's spelling of a saved value, for messages."""
    return f"ctx.saved_tensors[{place[1]}]" if place[0] is None else f"ctx.{place[0]}"


def value_at(ctx, place):
    """The value at a place of a ctx whose forward has run; None without one."""
    name, k = place
    found = ctx._state.to_save if name is None else leaves(dict(attributes(ctx)).get(name))[0]
    return found[k] if k < len(found) and isinstance(found[k], TensorBase) else None


def same(t, u):
    """Tell whether two tensors are alike to the bit, NaN as well."""
    a, b = bottom(t), bottom(u)
    return a.shape == b.shape and a.dtype == b.dtype and bool(((a == b) | ((a != a) & (b != b))).all())


def recorded(ctx, fun):
    """Give the values on a ctx their nodes while a backward is recorded; returns what `withdrawn` takes."""
    state = ctx._state
    if getattr(fun, "once", False):  # nothing is recorded in a once_differentiable backward
        return None
    parents = ctx.parents if type(ctx.parents) is tuple else (ctx.parents,)

    def with_node(t, place):
        made = behind(Intermediate, t, parents, (ctx.name(), state.again, place, t))
        made.node.parents = ctx.parents
        return made

    put, kept = {}, state.kept
    for place in state.again.places:
        name, k = place
        if name is None:
            if type(state.kept) is tuple:
                made = with_node(one(ctx, state.kept[k]), place)
                state.kept = (*state.kept[:k], (made, version_of(made), None, made.node), *state.kept[k + 1 :])
            continue
        now = put[name][1] if name in put else getattr(ctx, name, None)
        flat, spec = leaves(now)
        if k < len(flat) and isinstance(flat[k], TensorBase) and not needs_grad(flat[k]):
            flat[k] = with_node(flat[k], place)
            put[name] = put[name][0] if name in put else now, flat[k] if spec is None else spec.unflatten(flat)
    for name, (_, new) in put.items():
        setattr(ctx, name, new)
    return put, kept, state.kept


def withdrawn(ctx, put, kept, lent):
    """Take the nodes away again, from what backward itself has not replaced."""
    for name, (old, new) in put.items():
        if getattr(ctx, name, None) is new:
            setattr(ctx, name, old)
    if ctx._state.kept is lent:
        ctx._state.kept = kept
