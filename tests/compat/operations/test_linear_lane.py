"""`linear` in one step is what `t`, `addmm` or `mm`, and views give: values, gradients to second order, nodes."""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector._engine import ROADS

F = torch.nn.functional


def names(node):
    return None if node is None else (node.name(), *[names(n) for n, _ in node.next_functions])


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (1, 4)])
@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("asked", [(True, True, True), (False, True, True), (True, False, False), (False, False, True)])
def test_the_lane_is_the_composition(shape, with_bias, asked):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) for s in (shape, (2, 4), (2,))]
    results = []
    for lane in (True, False):
        x, w, b = [torch.tensor(a, requires_grad=g) for a, g in zip(arrays, asked)]
        if lane:
            out = F.linear(x, w, b if with_bias else None)
        else:
            rows = x if x.dim() == 2 else x.view(-1, 4)
            out = torch.addmm(b, rows, w.t()) if with_bias else torch.mm(rows, w.t())
            if x.dim() > 2:
                out = out.view(*shape[:-1], 2)
        leaves = [t for t, g, k in zip((x, w, b), asked, (True, True, with_bias)) if g and k]
        found = [out.detach().numpy()]
        if leaves:
            first = torch.autograd.grad(out.square().sum(), leaves, create_graph=True)
            second = torch.autograd.grad(sum(g.square().sum() for g in first), leaves, allow_unused=True)
            found += [g.detach().numpy() for g in (*first, *second) if g is not None]
        graph = str(names(out.grad_fn)).replace("UnsafeView", "View")
        results.append((found, graph, out.requires_grad))
    (ours, graph, asks), (theirs, expected, needed) = results
    assert asks == needed
    assert graph == expected or ROADS == "general"  # which turns the weight without a node of its own
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_gradients_lie_as_the_weights_do():
    weight = torch.tensor(np.ones((3, 5), np.float32), requires_grad=True)
    F.linear(torch.ones(2, 5), weight).sum().backward()
    assert weight.grad.is_contiguous() and weight.grad.value.base is None
