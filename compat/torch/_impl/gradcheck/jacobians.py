"""Jacobians of functions of tensors: by finite differences, by the engine, by forward mode.

The Jacobian of an output by an input has a row for each element of the input and a column for each of the output.
"""

import warnings
from itertools import product
from typing import NamedTuple

from ..dispatch.backward_calls import grad
from ..factories.creation import zeros_like
from ..forward_ad import forward_ad
from ..ops.joining import stack
from ..types.tensor_type import TensorBase


class Problem(NamedTuple):
    """A function at a point, and how closely its derivatives have to agree there."""

    func: object
    inputs: tuple
    answers: tuple  # all that the function returned
    eps: float = 1e-6
    rtol: float = 1e-3
    atol: float = 1e-5
    nondet_tol: float = 0.0
    check_grad_dtypes: bool = False
    masked: bool = False
    part: str | None = None  # "real" or "imaginary", where only that part of complex values is looked at
    complex_at: tuple = ()  # of which outputs (forward mode: inputs) it is a part

    @property
    def outputs(self):
        """The outputs that require a gradient."""
        return tuple([o for o in self.answers if o.requires_grad])

    @property
    def differentiable(self):
        """Their places among the outputs."""
        return [i for i, o in enumerate(self.answers) if o.requires_grad]

    @property
    def active(self):
        """The places of the inputs that require a gradient."""
        return [i for i, x in enumerate(self.inputs) if isinstance(x, TensorBase) and x.requires_grad]

    def run(self):
        """The outputs at the inputs as they are now."""
        return tuple([o.detach().clone() for o in as_tuple(self.func(*self.inputs))])


def as_tuple(x):
    """A tensor, or a list or tuple of them, as a tuple."""
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def floating(x):
    """Tell whether `x` is a tensor that can have a derivative."""
    return isinstance(x, TensorBase) and (x.is_floating_point() or x.is_complex())


def central_difference(problem, entry, step, wanted, where=""):
    """The slopes of some outputs along `step`, of length eps, taken from `entry`, which is as before afterwards."""
    orig = entry.clone()
    try:
        entry.copy_(orig - step)
        low = problem.run()
        entry.copy_(orig + step)
        high = problem.run()
    finally:
        entry.copy_(orig)
    for before, a, b in zip(problem.answers, low, high):
        for what in ("shape", "dtype"):
            kinds = {str(getattr(x, what)): None for x in (a, b, before)}
            if len(kinds) > 1:
                raise AssertionError(f"Expected `func` to return outputs with the same {what} when inputs are "
                                     f"perturbed {where}by {problem.eps}, but got: {what}s {' and '.join(kinds)}.")
    return [((high[i] - low[i]) / (2 * problem.eps)).reshape(-1) for i in wanted]


def slopes(problem, x, entry, direction, wanted, where=""):
    """The slopes of some outputs along a direction of `entry`, a part of the memory of input `x`.

    Where the input is complex, `direction` is that of the real part and that of the imaginary part, and the slope is
    the gradient of a real output: by the real part, plus i times by the imaginary part.
    """
    if not x.is_complex():
        return central_difference(problem, entry, direction, wanted, where)
    real, imaginary = direction
    by_real = central_difference(problem, entry, real, wanted, where)
    by_imaginary = central_difference(problem, entry, imaginary * 1j, wanted, where)
    return [a + b * 1j for a, b in zip(by_real, by_imaginary)]


def numerical_jacobians(problem, place, wanted):
    """The Jacobians of the outputs `wanted` by input `place`, element by element."""
    x = problem.inputs[place]
    memory = x.data  # shares memory, while its version is its own: graphs over the input stay valid
    step = (problem.eps, problem.eps) if x.is_complex() else problem.eps
    rows = [slopes(problem, x, memory[index], step, wanted, f"on index {index} ")
            for index in product(*[range(n) for n in memory.shape])]
    found = []
    for k, i in enumerate(wanted):
        answer = problem.answers[i]
        kind = x.dtype if x.is_complex() else answer.dtype
        if rows:
            found.append(stack([row[k] for row in rows]).to(kind))
        else:
            found.append(answer.detach().new_zeros((0, answer.numel()), dtype=kind))
    return found


def numerical_products(problem, place, u, wanted):
    """The Jacobians of the outputs `wanted` by input `place`, each times the vector u."""
    x = problem.inputs[place]
    along = tuple([v.reshape(x.shape) * problem.eps for v in as_tuple(u)])
    return slopes(problem, x, x.data, along if x.is_complex() else along[0], wanted)


def rows_of(output, inputs, cotangents):
    """For each input the gradients of `cotangents`, in their order; None where the input does not matter."""
    found = [[] for _ in inputs]
    for ct in cotangents:
        for row, g in zip(found, grad(output, inputs, ct, retain_graph=True, allow_unused=True)):
            row.append(None if g is None else g.to_dense() if g.is_sparse else g.clone())
    return found


