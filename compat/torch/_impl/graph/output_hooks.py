"""Single outputs of a node with several: their hooks, retained gradients and captures, which run with the node.

An output's own node only picks it. PyTorch calls the hooks of all outputs before the node runs, also those of outputs
that no gradient reached, with None.
"""

from weakref import ref

from .hooks import call_hooks, retain
from .undefined import UNDEFINED


def listen(pick):
    """Let the node of several outputs call the hooks of one of them, and retain its gradient."""
    extra = pick.parents.ensure_hooks()
    if extra.outputs is None:
        extra.outputs = {}
    extra.outputs[pick.seq] = (pick.rule.active[0], pick.extra.hooks, ref(pick))


def heard(pick):
    """Tell whether the node of several outputs calls the hooks of this one."""
    extra = pick.parents.extra
    return extra is not None and extra.outputs is not None and pick.seq in extra.outputs


def call_output_hooks(outputs, ct, drive):
    """The cotangents after the hooks of the outputs, None for those that nothing reached."""
    for nr, hooks, _ in outputs.values():
        if not hooks:
            continue
        given = part(ct, nr)
        changed = call_hooks(hooks, given, drive)
        if changed is not given:
            ct = (*ct[:nr], changed, *ct[nr + 1 :])
    for nr, _, pick in outputs.values():
        node = pick()
        if node is not None and node.extra.retained is not None:
            retain(node.extra, part(ct, nr), drive)
    return ct


def part(ct, nr):
    """The cotangent of one output."""
    c = ct[nr] if type(ct) is tuple else UNDEFINED
    return UNDEFINED if c is None else c
