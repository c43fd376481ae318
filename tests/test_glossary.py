"""The glossary: its terms name what exists, public names and messages use its terms, and retired words stay away."""

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import covector

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "glossary.md"
TEXT = PAGE.read_text(encoding="utf-8")
TERMS = {word.strip().lower() for line in re.findall(r"^(\S.*)\n: ", TEXT, re.MULTILINE) for word in line.split(",")}
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
SOURCES = [path for folder in ("api", "backends", "compat", "core", "transforms")
           for path in sorted((ROOT / folder).rglob("*.py")) if "signature_lines" not in path.name]

# Terms of which the glossary has the definition and the library the name.
NAMED = {
    "aval": "covector.extend.Aval", "compile": "covector.jit", "donated": "covector.jit", "signature": "covector.jit",
    "backend": "covector.extend.Backend", "carry": "covector.scan",
    "checkpoint": "covector.checkpoint", "collective": "covector.psum", "graph": "covector.make_graph",
    "hessian": "covector.hessian", "holomorphic": "covector.grad", "jacobian": "covector.jacobian",
    "leaf": "covector.tree.leaves", "node": "covector._engine.Node", "primitive": "covector.extend.primitive",
    "pullback": "covector.vjp", "pushforward": "covector.jvp", "pytree": "covector.tree.flatten",
    "residual": "covector.custom_vjp", "rule": "covector.custom_jvp", "staging": "covector.make_graph",
    "trace": "covector.extend.Trace", "tracer": "covector.extend.Tracer",
}
# Terms that signatures and messages of the library use.
USED = ("auxiliary output", "batch axis", "concrete", "cotangent", "level", "mapped argument", "primal", "tangent",
        "transform", "weak type")
# What the transforms are described by: each public transform has the term that explains what it computes.
TRANSFORMS = {
    "grad": "cotangent", "value_and_grad": "cotangent", "vjp": "pullback", "jvp": "tangent", "linearize": "tangent",
    "linear_transpose": "cotangent", "jacobian": "jacobian", "jacfwd": "forward mode", "jacrev": "reverse mode",
    "hessian": "hessian", "hvp": "hessian", "elementwise_grad": "cotangent", "vmap": "batch axis",
    "checkpoint": "checkpoint", "remat": "checkpoint", "make_graph": "graph", "jit": "compile", "eval_shape": "staging",
    "custom_jvp": "rule", "custom_vjp": "rule", "custom_gradient": "rule", "scan": "carry", "while_loop": "carry",
    "fori_loop": "carry", "psum": "collective",
}
# A word that the glossary replaces, and the files in which it may stand for what else it means.
RETIRED = {
    r"\bkinks?\b": (),
    r"\b(?:answer|answers)\b": (),
    r"\bcontainers?\b": (),
    r"\bthere is none of\b|\bwhat there is none of\b": (),
    r"\b(?:its|their) kin\b": (),
    r"\bnot built\b": (),
    r"\b(?:sweeps?|swept)\b": ("docs/glossary.md", "docs/how_it_works.md"),
    r"\bone an? (?:example|axis|argument|leaf|operation|dtype|row|element|entry)\b": (),
    r"\b(?:derivatives?|gradients?|differentiable) by (?:`|the (?!frequency)|its|their|both|all)": (),
    r"\bis no (?:array|scalar|tuple|integer|leaf|function|ufunc|key|vector)\b": (),
    r"[Ss]ee PyTorch's documentation": (),
}


def resolve(name):
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


@pytest.mark.parametrize("term", sorted(NAMED))
def test_term_names_something_in_the_library(term):
    assert term in TERMS
    assert resolve(NAMED[term]) is not None


def test_terms_that_messages_use_are_defined():
    assert [term for term in USED if term not in TERMS] == []


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_transform_is_described_by_a_term(name):
    assert callable(getattr(covector, name))
    assert TRANSFORMS[name] in TERMS


def test_each_term_is_defined_once():
    words = [word.strip().lower() for line in re.findall(r"^(\S.*)\n: ", TEXT, re.MULTILINE)
             for word in line.split(",")]
    assert len(words) == len(set(words)) > 30


def test_code_in_the_glossary_exists():
    """Single names in backquotes are public names of covector, of NumPy's functions in it, or of its source."""
    named = set(re.findall(r"`([a-z_.]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)))
    spaces = [covector, covector.numpy, covector.tree, importlib.import_module("covector.extend")]
    parameters = {p for fun in (covector.vmap, covector.grad) for p in inspect.signature(fun).parameters}
    known = parameters | {"covector.tree", "covector.compat.torch", "backward", ".grad", "x", "has_aux"}
    assert [n for n in sorted(named) if n not in known and not any(hasattr(space, n) for space in spaces)] == []


def prose(path):
    """`(line, text)` of a page outside of its blocks of code and its code in backquotes."""
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, re.sub(r"`[^`]*`", "`", line) if "PyTorch's doc" not in line else line


@cache
def messages(path):
    """`(line, text)` of the strings of a file that are sentences: messages, and docstrings of public names."""
    found = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            docstrings[id(node.body[0].value)] = isinstance(node, ast.Module) or not node.name.startswith("_")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 1:
            if docstrings.get(id(node), True):
                found.append((node.lineno, re.sub(r"`[^`]*`|\w+(?:\.\w+)+", "`", node.value)))
    return found


def found(texts, word):
    return [f"{where}: {match[0]}" for where, text in texts if (match := re.search(word, text))]


@pytest.mark.parametrize("word", sorted(RETIRED))
def test_retired_word_is_not_in_the_pages(word):
    pages = [path for path in PAGES if str(path.relative_to(ROOT)) not in RETIRED[word]]
    assert found(((f"{path.name}:{n}", text) for path in pages for n, text in prose(path)), word) == []


# In the source a few retired words keep their use inside: the engine's sweep, and verbs.
INSIDE = {r"\b(?:sweeps?|swept)\b"}


@pytest.mark.parametrize("word", sorted(RETIRED.keys() - INSIDE))
def test_retired_word_is_not_in_docstrings_and_messages(word):
    texts = ((f"{path.relative_to(ROOT)}:{n}", text) for path in SOURCES for n, text in messages(path))
    assert found(texts, word) == []


def test_a_retired_word_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("At a kink, `kink` is code.\n```\nkink\n```\n", encoding="utf-8")
    assert found(prose(page), r"\bkinks?\b") == ["1: kink"]
