"""Pages whose examples are true of PyTorch as well: the same doctests with one import changed."""

import doctest
from pathlib import Path

import pytest

from harness import pytorch

DOCS = Path(__file__).resolve().parents[2] / "docs"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.reference
@pytest.mark.parametrize(("name", "least"), [("editions.md", 100), ("torch_tutorial.md", 35)])
def test_the_examples_of_the_page_print_the_same_in_pytorch(name, least):
    pytorch()
    page = DOCS / name
    text = page.read_text(encoding="utf-8").replace("covector.compat.torch as torch", "torch")
    blocks = text.replace("from covector.compat.torch", "from torch").split("```")[1::2]
    source = "\n".join(block.removeprefix("python") for block in blocks if block.startswith("python"))
    report = []
    test = doctest.DocTestParser().get_doctest(source, {}, name, str(page), 0)
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert result.attempted > least
    assert not result.failed, "".join(report)
