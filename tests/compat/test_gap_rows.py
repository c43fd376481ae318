"""Each row of the table of docs/compat_gaps.md: a script, what it gives here, and what it gives in PyTorch."""

import importlib
import warnings
from pathlib import Path

import numpy as np
import pytest

import covector.compat.torch as compat

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compat_gaps.md"
# Rows that one machine cannot show, or that other tests show.
ELSEWHERE = ("`emit_nvtx`", "special functions of the", "free-threaded builds", "`checkpoint(debug=True)`",
             "selective checkpoints", "gradient of `ctc_loss`")
SCRIPTS = {}


def row(start, here, there):
    """Note a script for the row that starts with some words, and what it gives here and in PyTorch."""
    def note(script):
        SCRIPTS[start] = script, here, there
        return script

    return note


def attempt(fn):
    """What a call gives, or the type of its error."""
    try:
        return fn()
    except Exception as error:
        return type(error).__name__


def run(script, torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return script(torch)


def rows():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][2:]


def test_every_row_has_a_script():
    missing = [r for r in rows() if not any(r.startswith(start) for start in (*SCRIPTS, *ELSEWHERE))]
    stale = [start for start in (*SCRIPTS, *ELSEWHERE) if not any(r.startswith(start) for r in rows())]
    assert not missing and not stale


def leaf(torch, *values):
    return torch.tensor(values or (2.0, 4.0), requires_grad=True)


def gradient(torch, f, x):
    return attempt(lambda: [round(v, 6) for v in gradient_of(torch, f, x)])


def gradient_of(torch, f, x):
    return torch.autograd.grad(f(x).sum(), x)[0].flatten().tolist()


@row("what a division saves", [0.0, 0.0], "RuntimeError")
def a_write_to_the_dividend(torch):
    a = leaf(torch)
    x, y = a * 1, a * 2
    z = x / y
    x.add_(1)
    return attempt(lambda: torch.autograd.grad(z.sum(), a)[0].tolist())


def packed(torch, f, *args):
    """How many tensors an operation saves."""
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (seen.append(t), t)[1], lambda t: t):
        f(*args)
    return len(seen)


@row("`fmod`", 3, 2)
def what_fmod_saves(torch):
    return packed(torch, torch.fmod, leaf(torch), leaf(torch))


@row("`_saved_*` of nodes", False, True)
def a_dividend_that_is_no_leaf(torch):
    x = leaf(torch)
    return hasattr(((x * 1) / (x * 2)).grad_fn, "_saved_self")


@row("`_saved_dim` and similar attributes", 0, 2**64 - 1)
def axes_of_a_transposition(torch):
    return torch.ones(2, 3, requires_grad=True).transpose(-1, 0).grad_fn._saved_dim0


@row("names of functions that an override", ["qr"], ["linalg_qr"])
def the_name_of_a_function_that_is_overridden(torch):
    names = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            names.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs)

    torch.linalg.qr(torch.eye(2).as_subclass(Logged))
    return names


@row("`__torch_function__` of a subclass", [], ["__get__"])
def a_fact_of_a_subclass(torch):
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs)

    t = torch.ones(2).as_subclass(Logged)
    seen.clear()
    t.shape
    return seen


@row("order of hooks on leaves", ["w", "x"], ["x", "w"])
def hooks_of_two_leaves(torch):
    seen = []
    x, w = leaf(torch), leaf(torch)
    older = x * 2
    x.register_hook(lambda g: seen.append("x"))
    w.register_hook(lambda g: seen.append("w"))
    ((w * 5).exp() + x * 3).sum().backward()
    return seen if older is not None else None


@row("recorded writes through a view of a detached expanded tensor", ["RuntimeError", 9.0], [True, 27.0])
def a_write_through_an_expanded_base(torch):
    w, wide = torch.tensor(3.0, requires_grad=True), torch.tensor([1.0, 2.0]).expand(3, 2).detach()
    return [attempt(lambda: wide[0].mul_(w).requires_grad), wide.sum().item()]


