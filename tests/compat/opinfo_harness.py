"""Compares the operations of PyTorch's own table on compat and on PyTorch, sample by sample.

    python tests/compat/opinfo_harness.py [--kinds value,gradient] [--dtypes float64] [--cap 1000] [name …]

compares every sample of the operations named (a prefix will do; all by default) and prints each difference.
"""

import argparse
import dataclasses
import functools
import sys
import time
import types
import warnings

import numpy as np
import opinfo_levels
import torch

import covector.compat.torch as compat
from harness import close
from opinfo_samples import (
    Unlike,
    drawn,
    is_random,
    is_rewritten,
    made,
    operations,
    ours,
    refilled,
    samples,
    tensors,
    translated,
)

KINDS = ("value", "gradient", "second", "forward", "vmap", "inplace", "inplace_gradient", "method", "error",
         "nested")
DERIVATIVES = {"gradient", "second", "forward", "inplace_gradient", "nested"}
LOOSE = {"torch.float16": "bfloat16"}  # PyTorch computes in float32 and rounds once


@dataclasses.dataclass
class Case:
    """One sample of one entry on one library."""

    lib: object
    op: object
    sample: object

    def call(self, kind="value", gradients=False, change=None):
        """The answer and the arguments that it was computed from."""
        given = made(self.lib, (self.sample.input, tuple(self.sample.args), self.sample.kwargs), gradients, change)
        return self.answer(given, kind), given

    def answer(self, given, kind="value"):
        """The answer for arguments."""
        first, args, kwargs = given
        if kind == "inplace":
            if self.sample.broadcasts_input:
                raise Unlike("an operation in place does not broadcast what it writes to")
            first = first.clone()
        fun = {"inplace": self.op.inplace_variant, "method": self.op.method_variant}.get(kind, self.op.op)
        if self.lib is compat:
            if isinstance(fun, functools.partial):
                fun = functools.partial(translated(fun.func, self.op.name), *fun.args, **fun.keywords)
            elif kind in ("inplace", "method"):
                fun = (translated(fun, "add") if is_rewritten(fun) else getattr(compat.Tensor, fun.__name__))
            else:
                fun = ours(self.op)
        return fun(first, *args, **kwargs)

    def processed(self, answer):
        """The part of an answer that has one derivative, as PyTorch's samples say."""
        process = self.sample.output_process_fn_grad
        if process is None or not isinstance(process, types.FunctionType):
            return answer
        if self.lib is compat:
            process = types.FunctionType(process.__code__, process.__globals__ | {"torch": compat}, process.__name__,
                                         process.__defaults__, process.__closure__)
        return process(answer)

    def value(self, kind="value"):
        """The answer as it is."""
        answer, given = self.call(kind)
        answer = (answer, given) if kind == "inplace" else self.processed(answer)
        return {"answer": plain(answer, rough=is_random(self.op))}

    inplace = functools.partialmethod(value, "inplace")
    method = functools.partialmethod(value, "method")

    def rounded_once(self):
        """The answer in bfloat16 of a computation in float32."""
        answer, _ = self.call(change=lambda t, _: t.float() if t.dtype is self.lib.bfloat16 else t)
        return {"answer": plain(narrowed(self.lib, self.processed(answer)), rough=is_random(self.op))}

    def loss(self, answer):
        """A real number of all parts of an answer that carry a gradient."""
        total = None
        for k, t in enumerate(tensors(answer)):
            if t.requires_grad:
                part = (reals(self.lib, t) * weights(self.lib, t, k)).sum()
                total = part if total is None else total + part.to(total.dtype)
        return total

    def gradient(self, second=False, kind="value"):
        """The gradients by all arguments of the sample that ask for one, and of their squares."""
        answer, given = self.call(kind, gradients=True)
        answer = self.processed(answer)
        leaves = [t for t in tensors(given) if t.requires_grad]
        found = {"history": [t.requires_grad for t in tensors(answer)]}
        loss = self.loss(answer)
        if loss is None or not leaves:
            return found
        gradients = self.lib.autograd.grad(loss, leaves, allow_unused=True, create_graph=second)
        found["gradient"] = [None if g is None else plain(g.detach()) for g in gradients]
        if second:
            loss = self.loss([g * g for g in gradients if g is not None and g.requires_grad])
            if loss is not None:
                gradients = self.lib.autograd.grad(loss, leaves, allow_unused=True)
                found["second"] = [None if g is None else plain(g) for g in gradients]
        return found

    inplace_gradient = functools.partialmethod(gradient, False, "inplace")
    second = functools.partialmethod(gradient, True)

    def forward(self):
        """The tangents of the answer along one direction of all arguments."""
        dual = self.lib.autograd.forward_ad
        with dual.dual_level():
            answer, _ = self.call(change=lambda t, given: dual.make_dual(t, direction(self.lib, t))
                                  if given.requires_grad else t)
            parts = [dual.unpack_dual(t) for t in tensors(self.processed(answer))]
            zero = [self.lib.zeros_like(p.primal) if p.tangent is None else p.tangent for p in parts]
            return {"tangents": [plain(t) for t in zero]}

    def nested(self):
        """Second derivatives by the transforms of `torch.func`, one in the other."""
        return {name: plain(answer) for name, answer in opinfo_levels.nested(self).items()}

    def vmap(self):
        """The answers for two examples at once, of which the second has other numbers where they may be any."""
        def stacked(t, given):
            return self.lib.stack([t, t * 0.9 if given.requires_grad else t])

        found = {}
        nest = (self.sample.input, tuple(self.sample.args), self.sample.kwargs)
        for which in ("all", "first"):
            chosen = [t for t in tensors(nest) if which == "all" or t is self.sample.input]
            if which == "first" and len(chosen) == len(tensors(nest)):
                continue
            mapped = made(self.lib, nest, change=lambda t, given: stacked(t, given)
                          if any(given is c for c in chosen) else t)
            flat, given = tensors(mapped), tensors(nest)
            axes = tuple(0 if any(g is c for c in chosen) else None for g in given)
            if not flat or axes.count(None) == len(axes):
                continue

            def run(*leaves):
                rest = iter(leaves)
                return tuple(tensors(self.answer(refilled(mapped, rest))))

            found[which] = plain(self.lib.func.vmap(run, in_dims=axes, randomness="different")(*flat),
                                 rough=is_random(self.op))
        return found


