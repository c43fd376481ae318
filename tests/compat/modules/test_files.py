"""Files of modules: states and whole modules, written and read here and by PyTorch."""

import io
import pickle

import pytest

import covector.compat.torch as compat
from covector.compat.torch._impl.interchange.readers import rebuilt_of_class, with_state
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


class Labelled(compat.Tensor):
    pass


class Counted(compat.Tensor):
    def __getstate__(self):
        return {"count": self.count + 1}

    def __setstate__(self, state):
        self.count = state["count"]


def classed(torch):
    """Tensors with a class, attributes, or both."""
    labelled, plain, counted = torch.arange(4.0).as_subclass(Labelled), torch.ones(2), torch.ones(3)
    counted = counted.as_subclass(Counted)
    p = torch.nn.Parameter(torch.ones(2))
    labelled.label, plain.label, p.label, counted.count = "a", ["b"], {"c": 1}, 1
    return [labelled, plain, p, counted, labelled[2:], torch.ones(1, requires_grad=True).as_subclass(Labelled)]


def test_classes_and_attributes_of_tensors_stay():
    back = compat.load(written(compat, classed(compat)), weights_only=False)
    assert [type(t).__name__ for t in back] == ["Labelled", "Tensor", "Parameter", "Counted", "Labelled", "Labelled"]
    assert [t.label for t in back[:3]] == ["a", ["b"], {"c": 1}] and back[3].count == 2
    assert [t.requires_grad for t in back] == [False, False, True, False, False, True]
    back[0].fill_(7)
    assert back[4].tolist() == [7, 7]
    assert compat.load(written(compat, classed(compat)[1:3]))[0].label == ["b"]
    with pytest.raises(pickle.UnpicklingError, match="Labelled is not an allowed global"):
        compat.load(written(compat, classed(compat)))
    with compat.serialization.safe_globals([Labelled, Counted]):
        assert compat.load(written(compat, classed(compat)))[0].label == "a"


def test_a_class_of_tensors_that_is_none_is_refused():
    with pytest.raises(pickle.UnpicklingError, match="as the class of a tensor"):
        rebuilt_of_class(compat.ones, dict, (2,), None)
    with pytest.raises(pickle.UnpicklingError, match="as the attributes"):
        with_state(compat.ones(2), [1])


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(RuntimeError, match="Parent directory .*nowhere does not exist"):
        compat.save(1, tmp_path / "nowhere" / "x.pt")