@row("a Function that wrote to a view", [1.0, 0.0, 0.0, 1.0], None)
def a_function_that_drops(torch):
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(3)

        @staticmethod
        def backward(ctx, g):
            return None

    x = torch.ones(4, requires_grad=True)
    base = x * 1
    Triple.apply(base[1:3])
    base.sum().backward()
    return None if x.grad is None else x.grad.tolist()


@row("random numbers", 0.8506, 0.4963)
def a_random_number(torch):
    torch.manual_seed(0)
    return round(torch.rand(1).item(), 4)


@row("`save_on_cpu`", "RuntimeError", [2.0, 4.0])
def a_write_under_save_on_cpu(torch):
    a = leaf(torch)
    x = a * 1
    with torch.autograd.graph.save_on_cpu():
        y = x * x
    x.zero_()
    return attempt(lambda: (torch.autograd.grad(y.sum(), a)[0] + a).tolist())


@row("composite operations", [[2, 1]], [[2, 2]])
def a_hook_on_a_composite_operation(torch):
    seen = []
    v = torch.tensor([[2.0, 1.0], [0.0, 1.0]], requires_grad=True).max(1)[0]
    v.grad_fn.register_hook(lambda gi, go: seen.append(list(gi[0].shape)))
    v.sum().backward()
    return seen


@row("gradient of `cholesky_solve`", True, False)
def the_triangle_that_is_not_read(torch):
    factor = torch.tensor([[1.0, 5.0], [0.5, 2.0]], requires_grad=True)
    return torch.autograd.grad(torch.cholesky_inverse(factor).sum(), factor)[0][0, 1].item() == 0


@row("`inv_ex`, `solve_ex`", True, False)
def the_inverse_of_a_singular_matrix(torch):
    return bool(torch.linalg.inv_ex(torch.zeros(2, 2)).inverse.isnan().all())


@row("derivative of R from `linalg.qr`", [[2.0, 4.0], [2.0, 4.0]], ["RuntimeError", "RuntimeError"])
def the_triangle_alone(torch):
    def of(mode):
        x = torch.tensor([[1.0], [2.0], [2.0]], requires_grad=True)
        (torch.linalg.qr(x, mode).R ** 2).sum().backward()
        return [round(v, 5) for v in x.grad[:2, 0].tolist()]

    return [attempt(lambda: of(mode)) for mode in ("r", "complete")]


@row("`linalg.lu(pivot=False)`", 3, "RuntimeError")
def elimination_without_exchanges(torch):
    return attempt(lambda: len(torch.linalg.lu(torch.eye(2), pivot=False)))


@row("forward mode of `logcumsumexp`", [1.0, 2.0], [0.0, 2.0])
def tangents_of_a_running_sum(torch):
    x, v = torch.tensor([0.0, 1000.0]), torch.tensor([1.0, 2.0])
    return torch.func.jvp(lambda t: torch.logcumsumexp(t, 0), (x,), (v,))[1].tolist()


@row("orthogonal polynomials", [8.0, 16.0], "RuntimeError")
def a_polynomial_of_chebyshev(torch):
    return gradient(torch, lambda x: torch.special.chebyshev_polynomial_t(x, 2), leaf(torch))


@row("derivatives of `linalg.pinv(hermitian", True, False)
def a_pseudo_inverse_of_one_triangle(torch):
    a = torch.tensor([[2.0, 7.0], [0.5, 3.0]])
    slopes = lambda x: torch.autograd.functional.jacobian(  # noqa: E731
        lambda t: torch.linalg.pinv(t, hermitian=True), x)
    return torch.allclose(slopes(a), slopes(torch.tensor([[2.0, 0.5], [0.5, 3.0]])), atol=1e-4)


@row("`interpolate` of `uint8`", 31, 30)
def bytes_between_bytes(torch):
    x = torch.tensor([[[[214, 66, 27, 76]]]], dtype=torch.uint8)
    out = torch.nn.functional.interpolate(x, (1, 7), mode="bilinear").flatten().tolist()
    return next(v for v in out if v in (30, 31))


