"""GradcheckError, and the texts that gradcheck raises it with."""


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
