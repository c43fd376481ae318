"""Each row of the pages for those who come from another library gives the same answer on both libraries."""

import doctest
import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import covector

pytestmark = pytest.mark.reference
jax, autograd, torch = (
    pytest.importorskip(name, reason="needs the `reference` extra: pip install -e '.[reference]'")
    for name in ("jax", "autograd", "torch")
)

PAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "coming_from"
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)


def rows(page):
    return ROW.findall((PAGES / f"{page}.md").read_text(encoding="utf-8"))


def names(page, **library):
    """What the first block of a page defines, with `np` and what `library` names in place of NumPy."""
    given = {"np": np, "cv": covector} | library
    block = (PAGES / f"{page}.md").read_text(encoding="utf-8").split("```python\n", 1)[1].split("```", 1)[0]
    for example in doctest.DocTestParser().get_examples(block):
        if not example.source.startswith(("import ", "from ")):
            exec(example.source, given)
    return given


def leaves(answer):
    return [np.asarray(leaf) for leaf in covector.tree.leaves(answer)]


def same(theirs, ours):
    theirs, ours = leaves(theirs), leaves(ours)
    assert [a.shape for a in theirs] == [a.shape for a in ours]
    for a, b in zip(theirs, ours):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-14)


def parameters(page):
    return [pytest.param(*row, id=row[1]) for row in rows(page)]


@pytest.mark.parametrize("page", ["autograd", "jax", "pytorch"])
def test_the_column_of_covector_runs(page):
    given = names(page)
    found = rows(page)
    assert found
    for _, ours in found:
        leaves(eval(ours, given))


@pytest.mark.parametrize(("theirs", "ours"), parameters("jax"))
def test_a_row_for_jax(theirs, ours):
    jax.config.update("jax_enable_x64", True)
    for module in ("flatten_util", "scipy.special"):
        import_module(f"jax.{module}")
    same(eval(theirs, names("jax", np=jax.numpy, jax=jax)), eval(ours, names("jax")))


@pytest.mark.parametrize(("theirs", "ours"), parameters("autograd"))
def test_a_row_for_autograd(theirs, ours):
    import_module("autograd.misc")
    wrapped = import_module("autograd.numpy")
    given = names("autograd", np=wrapped, autograd=autograd)
    given["params"] = dict(given["params"])
    same(eval(theirs, given), eval(ours, names("autograd")))


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # PyTorch's own, in forward mode
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning")  # in linearize
@pytest.mark.parametrize(("theirs", "ours"), parameters("pytorch"))
def test_a_row_for_pytorch(theirs, ours):
    import_module("torch.utils.checkpoint")
    data = SimpleNamespace(array=torch.tensor, stack=torch.stack)
    given = names("pytorch", np=data, torch=torch)
    for name in ("x", "y", "v", "X"):
        given[name] = given[name].double()
    answer = torch.utils._pytree.tree_map(lambda t: t.detach().numpy(), eval(theirs, given))
    same(answer, eval(ours, names("pytorch")))