@row("derivatives of spectral and nuclear", [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0])
def a_nuclear_norm_of_zeros(torch):
    return gradient(torch, lambda t: torch.linalg.norm(t, "nuc"), torch.zeros(2, 2, requires_grad=True))


@row("`special.bessel_j0`, `bessel_j1`", True, False)
def a_slope_of_a_sixth(torch):
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    slope = torch.autograd.grad(torch.nn.functional.hardsigmoid(x).sum(), x)[0].item()
    return abs(slope - 1 / 6) < 1e-12


@row("`linalg.ldl_factor`", [1.0, 0.0, 0.0, 1.0], "RuntimeError")
def factors_of_an_indefinite_matrix(torch):
    a = torch.tensor([[2.0, 0.0], [0.0, -1.0]], requires_grad=True)
    return gradient(torch, lambda t: torch.linalg.ldl_factor(t).LD.diagonal(), a)


@row("forward mode of `scatter_reduce`", [4.0], [0.0])
def tangents_of_a_product(torch):
    x, index = torch.tensor([2.0, 4.0]), torch.tensor([0, 0])
    f = lambda t: torch.zeros(1).scatter_reduce(0, index, t, "prod", include_self=False)  # noqa: E731
    return torch.func.jvp(f, (x,), (torch.tensor([1.0, 0.0]),))[1].tolist()


@row("`set_` beyond the end", "RuntimeError", 9)
def a_view_beyond_the_end(torch):
    return attempt(lambda: torch.zeros(0).set_(torch.ones(2).untyped_storage(), 0, (9,)).numel())


@row("`conj`", False, True)
def a_conjugate(torch):
    return torch.tensor([1 + 2j]).conj()._is_view()


@row("hooks and retained gradients", [3, 2], [2, 3])
def a_retained_gradient(torch):
    y = torch.ones(2, 3, requires_grad=True) * 1
    y.retain_grad()
    y.t_().sum().backward()
    return list(y.grad.shape)


@row("versions of `set_`", 0, 1)
def the_version_after_set(torch):
    return torch.zeros(0).set_(torch.ones(2))._version


@row("gradients with respect to", [1.0, 1.0], "RuntimeError")
def a_leaf_with_other_memory(torch):
    x = leaf(torch)
    y = x.clone()
    with torch.no_grad():
        x.set_(torch.zeros(2))
    return attempt(lambda: torch.autograd.grad(y.sum(), x)[0].tolist())


@row("`as_strided` of a view, beyond", [4.0, 8.0], [0.0, 8.0])
def elements_beyond_a_view(torch):
    x = leaf(torch)
    return gradient(torch, lambda x: x[1:].as_strided((2,), (1,), 0) ** 2, x)


@row("`detach_` of a tensor that an operation saved", 1.0, "RuntimeError")
def a_saved_tensor_that_lost_its_history(torch):
    x = torch.zeros(1, requires_grad=True)
    y = x.clone()
    z = y.sin()
    y.detach_()
    return attempt(lambda: torch.autograd.grad(z.sum(), x)[0].item())


@row("writes to one output", "RuntimeError", [3.0, 3.0])
def a_part_of_an_unsafe_split(torch):
    x = leaf(torch)
    first, second = (x * 1).unsafe_split(1)
    return attempt(lambda: torch.autograd.grad(first.mul_(3) + second * 3, x)[0].tolist())


@row("`leaky_relu_` with a negative slope", [-2.0, -2.0], "RuntimeError")
def a_slope_down(torch):
    return gradient(torch, lambda x: torch.nn.functional.leaky_relu_(x * 1, -2.0), leaf(torch, -1.0, -2.0))


