"""Tensors of device meta: shapes and dtypes without elements."""

import copy
import io

import pytest

import covector.compat.torch as compat
from harness import attempt


def facts(t):
    return (tuple(t.shape), str(t.dtype), str(t.device), t.is_meta)


def script_shapes_of_operations(torch):
    def m(*shape, **named):
        return torch.empty(*shape, device="meta", **named)

    F = torch.nn.functional
    return [facts(t) for t in (
        m(2, 3) @ m(3, 4), m(2, 3) + 1, m(2, 3).sum(0), m(2, 3).view(3, 2), m(2, 3)[0], m(2, 3).T, m(2, 3) > 0,
        torch.cat([m(2, 3), m(1, 3)]), torch.where(m(2) > 0, m(2), 0.0), m(2, 3).max(1).indices, m(2, 3).cumsum(0),
        F.conv2d(m(2, 1, 6, 6), m(3, 1, 3, 3), m(3)), F.softmax(m(2, 3), -1), F.max_pool2d(m(1, 1, 4, 4), 2),
        F.cross_entropy(m(2, 3), m(2, dtype=torch.int64)), torch.einsum("ij,kj->ik", m(2, 3), m(4, 3)),
        torch.linalg.inv(m(3, 3)), m(2, 3).double(), m(2, 3).long(), torch.linalg.svd(m(2, 3)).S,
        m(2).fill_(3), m(2).zero_(), m(2).uniform_(), m(2).copy_(torch.ones(2)), m(2).mul_(m(2)),
        m(10**6, 10**6).sum(0), m(2) * torch.tensor(2.0), torch.func.vmap(lambda x: x.sum())(m(2, 3)))]


def script_factories(torch):
    like = torch.empty(2, 3, device="meta")
    with torch.device("meta"):
        inside = [torch.ones(2), torch.randn(2, 2), torch.arange(3), torch.tensor([1.0]), torch.full((2,), 1),
                  torch.zeros(2, device="cpu"), torch.eye(2)]
    return [facts(t) for t in (
        *inside, torch.ones(1), torch.zeros_like(like), torch.ones_like(like, device="cpu"), torch.rand_like(like),
        like.new_zeros(3), torch.ones(2).to("meta"), torch.ones(2).to("meta", torch.float64),
        torch.ones(2).to(like.double()), torch.empty_like(torch.ones(2), device="meta"), like.clone(), like.detach())]


def script_modules(torch):
    nn = torch.nn
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).eval()
    out = model(torch.empty(5, 3, device="meta"))
    state = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).state_dict()
    before = [facts(p) for p in model.parameters()], [p.requires_grad for p in model.parameters()]
    large = nn.Linear(10**6, 10**6, device="meta")
    copied = copy.deepcopy(model)
    kept = model.load_state_dict(state)
    still = facts(model[0].weight)
    model.load_state_dict(state, assign=True)
    given = copied.to_empty(device="cpu")
    return (facts(out), before, facts(large.weight), str(kept), still, facts(model(torch.ones(5, 3))),
            facts(given[0].weight), facts(nn.BatchNorm1d(3).to("meta").running_mean),
            facts(nn.Linear(1, 2, device="meta").double().weight), str(nn.Linear(1, 2, device="meta").weight))


def script_what_has_no_elements(torch):
    m = torch.empty(1, device="meta")
    file = io.BytesIO()
    torch.save({"w": torch.ones(2, 3)}, file)
    file.seek(0)
    return (repr(m), repr(torch.empty(2, dtype=torch.float64, device="meta")), m.data_ptr(),
            facts(torch.load(file, map_location="meta")["w"]),
            [attempt(f)[1:2] for f in (m.item, m.numpy, m.cpu, lambda: m + torch.ones(1), lambda: bool(m > 0),
                                       lambda: torch.ones(1).copy_(m),
                                       lambda: torch.nn.Linear(1, 1, device="meta").to("cpu"))])


def test_no_history_is_kept():
    layer = compat.nn.Linear(2, 3, device="meta")
    loss = layer(compat.empty(4, 2, device="meta")).sum()
    with pytest.raises(RuntimeError, match="does not require grad"):
        loss.backward()


def test_nothing_is_kept_of_what_was_computed():
    trace = compat.empty(2, device="meta").value.owner
    for _ in range(3):
        compat.empty(2, device="meta") + compat.tensor(1.0)
    assert not trace.equations and not trace.inputs and not trace.captured


def test_saving_says_what_to_do():
    with pytest.raises(NotImplementedError, match="to_empty"):
        compat.save(compat.empty(2, device="meta"), io.BytesIO())


def test_devices_that_are_not_here_are_refused_as_in_pytorch():
    x, layer = compat.ones(2), compat.nn.Linear(1, 1)
    for f in (x.cuda, lambda: x.to("cuda"), lambda: compat.ones(2, device="cuda:0"), lambda: layer.to("cuda"),
              layer.cuda, lambda: x.type("torch.cuda.FloatTensor")):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            f()
    with pytest.raises(RuntimeError, match="not linked with support for mps devices"):
        x.to("mps")
    with pytest.raises(RuntimeError, match="no accelerator|none is available"):
        x.pin_memory()
    with pytest.raises(RuntimeError, match="CPU-only machine"):
        compat.load(io.BytesIO(_file()), map_location="cuda")


def _file():
    file = io.BytesIO()
    compat.save(compat.ones(1), file)
    return file.getvalue()


def script_data_without_elements(torch):
    p = torch.nn.Parameter(torch.empty(3, device="meta"))
    p.data = torch.nn.functional.pad(p.data, (0, 2)).double()
    found = [p.shape, p.dtype, p.is_meta, p.requires_grad, type(p).__name__]
    for a, b in (("cpu", "meta"), ("meta", "cpu")):
        x = torch.empty(2, device=a)
        found.append(attempt(lambda: setattr(x, "data", torch.empty(2, device=b)))[:2])
    return found
