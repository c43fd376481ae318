"""The messages of collectives are those that the model of their costs counts."""

import importlib.util
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from covector.transforms.ranks import group as messages

_PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "cost_model.py"
_spec = importlib.util.spec_from_file_location("cost_model", _PATH)
model = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(model)


class Counting:
    """A communicator that sends nothing and counts what it was given."""

    def __init__(self):
        self.bytes = self.sent = self.received = 0

    def Isend(self, data, rank, tag):  # noqa: N802
        self.sent += 1
        self.bytes += data[1]

    def Irecv(self, data, rank, tag):  # noqa: N802
        self.received += data[1]
        data[0][...] = 0


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("b", [64, 1 << 12, 1 << 21])
def test_the_model_counts_the_bytes_that_are_sent(n, b):
    rank = n - 1
    group = SimpleNamespace(size=n, rank=rank, byte=None, sources=[(rank - k) % n for k in range(1, n)],
                            targets=[(rank + k) % n for k in range(1, n)])
    x, many = np.zeros(b // 8), np.zeros((n, b // 8))
    runs = {
        "ppermute": lambda comm: messages.swapped(comm, 0, None, x, x.copy(), 0, 1),
        "all_gather": lambda comm: messages.gathered(comm, 0, group, x, many),
        "psum_scatter": lambda comm: messages.scattered(comm, 0, group, many, x.copy()),
        "psum": lambda comm: (messages.summed if b >= model.CUT else messages.doubled)(comm, 0, group, x, x.copy()),
    }
    assert model.CUT == messages.CUT
    for name, run in runs.items():
        comm = Counting()
        list(run(comm))
        _, size, _ = model.steps(name, b, n)
        assert comm.bytes == comm.received == size, name
        assert comm.sent == {"ppermute": 1, "psum": math.log2(n) if b < model.CUT else 2 * (n - 1)}.get(name, n - 1)
