"""Writes the tables of operations of `compat/torch/_impl/types` from what PyTorch publishes and what it does.

    python tests/compat/tables/generate.py

The signatures of functions in C++ are those of native_functions.yaml, those of functions in Python what `inspect` says
of them; node names and what nodes save come from derivatives.yaml. Three facts are in neither, and are measured by the
sample calls of `tests/compat/surface`: which kinds of arguments a function in Python refuses, which `out=` has to have
the dtype of the answer, and which node an operation made of others ends in. What differs on purpose: `on_purpose.py`.
"""

import importlib.util
import inspect
import re
import sys
import typing
import warnings
from pathlib import Path

import torch
import torchgen
from torchgen.api.autograd import match_differentiability_info
from torchgen.api.python import PythonSignatureDeprecated
from torchgen.gen import parse_native_yaml
from torchgen.model import ListType, OptionalType
from torchgen.packaged.autograd import gen_python_functions, load_derivatives

import covector.compat.torch as compat
from covector.compat.torch._impl import ops
from covector.compat.torch._impl.dispatch.call import ROWS
from covector.compat.torch._impl.dispatch.signatures import Signature, synonyms
from covector.compat.torch._impl.dispatch.surface import FACTORIES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
TARGETS = ROOT / "compat" / "torch" / "_impl" / "types"
PACKAGED = Path(torchgen.__file__).parent / "packaged"
NATIVE, TAGS = [str(PACKAGED / "ATen" / "native" / name) for name in ("native_functions.yaml", "tags.yaml")]
DERIVATIVES, DEPRECATED = [str(PACKAGED / "autograd" / name) for name in ("derivatives.yaml", "deprecated.yaml")]


def load(path, name):
    """A module of a file, by its path."""
    found = sys.modules.get(name)
    if found is None:
        spec = importlib.util.spec_from_file_location(name, path)
        found = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
    return found


on_purpose = load(HERE / "on_purpose.py", "compat_tables_on_purpose")
support = load(HERE.parent / "support_page.py", "compat_support_page")

# ---- signatures of functions in C++ ----

KINDS = {"Tensor": "Tensor", "Scalar": "Number", "int": "int", "SymInt": "size", "float": "float", "bool": "bool",
         "str": "str", "ScalarType": "dtype"}
LISTS = {"int": "ints", "SymInt": "sizes", "float": "floats", "Tensor": "Tensors", "Tensor?": "Tensors"}


def kind(t):
    """A type of native_functions.yaml as the table writes it."""
    if isinstance(t, OptionalType):
        return kind(t.elem) + "?"
    if isinstance(t, ListType):
        found = LISTS.get(str(t.elem), "any")
        return found + "1" if found in ("ints", "sizes") and t.size is not None else found
    return KINDS.get(str(t), "any")


def named(t):
    """Whether a type names axes, which covector does not have."""
    return "Dimname" in str(t)


class Way:
    """One signature of an operation: its parameters, and the native function that it calls."""

    def __init__(self, places, words, out=None, function=None):
        self.places, self.words, self.out, self.function = places, words, out, function
        native = function is not None and out is not None
        self.exact = native and out.structured and out.structured_inherits != "TensorIteratorBase"
        self.recorded, self.node = False, None

    def text(self):
        """The signature as the table writes it."""
        words = [*self.words]
        if self.out is not None:
            words.append("out" + ("!" if self.exact else "?") + ("^" if self.recorded else ""))
        return ", ".join([*self.places, *(["*", *words] if words else [])])


def ways_of(name, group, method):
    """The signatures of the overloads of a function."""
    found = []
    for overload in gen_python_functions.group_overloads(group, symint=True):
        signature = overload.signature
        arguments = (*signature.input_args, *signature.input_kwargs)
        if isinstance(signature, PythonSignatureDeprecated) or any(named(a.type) for a in arguments):
            continue
        tensor = "operand" if name in on_purpose.NUMBERS_AS_TENSORS else "Tensor"
        places, words = [[parameter(a, tensor) for a in part]
                         for part in (signature.input_args, signature.input_kwargs)]
        if method:
            places.insert(0, "Tensor input")
        if signature.tensor_options_args:
            words += ["dtype? dtype=", "options"]
        found.append(Way(places, words, overload.outplace, overload.base))
    return found


