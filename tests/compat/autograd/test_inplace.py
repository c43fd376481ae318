"""Writes in place: through turned views, those that are refused, and memory that grows."""

from harness import made_function, message


def script_why_a_view_must_not_be_written_to(torch):
    same = made_function(torch, lambda ctx, x: x.view_as(x), lambda ctx, g: g)
    moving = torch.rand(1, requires_grad=True)
    one, two = same.apply(torch.rand(1, 2)), torch.rand(1, 2).unbind()[0]
    found = [message(lambda: one.add_(moving)), message(lambda: one.copy_(moving)), message(lambda: two.copy_(moving))]
    for mode in (torch.no_grad, torch.inference_mode):
        x = torch.zeros(2)
        with mode():
            y = x.view(2)
        y.requires_grad_(True)
        z = y.view(2)
        found.append(message(lambda: z.div_(2)))
    return found


def script_memory_that_was_resized_before_grows(torch):
    x = torch.arange(4.0)
    x.resize_((1, 2))
    before = x._version
    x.resize_((6,))[4:].zero_()
    return x, before, x.resize_as_(torch.ones(6))._version


def script_rrelu_in_place(torch):
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    y = x * 1
    z = torch.nn.functional.rrelu_(y, 0.25, 0.25, True)
    z.sum().backward()
    return z is y, z.detach(), x.grad, torch.rrelu_(torch.tensor([-2.0, 1.0]))


def script_strides_beyond_a_view(torch):
    base = torch.arange(12.0)
    part, alone = base[3:7], base[3:7].detach()
    wide, other = part.as_strided((5,), (2,), 0), alone.as_strided((2, 3), (1, 2), 1)
    wide[0], other[1, 1] = 100.0, -5.0
    x = torch.arange(6.0, requires_grad=True)
    y = (x * 1)[2:]
    z = y.as_strided((3,), (2,), 1)
    z.mul_(2.0)
    with torch.inference_mode():
        quiet = torch.ones(4)[1:].as_strided((2,), (2,), 0)
    return [base, part, alone, wide, other, y.detach(), z.detach(), quiet.is_inference()], message(
        lambda: alone.as_strided((20,), (1,), 0))


def script_writes_through_views_turned_by_three_axes(torch):
    found = []
    for order in ((1, 2, 0), (2, 0, 1), (0, 2, 1)):
        x = torch.arange(24.0, dtype=torch.float64).reshape(2, 3, 4).requires_grad_()
        y = x * 1
        turned = y.permute(order)
        weights = torch.arange(24.0, dtype=torch.float64).reshape(turned.shape)
        turned.mul_(weights)
        turned.select(0, 0).copy_(turned.select(0, 1) * 3)
        (y * y).sum().backward()
        found += [y.detach(), x.grad, y.grad_fn.name()]
    return found


def script_views_that_are_divided_and_written_to_again(torch):
    found = []
    for write in (lambda x, y: x.div_(y), lambda x, y: x.fmod_(y + 0.3), lambda x, y: x.mul_(y).abs_(),
                  lambda x, y: x.mul_(y).pow_(0.5), lambda x, y: x.mul_(y).sinc_()):
        for view in (lambda b: b.t(), lambda b: b[:, 1:], lambda b: b.view(16)):
            for recorded in (False, True):
                y = torch.linspace(1.0, 2.0, 16, dtype=torch.float64).reshape(4, 4).requires_grad_()
                base = torch.arange(1.0, 17.0, dtype=torch.float64).reshape(4, 4) * (y if recorded else 1.0)
                write(view(base), view(y * 1.0))
                view(base).sigmoid_()
                base.sum().backward()
                found.append(y.grad)
    return found


def script_writes_to_what_only_a_dropped_gradient_needs(torch):
    x, w, b = [torch.linspace(0.5, 2.0, n, dtype=torch.float64).reshape(shape).clone().requires_grad_()
               for n, shape in ((6, (2, 3)), (12, (3, 4)), (8, (2, 4)))]
    with torch.no_grad():
        view = x[:]  # asks for a gradient, which is dropped
    out = torch.addmm(b, view, w)
    with torch.no_grad():
        w.mul_(3.0)
    (out * out.detach().cos()).sum().backward()
    return x.grad, w.grad, b.grad
