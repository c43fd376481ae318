"""One mode of differentiation against finite differences: whole Jacobians, or their projections on random vectors."""

from ..random.generator import Generator
from ..random.sampling import rand
from ..types import dtypes
from ..types.dtypes import promote_types
from ..types.tensor_type import TensorBase
from . import jacobians as texts
from .jacobians import (
    GradcheckError,
    as_tuple,
    engine_jacobians,
    floating,
    forward_jacobians,
    forward_products,
    numerical_jacobians,
    numerical_products,
)
from .promises import check_undefined_forward


def parts_of_outputs(problem):
    """The problem of the imaginary and that of the real parts, where an output is complex; else the problem itself."""
    if not any(o.is_complex() for o in problem.answers):
        return [problem]
    at = tuple([i for i, o in enumerate(problem.outputs) if o.is_complex()])

    def taking(part):
        def of_part(*inputs):
            return tuple([getattr(o, part) if o.is_complex() else o for o in as_tuple(problem.func(*inputs))])
        return of_part

    funcs = ("imaginary", taking("imag")), ("real", taking("real"))
    return [problem._replace(func=f, answers=f(*problem.inputs), part=part, complex_at=at) for part, f in funcs]


def parts_of_inputs(problem):
    """The problem as one of the imaginary and of the real parts of complex inputs, the other part being constant."""
    at = tuple([i for i, x in enumerate(problem.inputs) if isinstance(x, TensorBase) and x.is_complex()])
    if not at:
        return [problem]

    def giving(join):
        def of_part(*inputs):
            return problem.func(*[join(x, problem.inputs[i]) if i in at else x for i, x in enumerate(inputs)])
        return of_part

    found = []
    for part, name, join in (("imaginary", "imag", lambda x, whole: whole.real + x * 1j),
                             ("real", "real", lambda x, whole: x + whole.imag * 1j)):
        inputs = tuple([getattr(x, name) if i in at else x for i, x in enumerate(problem.inputs)])
        func = giving(join)
        found.append(problem._replace(func=func, inputs=inputs, answers=as_tuple(func(*inputs)), part=part,
                                      complex_at=at))
    return found


def check_backward(problem, fast):
    """Raise if the Jacobians of backward and of differences differ."""
    for p in parts_of_outputs(problem):
        if not p.outputs:
            check_constant(p, fast)
        elif fast:
            fast_backward(p)
        else:
            numerical = [numerical_jacobians(p, place, p.differentiable) for place in p.active]
            for k, output in enumerate(p.outputs):
                for i, (a, by_input) in enumerate(zip(engine_jacobians(p, output), numerical)):
                    if not close(a, by_input[k], p, p.atol):
                        raise GradcheckError(told(p, a, by_input[k], k, i, False))


def check_forward(problem, fast, undefined):
    """Raise if the Jacobians of forward mode and of differences differ."""
    problems = parts_of_inputs(problem)
    for p in problems:
        wanted = p.differentiable
        if not wanted:
            check_constant(p, fast)
        elif fast:
            fast_forward(p, wanted)
        else:
            numerical = [numerical_jacobians(p, place, wanted) for place in p.active]
            analytical = forward_jacobians(p, wanted)
            for k in range(len(wanted)):
                for i, (by_mode, by_input) in enumerate(zip(analytical, numerical)):
                    if not close(by_mode[k], by_input[k], p, p.atol):
                        raise GradcheckError(told(p, by_mode[k], by_input[k], k, i, True))
    if undefined:
        for p in problems:
            check_undefined_forward(p, [vector(p.inputs[i], Generator()) for i in p.active])


def check_constant(problem, fast):
    """Raise if outputs that require no gradient depend on the inputs."""
    generator = Generator()
    wanted = [i for i, o in enumerate(problem.answers) if floating(o)]
    for place in problem.active:
        if fast:
            slopes = numerical_products(problem, place, vectors(problem.inputs[place], generator), wanted)
        else:
            slopes = numerical_jacobians(problem, place, wanted)
        for slope in slopes:
            if slope.numel() and not bool(slope.abs().max() <= (problem.nondet_tol if fast else 0)):
                raise GradcheckError("Numerical gradient for function expected to be zero")


def fast_backward(problem):
    """Compare v·J·u of random vectors, J from backward and from differences."""
    generator = Generator()
    us = [vectors(problem.inputs[i], generator) for i in problem.active]
    vs = [vector(o, generator) for o in problem.outputs]
    products = [numerical_products(problem, place, u, problem.differentiable) for place, u in zip(problem.active, us)]
    backward = [engine_jacobians(problem, o, v) for o, v in zip(problem.outputs, vs)]
    for i, (u, by_input) in enumerate(zip(us, products)):
        for k, (v, product) in enumerate(zip(vs, by_input)):
            column = backward[k][i].reshape(-1)
            if column.is_complex():
                a = column.real.dot(u[0]) + 1j * column.imag.dot(u[1])
            else:
                a = column.dot(u[0].to(column.dtype))
            compare_projections(problem, a, (v * product).sum(), k, i, u, v.sum(), False)


def fast_forward(problem, wanted):
    """Compare J·u of random vectors, J from forward mode and from differences."""
    generator = Generator()
    us = [vectors(problem.inputs[i], generator) for i in problem.active]
    products = [numerical_products(problem, place, u, wanted) for place, u in zip(problem.active, us)]
    pushed = forward_products(problem, [u[0] for u in us], wanted)
    for i, u in enumerate(us):
        for k in range(len(wanted)):
            compare_projections(problem, pushed[i][k], products[i][k], k, i, u, 1.0, True)


def compare_projections(problem, a, n, k, i, u, weight, forward):
    """Raise if two projections differ by more than those of Jacobians that agree element by element."""
    total = float(sum(part.sum() for part in u)) * float(weight)
    if close(a, n, problem, problem.atol * total):
        return
    place, answer = problem.active[i], problem.differentiable[k]
    numerical = numerical_jacobians(problem, place, [answer])[0]
    if forward:
        analytical = forward_jacobians(problem, [answer])[i][0]
    else:
        loose = problem._replace(nondet_tol=float("inf"), check_grad_dtypes=False)
        analytical = engine_jacobians(loose, problem.outputs[k])[i]
    agree = close(analytical, numerical, problem, problem.atol)
    raise GradcheckError(told(problem, a, n, k, i, forward) + texts.slow_as_well(numerical, analytical, agree))


def told(problem, analytical, numerical, k, i, forward):
    """The message for a pair that differs."""
    considered = problem.part is not None and (problem.active[i] if forward else k) in problem.complex_at
    return texts.mismatch(analytical, numerical, k, i, forward=forward, part=problem.part if considered else None)


def close(a, n, problem, atol):
    """Tell whether two tensors of perhaps different dtypes agree."""
    kind = promote_types(a.dtype, n.dtype)
    return a.shape == n.shape and a.to(kind).allclose(n.to(kind), problem.rtol, atol)


def vector(x, generator):
    """A random vector of length 1, one number for an element of `x`, none negative."""
    v = rand(x.numel(), generator=generator, dtype=dtypes.float64)
    return (v / v.norm()).to(x.dtype)


def vectors(x, generator):
    """A random vector; for the real and for the imaginary part one each where `x` is complex."""
    like = x.detach().real if x.is_complex() else x
    return tuple([vector(like, generator) for _ in range(2 if x.is_complex() else 1)])