def reals(lib, t):
    """A tensor of real numbers, the parts of complex ones one behind the other."""
    return lib.view_as_real(t.resolve_conj()) if t.is_complex() else t


def narrowed(lib, answer):
    """An answer with its tensors of float32 in bfloat16."""
    if isinstance(answer, list | tuple):
        return [narrowed(lib, t) for t in answer]
    return answer.to(lib.bfloat16) if getattr(answer, "dtype", None) is lib.float32 else answer


def weights(lib, t, k):
    """Fixed weights for the entries of a tensor."""
    shape = (*t.shape, 2) if t.is_complex() else tuple(t.shape)
    return lib.tensor(np.cos(np.arange(int(np.prod(shape))) + k).reshape(shape)).to(
        lib.float64 if str(t.dtype) in ("torch.float64", "torch.complex128") else t.real.dtype)


def direction(lib, t):
    """A fixed tangent of a tensor."""
    found = np.sin(np.arange(t.numel()) + 1.0).reshape(tuple(t.shape))
    return lib.tensor(found * (1 + 0.5j) if t.is_complex() else found).to(t.dtype)


def plain(answer, rough=False):
    """What can be compared of an answer: dtype, shape and values of tensors; values are left out of random ones."""
    if hasattr(answer, "requires_grad") and hasattr(answer, "detach"):
        wide = "complex128" if answer.is_complex() else "float64" if answer.is_floating_point() else "int64"
        lib = torch if isinstance(answer, torch.Tensor) else compat
        exact = np.zeros(()) if rough else answer.detach().resolve_conj().resolve_neg().to(
            answer.dtype if wide == "int64" else getattr(lib, wide)).numpy()
        return (str(answer.dtype), tuple(answer.shape), exact)
    if isinstance(answer, list | tuple):
        return [plain(v, rough) for v in answer]
    if isinstance(answer, dict):
        return {k: plain(v, rough) for k, v in answer.items()}
    if isinstance(answer, bool | int | float | complex | None):
        return 0 if rough else answer
    return str(answer)