def parameter(a, tensor):
    """A parameter as the table writes it; a list that may be left out may be None."""
    found = kind(a.type)
    if found in ("ints1", "sizes1") and a.default in ("None", "{}", "[]"):
        found += "?"
    return f"{tensor if found == 'Tensor' else found} {'input' if a.name == 'self' else a.name}" + (
        "" if a.default is None else "=")


def native_ways():
    """`{name: signatures}` of everything in C++; methods where there is no function."""
    bound = [f for f in parse_native_yaml(NATIVE, TAGS).native_functions
             if gen_python_functions.should_generate_py_binding(f)]
    found = {}
    for method in (True, False):  # the function counts where there are both
        groups = {}
        for pair in gen_python_functions.load_signatures(bound, DEPRECATED, method=method):
            f = pair.function
            if f.python_module is None and ("method" if method else "function") in {v.name for v in f.variants}:
                groups.setdefault(str(f.func.name.name), []).append(pair)
            elif f.python_module is not None and not method:
                module = "nn.functional" if f.python_module == "nn" else f.python_module
                name = str(f.func.name.name).removeprefix(f"{f.python_module}_")
                groups.setdefault(f"{module}.{name}", []).append(pair)
        for name, group in groups.items():
            found[name] = ways_of(name, group, method) or found.get(name, [])
    return found


# ---- signatures of functions in Python ----

ANNOTATED = {torch.Tensor: "Tensor", int: "size", float: "float", bool: "bool", str: "str", torch.dtype: "dtype",
             list[int]: "ints", typing.List[int]: "ints"}  # noqa: UP006 - as PyTorch's source has it


def annotated(p):
    """The kind that an annotation says."""
    a, none = p.annotation, False
    if type(None) in typing.get_args(a):
        rest = [t for t in typing.get_args(a) if t is not type(None)]
        a, none = rest[0] if len(rest) == 1 else inspect.Parameter.empty, True
    if p.name == "dtype":
        return "dtype?"
    found = ANNOTATED.get(a, "any?") if not isinstance(a, str) else "any?"
    return found + "?" * (none and found != "any?")


def in_python(name):
    """The function of PyTorch's in Python behind a name, or None."""
    found = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    while inspect.isfunction(found) and "if_false" in found.__code__.co_freevars:  # of two, by a flag
        found = dict(zip(found.__code__.co_freevars, found.__closure__))["if_false"].cell_contents
    return found if inspect.isfunction(found) else None


def python_way(name, fun):
    """The signature of a function in Python."""
    places, words, out = [], [], None
    probes = Probes(name, fun)
    for p in inspect.signature(fun).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            return []
        if p.name == "out" and (name, "out") not in on_purpose.KINDS:
            out = True
            continue
        part = words if p.kind == p.KEYWORD_ONLY or out else places
        found = on_purpose.KINDS.get((name, p.name)) or probes.kind(p, annotated(p))
        part.append(f"{found} {p.name}{'' if p.default is p.empty else '='}")
    return [Way(places, words, out)]


MUST_BE = re.compile(r"argument '\w+'(?: \(position \d+\))? must be (.*), not object")


