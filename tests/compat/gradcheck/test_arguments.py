"""gradcheck and gradgradcheck: their arguments, dtypes, refusals and older names."""

import importlib

import pytest

import covector.compat.torch as compat
from checked_functions import doubles, evenly, gc, kind, res, wrong
from harness import attempt, double, message


def script_arguments_that_contradict(torch):
    check, twice, x = torch.autograd.gradcheck, torch.autograd.gradgradcheck, doubles(torch, 2)
    f = torch.exp
    return [message(lambda kw=kw: check(f, x, **kw)) for kw in (
        {"check_backward_ad": False}, {"check_backward_ad": False, "check_forward_ad": True,
                                       "check_batched_grad": True}, {"check_batched_forward_grad": True})] + [
        message(lambda kw=kw: twice(f, x, **kw)) for kw in (
            {"check_rev_over_rev": False}, {"check_rev_over_rev": False, "check_fwd_over_rev": True},
            {"check_rev_over_rev": False, "check_fwd_over_rev": True, "check_undefined_grad": False,
             "check_batched_grad": True})]


def script_inputs_that_are_refused(torch):
    check = torch.autograd.gradcheck
    return (attempt(lambda: check(torch.exp, torch.ones(2, dtype=torch.float64))),
            attempt(lambda: check(torch.exp, ())),
            attempt(lambda: check(torch.exp, torch.ones(2, dtype=torch.float64), raise_exception=False)),
            attempt(lambda: check(torch.exp, torch.ones(1, dtype=torch.float64).expand(3).requires_grad_())),
            attempt(lambda: check(torch.exp, torch.ones(1, dtype=torch.float64).expand(3).requires_grad_(),
                                  raise_exception=False)),
            check(torch.exp, torch.ones(1, 2, dtype=torch.float64).expand(1, 2).requires_grad_()))


def script_errors_of_the_function_come_out(torch):
    def fails(x):
        raise RuntimeError("Not a GradcheckError!")

    x = doubles(torch, 2)
    return (attempt(lambda: torch.autograd.gradcheck(fails, x)),
            attempt(lambda: torch.autograd.gradcheck(fails, x, raise_exception=False)))


def script_old_names(torch):
    from_module = __import__(torch.__name__ + ".autograd.gradcheck", fromlist=["x"])
    x = doubles(torch, 2)
    numerical = from_module.get_numerical_jacobian
    analytical = from_module.get_analytical_jacobian
    one = from_module.get_numerical_jacobian_wrt_specific_input
    y = x * x
    return (numerical(lambda t: t[0] ** 2, (x,), eps=1e-6), analytical((x,), y), one(lambda x: x ** 2, 0, (x,), (y,),
                                                                                   1e-6),
            attempt(lambda: numerical(lambda t: t[0] ** 2, (x,), grad_out=2.0)),
            attempt(lambda: analytical((x,), y, grad_out=2.0)),
            attempt(lambda: numerical(lambda t: t[0] * 1j, (x,))),
            attempt(lambda: analytical((x,), y * 1j)))


def test_older_spellings_work():
    x = doubles(compat, 2)
    assert compat.autograd.gradcheck(compat.exp, x, 1e-6, 1e-5, 1e-3, True)
    with pytest.warns(DeprecationWarning, match="masked=False"):
        assert compat.autograd.gradcheck(compat.exp, x, check_sparse_nnz=False)
    with pytest.warns(DeprecationWarning, match="masked"), pytest.raises(ValueError, match="to be equal to masked"):
        compat.autograd.gradcheck(compat.exp, x, check_sparse_nnz=True, masked=False)
    assert compat.autograd.gradgradcheck(compat.exp, x, None, 1e-6, 1e-5, 1e-3, False, True)


def test_what_is_no_tensor_is_named():
    with pytest.raises(TypeError, match="output 1 is of type NoneType"):
        compat.autograd.gradcheck(lambda x: (x, None), doubles(compat, 2))


def script_step_sizes(torch):
    x = evenly(torch, 3).requires_grad_()
    return [attempt(lambda eps=eps: torch.autograd.gradcheck(lambda z: z**2, x, eps=eps)) for eps in (1.0, 1e-2, 0.0)]


def script_grad_modes(torch):
    x = evenly(torch, 3).requires_grad_()
    with torch.no_grad():
        inside = attempt(lambda: torch.autograd.gradcheck(lambda a: a * 2, x))
    return inside, attempt(lambda: torch.autograd.gradcheck(lambda a: torch.no_grad()(lambda v: v * 2)(a), x)), x.grad


def script_cotangents_given(torch):
    twice = torch.autograd.gradgradcheck
    x = evenly(torch, 3).requires_grad_()
    return (twice(lambda a: a**2, x, torch.ones(3, dtype=torch.float64)),
            attempt(lambda: twice(lambda a: a**2, x, torch.ones(2, dtype=torch.float64)))[1])


def test_no_cotangent_may_be_given_for_a_number():
    x = evenly(compat, 3).requires_grad_()
    assert compat.autograd.gradgradcheck(lambda a: (a**2).sum(), x, (None,))