@row("what `allow_mutation_on_saved_tensors` keeps", 1, 0)
def copies_of_what_nobody_writes_to(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        y = (leaf(torch) * 1) ** 3
        return len(context.cloned) if y is not None else None


@row("a Function that writes to a view and returns several", [3.0, 3.0], "RuntimeError")
def a_write_to_a_view_beside_another_answer(torch):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x, x.clone()

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b

    def f(x):
        return sum(Both.apply((x * 1).view(2)))

    return gradient(torch, f, leaf(torch))


@row("a Function that returns", False, True)
def the_memory_of_a_shared_gradient(torch):
    seen = []

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            seen.append(g.data_ptr())
            return g, g

    x, y = leaf(torch), leaf(torch)
    Sum.apply(x, y)[1:].backward()
    return seen[0] in (x.grad.data_ptr(), y.grad.data_ptr())


@row("`view_as_real` of a complex tensor that", [1j, 4 + 5j, 2 + 3j, 6 + 7j], [1j, 2 + 3j, 4 + 5j, 6 + 7j])
def a_turned_view_of_another_dtype(torch):
    x = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    y = torch.view_as_real(x.clone())
    y.transpose_(0, 1)
    y += 1
    y.backward(torch.arange(8.0).view(2, 2, 2))
    return x.grad.flatten().tolist()


@row("random numbers in a Function's `jvp`", True, "GradcheckError")
def random_numbers_in_a_jvp(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

        @staticmethod
        def jvp(ctx, t):
            torch.randn_like(t)
            return t * 2

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    return attempt(lambda: torch.autograd.gradcheck(
        Double.apply, (x,), check_forward_ad=True, check_batched_forward_grad=True))


@row("second derivatives of `scatter_reduce`", True, "RuntimeError")
def twice_through_a_product_with_zeros(torch):
    x, zeros = torch.ones(1, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    return attempt(lambda: torch.autograd.gradgradcheck(
        torch.scatter_reduce, (x.requires_grad_(), 0, torch.tensor([0, 0]), zeros.requires_grad_(), "prod")))


@row("strides of `kron`", (4, 1), (1, 9))
def the_strides_of_a_kronecker_product(torch):
    return tuple(torch.kron(torch.ones(2, 3).t(), torch.ones(2, 3).t()).stride())


@row("`Node._register_hook_dict`", "NotImplementedError", None)
def a_dict_of_hooks(torch):
    y = leaf(torch) * 2
    y.register_hook(print)
    return attempt(lambda: y.grad_fn._register_hook_dict(y))


@row("`autograd.grad` of an expanded cotangent", (1,), (0,))
def the_gradient_of_a_sum(torch):
    x = leaf(torch)
    return tuple(torch.autograd.grad(x.sum(), x)[0].stride())


@row("`gradcheck` if an output", True, False)
def an_output_without_gradient(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    f = lambda t: (t.detach().sum() * 3, t * 2)  # noqa: E731
    return torch.autograd.gradcheck(f, (x,), fast_mode=True, raise_exception=False)


@row("arguments of `gradcheck`", True, "TypeError")
def arguments_by_place(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    return attempt(lambda: torch.autograd.gradcheck(torch.sin, (x,), 1e-6, 1e-5, 1e-3, True, False, 0.0))


@row("events of a profile", ["aten::view"], ["aten::flatten", "aten::view"])
def events_of_a_view(torch):
    x = torch.ones(2, 3)
    with torch.autograd.profiler.profile() as prof:
        x.flatten()
    return sorted(e.key for e in prof.key_averages() if e.key.startswith("aten"))


@row("`profile` inside a profile", "RuntimeError", None)
def two_profiles(torch):
    def both():
        with torch.autograd.profiler.profile(), torch.autograd.profiler.profile():
            pass

    return attempt(both)


@row("constant derivatives under `strict=True`", "RuntimeError", [[2.0, 0.0], [0.0, 2.0]])
def a_constant_second_derivative(torch):
    hessian = torch.autograd.functional.hessian
    return attempt(lambda: hessian(lambda t: (t**2).sum(), leaf(torch), create_graph=True, strict=True).tolist())


@row("a write that reads the memory", "RuntimeError", True)
def a_shifted_write_with_gaps(torch):
    a = torch.arange(12.0)[::2]
    return attempt(lambda: a[1:].add_(a[:-1]) is not None)


@row("higher-order derivatives by forward", True, False)
def a_second_derivative_forward_over_forward(torch):
    a = torch.tensor([[1.0, 0.3, -0.2], [0.4, 1.2, 0.1], [-0.3, 0.2, 0.9]], dtype=torch.float64)
    v, jvp = a.cos(), torch.func.jvp
    f = lambda t: (torch.nn.functional.layer_norm(t, (3,)) * t * t).sum()  # noqa: E731
    slope = lambda s: jvp(f, (a + s * v,), (v,))[1].item()  # noqa: E731
    second = jvp(lambda t: jvp(f, (t,), (v,))[1], (a,), (v,))[1].item()
    return abs(second - (slope(1e-4) - slope(-1e-4)) / 2e-4) < 1e-4


@row("what `softplus`, `batch_norm`", False, True)
def what_softplus_saves(torch):
    return packed(torch, torch.nn.functional.softplus, leaf(torch)) == 1


@row("`func.linearize`", [1.0, 1.0], "error")
def linearize_under_vmap(torch):
    def f(x):
        return torch.func.linearize(lambda t: t * t, x)[1](torch.ones(()))

    out = attempt(lambda: (torch.func.vmap(f)(torch.tensor([0.5, 0.5]))).tolist())
    return "error" if isinstance(out, str) else out


@row("`func.functionalize`", [2.0, 2.0], "RuntimeError")
def functionalize_with_a_function(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return attempt(lambda: torch.func.functionalize(Double.apply)(torch.ones(2)).tolist())


@row("`func.functional_call`", [3.0], "TypeError")
def a_call_of_any_object(torch):
    class Line:
        def __init__(self):
            self.slope = torch.ones(1)

        def named_parameters(self):
            return [("slope", self.slope)]

        def __call__(self, x):
            return self.slope * x

    slope = {"slope": torch.full((1,), 3.0)}
    return attempt(lambda: torch.func.functional_call(Line(), slope, (torch.ones(1),)).tolist())


@row("a Function inside a", [[8.0, 16.0]], "RuntimeError")
def the_second_derivative_of_a_batched_sweep(torch):
    class Inner(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 3

        @staticmethod
        def backward(ctx, g):
            return Inner.apply(g) * ctx.saved_tensors[0]

    def second(x, s):
        (g,) = torch.autograd.grad(Outer.apply(x), x, s * 2, is_grads_batched=True, create_graph=True)
        return torch.autograd.grad(g.sum(), s)[0].tolist()

    return attempt(lambda: second(leaf(torch, 1.0, 2.0), torch.ones(1, 2, requires_grad=True)))


@row("`igamma`, `igammac`", True, "error")
def the_first_argument_of_igamma(torch):
    pytest.importorskip("scipy", reason="special functions need SciPy: pip install -e '.[scipy]'")
    found = gradient(torch, lambda x: torch.igamma(x, torch.ones(2)), leaf(torch))
    return "error" if isinstance(found, str) else True


@row("second derivative of `elu`", [1.0], [0.0])
def the_second_derivative_of_elu(torch):
    x = torch.zeros(1, requires_grad=True)
    (g,) = torch.autograd.grad(torch.nn.functional.elu(x).sum(), x, create_graph=True)
    return torch.autograd.grad(g.sum(), x)[0].tolist()


@row("`special.xlogy` at (0, 0)", True, False)
def xlogy_at_zero(torch):
    y = torch.zeros(1, requires_grad=True)
    return torch.autograd.grad(torch.special.xlogy(torch.zeros(1), y).sum(), y)[0].item() == 0


@row("dtypes without a kernel", "float16", "NotImplementedError")
def a_kernel_of_half_precision(torch):
    x = torch.eye(2).half()
    return attempt(lambda: str(torch.cdist(x, x).dtype).removeprefix("torch."))


@row("derivatives at matrices that", "error", "numbers")
def the_derivative_at_equal_eigenvalues(torch):
    a = torch.eye(2, requires_grad=True)
    found = attempt(lambda: torch.autograd.grad(torch.linalg.eigh(a)[1].sum(), a)[0].tolist())
    return "error" if isinstance(found, str) else "numbers"


@row("forward mode of `linalg.eigh`", True, False)
def a_direction_that_is_not_hermitian(torch):
    a, v = torch.tensor([[2.0, 0.5], [0.5, 1.0]]), torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    jvp = lambda d: torch.func.jvp(torch.linalg.cholesky, (a,), (d,))[1]  # noqa: E731
    return bool((jvp(v) - jvp((v + v.t()) / 2)).abs().max() < 1e-6)


@row("derivatives with respect to", True, False)
def the_derivative_by_class_weights(torch):
    w, scores, target = torch.ones(3, requires_grad=True), torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([0])
    loss = lambda: torch.nn.functional.nll_loss(scores, target, w, reduction="sum")  # noqa: E731
    return attempt(lambda: bool((torch.autograd.grad(loss(), w)[0] != 0).any())) is True


@row("gradient of `embedding_bag(scale", [0.0, 1.0, 1.0], [0.0, 1.0, 0.5])
def bags_by_frequency(torch):
    f = lambda w: torch.nn.functional.embedding_bag(  # noqa: E731
        torch.tensor([[1, 1, 2]]), w, mode="sum", scale_grad_by_freq=True)
    return gradient(torch, f, leaf(torch, [0.0], [0.0], [0.0]))


@row("tangents of `embedding`", [[0.0]], [[1.0]])
def the_tangent_of_a_padding(torch):
    f = lambda w: torch.nn.functional.embedding(torch.tensor([0]), w, padding_idx=0)  # noqa: E731
    return torch.func.jvp(f, (torch.ones(2, 1),), (torch.ones(2, 1),))[1].tolist()


@row("gradients of values written", [0.0, 1.0], [1.0, 1.0])
def two_values_for_one_place(torch):
    values = leaf(torch)
    out = torch.zeros(2).index_put((torch.tensor([0, 0]),), values)
    return torch.autograd.grad(out.sum(), values)[0].tolist()


@row("which of equal elements", [0, 1], [2, 3])
def the_largest_of_equal_elements(torch):
    return torch.ones(4).topk(2).indices.tolist()


@row("`triu_`, `tril_`, `baddbmm_`, `index_fill_` of expanded tensors", "RuntimeError", [[1.0, 0.0], [1.0, 0.0]])
def a_triangle_of_an_expanded_tensor(torch):
    return attempt(lambda: torch.tensor([[1.0, 2.0]]).expand(2, 2).tril_().tolist())


@row("null-space vectors (`linalg.svd` with", True, False)
def the_null_space_of_a_wide_matrix(torch):
    a = np.random.default_rng(3).normal(size=(4, 9))
    rows = np.array(torch.linalg.svd(torch.tensor(a)).Vh.tolist())
    return bool(np.allclose(np.abs(rows), np.abs(np.linalg.svd(a)[2]), atol=1e-6))


@row("gradient of complex `linalg.cholesky`", [0j], [0.25j])
def the_imaginary_part_of_a_diagonal(torch):
    return gradient_of(torch, lambda x: torch.linalg.cholesky(x).imag, torch.tensor([[4 + 0j]], requires_grad=True))


@row("attention of a query with NaN", True, False)
def a_query_with_nan(torch):
    x = torch.ones(1, 1, 2, 4)
    q = torch.where(torch.arange(4) == 0, float("nan"), x)
    return bool(torch.nn.functional.scaled_dot_product_attention(q, x, x).isnan().all())


@row("`logical_and_`", [0.0, 0.0], [1.0, 1.0])
def the_gradient_of_a_logical_write(torch):
    x = leaf(torch)
    return torch.autograd.grad((x * 1).logical_and_(torch.ones(2)).sum(), x, allow_unused=True)[0].tolist()


@row("`hypot` at (0, 0)", 0.0, True)
def the_tip_of_hypot(torch):
    x = torch.zeros(1, requires_grad=True)
    found = torch.autograd.grad(torch.hypot(x, torch.zeros(1)).sum(), x)[0].item()
    return True if found != found else found


@row("Fourier transforms of an", [0, 4], "RuntimeError")
def a_transform_of_nothing(torch):
    return attempt(lambda: list(torch.fft.fft(torch.ones(0, 4)).shape))


@row("`histogram`, `histogramdd` with bin", "RuntimeError", [0.0, 0.0])
def edges_that_do_not_increase(torch):
    return attempt(lambda: torch.histogram(torch.ones(1), torch.tensor([3.0, 1.0, 2.0]))[0].tolist())


@row("operations of several steps on `bfloat16`", 0.796875, 0.804688)
def a_gradient_in_bfloat16(torch):
    return gradient(torch, lambda x: torch.logsumexp(x, 0), torch.tensor([0.5, -1.5, 2.0], dtype=torch.bfloat16,
                                                                          requires_grad=True))[2]


@row("a checkpointed function that", [1.080605], [4.322419])
def a_write_in_a_checkpoint(torch):
    checkpoint = importlib.import_module(torch.__name__ + ".utils.checkpoint").checkpoint

    def f(x):
        y = x.exp()
        z = y * y
        y.add_(1)
        return z.sin()

    return gradient(torch, lambda x: checkpoint(f, x, use_reentrant=False), leaf(torch, 0.0))


@row("dual levels", [2.0, 2.0], "RuntimeError")
def a_dual_level_around_jvp(torch):
    def go():
        with torch.autograd.forward_ad.dual_level():
            return torch.func.jvp(lambda t: t * 2, (torch.ones(2),), (torch.ones(2),))[1].tolist()

    return attempt(go)


@row("a `jvp` of a", True, False)
def a_jvp_that_gives_none(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def jvp(ctx, t):
            return None

    ad = torch.autograd.forward_ad
    with ad.dual_level():
        try:
            Twice.apply(ad.make_dual(torch.ones(2), torch.ones(2)))
        except RuntimeError as error:
            return "Twice.jvp returned None" in str(error)


@row("a `vjp_fn` that `func.vjp`", False, True)
def a_vjp_made_under_no_grad(torch):
    with torch.no_grad():
        _, pull = torch.func.vjp(lambda t: t ** 2, torch.ones(2, requires_grad=True))
    return pull(torch.ones(2))[0].requires_grad


@row("an output of `func.vmap`", [[1.0, 1.0], [2.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]])
def a_result_that_is_not_mapped(torch):
    y = torch.tensor([1.0, 2.0])
    return torch.vmap(lambda a, b: b, (0, None), out_dims=1)(torch.ones(2), y).tolist()


@row("under vmap: `out=`", [[1.0, 2.0], [3.0, 4.0]], "RuntimeError")
def an_out_argument_under_vmap(torch):
    x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]])
    return attempt(lambda: torch.vmap(lambda t, room: torch.abs(t, out=room))(x, torch.zeros(2, 2)).tolist())


@row("`embedding` and `take_along_dim` under vmap", "IndexError", [[[1.0], [4.0]], [[4.0], [6.0]]])
def a_row_of_the_next_example(torch):
    rows = torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]])
    places = torch.tensor([[0, 3], [0, 2]])
    return attempt(lambda: torch.vmap(lambda t, i: torch.nn.functional.embedding(i, t))(rows, places).tolist())


@pytest.mark.parametrize("start", list(SCRIPTS))
def test_the_row_is_true_here(start):
    script, here, _ = SCRIPTS[start]
    assert run(script, compat) == here


@pytest.mark.reference
@pytest.mark.parametrize("start", list(SCRIPTS))
def test_the_row_is_true_in_pytorch(start):
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    script, here, there = SCRIPTS[start]
    found = run(script, torch)
    assert found == there and found != here
