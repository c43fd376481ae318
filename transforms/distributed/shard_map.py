"""`shard_map`: a function written for one place of a mesh, run at all of them."""

import math

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.checks import check_function
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ...core.trace.device import library_of
from ...core.trace.tracer import call_inside, make_batched
from ...core.types import Any, PyTree
from ..arguments.arguments import flatten, settle
from ..arguments.escape_checks import check_escaped
from ..interpreters.vmap import Mapping
from ..scope.axis_environment import keeping_names, mapped_axis
from .mesh import Mesh
from .specs import check_fits, spec_leaves


def shard_map(
    fun: Any = None, mesh: Mesh | None = None, in_specs: PyTree = None, out_specs: PyTree = None,
) -> Any:
    """Return a function that runs `fun` at each place of a mesh, on the parts of the arguments that belong there.

    Args:
        fun: written for one place; it exchanges values with the others by `psum`, `all_gather` and the other
            collectives, over the names of the mesh's axes.
        mesh: the `Mesh`. On one process all places are computed at once, as `vmap` does; under `mpiexec` each rank
            computes its own.
        in_specs: a `PartitionSpec` for each argument (a tuple, whose entries may be pytree prefixes), or one for all.
        out_specs: likewise for the results.
    Returns:
        a function of local arrays: what `shard` gives, the whole array on one process, this rank's part of it
        under `mpiexec`. Its results are local, too. Transforms may be nested inside and around it.
    Raises:
        ShapeError: an argument cannot be cut as its spec says.
        ValueError: a result varies along an axis that its spec does not name, or the axis is cut already, outside.
        TreeError: in_specs or out_specs does not match the pytrees.
        TypeError: an argument is given by keyword.
        NameError: a spec names an axis that the mesh does not have.

    As in JAX, a value is either the same at all places of an axis or varies along it, and reverse mode knows which:
    the gradient with respect to what is the same is the sum over all places.

    >>> import numpy as np, covector
    >>> import covector.distributed as dist
    >>> mesh = dist.Mesh((2,), ("data",))
    >>> @dist.shard_map(mesh=mesh, in_specs=(dist.P(), dist.P("data")), out_specs=dist.P())
    ... def loss(w, x):
    ...     return covector.pmean(np.mean((x * w) ** 2), "data")
    >>> covector.grad(loss)(2.0, np.array([1.0, 2.0, 3.0, 4.0]))
    array(30.)
    """
    if fun is None and mesh is not None:
        return lambda f: shard_map(f, mesh, in_specs, out_specs)
    if not callable(fun):
        check_function(fun, "shard_map", "write shard_map(f, mesh, in_specs, out_specs)")
    if not isinstance(mesh, Mesh):
        raise TypeError(f"shard_map needs a mesh, but got {mesh!r}; make one with Mesh((4,), ('data',))"
                        f"{at_user_line()}")

    def shard_map_fun(*args, **named):
        if named:
            raise TypeError(f"shard_map cuts positional arguments, but got the keywords {', '.join(named)}; give them "
                            f"by position, each with a spec, or close over them{at_user_line()}")
        for name in mesh.axis_names:
            outer = mapped_axis(name)
            if outer is not None and outer.mesh:
                raise ValueError(f"shard_map over the axis {name!r} stands inside of another one over an axis of that "
                                 f"name, whose places are cut already; call the function itself, or name the axes of "
                                 f"the meshes differently{at_user_line()}")
        if isinstance(in_specs, tuple | list) and len(in_specs) != len(args):
            raise TreeError(f"shard_map needs one spec for each of the {len(args)} arguments, but got "
                            f"in_specs={in_specs!r}; give {len(args)}, in a tuple{at_user_line()}")
        leaves, rebuild = flatten(args)
        specs = spec_leaves(in_specs, args, mesh, "in_specs of shard_map")
        counts = dict(zip(mesh.axis_names, mesh.local_shape))
        leaves = [settle(x) for x in leaves]
        for k, (x, spec) in enumerate(zip(leaves, specs)):
            check_fits(x, spec, counts, f"argument {k} of shard_map")
        return keeping_names(_run)(fun, mesh, leaves, specs, counts, rebuild, out_specs)

    return shard_map_fun