class Probes:
    """What a function in Python says to arguments of another kind, in its sample calls."""

    def __init__(self, name, fun):
        self.fun, self.bound, public = fun, [], find(name)
        for call in calls_of(name):
            args, words = torch_arguments(call)
            try:
                public(*args, **words)
                self.bound.append(inspect.signature(fun).bind(*args, **words))
            except Exception:  # another sample may do
                continue

    def said(self, name):
        """The errors for a value of no kind in the place of one argument; None where there is none."""
        for bound in self.bound:
            given = inspect.BoundArguments(bound.signature, bound.arguments | {name: object()})
            try:
                self.fun(*given.args, **given.kwargs)
            except Exception as error:
                yield error

    def kind(self, p, annotated):
        """The kind of a parameter: the annotated one where others are refused, or the one that the refusal names."""
        if not self.bound:
            return annotated
        said = list(self.said(p.name))
        given = [b.arguments[p.name] for b in self.bound if b.arguments.get(p.name) is not None]
        if annotated == "any?":
            found = {WORDS.get(m.group(1)) for m in (MUST_BE.search(str(e)) for e in said) if m} - {None}
            annotated = found.pop() + "?" * (p.default is None) if len(found) == 1 else annotated
        if said and type(said[0]) is AttributeError and any(isinstance(v, torch.Tensor) for v in given):
            return "duck" + "?" * (p.default is None or annotated == "Tensor?")
        refused = any(type(e) is TypeError for e in said)
        return annotated if refused and all(isinstance(v, TYPES.get(annotated.rstrip("?"), object)) for v in given) \
            else "any?"


WORDS = {name: name for name in ("Tensor", "int", "float", "bool", "str")}
TYPES = {"Tensor": torch.Tensor, "int": int, "size": int, "float": (int, float), "bool": bool, "str": str}


# ---- what is measured ----

def find(name):
    """A function of PyTorch's by its name, or a method."""
    found = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if found is not None else getattr(torch.Tensor, name, None)


def calls_of(name):
    """The sample calls of an operation."""
    row = support.ROWS.get(name.removesuffix("_with_indices"))
    return row.calls if row is not None else ()


def torch_arguments(call, requires=False):
    """The arguments of a sample call as PyTorch takes them."""
    probe = support.measure.Probe.__new__(support.measure.Probe)
    probe.torch = torch
    leaves = [probe.tensor(a) for a in call.arrays()]
    leaves = [t.requires_grad_() if requires and support.measure.moving(t) else t for t in leaves]
    return probe.arguments(call, leaves)


def sampled(name, ways):
    """`(way, call)` of the sample calls of an operation that fit one of its signatures."""
    probe = support.measure.Probe.__new__(support.measure.Probe)
    probe.torch = compat
    for call in calls_of(name):
        args, words = probe.arguments(call)
        for way in ways:
            if Signature(way.text()).refusal(name, tuple(args), synonyms(name, words)) is None:
                yield way, call
                break


OTHERS = {torch.float64: (torch.float32, torch.complex128), torch.float32: (torch.float64, torch.complex128),
          torch.complex128: (torch.complex64,), torch.int64: (torch.int32, torch.float64),
          torch.bool: (torch.int64,)}  # to try as the dtype of `out=`
ELSEWHERE = ("not implemented for", "unexpected keyword", "invalid combination", "does not match dtype of out")


def measure_out(name, call):
    """Whether `out=` has to have the dtype of the answer; None where that cannot be seen."""
    args, words = torch_arguments(call)
    fun, said = find(name), []
    for place in range(2):
        try:
            answer = fun(*args, **words)
            parts = answer if isinstance(answer, tuple) else (answer,)
            dtypes = [OTHERS.get(t.dtype, (torch.complex128,)) for t in parts]
            outs = [torch.empty(t.shape, dtype=d[place % len(d)]) for t, d in zip(parts, dtypes)]
            fun(*args, **words, out=tuple(outs) if isinstance(answer, tuple) else outs[0])
        except Exception as error:
            said += [] if any(words in str(error) for words in ELSEWHERE) else [True]
        else:
            return False
    return True if said else None


def measure_gradient(name, call):
    """Whether `out=` may be given beside what asks for gradients; None where nothing does, or the call fails."""
    args, words = torch_arguments(call, True)
    fun = find(name)
    try:
        answer = fun(*args, **words)
        outs = [torch.empty(t.shape, dtype=t.dtype) for t in (answer if isinstance(answer, tuple) else (answer,))]
        fun(*args, **words, out=tuple(outs) if isinstance(answer, tuple) else outs[0])
    except Exception as error:
        return False if "automatic differentiation" in str(error) else None
    return True if any(support.measure.moving(t) for t in torch_arguments(call)[0] if hasattr(t, "dtype")) else None


