"""The nodes of torch._C._functions: derivatives that raise or are undefined, and those of once_differentiable."""

from harness import attempt, double, made_function


def described(node):
    """A graph as text."""
    if node is None:
        return "None"
    return f"{type(node).__name__}({', '.join(described(n) for n, _ in node.next_functions)})"


def script_delayed_errors(torch):
    x, y = double(torch, 1.0, 2.0).requires_grad_(), double(torch, 3.0, 4.0).requires_grad_()
    wrong = torch._C._functions.DelayedError("Boom!", 1)(y)
    grad = torch.autograd.grad

    def written():
        out = x.clone().view(-1)
        out += wrong
        return out.sum()

    return [attempt(fn) for fn in (
        lambda: written().backward(), lambda: grad(written(), y), lambda: grad(written(), x),
        lambda: grad(written(), wrong), lambda: grad(written(), (x, wrong)), lambda: (x * wrong).sum().backward(),
        lambda: grad((x * wrong).sum(), x))], described(wrong.grad_fn), wrong


def script_undefined_gradients(torch):
    seen = []
    fun = made_function(torch, lambda ctx, x: x * 1, lambda ctx, g: seen.append(g) or g)
    bare = made_function(torch, lambda ctx, x: ctx.set_materialize_grads(False) or x * 1,
                         lambda ctx, g: seen.append(g) or g)
    x = double(torch, 1.0).requires_grad_()
    undefined = torch._C._functions.UndefinedGrad()
    for kind in (fun, bare):
        undefined(kind.apply(x)).backward()
    y = undefined(x * 2)
    y.register_hook(lambda g: seen.append(g * 5))
    y.backward()
    return seen, x.grad, described(y.grad_fn), undefined(x.detach()).requires_grad


def script_gradients_that_have_no_second_derivative(torch):
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, None, grad * a

    fun = made_function(torch, lambda ctx, a, s, b: ctx.save_for_backward(a, b) or a * b,
                        torch.autograd.function.once_differentiable(backward))
    a, b = double(torch, 2.0).requires_grad_(), double(torch, 3.0).requires_grad_()
    first = torch.autograd.grad(fun.apply(a, 1, b).sum(), (a, b), create_graph=True)
    return [described(g.grad_fn) for g in first], first[0].detach(), attempt(lambda: first[0].backward())