def script_dtypes_layouts(torch):
    out = []
    for dt in (torch.float32, torch.float16, torch.complex64, torch.float64):
        x = torch.tensor([1.0, 2.0], dtype=dt, requires_grad=True)
        out.append(res(lambda: gc(torch)(lambda a: a * 2, x, eps=1e-2, atol=1e-1), 12))
    x = double(torch, 1, 2).requires_grad_()
    out.append(res(lambda: gc(torch)(wrong(torch, dtype=torch.float32), x, check_grad_dtypes=True), 14))
    out.append(res(lambda: gc(torch)(lambda a: a * 1, x, check_grad_dtypes=True)))
    out.append(res(lambda: gc(torch)(lambda a: a * 2, double(torch, 1).expand(3).requires_grad_()), 20))
    e = double(torch, 1).expand(3)
    out.append(res(lambda: gc(torch)(lambda a: a * 2, e.clone().requires_grad_())))
    out.append(res(lambda: gc(torch)(lambda a: a * 2, double(torch, 1, 2, 3, 4).reshape(2, 2).t().requires_grad_())))
    out.append(
        res(lambda: gc(torch)(lambda a: a.t() * 2, double(torch, 1, 2, 3, 4).reshape(2, 2)[:, :1].requires_grad_()))
    )
    out.append(res(lambda: gc(torch)(lambda a: a.expand(3, 2), x)))
    out.append(
        res(lambda: torch.autograd.gradgradcheck(lambda a: a.expand(3, 2) ** 2, x, gen_non_contig_grad_outputs=True))
    )
    out.append(res(lambda: gc(torch)(lambda a: a.as_strided((2, 2), (1, 0)), x)))
    out.append(res(lambda: gc(torch)(lambda a: torch.zeros(0, dtype=torch.float64) * a.sum(), x)))
    out.append(res(lambda: gc(torch)(lambda a: a.sum(), torch.zeros(0, dtype=torch.float64, requires_grad=True))))
    return out


def script_refusals(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    y = double(torch, 1, 2)
    g = gc(torch)
    gg = torch.autograd.gradgradcheck
    for f in (
        lambda: g(lambda a: a, y),
        lambda: g(lambda a: a.detach(), x),
        lambda: g(lambda a: a, x, check_backward_ad=False),
        lambda: g(lambda a: a, x, check_backward_ad=False, check_batched_grad=True),
        lambda: g(lambda a: a, x, check_batched_forward_grad=True),
        lambda: gg(lambda a: a**2, x, check_rev_over_rev=False),
        lambda: gg(lambda a: a**2, x, check_rev_over_rev=False, check_fwd_over_rev=True),
        lambda: gg(lambda a: a**2, x, check_rev_over_rev=False, check_fwd_over_rev=True, check_undefined_grad=False),
        lambda: gg(lambda a: a**2, x, check_fwd_over_rev=True),
        lambda: g(lambda a: a * 2, x, masked=True),
        lambda: g(lambda a: a * 2, [x]),
        lambda: g(lambda a, b: a * b, (x, y)),
        lambda: g(lambda a, b: a * b, (x, 3.0)),
        lambda: g(lambda a: a * 2, x, eps=1e-3),
        lambda: g(lambda a: a**2, x, atol=0, rtol=0),
        lambda: g(lambda a: a * 2, 3.0),
        lambda: g(lambda a: a * 2, None),
        lambda: gg(lambda a: a * 2, x, grad_outputs=y),
        lambda: gg(lambda a: a * 2, x, grad_outputs=(y.requires_grad_(),)),
        lambda: g(lambda a: (), x),
        lambda: g(lambda a: [a * 2], x),
    ):
        out.append(kind(f))
    return out


def test_sparse_outputs_are_refused():
    x = double(compat, 1, 2).requires_grad_()
    with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet. .*to_dense"):
        compat.autograd.gradcheck(lambda a: a.to_sparse(), x)


def script_old_names_of_the_module(torch):
    m = torch.autograd.gradcheck
    out = []
    mod = importlib.import_module(m.__module__)
    out.append(
        [
            hasattr(mod, n)
            for n in (
                "GradcheckError",
                "get_numerical_jacobian",
                "get_analytical_jacobian",
                "get_numerical_jacobian_wrt_specific_input",
                "gradcheck",
                "gradgradcheck",
            )
        ]
    )
    x = double(torch, 1, 2).requires_grad_()
    out.append(res(lambda: mod.get_numerical_jacobian(lambda i: i[0] ** 2, (x,))))
    out.append(res(lambda: mod.get_analytical_jacobian((x,), x**2)))
    out.append(res(lambda: mod.get_numerical_jacobian(lambda i: i[0] ** 2, (x,), grad_out=2.0), 12))
    out.append([issubclass(mod.GradcheckError, RuntimeError)])
    return out


def test_sparse_inputs_are_refused():
    x = compat.tensor([[0.0, 2.0]], dtype=compat.float64).to_sparse().requires_grad_()
    with pytest.raises(NotImplementedError, match="gradcheck does not take sparse inputs, but input 0 is one of shape"):
        compat.autograd.gradcheck(lambda v: v.to_dense(), (x,))