def measure_node(name, call):
    """The name of the node of a sample call; None without one."""
    try:
        args, words = torch_arguments(call, True)
        answer = find(name)(*args, **words)
    except Exception:  # no derivative, or none for this dtype
        return None
    parts = answer if isinstance(answer, tuple | list) else (answer,)
    nodes = [t.grad_fn.name() for t in parts if getattr(t, "grad_fn", None) is not None]
    return nodes[0] if nodes else None


def derivatives():
    """`{schema: what is known of the derivatives of a function}`."""
    infos, _ = load_derivatives.load_derivatives(DERIVATIVES, NATIVE, TAGS)
    pairs = match_differentiability_info(list(parse_native_yaml(NATIVE, TAGS).native_functions), infos)
    return {str(p.func.func): p.info["Default"] for p in pairs if p.info and p.info.get("Default")}


# ---- what nodes save ----

def saved_words(f, info):
    """What the node of a function saves, as words.

    `self=0` is operand 0, `other=1?0` operand 1, saved where operand 0 needs a gradient, `result=-1` the answer, `dim!`
    an argument of the call, `keepdim!False` one with its default, `dim!s` several integers, `dim@` an argument of a
    view, `self_sym_sizes` a shape, that of operand 0 unless there is a number.
    """
    own = {a.name: a for a in f.func.arguments.flat_non_out}
    tensors = [name for name, a in own.items() if "Tensor" in str(a.type)]
    found = []
    for saved in info.all_saved_inputs:
        name = str(saved.nctype.name)
        base = name.removesuffix("_sym_sizes")
        if name.endswith("_sym_numel"):
            found.append(name)
        elif base != name and base in tensors:
            found.append(name + f"={tensors.index(base)}" * (tensors.index(base) > 0))
        elif name in tensors and "[]" not in str(own[name].type):
            found.append(f"{name}={tensors.index(name)}{guard(saved, info, own, tensors)}")
        elif name in own and name not in tensors and (f.is_view_op or name not in on_purpose.UNTOLD):
            found.append(f"{name}@" if f.is_view_op else f"{name}!{default(own[name])}")
    first = f.func.returns[0].name or "result" + "0" * (len(f.func.returns) > 1)
    return found + [f"{first}=-1" for saved in info.all_saved_outputs if str(saved.nctype.name) == first]


def guard(saved, info, own, tensors):
    """The operand that has to need a gradient for another one to be saved, as gen_variable_type.py decides it."""
    users = [d for d in info.derivatives if saved in d.saved_inputs]
    if len(info.args_with_derivatives) < 2 or len(users) != 1 or len(users[0].var_names) != 1 or any(
            "Tensor[]" in str(a.type) for a in own.values()) or str(own[str(saved.nctype.name)].type) != "Tensor":
        return ""
    return f"?{tensors.index(users[0].var_names[0])}"


def default(a):
    """The default of an argument as a word has it."""
    return "s" if kind(a.type).startswith(("ints", "sizes")) else "" if a.default in (None, "{}") else (
        a.default.strip("'"))


def nodes(native, known):
    """The lines of what nodes save."""
    words = {}
    for name in surface():
        for way in native.get(name) or native.get(in_c(name), []):
            info = known.get(str(way.function.func)) if way.function is not None else None
            if info is not None and info.op is not None and not info.op.endswith("_copy"):
                words.setdefault(shortened(info.op), " ".join(saved_words(way.function, info)))
    words |= {node: told for nodes, told in on_purpose.SAVED.items() for node in nodes.split()}
    found = {}
    for node, told in sorted(words.items()):
        found.setdefault(told, []).append(node)
    return [f"{' '.join(group)}: {told}".rstrip() for told, group in found.items()]


# ---- the table ----

def in_c(name):
    """The native function behind a name of torch.nn.functional."""
    own = getattr(find(name), "__name__", "")
    return f"nn.functional.{own}" if own != name.rpartition(".")[2] else own


