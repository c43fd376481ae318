"""Aliasing of traced values: turn them into buffers and views when one of them is written to."""

from operator import is_
from weakref import ref

import numpy as np

from ..facts import Facts
from .buffers import Buffer, State, follow, memory_of, snapshot, step_of, turn_into_buffer
from .tracer import Tracer, last_level, share, steps_to


class Step(Facts):
    """A step to a view, as a view primitive is one: `fun` of the value, `impl` of a plain array."""

    __slots__ = ("copies", "fun", "impl", "name", "unview")
    view = True

    def __init__(self, name, fun, impl, unview, copies=False):
        self.name = name
        self.fun = fun
        self.impl = impl
        self.unview = unview
        self.copies = copies


def tied(x, step, *params):
    """Apply a step and tie its output to later writes to `x`."""
    if type(x) is Buffer:
        return x.view_through(step, params)
    out = step.fun(x, *params)
    if isinstance(x, Tracer) and isinstance(out, Tracer):
        state = getattr(x, "state", None)
        if state is None or getattr(out, "state", None) is not state:
            share(x, out, step, params)
        else:  # the primitives of `fun` have noted it as a view already
            out.link = (x if x.link is None else x.link[0], x.link, step, params)
    return out


def become_buffer(tracer):
    """Turn a traced value into a buffer in place, so that every name of it sees the writes.

    Where it shares memory with others, the one that all of them are views of becomes a buffer, and they its views.
    """
    if type(tracer) is Buffer:
        return tracer
    state = getattr(tracer, "state", None)
    if state is not None:
        views = state.alive()
        others = len(views) - (tracer.link is not None)
        # Alone in its memory a value needs no base: it becomes a buffer of its own, which is written in place.
        if others or tracer.link is not None and _root_outlives(tracer):
            return _share_buffer(tracer, tracer if tracer.link is None else tracer.link[0], views)
        tracer.state = tracer.link = None
    return turn_into_buffer(tracer, State(last_level()))


def _root_outlives(view):
    """Tell whether the root of a view lives on without the link of the view to it."""
    steps, root = steps_to(view), ref(view.link[0])
    view.link = None
    root = root()
    if root is None:
        return False
    for prim, params in steps:
        view.link = (root, view.link, prim, params)
    return True


def _share_buffer(tracer, root, views):
    """Turn a traced value, and all that lie in the same memory, into a buffer and its views.

    What a step copied lies in memory of its own, with the views of it. Where the root is written to, these are buffers
    and views from now on, too, since their links led through it.
    """
    groups = {None: (None, [])}  # of views in one memory: the link of the step that copied, and pairs of view and steps
    mine = None
    for view in views:
        copied, steps = _last_copy(view, root)
        key = None if copied is None else id(copied)
        groups.setdefault(key, (copied, []))[1].append((view, steps))
        mine = key if view is tracer else mine
    if mine is not None:
        groups = {mine: groups[mine]}
    plans = [(_base_of(copied, members, root), members) for copied, members in groups.values()]
    for base, members in plans:
        base.state = base.link = None
        for view, _ in members:
            view.state = view.link = None
    for base, members in plans:
        if base is root or base is tracer or len(members) > 1:  # others have no views, and stay as they are
            turn_into_buffer(base, State(last_level()))
        for view, steps in members:
            if view is not base:
                turn_into_buffer(view, State(base.state.stamp, base, tuple(steps)))
    return tracer


def _base_of(copied, members, root):
    """The base of the views of one memory: the root, or what the step of a link made of it."""
    if copied is None:
        return root
    for view, _ in members:
        if view.link is copied:
            return view
    return members[0][0] if len(members) == 1 else follow(snapshot(root), _steps_of(_chain(copied)))


def _last_copy(view, root):
    """The link of the last step to a view that copied, or None, and the steps behind it."""
    links = _chain(view.link)
    array, place = memory_of(root), 0
    for k, (_, _, prim, params) in enumerate(links):
        part = step_of(prim, array, params)
        # A step may copy for one layout and not for another (`reshape` of a transpose): NumPy decides, on bytes.
        if prim.copies and part.size and not np.shares_memory(part, array):
            place = k + 1
        array = part
    return links[place - 1] if place else None, _steps_of(links[place:])


def _chain(link):
    """The links from the first view of a root to that of a view."""
    links = []
    while link is not None:
        links.append(link)
        link = link[1]
    return links[::-1]


def _steps_of(links):
    return [(prim, params) for _, _, prim, params in links]


def _lies_in(view, root):
    """Tell whether a view lies in the memory of its root: some steps copy where no strides give them."""
    steps = steps_to(view)
    if all(not prim.copies for prim, _ in steps):
        return True
    inner = outer = memory_of(root)
    for prim, params in steps:
        inner = step_of(prim, inner, params)
    return not inner.size or np.shares_memory(inner, outer)


def is_copy(view):
    """Tell whether the last steps to a traced view copied what it was taken of."""
    link = getattr(view, "link", None)
    return link is not None and view.state is link[0].state and not _lies_in(view, link[0])


def is_part(view, buffer, key):
    """Tell whether a view is what indexing a buffer by this very key gives."""
    before, steps = buffer.state.steps, view.state.steps
    base = buffer if buffer.state.base is None else buffer.state.base
    return (view.state.base is base and len(steps) == len(before) + 1 and steps[-1][0].name in _INDEXED
            and steps[-1][1][-1] is key and all(map(is_, before, steps)))


_INDEXED = ("getitem", "part")
