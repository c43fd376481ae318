"""Promise 15: an in-place write to a saved tensor is detected through views, base and detach, exactly, by primitive.

tests/compat/autograd/test_saved_tensors.py has the messages, test_numpy_aliases.py beside it the writes through NumPy.
"""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.values.core_values import lift, lower
from covector.core.primitive.primitive import REGISTRY
from covector.core.trace.tracer import Tracer
from covector.testing.cases import cases

WRITES = {
    "in place": lambda t: t.add_(1.0),
    "a view": lambda t: t.view(-1)[:1].add_(1.0),
    "detached": lambda t: t.detach().add_(1.0),
    "a view of the detached": lambda t: t.detach().reshape(-1)[-1:].zero_(),
}
NAMES = sorted(name for name, prim in REGISTRY.items() if prim.handlers is None and "collective" not in prim.effects)


class Run:
    """A primitive on tensors that are no leaves, so that they may be written to."""

    def __init__(self, case):
        self.leaves = [torch.tensor(case.operands[i], requires_grad=True) for i in case.live]
        self.inputs = [t * 1.0 for t in self.leaves]
        operands = list(case.operands)
        for i, t in zip(case.live, self.inputs):
            operands[i] = lower(t)
        self.answers = [t for t in map(lift, case.raw(operands)) if t.requires_grad]

    def saved(self):
        """The memory that the nodes of the primitive saved."""
        todo, ends = [t.node for t in self.answers], {t.node for t in self.inputs}
        found = []
        while todo:
            node = todo.pop()
            if node is None or node in ends:
                continue
            found += arrays_in(node.saved)
            todo += node.parents if isinstance(node.parents, tuple) else [node.parents]
        return found

    def gradients(self):
        total = sum((t.real if t.is_complex() else t).sum() for t in self.answers)
        return [np.zeros(()) if g is None else g.numpy()
                for g in torch.autograd.grad(total, self.leaves, allow_unused=True)]


def arrays_in(saved):
    while isinstance(saved, Tracer):
        saved = saved.value
    if isinstance(saved, (tuple, list)):
        return [array for part in saved for array in arrays_in(part)]
    return [saved] if isinstance(saved, np.ndarray) else []


@pytest.mark.parametrize("name", NAMES)
def test_write_to_what_a_primitive_saved_is_detected_exactly(name):
    for case in cases(REGISTRY[name]):
        operands = [case.operands[i] for i in case.live]
        if not operands or any(x.dtype != np.float64 or not x.size for x in operands) or case.sample.gauge:
            continue
        answers = Run(case).answers
        if not answers or not all(t.numel() for t in answers):
            continue
        wanted = Run(case).gradients()
        for write in WRITES.values():
            for k in range(len(operands)):
                run = Run(case)
                detected_or_harmless(run, run.inputs[k], write, wanted)
        for k in range(len(Run(case).answers)):
            run = Run(case)
            detected_or_harmless(run, run.answers[k], WRITES["detached"], wanted)


def detected_or_harmless(run, tensor, write, wanted):
    """A write is refused by the sweep if the memory was saved, and only then."""
    memory = lower(tensor.detach())
    held = any(np.shares_memory(array, memory) for array in run.saved())
    try:
        with torch.no_grad():
            write(tensor)
    except RuntimeError as error:  # answers that are broadcast, or the imaginary part of real values
        assert "single memory location" in str(error) or "read-only" in str(error)
        return
    if held:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run.gradients()
    else:
        for found, want in zip(run.gradients(), wanted):
            np.testing.assert_array_equal(found, want)
