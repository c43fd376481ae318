"""Running a function at a level of its own: arguments lifted, results brought one level down."""

from ..modes.modes import MODES, modes
from ..state.levels import GradTrace, lowered
from ..types.pytree import kind_of, tree_flatten as flatten, tree_map
from ..types.tensor_type import TensorBase, at_level, shape_dtype

NO_HOOKS = ("torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with "
            "your use case.")


def enter_grad_level(hooks=False):
    """A fresh level of the compat tape, recording, in force until the caller restores the modes.

    Args:
        hooks: whether saved-tensor hooks may be in force; they see nothing of the level.
    """
    m = modes()
    if m.hooks and not hooks:
        raise RuntimeError(NO_HOOKS)
    trace = GradTrace(ambient=False)
    MODES.set(m.but(level=trace, lower=((m.level, m.grad), *m.lower), grad=True, inference=False,
                    hooks_disabled=m.hooks_disabled if hooks else NO_HOOKS))
    return trace


def done(trace):
    """Note that a level, None where it was not entered, has ended."""
    if trace is not None:
        trace.done = True


def lifted(trace, x):
    """A tensor as a value of a level; what is no tensor stays."""
    return at_level(trace, x) if isinstance(x, TensorBase) else x


def lifted_all(trace, args):
    """Arguments, pytrees of tensors and other things, with every tensor as a value of a level."""
    return tuple([at_level(trace, x) if isinstance(x, TensorBase) else x if kind_of(x) is None else
                  tree_map(lambda v: lifted(trace, v), x) for x in args])


def differentiated(tree):
    """The tensors of a pytree, just lifted, which now ask for a gradient, and its structure; all must be floating or
    complex tensors."""
    leaves, spec = flatten(tree)
    for x in leaves:
        if not isinstance(x, TensorBase):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if shape_dtype(x)[1].kind not in "fcV":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        x.wants_grad = True
    return leaves, spec


def lowered_all(trace, tree):
    """A pytree of tensors one level down; other leaves raise."""

    def one(x):
        if not isinstance(x, TensorBase):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
        return lowered(trace, x)

    return tree_map(one, tree)


def split_aux(found, api):
    """`(output, aux)` of a function with `has_aux`."""
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return found


def check_outputs(outputs, api):
    """Refuse an output that is empty or holds anything but tensors."""
    if not outputs or len(outputs) == 1 and outputs[0] is None:
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for out in outputs:
        if not isinstance(out, TensorBase):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(out)}")


def wrapped_places(args, argnums):
    """The positions that `argnums` names, each from 0 on."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = []
    for k in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(k, int):
            raise RuntimeError(f"argnum must be int, got: {type(k)}")
        if not -len(args) <= k < len(args):
            raise RuntimeError(f"Got argnum={k}, but only {len(args)} positional inputs")
        places.append(k % len(args))
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return places


def chosen(args, argnums):
    """The arguments that `argnums` names: one of them, or a tuple."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return args[argnums]
    places = wrapped_places(args, argnums)
    return args[places[0]] if isinstance(argnums, int) else tuple([args[k] for k in places])


def replaced(args, argnums, given):
    """The arguments with others in the places that `argnums` names."""
    out = list(args)
    for k, x in zip(wrapped_places(args, argnums), given):
        out[k] = x
    return out


def refuse_complex(api, tree, which):
    """jacrev and jacfwd take real tensors alone."""
    for i, x in enumerate(flatten(tree)[0]):
        if isinstance(x, TensorBase) and x.is_complex():
            raise RuntimeError(f"{api}: Expected all {which} to be real but received complex tensor at flattened input "
                               f"idx: {i}")