def basis(output):
    """Each unit vector of an output's shape."""
    one = output.detach().new_zeros(output.shape)
    flat = one.view(-1)
    for j in range(flat.numel()):
        flat.zero_()
        flat[j] = 1.0
        yield one


def columns(gradients, x, count):
    """Gradients by `x` as the columns of a matrix; whether all had its shape, and its dtype."""
    shapes = all(g is None or g.shape == x.shape for g in gradients)
    kinds = all(g is None or g.dtype == x.dtype for g in gradients)
    plain = x.detach()
    if not shapes:
        return None, shapes, kinds
    if not gradients:
        return plain.new_zeros((x.numel(), count)), shapes, kinds
    zero = plain.new_zeros((x.numel(),))
    return stack([zero if g is None else g.detach().reshape(-1).to(x.dtype) for g in gradients], 1), shapes, kinds


def engine_jacobians(problem, output, v=None):
    """The Jacobians of an output by each active input, from backward; with `v`, their products with v, as columns.

    Raises:
        GradcheckError: gradients of another shape or dtype than the input's, or other ones in a second run.
    """
    inputs = [problem.inputs[i] for i in problem.active]

    def once():
        return rows_of(output, inputs, basis(output) if v is None else (v.reshape(output.shape),))

    first, second = once(), once()
    count = output.numel() if v is None else 1
    built = [columns(g, x, count) for g, x in zip(first, inputs)]
    again = [columns(g, x, count)[0] for g, x in zip(second, inputs)]
    if problem.check_grad_dtypes and not all(kinds for _, _, kinds in built):
        raise GradcheckError("Gradient has dtype mismatch")
    if not all(shapes for _, shapes, _ in built):
        raise GradcheckError("Analytical gradient has incorrect size")
    for (a, _, _), b in zip(built, again):
        if a.numel() and (b is None or bool((a - b).abs().max() > problem.nondet_tol)):
            raise GradcheckError("Backward is not reentrant, i.e., running backward with same input and grad_output "
                                 "multiple times gives different values, although analytical gradient matches "
                                 f"numerical gradient.The tolerance for nondeterminism was {problem.nondet_tol}."
                                 + NONDETERMINISTIC)
    return [a for a, _, _ in built]


def duals(problem):
    """The inputs as duals with tangents of zeros, inside a dual level, and those tangents."""
    inputs, tangents = [], []
    for x in problem.inputs:
        if isinstance(x, TensorBase) and x.requires_grad:
            x = forward_ad.make_dual(x.detach(), zeros_like(x.detach()))
            tangents.append(forward_ad.unpack_dual(x).tangent)
        inputs.append(x)
    return inputs, tangents


def forward_row(problem, inputs, wanted):
    """The tangents of the outputs `wanted`, flat; zeros where there is none."""
    outputs = as_tuple(problem.func(*inputs))
    row = []
    for i in wanted:
        primal, tangent = forward_ad.unpack_dual(outputs[i])
        if tangent is not None and problem.check_grad_dtypes and primal.is_complex() != tangent.is_complex():
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
        answer = problem.answers[i].detach()
        row.append(answer.new_zeros((answer.numel(),)) if tangent is None
                   else tangent.detach().reshape(-1).to(answer.dtype).clone())
    return row


def forward_jacobians(problem, wanted):
    """For each active input, the Jacobians of the outputs `wanted`, from forward mode."""
    found = []
    with forward_ad.dual_level():
        inputs, tangents = duals(problem)
        for tangent in tangents:
            rows = []
            for index in product(*[range(n) for n in tangent.shape]):
                tangent[index] = 1.0
                rows.append(forward_row(problem, inputs, wanted))
                tangent[index] = 0.0
            found.append([stack([row[k] for row in rows]) if rows
                          else problem.answers[i].detach().new_zeros((0, problem.answers[i].numel()))
                          for k, i in enumerate(wanted)])
    return found


def forward_products(problem, vectors, wanted):
    """For each active input, the Jacobians of the outputs `wanted` times its vector, from forward mode."""
    found = []
    with forward_ad.dual_level():
        inputs, tangents = duals(problem)
        for tangent, u in zip(tangents, vectors):
            tangent.copy_(u.reshape(tangent.shape))
            found.append(forward_row(problem, inputs, wanted))
            tangent.zero_()
    return found


# GradcheckError, and the texts that gradcheck raises it with.


class GradcheckError(RuntimeError):
    """A derivative that disagrees with finite differences, or breaks another promise that `gradcheck` looks at."""


NONDETERMINISTIC = """

NOTE: an operation that adds in no fixed order, or draws random numbers in its backward, gives other values each time.
If that is meant, say how far they may differ with `nondet_tol=<tol>`.
"""

BATCHED = """
gradcheck or gradgradcheck failed while testing batched gradient computation: the backward under vmap, which computes
many gradients at once, gave something else than one run for each gradient. The most common cause is a backward that
leaves the tensors (`.item()`, `.numpy()`, an `if` on a value) or mixes up its axes.
Pass `check_batched_grad=False` to leave this check out.
""".strip()

