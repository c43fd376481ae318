"""torch.autograd.gradcheck: derivatives of functions of tensors against finite differences."""

import warnings

from .._impl.dispatch.backward_calls import grad
from .._impl.gradcheck.jacobians import (
    GradcheckError,
    Problem,
    as_tuple,
    get_analytical_jacobian,
    get_numerical_jacobian,
    get_numerical_jacobian_wrt_specific_input,
)
from .._impl.gradcheck.modes import check_backward, check_forward
from .._impl.gradcheck.promises import (
    check_batched_backward,
    check_batched_forward,
    check_undefined_backward,
    check_zero_for_zero,
)
from .._impl.random.sampling import rand
from .._impl.types import dtypes
from .._impl.types.tensor_type import TensorBase

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian",
           "get_numerical_jacobian_wrt_specific_input", "gradcheck", "gradgradcheck"]


def gradcheck(func, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, check_sparse_nnz=None,
              nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):
    """Check the derivatives of a function of tensors against central differences.

    Args:
        func: returns a tensor, or a tuple of tensors, for `*inputs`.
        inputs: a tensor or a tuple; those with `requires_grad` are checked, in double precision for the defaults to
            make sense. Their memory is written to while the check runs, and is as before afterwards.
        eps: the finite-difference step. For complex inputs both parts are varied, one after the other; of complex
            outputs the real and the imaginary part are checked, one after the other.
        atol, rtol: tolerances for the two Jacobians: `|a - n| <= atol + rtol * |n|`.
        raise_exception: return False instead of raising GradcheckError if False.
        check_sparse_nnz: the old name of `masked`.
        nondet_tol: how much a second backward pass may differ from the first.
        check_undefined_grad: also check that undefined gradients (in forward mode: tangents) are treated as zeros.
        check_grad_dtypes: also check that gradients have the dtype of their input.
        check_batched_grad, check_batched_forward_grad: also check backward, and forward mode, under vmap.
        check_forward_ad, check_backward_ad: which modes to check.
        fast_mode: compare projections of both Jacobians onto random vectors instead of all elements.
        masked: for tensors of which some elements are unspecified. Tensors are dense here, so it makes no difference
            but for zero cotangents, whose gradients may then be as far from zero as `allclose` lets them.
    Returns:
        True if all agree.
    Raises:
        GradcheckError: they do not; the message shows both Jacobians.
        ValueError: no input requires a gradient.
        RuntimeError: elements of an input share memory.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x.exp() * x, x, check_forward_ad=True)
    True
    """
    require(check_forward_ad or check_backward_ad, "Expected at least one of check_forward_ad or check_backward_ad to "
            "be True")
    require(check_backward_ad or not check_batched_grad, "Setting check_batched_grad=True requires check_backward_ad "
            "to be True")
    require(check_forward_ad or not check_batched_forward_grad, "Setting check_batched_forward_grad=True requires "
            "check_forward_ad to be True")
    if check_sparse_nnz is not None:
        warnings.warn("gradcheck: check_sparse_nnz is deprecated, and now called masked; use "
                      f"masked={check_sparse_nnz}", DeprecationWarning, stacklevel=2)
        if masked is not None and masked != check_sparse_nnz:
            raise ValueError(f"Expected specified check_sparse_nnz (={check_sparse_nnz}) to be equal to masked "
                             f"(={masked}).")
        masked = check_sparse_nnz
    inputs = as_tuple(inputs)
    check_inputs(inputs)
    try:
        problem = Problem(func, inputs, returned(func(*inputs)), eps, rtol, atol, nondet_tol, check_grad_dtypes,
                          bool(masked))
        if check_backward_ad:
            check_backward(problem, fast_mode)
        if check_forward_ad:
            check_forward(problem, fast_mode, check_undefined_grad)
        if check_batched_forward_grad:
            check_batched_forward(problem)
        if not check_backward_ad:
            return True
        if check_batched_grad:
            check_batched_backward(problem)
        check_zero_for_zero(problem)
        if check_undefined_grad:
            check_undefined_backward(problem)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False,
                  masked=False):
    """Check second derivatives: `gradcheck` of the gradients, with respect to the inputs and the cotangents.

    Args:
        func, inputs, eps, atol, rtol, raise_exception, nondet_tol: as for `gradcheck`.
        check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode, masked: as for `gradcheck`.
        grad_outputs: the cotangents of the outputs that require a gradient; random by default.
        gen_non_contig_grad_outputs: make the random ones non-contiguous.
        check_fwd_over_rev, check_rev_over_rev: the modes by which the gradients are differentiated.
    Returns:
        True if all agree.
    Raises:
        GradcheckError: they do not; the message shows both Jacobians.
        ValueError: no output requires a gradient.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x.exp() * x, x)
    True
    """
    require(check_fwd_over_rev or check_rev_over_rev, "Expected at least one of check_fwd_over_rev or "
            "check_rev_over_rev to be True")
    require(check_rev_over_rev or not check_undefined_grad, "Setting check_undefined_grad=True requires "
            "check_rev_over_rev to be True")
    require(check_rev_over_rev or not check_batched_grad, "Setting check_batched_grad=True requires "
            "check_rev_over_rev to be True")
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = [o for o in returned(func(*inputs)) if o.requires_grad]
        grad_outputs = tuple([random_cotangent(o, gen_non_contig_grad_outputs) for o in outputs])
    else:
        grad_outputs = as_tuple(grad_outputs)
    if not grad_outputs:
        raise ValueError("gradgradcheck expects at least one output to require gradient, but func returned none that "
                         "does; compute an output from an input with requires_grad=True")
    count = len(inputs)
    asked = [isinstance(x, TensorBase) and x.requires_grad for x in (*inputs, *grad_outputs)]

    def gradients(*args):
        # forward mode gives detached tensors: a first derivative needs those that were asked for to require it
        args = [x.requires_grad_() if need else x for x, need in zip(args, asked)]
        outputs = [o for o in as_tuple(func(*args[:count])) if o.requires_grad]
        found = grad(outputs, [x for x, need in zip(args[:count], asked) if need], args[count:], create_graph=True,
                     allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
                     check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad, fast_mode=fast_mode,
                     check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, masked=masked)


