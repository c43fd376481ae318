"""Saved tensors that are computed again: what a checkpointed region keeps of them, and the hooks around it.

In the forward pass each saved tensor is replaced by a `Place`. When a sweep unpacks the first of them, the function
runs again, and what it saves goes to the places in the same order. What was computed again belongs to that sweep and is
dropped as it is unpacked. Saved tensors belong to the innermost region, whose inputs are saved tensors of the region
around it.
"""

from collections import defaultdict
from contextvars import ContextVar
from weakref import WeakKeyDictionary, ref

from ..engine.graph_task import KEYS, task
from ..graph import versions
from ..graph.node import GradNode
from ..graph_view.graph_tools import saved_tensors_hooks
from ..modes.grad_mode import enable_grad, no_grad
from ..modes.modes import MODES, Complete, modes, restore, set_modes
from ..saved.saved import packed, unpacked
from ..state.edges import version_of
from ..types.arrays import ARRAYS
from ..types.tensor_type import TensorBase, bottom


class CheckpointError(RuntimeError):
    """A checkpointed function did not save the same tensors when it ran again."""


class Place:
    """Stands for one saved tensor; `keys` has for each sweep the key of what was computed again, None once it is "
      "used."""

    __slots__ = ("__weakref__", "keys")

    def __init__(self):
        self.keys = {}


class Key:
    """A key of what was computed again; it dies with its place."""

    __slots__ = ("__weakref__",)


class Input:
    """A tensor argument, kept as an operation would save it: by the hooks in force, or with its version."""

    __slots__ = ("item", "tensor", "version")

    def __init__(self, t):
        hooks = modes().hooks
        self.item = packed(t, hooks[-1]) if hooks else None
        self.tensor = (t.requires_grad, t.node) if hooks else t
        self.version = None if hooks else version_of(t)

    def get(self):
        """The tensor, with its history."""
        if self.item is not None:
            t = unpacked(self.item)
            needed, node = self.tensor
            if not needed or t.requires_grad:
                return t
            t = t.detach()
            if node is None:
                return t.requires_grad_()
            t.node = node
            return t
        t = self.tensor
        now = version_of(t)
        if now != self.version:
            raise GradNode.modified(None, bottom(t), (now, self.version), None, t.node)
        return t


class Region:
    """One call of a checkpointed function: its places, and what was computed again by each sweep."""

    def __init__(self, again, args, early_stop, describe, failed):
        self.rebind = again
        self.args = [Input(x) if isinstance(x, TensorBase) else x for x in args]
        self.early_stop = early_stop
        self.describe = describe
        self.failed = failed
        self.places = []  # weak references: a place dies when the graph that it belongs to is freed
        self.descriptions = []
        self.found = defaultdict(WeakKeyDictionary)
        self.counts = defaultdict(int)
        self.complete = set()
        self.finished = False  # the forward pass
        self.unequal = False  # the forward pass was swept inside: the numbers of saved tensors may differ

    def compute(self, sweep):
        """Run the function again for a sweep, and compare what it saves."""
        args = [x.get() if isinstance(x, Input) else x for x in self.args]
        try:
            with Refill(self, sweep), enable_grad():
                self.rebind(*args)
        except Complete:
            pass
        self.complete.add(sweep)
        self.compare(sweep)

    def compare(self, sweep):
        """Raise unless the function saved the same tensors again."""
        if self.unequal:
            return
        if len(self.places) != self.counts[sweep]:
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original "
                                  "forward and recomputation.\n"
                                  f"Number of tensors saved during forward: {len(self.places)}\n"
                                  f"Number of tensors saved during recomputation: {self.counts[sweep]}.\n{TIP}")
        differing = ""
        for i, (weak, was) in enumerate(zip(self.places, self.descriptions)):
            place = weak()
            if place is None:
                continue
            now = self.describe(self.found[sweep][place.keys[sweep]])
            if now != was:
                differing += f"tensor at position {i}:\nsaved metadata: {was}\nrecomputed metadata: {now}\n"
        if differing:
            raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different "
                                  f"metadata than during the forward pass.\n{differing}.\n{TIP}")


TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint-debug mode globally.
"""


class Deferred(saved_tensors_hooks):
    """The hooks of the forward pass: places for tensors."""

    def __init__(self, region):
        def pack(t):
            place = Place()
            region.places.append(ref(place))
            with no_grad():
                region.descriptions.append(region.describe(t))
            return place

        def unpack(place):
            try:
                return taken(region, place)
            except CheckpointError as error:
                if region.failed is None:
                    raise
                raise region.failed(error) from error

        super().__init__(pack, unpack)


def taken(region, place):
    """The tensor of a place, computed again if this is the first that its sweep asks for."""
    sweep = GROUP.get() or task()
    if sweep is None:
        sweep = next(KEYS)
    if sweep not in region.complete:
        region.compute(sweep)
    key = place.keys[sweep]
    if key is None:
        extra = ""
        if GROUP.get() is not None:
            extra = ("Performing two backward calls that overlap (i.e. require the same saved activation in order to "
                     "compute gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup "
                     "context. ")
        raise CheckpointError("torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                              f"unpacked once. {extra}If you are calling ctx.saved_tensors in backward, make sure to "
                              f"do so only "
                              "once. Otherwise please open an issue with details on your use case.")
    place.keys[sweep] = None
    return region.found[sweep].pop(key)


class Refill(saved_tensors_hooks):
    """The hooks while the function runs again: tensors go to their places."""

    def __init__(self, region, sweep):
        region = ref(region)

        def pack(t):
            t = t.detach() if t.requires_grad else t
            mine = region()
            i = mine.counts[sweep]
            mine.counts[sweep] = i + 1
            if i >= len(mine.places):
                if mine.finished:
                    raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during recomputation "
                                          f"than during the original forward pass.\n{TIP}")
                mine.unequal = True
                return t
            place = mine.places[i]()
            if place is not None:  # a sweep inside the forward pass may have freed it
                place.keys[sweep] = key = Key()
                mine.found[sweep][key] = t
            if mine.early_stop and i + 1 == len(mine.places):
                raise Complete
            return t

        def before_write(array):
            mine = region()
            root = versions.root_of(array)
            for key, t in list(mine.found[sweep].items()):
                b = bottom(t)
                if type(b) in ARRAYS and versions.root_of(b) is root:
                    before = MODES.get()
                    try:
                        set_modes(selector=None, answers=None, hooks=())
                        mine.found[sweep][key] = t.detach().clone()
                    finally:
                        restore(before)

        pack.before_write = before_write  # the function may go on to write to what a place has got already
        super().__init__(pack, lambda t: t)


class GraphExecGroup:
    """Backward passes inside it share recomputed values: each region runs again at most once.

    They must not need the same saved tensor twice. Regions with `use_reentrant=True` ignore it.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils.checkpoint import GraphExecGroup, checkpoint
    >>> runs, x = [], torch.tensor(2.0, requires_grad=True)
    >>> def f(x):
    ...     runs.append(1)
    ...     return x.sin(), x.exp()
    >>> a, b = checkpoint(f, x, use_reentrant=False)
    >>> with GraphExecGroup():
    ...     a.backward()
    ...     b.backward()
    >>> len(runs)
    2
    """

    def __enter__(self):
        if GROUP.get() is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {GROUP.get()}")
        GROUP.set(self)
        return self

    def __exit__(self, *exc):
        GROUP.set(None)


GROUP: ContextVar[GraphExecGroup | None] = ContextVar("covector_torch_sweep_group", default=None)
