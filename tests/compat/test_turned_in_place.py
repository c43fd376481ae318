"""Views taken in place (`t_`, `transpose_`, `squeeze_`, `unsqueeze_`): shapes, memory and history as in PyTorch."""



def weights(torch, *shape):
    count = 1
    for n in shape:
        count *= n
    return torch.arange(float(count)).reshape(shape)


def leaf(torch):
    return weights(torch, 2, 3).requires_grad_()


def script_what_was_viewed_before_keeps_its_history(torch):
    x = leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    loss = (y * weights(torch, 3, 2)).sum() + (v * 1).sum()
    return torch.autograd.grad(loss, x)[0].tolist(), y.detach(), y._version


def script_a_write_through_an_older_view_reaches_it(torch):
    x = leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    v.mul_(3)
    return torch.autograd.grad((y * weights(torch, 3, 2)).sum(), x)[0].contiguous(), y.detach()


def script_a_write_through_it_reaches_an_older_view(torch):
    x = leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    y.mul_(3)
    return torch.autograd.grad(v.sum() + (y**2).sum(), x)[0].contiguous(), v.detach()


def script_views_of_views_turned_and_written(torch):
    x = leaf(torch)
    y = x * 2
    v, w = y[0], y[:, 1:]
    w.t_()
    w[0].mul_(4)
    y.transpose_(0, 1)
    y[1] = 7.0
    w.add_(1)
    loss = (v * v).sum() + (y**2).sum() + (w**3).sum()
    return torch.autograd.grad(loss, x)[0], v.detach(), y.detach(), w.detach()


def script_a_view_of_an_older_view_is_written_after_it(torch):
    x = leaf(torch)
    y = x * 2
    v = y[0]
    y.t_()
    u = v[1:]
    y.mul_(2)
    u.mul_(5)
    return torch.autograd.grad((u * u).sum() + y.sum(), x)[0]


def script_several_in_a_row_without_gradients(torch):
    y = weights(torch, 2, 3)
    y.unsqueeze_(0)
    y.squeeze_()
    y.t_()
    y.add_(1)
    return y, y.is_leaf, y.requires_grad


def script_a_tensor_turned_first_may_ask_for_gradients(torch):
    y = weights(torch, 2, 3)
    y.t_()
    y.requires_grad_()
    (y * 2).sum().backward()
    return y.grad