def unequal(a, b, path=""):
    """The first difference of two plain answers, ours first; None where there is none. No gradient is one of zeros."""
    if isinstance(a, tuple) and b is None or isinstance(b, tuple) and a is None:
        a, b = (a or (*b[:2], np.zeros_like(b[2]))), (b or (*a[:2], np.zeros_like(a[2])))
        path += " (none in one library)"
    if isinstance(a, tuple) and isinstance(b, tuple):
        if a[:2] != b[:2]:
            return f"{path}: {a[:2]} here, {b[:2]} in PyTorch"
        same = close(a[2], b[2], LOOSE.get(a[0], a[0])) if a[2].dtype.kind in "fc" else np.array_equal(a[2], b[2])
        return None if same else f"{path}: {worst(a[2], b[2])}"
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} here, {len(b)} in PyTorch"
        return next((d for i, (x, y) in enumerate(zip(a, b)) if (d := unequal(x, y, f"{path}[{i}]"))), None)
    if isinstance(a, dict) and isinstance(b, dict):
        both = [(k, [x[k] if k in x else [None] * len((a | b)[k]) for x in (a, b)]) for k in a | b]
        return next((d for k, pair in both if (d := unequal(*pair, f"{path}.{k}"))), None)
    if isinstance(a, float | complex) and isinstance(b, float | complex):
        return None if close(np.array(a), np.array(b), "float32") else f"{path}: {a} here, {b} in PyTorch"
    return None if type(a) is type(b) and a == b else f"{path}: {a!r} here, {b!r} in PyTorch"


def worst(a, b):
    """The entries that differ most."""
    with np.errstate(all="ignore"):
        apart = np.abs(np.subtract(a, b, dtype=np.complex128 if a.dtype.kind == "c" else np.float64)).reshape(-1)
    apart[np.isnan(a.reshape(-1)) & np.isnan(b.reshape(-1)) | (a == b).reshape(-1)] = 0.0
    k = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
    return f"{a.reshape(-1)[k]} here, {b.reshape(-1)[k]} in PyTorch at {np.unravel_index(k, a.shape)}"


