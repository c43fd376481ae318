"""What pickles and copies: public functions and classes by their names, tensors with their attributes."""

import copy
import pickle
import types

import pytest

import covector.compat.torch as torch


def modules():
    """The public modules, by name."""
    found = {}

    def visit(module):
        if module.__name__ in found:
            return
        found[module.__name__] = module
        for name in dir(module):
            part = None if name.startswith("_") else getattr(module, name)
            if isinstance(part, types.ModuleType) and part.__name__.startswith(torch.__name__) and (
                    "._impl" not in part.__name__):
                visit(part)

    visit(torch)
    return found


@pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.__name__.removeprefix(torch.__name__))
def test_what_is_public_pickles_by_its_name(module):
    for name in dir(module):
        value = getattr(module, name)
        ours = str(getattr(value, "__module__", None)).startswith("covector")
        if not name.startswith("_") and isinstance(value, types.FunctionType | type) and ours:
            assert pickle.loads(pickle.dumps(value)) is value, name


def test_named_results_pickle():
    found = pickle.loads(pickle.dumps(torch.max(torch.ones(2, 2), 0)))
    assert type(found) is torch.return_types.max
    assert torch.equal(found.values, torch.ones(2))


class Tagged(torch.Tensor):
    """A class of tensors."""


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))],
                         ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("kind", [torch.Tensor, Tagged])
def test_copies_keep_class_attributes_and_requires_grad(copied, kind):
    t = torch.ones(3).as_subclass(kind).requires_grad_()
    t.tag = ["a"]
    new = copied(t)
    assert type(new) is kind
    assert new.tag == ["a"]
    assert new.requires_grad and new.is_leaf
    assert torch.equal(new, t)


def test_a_copy_shares_memory_and_a_deep_copy_does_not():
    t = torch.ones(3)
    shallow, deep = copy.copy(t), copy.deepcopy(t)
    t[0] = 5.0
    assert shallow[0] == 5.0
    assert deep[0] == 1.0


def test_data_of_a_subclass_can_be_set():
    t = torch.ones(3).as_subclass(Tagged)
    t.tag = 1
    t.data = torch.zeros(4)
    assert t.shape == (4,)
    assert t.tag == 1
    assert type(t) is Tagged
