"""The page of the editions' examples is true of PyTorch as well: the same doctests with one import changed."""

import doctest
from pathlib import Path

import pytest

from harness import pytorch

PAGE = Path(__file__).resolve().parents[2] / "docs" / "editions.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.reference
def test_the_examples_of_the_editions_print_the_same_in_pytorch():
    pytorch()
    text = PAGE.read_text(encoding="utf-8").replace("covector.compat.torch as torch", "torch")
    blocks = text.replace("from covector.compat.torch", "from torch").split("```")[1::2]
    source = "\n".join(block.removeprefix("python") for block in blocks if block.startswith("python"))
    report = []
    test = doctest.DocTestParser().get_doctest(source, {}, PAGE.name, str(PAGE), 0)
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert result.attempted > 100
    assert not result.failed, "".join(report)
