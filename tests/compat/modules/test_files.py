"""Files of modules: states and whole modules, written and read here and by PyTorch."""

import io
import pickle

import pytest

import covector.compat.torch as compat
from harness import pytorch


def net(torch):
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.LSTM(3, 2),
        torch.nn.Embedding(4, 2))


def written(torch, thing):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return file


def values(state):
    return {name: (tuple(t.shape), str(t.dtype), t.tolist()) for name, t in state.items()}


def test_a_state_comes_back():
    m, twin = net(compat), net(compat)
    state = compat.load(written(compat, m.state_dict()))
    assert str(twin.load_state_dict(state)) == "<All keys matched successfully>"
    assert values(twin.state_dict()) == values(m.state_dict())
    assert state._metadata == m.state_dict()._metadata


def test_a_parameter_stays_one():
    p, frozen = compat.load(written(compat, [compat.nn.Parameter(compat.ones(2)),
                                             compat.nn.Parameter(compat.ones(2), requires_grad=False)]))
    assert [type(t) for t in (p, frozen)] == [compat.nn.Parameter] * 2
    assert (p.requires_grad, frozen.requires_grad) == (True, False)


def test_a_whole_module_needs_trust():
    m = net(compat)
    with pytest.raises(pickle.UnpicklingError, match="not an allowed global"):
        compat.load(written(compat, m))
    back = compat.load(written(compat, m), weights_only=False)
    assert repr(back) == repr(m)
    assert values(back.state_dict()) == values(m.state_dict())
    back[0](compat.ones(1, 2)).sum().backward()
    assert back[0].weight.grad is not None


@pytest.mark.reference
def test_pytorch_reads_what_is_written_here():
    torch = pytorch()
    m, twin = net(compat), net(torch)
    twin.load_state_dict(torch.load(written(compat, m.state_dict())))
    assert values(twin.state_dict()) == values(m.state_dict())
    p = torch.load(written(compat, compat.nn.Parameter(compat.ones(2))))
    assert isinstance(p, torch.nn.Parameter) and p.requires_grad


@pytest.mark.reference
def test_what_pytorch_writes_is_read_here():
    torch = pytorch()
    m, twin = net(torch), net(compat)
    twin.load_state_dict(compat.load(written(torch, m.state_dict())))
    assert values(twin.state_dict()) == values(m.state_dict())
    assert isinstance(compat.load(written(torch, torch.nn.Parameter(torch.ones(2)))), compat.nn.Parameter)


@pytest.mark.reference
def test_a_module_that_pytorch_wrote_becomes_one_of_ours():
    torch = pytorch()
    m = net(torch)[:2]
    back = compat.load(written(torch, m), weights_only=False)
    assert type(back) is compat.nn.Sequential
    assert repr(back) == repr(m)
    m.eval(), back.eval()
    assert compat.allclose(back(compat.ones(1, 2)), compat.tensor(m(torch.ones(1, 2)).tolist()), atol=1e-6)
