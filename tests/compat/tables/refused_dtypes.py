"""Writes `refusal_table.py` and `mixture_table.py` of `compat/torch/_impl/types`: dtypes that PyTorch refuses.

    python tests/compat/tables/refused_dtypes.py

Each operation is called with the samples that PyTorch tests it with, in each dtype and with one operand of another. A
dtype is listed where every sample is refused by a message that speaks of it.
"""

import re
import warnings
from collections import defaultdict
from itertools import islice
from pathlib import Path

import torch
from torch.testing._internal.common_methods_invocations import op_db

import covector.compat.torch  # noqa: F401 (registers the operations)
from covector.compat.torch._impl.dispatch.call import ROWS

TARGETS = Path(__file__).resolve().parents[3] / "compat" / "torch" / "_impl" / "types"
LETTERS = {"bool": "?", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "l", "float16": "e",
           "bfloat16": "g", "float32": "f", "float64": "d", "complex64": "F", "complex128": "D"}
WORDS = {"bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
         "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
         "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
C_TYPES = {"bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
           "int64": "long int", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float",
           "float64": "double", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}
ABOUT_DTYPES = re.compile(r"dtype|not implemented for|complex|[Bb]ool|[Ii]nteg|unsigned|type|Half|Byte|Long|floating")
ELSEWHERE = frozenset(  # refused where they are computed: the message depends on other arguments
    "cov fmod index_put linalg.norm max mean median min nanmedian nn.functional.batch_norm nn.functional.cross_entropy "
    "nn.functional.max_pool1d pow".split())
MIXED_HERE = frozenset({"nn.functional.batch_norm"})  # of these, mixtures alone
SHAPES_FIRST = frozenset({"ormqr"})  # it tells of wrong shapes without elements before it tells of dtypes
TOGETHER = frozenset(  # mixtures of them are: the message tells of all operands
    "addbmm addmm addmv baddbmm nn.functional.bilinear nn.functional.linear".split())
CLASSES = RuntimeError, NotImplementedError, TypeError, ValueError
TAKEN = "-", "taken"
MIXED = [(a, b) for a in LETTERS for b in LETTERS if a != b]


def tensor_type(dtype):
    """What messages call the tensors of a dtype."""
    return f"torch.{WORDS[dtype]}Tensor" if LETTERS[dtype] in "?Bbhilefd" else f"CPU{WORDS[dtype]}Type"


def mapped(x, of_tensor):
    """A nest of arguments with its tensors replaced."""
    if isinstance(x, torch.Tensor):
        return of_tensor(x)
    if type(x) in (list, tuple):
        return type(x)(mapped(v, of_tensor) for v in x)
    return {k: mapped(v, of_tensor) for k, v in x.items()} if isinstance(x, dict) else x


def tensors(x):
    """The tensors of a nest of arguments, in order."""
    found = []
    mapped(x, found.append)
    return found


def samples(name, variants):
    """`(function, calls)` of an operation, each `(args, kwargs, places of its operands)`; None where there is none."""
    fun = torch
    for part in name.split("."):
        fun = getattr(fun, part, None)
    fun = fun or getattr(torch.Tensor, name, None)
    given = []
    for op in variants:
        if torch.float32 not in op.supported_dtypes("cpu"):
            continue
        for s in islice(op.sample_inputs("cpu", torch.float32, requires_grad=False), 60):
            call = ((s.input, *s.args), s.kwargs)
            found = tensors(call)
            places = [k for k, t in enumerate(found) if t.dtype == torch.float32]
            usual = places and all(t.numel() < 5000 for t in found)
            if usual and answer(fun, *call, {}) is None:
                given.append((*call, places))
    return (fun, given[:: 1 + len(given) // 40]) if given else None


def usual(call):
    """Tell whether each tensor of a call has axes and elements: others often go another way."""
    return all(t.ndim and t.numel() for t in tensors(call[:2]))


def empty(call):
    """Tell whether some tensor of a call has no elements."""
    return any(t.numel() == 0 for t in tensors(call[:2]))


def answer(fun, args, kwargs, dtypes):
    """The error of a call whose tensors at some places have other dtypes; None where there is none."""
    count = iter(range(1000))

    def other(t):
        t = t.detach().clone()
        name = dtypes.get(next(count))
        return t if name is None else (t.abs() if name == "uint8" else t).to(getattr(torch, name))

    args, kwargs = mapped(args, other), mapped(kwargs, other)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fun(*args, **kwargs)
    except Exception as error:
        return error
    return None


def common(errors, words):
    """The class and message of errors, each with a dtype's words left out; None where they are not of dtypes."""
    found = []
    for error in errors:
        if error is None:
            return None
        text = str(error).split("\n")[0].strip().replace("{", "(").replace("}", ")").replace(" | ", " or ")
        if "overflow" in text or not ABOUT_DTYPES.search(text) or type(error) not in CLASSES:
            return None
        for key, word in sorted(words, key=lambda w: -len(w[1])):
            text = re.sub(rf"((?<![\w:<.])|(?<=got|ype)){re.escape(word)}(?!\w)", key, text)
        found.append((type(error).__name__, re.sub(r"\[\d+(, \d+)*\]", "{shape}", text)))
    return max(found, key=found.count)


def main():
    """Measure, and write."""
    refused = defaultdict(lambda: defaultdict(str))  # name -> (class, message) -> letters
    places, promotes, mixed = {}, {}, {}
    variants = defaultdict(list)
    for op in op_db:
        if op.name in ROWS and op.name not in ELSEWHERE - MIXED_HERE:
            variants[op.name].append(op)
    for name, ops in variants.items():
        asked = samples(name, ops)
        if asked is None:
            continue
        fun, given = asked
        several = [s for s in given if len(s[2]) > 1]
        promotes[name] = bool(several) and any(
            answer(fun, a, k, {p[1]: "float64"}) is None for a, k, p in several[:4])
        places[name] = given[0][2][0]
        for dtype in LETTERS if name not in MIXED_HERE else ():
            words = [("{type}", tensor_type(dtype)), ("{c}", C_TYPES[dtype]), ("{word}", WORDS[dtype])]
            ordinary = [s for s in given if usual(s)] or given
            why = common([answer(fun, a, k, dict.fromkeys(p, dtype)) for a, k, p in ordinary], words)
            if why is not None:
                taken = [s for s in given if answer(fun, *s[:2], dict.fromkeys(s[2], dtype)) is None]
                bare = "".join(sorted({"~" if empty(s) else "^" for s in taken}))
                refused[name][(*why, bare)] += LETTERS[dtype]
        if several and name not in TOGETHER:
            mixed[name] = of_mixtures(fun, several[:12], given, refused[name] if promotes[name] else {})
    write(refused, places, promotes, {k: v for k, v in mixed.items() if v})


def of_mixtures(fun, given, every, known):
    """`[(place, {letter of the first operand: letters of it that are refused beside it}, class, message)]`.

    Args:
        known: what is refused by the common dtype of all operands, as in `refused`: it is not given again.
    """
    first = given[0][2]
    found = defaultdict(lambda: defaultdict(str))
    for place in first[1:]:
        own = {str(found[place].dtype) for found in (tensors(s[:2]) for s in every) if place < len(found)}
        asked = [s for s in given if place in s[2] and s[2][0] == first[0]]
        errors = {}
        for one, other in MIXED:
            if f"torch.{other}" in own - {"torch.float32"}:  # labels, say
                continue
            result = str(torch.promote_types(getattr(torch, one), getattr(torch, other))).partition(".")[2]
            raised = [answer(fun, a, k, dict.fromkeys(p, one) | {place: other}) for a, k, p in asked]
            taken = any(r is None and usual(s) for s, r in zip(asked, raised))
            if taken and any(LETTERS[result] in letters for letters in known.values()):
                found[place, TAKEN][LETTERS[one]] += LETTERS[other]
            if any(answer(fun, a, k, dict.fromkeys(p[1:], other) | {p[0]: one}) is None for a, k, p in asked):
                continue  # refused of one operand only where others are of the dtype of the first, as of `layer_norm`
            words = [("{type}", tensor_type(result)), ("{c}", C_TYPES[result]), ("{word}", WORDS[result])]
            if not any(why == common(raised, words) and LETTERS[result] in letters
                       for (*why, bare), letters in known.items() for why in [tuple(why)]):
                errors[one, other] = raised, result
        for (one, other), why in shortest(errors).items():
            found[place, why][LETTERS[one]] += LETTERS[other]
    return [(place, letters, *why) for (place, why), letters in found.items()]


def shortest(errors):
    """`{pair of dtypes: (class, message)}` in which the fewest messages differ: by operands, or by what is common."""
    ways = []
    for by_result in (False, True):
        ways.append(found := {})
        for (one, other), (raised, result) in errors.items():
            words = [("{common}", WORDS[result])] * by_result + [
                ("{main_type}", tensor_type(one)), ("{type}", tensor_type(other)), ("{main_c}", C_TYPES[one]),
                ("{c}", C_TYPES[other]), ("{main}", WORDS[one]), ("{word}", WORDS[other])]
            why = common(raised, words)
            if why is not None:
                found[one, other] = why
    return min(ways, key=lambda found: len(set(found.values())))


def in_groups(letters):
    """`?B:ef`: letters of first operands that refuse the same others, and these; their own may be among them."""
    ways = []
    for own in (False, True):
        ones = defaultdict(str)
        for one, others in letters.items():
            ones["".join(c for c in LETTERS.values() if c in others + one * own)] += one
        ways.append(" ".join(f"{one}:{others}" for others, one in ones.items()))
    return min(ways, key=len)


HEAD = '''"""{what} that operations of PyTorch {version} refuse; tests/compat/tables/refused_dtypes.py writes it.

{more}
"""

{name} = r"""
{lines}
"""
'''
REFUSED = ("REFUSED", "Dtypes", '''\
A line is names, letters of dtypes, the class of the error and its message. Behind a name, `*` says that the common
dtype of its operands counts, else that of one: the first, or of the place behind an `@`; `~` that tensors without
elements are computed, `^` that those without axes are.''')
MIXTURES = ("MIXED", "Mixtures of dtypes", '''\
A line is names, each with the place of an operand, groups of letters of the first operand and of that one, the class
of the error and its message, or `-`: taken. An operation whose common dtype is refused alone is listed for others.''')


def write(refused, places, promotes, mixed):
    """Write the tables, operations that refuse alike in one line."""
    lines, pairs = defaultdict(list), defaultdict(list)
    for name, whys in refused.items():
        short = name.rpartition(".")[2]
        for (kind, text, bare), letters in whys.items():
            place = "*" if promotes[name] else f"@{places[name]}" if places[name] else ""
            mark = ("^~" if name in SHAPES_FIRST else bare) + place
            lines[letters, kind, re.sub(rf"(?<!\w){re.escape(short)}(?!\w)", "{name}", text)].append(name + mark)
    for name, found in mixed.items():
        for place, letters, kind, text in found:
            pairs[in_groups(letters), kind, text].append(f"{name}@{place}")
    for file, about, found in (("refusal_table.py", REFUSED, lines), ("mixture_table.py", MIXTURES, pairs)):
        rows = [f"{' '.join(names)} | {' | '.join(key)}" for key, names in sorted(found.items(), key=lambda i: i[1])]
        (TARGETS / file).write_text(HEAD.format(name=about[0], what=about[1], more=about[2], lines="\n".join(rows),
                                                version=torch.__version__.partition("+")[0]))


if __name__ == "__main__":
    main()