BATCHED_FORWARD = """
gradcheck failed while testing batched gradient computation with forward-mode AD: a jvp under vmap gave something else
than one run for each tangent. Pass `check_batched_forward_grad=False` to leave this check out.
""".strip()

FAST_ALONE = """
Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode!
Pass `fast_mode=False` to compare element by element.
""".strip()

UNDEFINED_SUPPORT = (
    "Expected backward function to handle undefined output grads. A Function that calls "
    "ctx.set_materialize_grads(False) gets None for an output without gradient; treat it as zeros"
)
UNDEFINED_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. A gradient is "
    "linear in what arrives: multiply by the output grads, and return None or zeros where all of them are None or zero"
)
UNDEFINED_WARNING = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    'existing callers of this function. If this is true for you, you can call this function with '
    '"check_undefined_grad=False" to disable the feature'
)


def mismatch(analytical, numerical, output, input, *, forward=False, part=None):  # noqa: A002 - torch's words
    """Both Jacobians of one output and one input; `part` names the part of complex values they are of."""
    prefix = ""
    if part is not None:
        prefix = f"While considering the {part} part of complex {'inputs' if forward else 'outputs'} only, "
    mode = "computed with forward mode " if forward else ""
    return (f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {input},\n"
            f"numerical:{numerical}\nanalytical:{analytical}\n")


def slow_as_well(numerical, analytical, agree):
    """The message of the element-wise comparison for a pair of Jacobians whose projections differ."""
    difference = (numerical - analytical).abs().max()
    text = ("\nThe above quantities relating the numerical and analytical jacobians are computed \n"
            "in fast mode: projected on random vectors. Below, we recompute numerical and analytical jacobians in "
            "slow mode:\n\n"
            f"Numerical:\n {numerical}\nAnalytical:\n{analytical}\n\n"
            f"The max per-element difference (slow mode) is: {difference}.\n")
    return text + FAST_ALONE if agree else text


def batched(output, input, got, expected, forward=False):  # noqa: A002
    """Gradients that a batch gave and those of single runs."""
    return (f"For output {output} and input {input}:\n\n{BATCHED_FORWARD if forward else BATCHED}\n\n"
            f"Got:\n{got}\n\nExpected:\n{expected}")


# Jacobians under the names that PyTorch once showed and now warns of; `gradcheck` does not use them.


def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """The Jacobians of the first output of `fn(inputs)` by each tensor of `target` (the inputs), by differences."""
    _warn("get_numerical_jacobian")
    _only_one("get_numerical_jacobian", grad_out)
    packed = as_tuple(inputs)
    answers = as_tuple(fn(packed))
    _only_real("get_numerical_jacobian", answers)
    targets = packed if target is None else as_tuple(target)
    problem = Problem(lambda *_: fn(packed), targets, answers, eps)
    return tuple([numerical_jacobians(problem, place, [0])[0] for place in problem.active])


def get_numerical_jacobian_wrt_specific_input(fn, input_idx, inputs, outputs, eps, input=None,  # noqa: A002
                                              is_forward_ad=False):
    """The Jacobians of all outputs of `fn(*inputs)` by one of its inputs, by differences."""
    inputs = as_tuple(inputs)
    x = inputs[input_idx] if input is None else input
    if not x.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    answers = as_tuple(outputs)
    problem = Problem(lambda *_: fn(*inputs), (x,), answers, eps)
    wanted = [i for i, o in enumerate(answers) if o.is_floating_point() or o.is_complex()]
    if not is_forward_ad:
        _only_real("get_numerical_jacobian_wrt_specific_input", answers)
    return tuple(numerical_jacobians(problem, 0, wanted))


def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """The Jacobians of an output by each input that requires a gradient, from backward.

    Returns:
        the Jacobians, whether a second run gave the same, whether all gradients had the shape of their input, and
        whether they had its dtype.
    """
    _warn("get_analytical_jacobian")
    _only_one("get_analytical_jacobian", grad_out)
    _only_real("get_analytical_jacobian", (output,))
    active = [x for x in as_tuple(inputs) if isinstance(x, TensorBase) and x.requires_grad]
    first, second = ([columns(g, x, output.numel()) for g, x in zip(rows_of(output, active, basis(output)), active)]
                     for _ in range(2))
    again = all(b is not None and not (a.numel() and bool((a - b).abs().max() > nondet_tol))
                for (a, _, _), (b, _, _) in zip(first, second) if a is not None)
    return (tuple([a for a, _, _ in first]), again, all(shapes for _, shapes, _ in first),
            all(kinds for _, _, kinds in first))


def _warn(name):
    warnings.warn(f"`{name}` was part of PyTorch's private API and not meant to be exposed. Use gradcheck, or "
                  "torch.func.jacrev", FutureWarning, stacklevel=3)


def _only_one(name, grad_out):
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def _only_real(name, outputs):
    if any(o.is_complex() for o in outputs):
        raise ValueError(f"Expected output to be non-complex. {name} no longer supports functions that return complex "
                         "outputs.")
