"""Rows of docs/compat_gaps.md: hooks, overrides, Functions and profiles."""

from gap_scripts.script import attempt, gradient, leaf, row


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


@row("`types` that a function mode is given for plain tensors", [], ["Tensor"])
def types_of_a_plain_tensor(torch):
    seen = []

    class Log(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.extend(kind.__name__ for kind in types)
            return func(*args, **(kwargs or {}))

    t = torch.ones(2)
    with Log():
        t.shape, t * 2
    return seen


@row("the memory of a gradient that a Function", False, True)
def a_gradient_that_is_handed_on(torch):
    place = []

    class Plus(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            place.append(grad.data_ptr())
            return grad, grad

    x, y = leaf(torch), leaf(torch)
    (Plus.apply(x, y) * 2).sum().backward()
    return place[0] in (x.grad.data_ptr(), y.grad.data_ptr())


@row("nodes of a recorded backward pass", False, True)
def a_node_of_a_recorded_pass(torch):
    x = leaf(torch)
    grad, = torch.autograd.grad(torch.sigmoid(x).sum(), x, create_graph=True)
    return grad.grad_fn.name() == "SigmoidBackwardBackward0"


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


@row("composite operations", [[2, 1]], [[2, 2]])
def a_hook_on_a_composite_operation(torch):
    seen = []
    v = torch.tensor([[2.0, 1.0], [0.0, 1.0]], requires_grad=True).max(1)[0]
    v.grad_fn.register_hook(lambda gi, go: seen.append(list(gi[0].shape)))
    v.sum().backward()
    return seen


@row("hooks and retained gradients", [3, 2], [2, 3])
def a_retained_gradient(torch):
    y = torch.ones(2, 3, requires_grad=True) * 1
    y.retain_grad()
    y.t_().sum().backward()
    return list(y.grad.shape)


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


@row("what a Function's `forward` computes for itself", [24.0], [0.0])
def an_intermediate_on_the_ctx(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.square = x * x
            return x * ctx.square

        @staticmethod
        def backward(ctx, g):
            return g * 3.0 * ctx.square + 0.0 * ctx.saved_tensors[0]

    x = torch.tensor([4.0], requires_grad=True)
    slope, = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
    return torch.autograd.grad(slope, x)[0].tolist()


@row("what a hook after accumulation", [1.0], [1.5])
def a_write_to_a_gradient_seen_by_another_hook(torch):
    x, seen = leaf(torch, 1.0), []
    node = x.view_as(x).grad_fn.next_functions[0][0]
    x.register_post_accumulate_grad_hook(lambda t: t.grad.add_(0.5) and None)
    x.register_hook(lambda grad: grad * 1)
    node.register_hook(lambda _, grads: seen.append(grads[0].item()))
    x.sum().backward()
    return seen