def _run(fun, mesh, leaves, specs, counts, rebuild, out_specs):
    traces, library = [], library_of(*leaves)
    with _Scopes() as scopes:
        for name in mesh.axis_names:
            traces.append(scopes.enter(Mapping(None, name, trace=mesh.trace(name))))
            traces[-1].library = library
        boxed = rebuild([_boxed(x, spec, traces, counts) for x, spec in zip(leaves, specs)])
        result = call_inside(fun, *boxed)
        outs, rebuild_out = flatten(result)
        found = spec_leaves(out_specs, result, mesh, "out_specs of shard_map")
        outs = [_unboxed(settle(v), spec, traces, counts) for v, spec in zip(outs, found)]
    check_escaped(outs)
    return rebuild_out(outs)


class _Scopes:
    """Several scopes, one inside the other; they end in the other order."""

    def __enter__(self):
        self.entered = []
        return self

    def enter(self, scope):
        out = scope.__enter__()
        self.entered.append(scope)
        return out

    def __exit__(self, *error):
        for scope in reversed(self.entered):
            scope.__exit__(*error)


def _boxed(x, spec, traces, counts):
    """`x` as a value of the traces of the axes that its spec names: their places in front, the outermost first."""
    if not spec.names:
        return x
    shape = aval_of(x).shape
    cut, place = [], {}
    for d, n in enumerate(shape):
        names = spec.parts[d] if d < len(spec.parts) else ()
        for name in names:
            place[name] = len(cut)
            cut.append(counts[name])
        cut.append(n // math.prod(counts[name] for name in names))
    first = [place[trace.axis_name] for trace in traces if trace.axis_name in place]
    x = x.reshape(tuple(cut))
    order = (*first, *[d for d in range(len(cut)) if d not in first])
    if order != tuple(range(len(cut))):
        x = x.transpose(order)
    for trace in traces:
        if trace.axis_name in place:
            x = make_batched(trace, x)
    return x


def _unboxed(x, spec, traces, counts):
    """A result without the tracers of `traces`, put together along the axes that its spec names."""
    try:
        shape = aval_of(x).shape
    except DtypeError:
        raise DtypeError(f"shard_map needs a function that returns arrays and numbers, but one result is {x!r} of type "
                         f"{type(x).__name__}; return arrays{at_user_line()}") from None
    if len(spec.parts) > len(shape):
        raise ShapeError(f"a result of shard_map has out_specs {spec}, which names {len(spec.parts)} axes, but shape "
                         f"{shape} at each place; name at most {len(shape)}{at_user_line()}")
    names = spec.names
    # From the innermost axis outwards, the order opposite to that of boxing.
    for trace in reversed(traces):
        name = trace.axis_name
        if trace.owns(x):
            if name not in names:
                raise ValueError(f"a result of shard_map varies along the axis {name!r}, which its out_specs "
                                 f"{spec} does not name; name it, or reduce it with psum or pmean over {name!r}"
                                 f"{at_user_line()}")
            x = x.value
        elif name in names:
            x = trace.spread(x)
    if not names:
        return x
    front = [trace.axis_name for trace in traces if trace.axis_name in names]
    order, out = [], []
    for d, n in enumerate(shape):
        along = spec.parts[d] if d < len(spec.parts) else ()
        order += [front.index(name) for name in along]
        order.append(len(front) + d)
        out.append(n * math.prod(counts[name] for name in along))
    if tuple(order) != tuple(range(len(order))):
        x = x.transpose(tuple(order))
    x = x.reshape(tuple(out))
    return x if type(x) is not np.ndarray or x.flags.owndata or x.flags.writeable else x.copy()