def outcome(case, kind):
    """What one library gives for a case, or the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(case, kind)()
        except Unlike:
            raise
        except Exception as error:
            return error


# comparisons

def applies(op, kind, dtype):
    """Whether PyTorch promises a kind of comparison for an entry."""
    wide = getattr(torch, dtype)
    if kind == "error":
        return op.error_inputs_func is not None and dtype == "float64"
    if not op.supports_dtype(wide, "cpu"):
        return False
    if kind in DERIVATIVES:
        promised = {"gradient": op.supports_autograd, "second": op.supports_gradgrad, "forward": op.supports_forward_ad,
                    "nested": op.supports_gradgrad,
                    "inplace_gradient": op.supports_inplace_autograd and op.inplace_variant is not None}[kind]
        return promised and wide in op.supported_backward_dtypes("cpu") and not is_random(op)
    if kind == "inplace":
        return op.inplace_variant is not None and op.name != "item"
    return op.method_variant is not None if kind == "method" else True


def compare(op, kind, dtype="float64", cap=1000, more=False):
    """The differences of one kind over the samples of an entry, as lines, and how many samples were compared."""
    if not applies(op, kind, dtype):
        return [], 0
    if kind == "error":
        return compare_errors(op)
    found, count = [], 0
    for i, sample in enumerate(samples(op, dtype, kind in DERIVATIVES | {"vmap"} and op.supports_autograd
                                       and getattr(torch, dtype).is_floating_point | getattr(torch, dtype).is_complex,
                                       cap, more)):
        try:
            theirs = outcome(Case(torch, op, sample), kind)
            if isinstance(theirs, Exception):
                continue  # what PyTorch refuses, others may answer
            here = outcome(Case(compat, op, sample), kind)
        except Unlike:
            continue
        count += 1
        if kind == "nested" and isinstance(here, dict):
            here, theirs = ({name: a[name] for name in promised(theirs)} for a in (here, theirs))
        if isinstance(here, Exception):
            found.append(f"{i} {told(sample)}: {type(here).__name__}: {str(here)[:300]}")
        elif (difference := unequal(here, theirs)) and (dtype != "bfloat16" or kind != "value" or unequal(
                here, outcome(Case(torch, op, sample), "rounded_once"))):
            # where PyTorch rounds to bfloat16 in between depends on the processor that it runs on
            found.append(f"{i} {told(sample)}: {difference}")
    return found, count


def promised(answers):
    """The nests of transforms that PyTorch has; none where they contradict each other: second derivatives commute."""
    found = [name for name, answer in answers.items() if not isinstance(answer, str)]
    first, *others = [answers[name] for name in found if name != "batched"] or [None]
    return [] if any(unequal(first, other) for other in others) else found


def compare_errors(op):
    """The differences of the errors that wrong arguments raise: none here, or of another type."""
    found, count = [], 0
    for i, wrong in enumerate(drawn(op.error_inputs_func, op, "cpu")):
        sample = wrong.sample_input
        try:
            theirs = outcome(Case(torch, op, sample), "value")
            if not isinstance(theirs, Exception):
                continue
            here = outcome(Case(compat, op, sample), "value")
        except Unlike:
            continue
        count += 1
        if not isinstance(here, Exception):
            found.append(f"{i} {told(sample)}: an answer here, {type(theirs).__name__}: {theirs} in PyTorch")
        elif type(here).__name__ != type(theirs).__name__:
            found.append(f"{i} {told(sample)}: {type(here).__name__}: {here} here, "
                         f"{type(theirs).__name__}: {theirs} in PyTorch")
    return found, count


def told(sample):
    """A sample in short."""
    return str(brief((sample.input, *sample.args, sample.kwargs)))[:160]


def brief(value):
    """An argument in short: tensors by dtype and shape."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, dict):
        return {k: brief(v) for k, v in value.items()}
    return [brief(v) for v in value] if isinstance(value, list | tuple) else value


def main():
    """Compare what the command line names and print the differences."""
    read = argparse.ArgumentParser()
    read.add_argument("names", nargs="*")
    read.add_argument("--kinds", default="value,gradient")
    read.add_argument("--dtypes", default="float64")
    read.add_argument("--cap", type=int, default=1000)
    read.add_argument("--without", default="")
    read.add_argument("--more", action="store_true", help="PyTorch's larger set of samples")
    read.add_argument("--shown", type=int, default=3)
    given = read.parse_args()
    torch.set_num_threads(1)
    without = tuple(given.without.split(",")) if given.without else ("no such name",)
    for name, op in operations(tuple(given.names)).items():
        if op.name.startswith(without):
            continue
        for kind in given.kinds.split(","):
            for dtype in given.dtypes.split(","):
                start = time.perf_counter()
                try:
                    found, count = compare(op, kind, dtype, given.cap, given.more)
                except Exception as error:
                    found, count = [f"harness: {type(error).__name__}: {error}"], 0
                if found:
                    print(f"{name} {kind} {dtype}: {len(found)} of {count}, {time.perf_counter() - start:.1f} s")
                    for line in found[:given.shown]:
                        print("   ", line)
                    sys.stdout.flush()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
