"""Checks of gradcheck beside derivatives' values: zero for zero, undefined gradients, batches."""

import warnings

from ..dispatch.backward_calls import grad
from ..factories.creation import zeros, zeros_like
from ..forward_ad import forward_ad
from ..function.function import Function
from ..ops.joining import stack
from ..random.sampling import randn_like
from ..state.levels import together as run_together
from ..types.tensor_type import TensorBase
from .jacobians import (
    BATCHED,
    BATCHED_FORWARD,
    UNDEFINED_SUPPORT,
    UNDEFINED_WARNING,
    UNDEFINED_ZERO,
    GradcheckError,
    as_tuple,
    batched,
    duals,
    floating,
)


def check_zero_for_zero(problem):
    """Raise unless the gradients of zero cotangents are zeros, with the dtype, device and shape of their inputs."""
    inputs = [problem.inputs[i] for i in problem.active]
    outputs = problem.outputs
    gradients = grad(outputs, inputs, [zeros_like(o.detach()) for o in outputs], allow_unused=True) if outputs else ()
    for g, x in zip(gradients, inputs):
        if g is None:
            continue
        if g.layout is not x.layout:
            raise GradcheckError(f"grad is incorrect layout ({g.layout} is not {x.layout})")
        if not (g.allclose(zeros_like(g)) if problem.masked else bool((g == 0).all())):
            raise GradcheckError("backward not multiplied by grad_output")
        for what, word in (("dtype", "type"), ("device", "device"), ("shape", "size")):
            if getattr(g, what) != getattr(x, what):
                raise GradcheckError(f"grad is incorrect {word}: {getattr(g, what)} for an input of "
                                     f"{getattr(x, what)}")


class _NoGradient(Function):
    """The identity, which gives its operand an undefined gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return None


def check_undefined_backward(problem):
    """Raise unless backward takes undefined gradients for zeros: for all outputs at once, and for each alone."""
    count = len(problem.outputs)
    cases = [range(count)] + ([[i] for i in range(count)] if count > 1 else [])
    for undefined in cases:
        outputs = [o for o in as_tuple(problem.func(*problem.inputs)) if o.requires_grad]
        outputs = [_NoGradient.apply(o) if i in undefined else o for i, o in enumerate(outputs)]
        if outputs:
            _zero_or_undefined(outputs, [problem.inputs[i] for i in problem.active])


def _zero_or_undefined(outputs, inputs):
    try:
        gradients = grad(outputs, inputs, [zeros_like(o.detach()) for o in outputs], allow_unused=True)
    except RuntimeError as error:
        warnings.warn(UNDEFINED_WARNING, UserWarning, stacklevel=4)
        raise GradcheckError(UNDEFINED_SUPPORT) from error
    if not all(g is None or bool((g == 0).all()) for g in gradients):
        warnings.warn(UNDEFINED_WARNING, UserWarning, stacklevel=4)
        raise GradcheckError(UNDEFINED_ZERO)


def check_undefined_forward(problem, vectors):
    """Raise unless an input without a tangent and one with a tangent of zeros give the same tangents."""
    with forward_ad.dual_level():
        inputs, tangents = duals(problem)
        for tangent, u in zip(tangents, vectors):
            tangent.copy_(u.reshape(tangent.shape))
        for place in problem.active:
            x = problem.inputs[place].detach()
            found = []
            for given in (forward_ad.make_dual(x, zeros_like(x)), x.detach()):
                outputs = as_tuple(problem.func(*inputs[:place], given, *inputs[place + 1:]))
                found.append([forward_ad.unpack_dual(o).tangent for o in outputs if floating(o)])
            for k, (expected, got) in enumerate(zip(*found)):
                if expected is not None and got is not None and not expected.allclose(got):
                    raise GradcheckError(f"Mismatch in tangent values for output with index: {k} when input: {x} has "
                                         f"an undefined tangent value. Got: {got} but expected: {expected}")


def _spread(tensor, like):
    """A tensor, or zeros of another one's shape if there is none."""
    return zeros((), dtype=like.dtype).expand(like.shape) if tensor is None else tensor


def _agree(run, given, note):
    """`run` of all at once and `run` for each tensor of `given`: two lists of stacked outputs."""
    single = [stack(list(shards)) for shards in zip(*[run(x) for x in given])]
    try:
        together = run_together(run, stack(given))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{note}") from error
    return together, single


def check_batched_backward(problem):
    """Raise unless backward under vmap gives what it gives for each cotangent."""
    inputs = [problem.inputs[i] for i in problem.active]
    for k, output in enumerate(problem.outputs):

        def pullback(ct, output=output):
            found = grad(output, inputs, ct, retain_graph=True, allow_unused=True)
            return tuple([_spread(g, x) for g, x in zip(found, inputs)])

        for i, (got, expected) in enumerate(zip(*_agree(pullback, [randn_like(output) for _ in range(2)], BATCHED))):
            if not got.allclose(expected):
                raise GradcheckError(batched(k, i, got, expected))


def check_batched_forward(problem):
    """Raise unless forward mode under vmap gives what it gives for each tangent."""
    plain = [x.detach() if isinstance(x, TensorBase) else x for x in problem.inputs]
    for i, place in enumerate(problem.active):

        def push(tangent, place=place):
            with forward_ad.dual_level():
                dual = forward_ad.make_dual(plain[place], tangent)
                outputs = as_tuple(problem.func(*plain[:place], dual, *plain[place + 1:]))
                pairs = [forward_ad.unpack_dual(o) for o in outputs if floating(o)]
                return tuple([_spread(t, primal) for primal, t in pairs])

        tangents = [randn_like(plain[place]) for _ in range(2)]
        for k, (got, expected) in enumerate(zip(*_agree(push, tangents, BATCHED_FORWARD))):
            if not got.allclose(expected):
                raise GradcheckError(batched(k, i, got, expected, forward=True))
