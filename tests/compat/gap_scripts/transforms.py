"""Rows of docs/compat_gaps.md: transforms of functions, forward mode and vmap."""

from gap_scripts.script import attempt, leaf, row


@row("forward mode of `logcumsumexp`", [1.0, 2.0], [0.0, 2.0])
def tangents_of_a_running_sum(torch):
    x, v = torch.tensor([0.0, 1000.0]), torch.tensor([1.0, 2.0])
    return torch.func.jvp(lambda t: torch.logcumsumexp(t, 0), (x,), (v,))[1].tolist()


@row("forward mode of `scatter_reduce`", [4.0], [0.0])
def tangents_of_a_product(torch):
    x, index = torch.tensor([2.0, 4.0]), torch.tensor([0, 0])
    f = lambda t: torch.zeros(1).scatter_reduce(0, index, t, "prod", include_self=False)  # noqa: E731
    return torch.func.jvp(f, (x,), (torch.tensor([1.0, 0.0]),))[1].tolist()


@row("second derivatives of `scatter_reduce`", True, "RuntimeError")
def twice_through_a_product_with_zeros(torch):
    x, zeros = torch.ones(1, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    return attempt(lambda: torch.autograd.gradgradcheck(
        torch.scatter_reduce, (x.requires_grad_(), 0, torch.tensor([0, 0]), zeros.requires_grad_(), "prod")))


@row("constant derivatives under `strict=True`", "RuntimeError", [[2.0, 0.0], [0.0, 2.0]])
def a_constant_second_derivative(torch):
    hessian = torch.autograd.functional.hessian
    return attempt(lambda: hessian(lambda t: (t**2).sum(), leaf(torch), create_graph=True, strict=True).tolist())


@row("higher-order derivatives by forward", True, False)
def a_second_derivative_forward_over_forward(torch):
    a = torch.tensor([[1.0, 0.3, -0.2], [0.4, 1.2, 0.1], [-0.3, 0.2, 0.9]], dtype=torch.float64)
    v, jvp = a.cos(), torch.func.jvp
    f = lambda t: (torch.nn.functional.layer_norm(t, (3,)) * t * t).sum()  # noqa: E731
    slope = lambda s: jvp(f, (a + s * v,), (v,))[1].item()  # noqa: E731
    second = jvp(lambda t: jvp(f, (t,), (v,))[1], (a,), (v,))[1].item()
    return abs(second - (slope(1e-4) - slope(-1e-4)) / 2e-4) < 1e-4


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


@row("tangents of `embedding`", [[0.0]], [[1.0]])
def the_tangent_of_a_padding(torch):
    f = lambda w: torch.nn.functional.embedding(torch.tensor([0]), w, padding_idx=0)  # noqa: E731
    return torch.func.jvp(f, (torch.ones(2, 1),), (torch.ones(2, 1),))[1].tolist()


@row("dual levels", [2.0, 2.0], "RuntimeError")
def a_dual_level_around_jvp(torch):
    def go():
        with torch.autograd.forward_ad.dual_level():
            return torch.func.jvp(lambda t: t * 2, (torch.ones(2),), (torch.ones(2),))[1].tolist()

    return attempt(go)


@row("`func.rearrange` of a longer axis", "ValueError", [2])
def an_axis_called_one(torch):
    return attempt(lambda: list(torch.func.rearrange(torch.arange(4.0).reshape(2, 2), "a 1 -> a").shape))


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