def require(holds, message):
    """PyTorch's error for arguments that contradict each other."""
    if not holds:
        raise AssertionError(message)


def check_inputs(inputs):
    """Raise unless an input requires a gradient; warn of single precision, refuse shared memory."""
    found = False
    for i, x in enumerate(inputs):
        if not (isinstance(x, TensorBase) and x.requires_grad):
            continue
        found = True
        if x.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                          "This check will likely fail if all the inputs are not of double precision floating point or "
                          "complex. ", UserWarning, stacklevel=3)
        if x.is_sparse:
            raise NotImplementedError(f"gradcheck does not take sparse inputs, but input {i} is one of shape "
                                      f"{tuple(x.shape)}; check a function of its values, which makes it")
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape)):
            raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that "
                               "are non-overlapping to be able to compute the numerical gradients correctly. You "
                               "should call .contiguous on the input before passing it to gradcheck.")
    if not found:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")


def returned(answer):
    """The outputs of a function as a tuple of tensors."""
    answers = as_tuple(answer)
    for i, o in enumerate(answers):
        if not isinstance(o, TensorBase):
            raise TypeError(f"gradcheck needs a function that gives a tensor or a tuple of tensors, but output {i} is "
                            f"of type {type(o).__name__}; leave it out")
        if o.other_layout:
            raise ValueError("Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) "
                             "on the output of fn for gradcheck.")
    return answers


def random_cotangent(output, scattered):
    """Uniform numbers in [-1, 1) that require a gradient; `scattered`: every second element of a larger memory."""
    shape = (*output.shape[:-1], 2 * output.shape[-1]) if scattered and output.dim() else output.shape
    numbers = rand(shape, dtype=output.real.dtype if output.is_complex() else output.dtype) * 2 - 1
    if output.is_complex():
        numbers = numbers + 1j * (rand(shape, dtype=numbers.dtype) * 2 - 1)
    if scattered and output.dim():
        numbers = numbers[..., ::2]
    return numbers.detach().requires_grad_()
