"""The recorded answers of PyTorch: they read back exactly, name their PyTorch, and each belongs to a test."""

import json

import numpy as np
import pytest

from recordings import HERE, TESTS, Recording, decode, encode, recording

ODD = [0.0, -0.0, 0.1, 1e-320, float("nan"), float("inf"), -float("inf"), 2.0**60 + 1]


def tensor(values, dtype, **facts):
    """The record of a leaf."""
    values = np.array(values)
    found = {"dtype": f"torch.{dtype}", "shape": values.shape, "stride": values.strides, "requires_grad": False,
             "leaf": True, "fn": None, "value": values}
    found["stride"] = tuple(n // values.itemsize for n in values.strides)
    return found | facts


def written(answer):
    """What is read of an answer that was written."""
    return decode(json.loads(json.dumps(encode(answer))))


def assert_same(a, b):
    """Raise where two nests differ in any bit or type."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert_same(x, y)
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    else:
        assert repr(a) == repr(b)


@pytest.mark.parametrize("answer", [
    ODD, complex(-0.0, float("inf")), None, True, 3, "é", ("raised", "ValueError", "no"), {"a": [1, (2.0,)], "b": {}},
    np.array(ODD), np.array(ODD, np.float32).astype(np.float64), np.array([ODD] * 4) + 0.1,
    np.array([complex(1, 0.1), complex(float("inf"), 2)]), np.array([[1, -2]]),
    np.array([ODD] * 4, np.float32).astype(np.float64) * (1 + 2j), np.array(True), np.zeros((2, 0)),
    tensor(ODD, "float64"), tensor(np.array([0.1, 1e-45, 3e38], np.float32).astype(np.float64), "float32"),
    tensor([[1.0, 2.0], [3.0, 4.0]], "float16", stride=(1, 2), fn="TBackward0", leaf=False, requires_grad=True),
    tensor([1 + 2j, 0.1j], "complex128"), tensor([2**63 + 5], "uint64"), tensor([True], "bool", requires_grad=True),
    tensor(np.zeros(0), "float64", shape=(0, 3), stride=(3, 1)), tensor(2.0, "float32", leaf=False),
], ids=lambda answer: str(answer)[:30])
def test_answers_read_back_exactly(answer):
    assert_same(written(answer), answer)


def test_an_answer_that_was_not_recorded_says_how_to_record_it():
    with pytest.raises(AssertionError, match="script_new has no recorded answer .* --record-answers"):
        Recording("test_new.py").get("script_new")


@pytest.mark.parametrize("path", sorted(HERE.rglob("*.json")), ids=lambda path: path.stem)
def test_recorded_answers_belong_to_tests_and_name_their_pytorch(path):
    module = path.relative_to(HERE).with_suffix(".py")
    found, collected = Recording(module), recording(module).keys  # none where this file runs alone
    assert (TESTS / module).exists(), f"delete {path}: its tests are gone"
    assert found.version and list(found.answers) == sorted(found.answers)
    stale = found.answers.keys() - collected if collected else set()
    assert not stale, f"delete these lines of {path.name}, their tests are gone: {sorted(stale)}"
