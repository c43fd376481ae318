"""Names of other libraries: the message says what to use, and that exists."""

import importlib
import re

import pytest

import covector
from covector.core.foreign import ADVICE, ATTRIBUTES, DEBUG, LAX, LAYERS, TREE

TABLES = (ADVICE, LAYERS, LAX, TREE, DEBUG, ATTRIBUTES)
NAMED = sorted({name for table in TABLES for text in table.values() for name in re.findall(r"`([\w.]+)`", text)})


@pytest.mark.parametrize("name", NAMED)
def test_what_is_advised_exists(name):
    module, _, last = name.rpartition(".")
    assert hasattr(importlib.import_module(module), last)


@pytest.mark.parametrize("name", ADVICE)
def test_name_of_another_library_is_answered(name):
    with pytest.raises(AttributeError, match=f"^covector has no {name}; .*test_foreign_names.py"):
        getattr(covector, name)
    assert name not in dir(covector)


@pytest.mark.parametrize("name", LAYERS)
def test_layer_is_answered(name):
    with pytest.raises(AttributeError, match=f"^covector.nn has no {name}; "):
        getattr(covector.nn, name)


@pytest.mark.parametrize(("module", "name"), [("lax", name) for name in LAX] + [("tree", name) for name in TREE]
                         + [("debug", name) for name in DEBUG])
def test_name_of_a_module_of_jax_is_answered(module, name):
    with pytest.raises(AttributeError, match=f"^covector.{module} has no {name}; .*test_foreign_names.py"):
        getattr(getattr(covector, module), name)


def test_unknown_name_is_an_ordinary_error():
    for module in (covector, covector.debug, covector.lax, covector.nn, covector.tree):
        with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
            module.no_such_name
