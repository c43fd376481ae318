"""Writes `docs/numpy_support.md`, what `covector.numpy` does with each name: `python tests/api/support_page.py`."""

import importlib.util
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "numpy_support.md"
HEAD = """# Supported NumPy functions

Each row is measured, and a test repeats the measurement: the function of `covector.numpy`, or of its `linalg` and `fft`, is compared with NumPy's for the shapes `()`, `(3,)`, `(2, 3)` and `(0,)`, for single and double precision, complex, integer and boolean arguments, and for its options.

| column | meaning |
| --- | --- |
| value | on traced values, the outputs have NumPy's values and dtypes |
| forward, reverse | `jvp` and `vjp` agree with finite differences |
| second order | so do their derivatives, in all four combinations |
| vmap | a batch gives the same results as a loop, derivatives included |
| make_graph | the function and its derivatives can be staged, and the graph computes the same values |
| plain numpy | the same holds for `numpy.<name>` called on a traced value |

“refused” means that covector or NumPy raises; a result is never silently wrong. A dash means that the column does not apply: integer, boolean and index outputs have no derivative, and a function without array arguments cannot be batched.

"""  # noqa: E501 - paragraphs of a page
QUESTIONS = """## Questions after the type

`np.isscalar` and `isinstance(x, numbers.Real)` (or `Number`, `Complex`, `Integral`) say of a traced value without axes what they say of the value that it stands for: a Python number, a NumPy scalar and what operations make of them are numbers, `np.array(3.0)` is none, and an element of a vector under `vmap` is one, as in a loop. `hasattr(x, "__len__")` is false for numbers. So are `np.ndim`, `np.shape`, `np.size`, `np.iterable`, `np.isrealobj`, `np.iscomplexobj`, `np.result_type`, `callable` and `match` on the classes of `numbers` those of the value.

Classes of Python and NumPy that are no abstract ones cannot be asked so: a traced value is none of them. Such a question takes the branch of "another object", whose value may be another:

| question | traced | write instead |
| --- | --- | --- |
| `isinstance(x, (int, float))`, `type(x) is float`, `match` with `float()` | false | `np.isscalar(x)`, `isinstance(x, numbers.Real)` |
| `isinstance(x, np.generic)`, `np.floating` | false | `np.isscalar(x)`, `np.issubdtype(x.dtype, np.floating)` |
| `isinstance(x, np.ndarray)` | false | `hasattr(x, "shape")` and `np.ndim(x) > 0`, or `isinstance(x, (np.ndarray, covector.extend.Tracer))` |
| `isinstance(x, collections.abc.Iterable)` or `Sized`, `hasattr(x, "__iter__")` | true, for numbers too | `np.iterable(x)`, `np.ndim(x) > 0` |
| `hasattr(x, "dtype")`, `hasattr(x, "shape")` | true, for numbers too | `np.ndim(x) > 0` |
| `functools.singledispatch` on `float`, `np.ndarray` | ConversionError for `float`, the function for `object` for `np.ndarray` | register it for `numbers.Real`, and for `covector.extend.Tracer` beside `np.ndarray` |
| `isinstance(x, typing.SupportsIndex)` | true | `isinstance(x, numbers.Integral)` |
| `np.isscalar` of a traced `np.bool_` | false | `x.dtype == bool and not x.ndim` |
| any of them on `x.reshape(())` or `np.asarray(x)` under `vmap` or `jit` | a number | `np.ndim` |

"""  # noqa: E501 - paragraphs of a page


def load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(text):
    """`{name: line}` of the page."""
    return {found[1]: found[0] for found in re.finditer(r"^\| `([\w.]+)` \|.*$", text, re.MULTILINE)}


def row(names, name):
    """The line of one name, measured."""
    found = names.measure.measure(names.NAMES[name])
    return f"| `{name}` | {' | '.join(found.values())} |"


def page(names):
    columns = names.measure.COLUMNS
    lines = [f"| name | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
    lines += [row(names, name) for name in sorted(names.NAMES)]
    return HEAD + "\n".join(lines) + "\n\n" + QUESTIONS + notes(names) + "\n"


def notes(names):
    kinds = {}
    for name in sorted(names.NOTES):
        kinds.setdefault(names.NOTES[name], []).append(name)
    return "## Notes\n\n" + "\n".join(
        f"- {', '.join(f'`{name}`' for name in group)}: {note}." for note, group in kinds.items())


if __name__ == "__main__":
    PAGE.write_text(page(load("names")), encoding="utf-8")
