"""The axis environment: the named axes in scope, and the trace that maps each."""

from contextvars import ContextVar

from ...core.errors import at_user_line

_AXES: ContextVar = ContextVar("covector_axes", default=None)  # {axis name: VmapTrace}, replaced as a whole


def bind(name, trace):
    """Bind an axis name to the trace that maps it; gives what `unbind` wants once the mapped function has run."""
    previous = _AXES.get()
    _AXES.set({**(previous or {}), name: trace})
    return previous


unbind = _AXES.set  # restore the names from before


def keeping_names(fun):
    """A function after which the names are those of before, whatever signal arrived when."""

    def kept(*args):
        previous = _AXES.get()
        try:
            return fun(*args)
        finally:
            unbind(previous)

    return kept


def axis_sizes():
    """`((name, size), …)` of the axes that are mapped here; those of a mesh with the ranks that share them."""
    axes = _AXES.get()
    return tuple([(name, trace.size, trace.places) if trace.mesh else (name, trace.size)
                  for name, trace in axes.items()]) if axes else ()


def mesh_axes():
    """The traces of the mapped axes that belong to a mesh, the outermost first."""
    axes = _AXES.get()
    return [trace for trace in axes.values() if trace.mesh] if axes else ()


def check_name(name, what):
    """Raise unless `name` can name an axis."""
    try:
        hash(name)
    except TypeError:
        raise TypeError(f"{what} is a string or another hashable value, but got {name!r} of type "
                        f"{type(name).__name__}; write axis_name='i'{at_user_line()}") from None


def mapped_axis(name):
    """The trace that maps the axis `name`, None where none does."""
    axes = _AXES.get()
    return axes.get(name) if axes else None


def axis_trace(name):
    """The trace that maps the axis `name`."""
    check_name(name, "the name of a mapped axis")
    axes = _AXES.get()
    if not axes or name not in axes:
        known = f"; the mapped axes here are {', '.join(map(repr, axes))}" if axes else "; no axis is mapped here"
        raise NameError(f"there is no mapped axis named {name!r}{known}: "
                        f"use vmap(f, axis_name={name!r}), or shard_map over a mesh that has it{at_user_line()}")
    return axes[name]
