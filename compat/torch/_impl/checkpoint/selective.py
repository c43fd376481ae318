"""Selective checkpoints: a policy selects which operations of a region keep their outputs."""

from collections import defaultdict
from enum import Enum

from ..modes.modes import MODES, restore, set_modes
from ..ops.overloads import OpOverload, OpOverloadPacket, overload_of
from ..state.edges import version_of
from ..types.tensor_type import TensorBase, needs_grad
from ..values.tangents import tangent_of


class CheckpointPolicy(Enum):
    """The policy for the output of an operation: save it, or recompute it. There is no offloading: outputs marked for
    the CPU are recomputed, as in PyTorch's eager mode."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVED = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext:
    """Context for a policy beside the operation and its arguments: the output, and whether this recomputes."""

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute = is_recompute
        self.op_output = op_output


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Return the two contexts for `context_fn` of `checkpoint`, with which selected operations are not recomputed.

    Args:
        policy_fn_or_list: `policy(ctx, op, *args, **kwargs)`, which gives a CheckpointPolicy (or a bool: keep it?) for
            each operation, `op` being one of `torch.ops.aten`; or a list of those to keep. Views, writes in place and
            factories are always computed again, and no policy is asked about them.
        allow_cache_entry_mutation: use a kept output even if it was modified.
    Returns:
        a context for the forward pass and one for the recomputation.
    Raises:
        ValueError: an entry of the list is not an overload of an operation.
        TypeError: neither a function nor a list.
        RuntimeError: in the backward pass, if an output was modified, or the operations differ.

    >>> import functools
    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> keep = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> x = torch.eye(2, requires_grad=True)
    >>> y = checkpoint(lambda x: torch.sigmoid(x @ x) * x, x, use_reentrant=False, context_fn=keep)
    >>> y.sum().backward()
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                more = ("Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                        "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                        ) if isinstance(op, OpOverloadPacket) else ""
                raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. "
                                 f"{more}")
        kept = set(policy_fn_or_list)

        def policy(ctx, op, *args, **kwargs):
            return op in kept
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    entries = defaultdict(dict)
    return Keeping(policy, entries), Using(entries, allow_cache_entry_mutation)


class Selector:
    """A context in which operations go through `run`."""

    def __init__(self, entries):
        self.entries = entries
        self.counts = defaultdict(int)

    def __enter__(self):
        self.counts.clear()
        self.before = set_modes(selector=self)

    def __exit__(self, *exc):
        restore(self.before)

    def place(self, op):
        """The number of this call among those of its operation."""
        i = self.counts[op]
        self.counts[op] = i + 1
        return i


class Keeping(Selector):
    """The forward pass: what the policy wants kept is noted, operation by operation."""

    def __init__(self, policy, entries):
        super().__init__(entries)
        self.policy = policy

    def run(self, row, compute, args, kwargs, tensors):
        """`compute()`, and its outputs kept if the policy says so."""
        op = overload_of(row.name, args, kwargs)
        entry = Entry(constant(tensors))
        before = MODES.get()
        try:
            set_modes(selector=None, answers=entry.note)
            out = compute()
        finally:
            restore(before)
        before = MODES.get()
        try:
            set_modes(selector=None)
            wish = self.policy(SelectiveCheckpointContext(is_recompute=False, op_output=out), op, *args, **kwargs)
        finally:
            restore(before)
        keep = wish if isinstance(wish, bool) else wish in _SAVED
        self.entries[op][self.place(op)] = entry.closed(out) if keep else None
        return out


class Using(Selector):
    """The recomputation: what was kept takes the place of computing."""

    def __init__(self, entries, mutable):
        super().__init__(entries)
        self.mutable = mutable

    def run(self, row, compute, args, kwargs, tensors):
        """`compute()`, with the outputs that were kept."""
        op = overload_of(row.name, args, kwargs)
        i = self.place(op)
        if op not in self.entries:
            raise RuntimeError(f"{op} encountered during backward but not found in storage. {MISMATCH}")
        if i not in self.entries[op]:
            raise RuntimeError(f"{op} invocation index {i} encountered during backward but not found in storage. "
                               f"{MISMATCH}")
        entry = self.entries[op][i]
        if entry is CONSUMED:
            raise RuntimeError("Trying to backward an extra time. You are only allowed to backward once on any region "
                               "computed under selective activation checkpoint.")
        if entry is not None:
            self.entries[op][i] = CONSUMED
            entry.check(self.mutable)
            if entry.constant and constant(tensors):
                return entry.out
        before = MODES.get()
        try:
            set_modes(selector=None, answers=None if entry is None else entry.replay)
            return compute()
        finally:
            restore(before)


MISMATCH = ("This can happen if the operations in the checkpointed region are nondeterministic or depend on global "
            "state that changed between forward and backward.")
CONSUMED = object()


class Entry:
    """The outputs of one call: of its primitives in their order, or of the whole where it has no history."""

    def __init__(self, constant):
        self.constant = constant
        self.answers = []
        self.out = self.versions = None

    def note(self, prim, compute):
        """Run a primitive and keep its output."""
        answer = compute()
        self.answers.append((prim, answer))
        return answer

    def replay(self, prim, compute):
        """The output that was kept."""
        if not self.answers:
            return compute()
        was, answer = self.answers.pop(0)
        if was is not prim:
            raise RuntimeError(f"{prim.name} encountered during backward, but {was.name} in the forward pass. "
                               f"{MISMATCH}")
        return answer

    def closed(self, out):
        """Itself, with what tells a later write, and the output if nothing else was noted."""
        tensors = [t for t in (out if isinstance(out, tuple) else (out,)) if isinstance(t, TensorBase)]
        values = [t.detach() for t in tensors]
        self.versions = [(t, version_of(t)) for t in values]
        if self.constant:
            self.out = out
        return self

    def check(self, mutable):
        """Refuse an output that was written to."""
        if not mutable and any(version_of(t) != then for t, then in self.versions):
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")


def constant(tensors):
    """Tell whether no tensor has a history or a tangent."""
    return not any(needs_grad(t) or tangent_of(t) is not None or t.level_trace is not None for t in tensors)
