"""Every operation says in a sentence what it does."""

import re

import covector.compat.torch as torch
from covector.compat.torch._impl.dispatch.call import ROWS
from covector.compat.torch._impl.dispatch.docstrings import DOCSTRINGS


def test_an_operation_says_what_it_does():
    first = {name: (row.fun.__doc__ or "").strip().split("\n")[0] for name, row in ROWS.items()}
    empty = {name: line for name, line in first.items()
             if not line or re.fullmatch(rf"Compute `{name}`.*|None\.", line)}
    assert empty == {}


def test_every_docstring_of_the_table_is_shown():
    assert [name for name in DOCSTRINGS if name not in ROWS or ROWS[name].fun.__doc__ != DOCSTRINGS[name]] == []
    assert torch.linalg.inv.__doc__ == "Invert square matrices; a singular one raises `LinAlgError`."