def surface():
    """The names that the table has: those of covector's operations, and of what else looks at its arguments."""
    return sorted({*ROWS, *FACTORIES, *ops.PLAIN, *on_purpose.MORE} - {*on_purpose.WITHOUT})


def completed(name, ways, known):
    """The signatures of an operation with what is measured: exact `out=`, and the names of nodes."""
    for way in ways:
        info = known.get(str(way.function.func)) if way.function is not None else None
        way.node = info.op if info is not None else None
    exact, recorded, nodes = {}, {}, {}
    for way, call in sampled(name, ways):
        if way.out is not None:
            recorded.setdefault(way, set()).add(measure_gradient(name, call))
        if way.out is not None and name not in on_purpose.DTYPE_OF_OUT:
            exact.setdefault(way, set()).add(measure_out(name, call))
        nodes.setdefault(way, set()).add(measure_node(name, call))
    for way, found in exact.items():
        if found - {None}:
            way.exact = True in found
    for way, found in recorded.items():
        way.recorded = True in found
    for way, found in nodes.items():
        found = {n for n in found if n is not None and "::" not in n}
        if way.node is None and len(found) == 1:
            way.node = found.pop()
    for way in ways:
        way.node = shortened(way.node) if name not in on_purpose.NODES else on_purpose.NODES[name]
    return ways


def lines():
    """Lines of functions in C++ of torch itself, of those of its namespaces, of functions in Python, and of nodes."""
    native, known, found = native_ways(), derivatives(), ({}, {}, {})
    for name in surface():
        fun, words = in_python(name), on_purpose.WRITTEN.get(name)
        ways = python_way(name, fun) if fun is not None else native.get(name) or native.get(in_c(name), [])
        text = words or " | ".join(way.text() + (f" > {way.node}" if way.node else "")
                                   for way in completed(name, ways, known))
        if text:
            found[2 if fun is not None else "." in name].setdefault(text, []).append(name)
    return [[f"{' '.join(names)}: {text}" for text, names in part.items()] for part in found] + [nodes(native, known)]


def shortened(node):
    """`Sum1` for SumBackward1."""
    return node and node.replace("Backward", "")


HEAD = '''"""Facts of the operations of PyTorch {version}; tests/compat/tables/generate.py writes them, edit that.

A line is names, a colon, and the ways to call them, each with the name of its node behind a `>` where PyTorch's files
tell it. A way is kinds and names of parameters, `=` where one may be left out, `?` where None may be given. `ints1`
takes one integer as well; `size`, `sizes` and `sizes1` are those that PyTorch may trace, of which tensors with axes may
be one. `options` are those of factories; there is `out?` where `out=` may be given, `out!` where it has to have the
dtype of the output, each with a `^` where the output may carry a gradient. `duck` is a tensor whose attributes are
asked for before its type, and `operand` a tensor for which a Python number may stand.
"""

'''


NAMESPACES = '''"""Functions of torch's namespaces, or in Python; tests/compat/tables/generate.py writes them.

The lines are as those of `operation_table.py`.
"""

'''
NODE_HEAD = '''"""Saved values of the nodes of PyTorch {version}; tests/compat/tables/generate.py writes it, edit that.

A line is names of nodes, a colon, and a word for each thing they save: `saved_words` of the generator says how.
"""

'''


def texts():
    """The modules: `{name of the file: its text}`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        functions, of_namespaces, in_python, saved = lines()
    version = torch.__version__.partition("+")[0]
    return {
        "operation_table.py": HEAD.format(version=version) + table("FUNCTIONS", functions),
        "namespace_table.py": (NAMESPACES + table("OF_NAMESPACES", of_namespaces)
                               + "\n# Functions in Python, which do not take NumPy's names of arguments.\n"
                               + table("PYTHON", in_python)),
        "node_table.py": NODE_HEAD.format(version=version) + table("NODES", saved),
    }


def table(name, found):
    """An assignment of lines to a name."""
    return f'{name} = """\\\n' + "\n".join(found) + '\n"""\n'


if __name__ == "__main__":
    for file, text in texts().items():
        (TARGETS / file).write_text(text, encoding="utf-8")
