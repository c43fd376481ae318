"""Rows of docs/compat_gaps.md: writes, views and memory."""

from gap_scripts.script import attempt, gradient, leaf, row


@row("recorded writes through a view of a detached expanded tensor", ["RuntimeError", 9.0], [True, 27.0])
def a_write_through_an_expanded_base(torch):
    w, wide = torch.tensor(3.0, requires_grad=True), torch.tensor([1.0, 2.0]).expand(3, 2).detach()
    return [attempt(lambda: wide[0].mul_(w).requires_grad), wide.sum().item()]


@row("`set_` beyond the end", "RuntimeError", 9)
def a_view_beyond_the_end(torch):
    return attempt(lambda: torch.zeros(0).set_(torch.ones(2).untyped_storage(), 0, (9,)).numel())


@row("`conj`", False, True)
def a_conjugate(torch):
    return torch.tensor([1 + 2j]).conj()._is_view()


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


@row("writes to one output", "RuntimeError", [3.0, 3.0])
def a_part_of_an_unsafe_split(torch):
    x = leaf(torch)
    first, second = (x * 1).unsafe_split(1)
    return attempt(lambda: torch.autograd.grad(first.mul_(3) + second * 3, x)[0].tolist())


@row("`leaky_relu_` with a negative slope", [-2.0, -2.0], "RuntimeError")
def a_slope_down(torch):
    return gradient(torch, lambda x: torch.nn.functional.leaky_relu_(x * 1, -2.0), leaf(torch, -1.0, -2.0))


@row("gradients of a tensor with a history whose shape changes in place", [0.0, 6.0, 2.0, 8.0, 4.0, 10.0],
     "RuntimeError")
def a_history_that_does_not_hear_of_a_transposition(torch):
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    y = x * 2
    with torch.no_grad():
        y.t_()
    return attempt(lambda: torch.autograd.grad((y * torch.arange(6.0).reshape(2, 3)).sum(), x)[0].flatten().tolist())


@row("a view made before `as_strided_`", "NotImplementedError", [0.0, 2.0, 2.0])
def a_view_of_what_was_left_out(torch):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    v = y[:]
    y.as_strided_((2,), (1,), 1)
    return attempt(lambda: torch.autograd.grad(v.sum(), x)[0].tolist())


@row("`view_as_real` of a complex tensor that", [1j, 4 + 5j, 2 + 3j, 6 + 7j], [1j, 2 + 3j, 4 + 5j, 6 + 7j])
def a_turned_view_of_another_dtype(torch):
    x = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    y = torch.view_as_real(x.clone())
    y.transpose_(0, 1)
    y += 1
    y.backward(torch.arange(8.0).view(2, 2, 2))
    return x.grad.flatten().tolist()


@row("strides of `kron`", (4, 1), (1, 9))
def the_strides_of_a_kronecker_product(torch):
    return tuple(torch.kron(torch.ones(2, 3).t(), torch.ones(2, 3).t()).stride())


@row("strides of convolutions", [(27, 9, 3, 1), (8, 4, 2, 1), (72, 36, 6, 1)],
     [(27, 1, 9, 3), (8, 1, 4, 2), (72, 1, 12, 2)])
def the_strides_of_channels_last(torch):
    x = torch.ones(2, 2, 5, 5).to(memory_format=torch.channels_last)
    F = torch.nn.functional
    return [tuple(y.stride()) for y in (F.conv2d(x, torch.ones(3, 2, 3, 3)), F.max_pool2d(x, 2),
                                        F.interpolate(x, size=(6, 6)))]


@row("a write that reads the memory", "RuntimeError", True)
def a_shifted_write_with_gaps(torch):
    a = torch.arange(12.0)[::2]
    return attempt(lambda: a[1:].add_(a[:-1]) is not None)


@row("writes to windows that overlap (`unfold`, `as_strided`)", "RuntimeError", [3.0, 9.0, 9.0, 3.0])
def windows_that_overlap(torch):
    x = torch.ones(4)
    return attempt(lambda: x.unfold(0, 2, 1).mul_(3.0) is not x and x.tolist())


@row("writes of a part with gaps", "RuntimeError", [[0.0, 0.0, 0.0], [3.0, 3.0, 3.0]])
def a_part_written_behind_where_it_is_read(torch):
    x = torch.arange(6.0).reshape(2, 3)
    return attempt(lambda: x[:, 1:].copy_(x[:, :-1]) is not x and x.tolist())


@row("`triu_`, `tril_`, `baddbmm_`, `fill_diagonal_` of expanded tensors", "RuntimeError", [[1.0, 0.0], [1.0, 0.0]])
def a_triangle_of_an_expanded_tensor(torch):
    return attempt(lambda: torch.tensor([[1.0, 2.0]]).expand(2, 2).tril_().tolist())


@row("`logical_and_`", [0.0, 0.0], [1.0, 1.0])
def the_gradient_of_a_logical_write(torch):
    x = leaf(torch)
    return torch.autograd.grad((x * 1).logical_and_(torch.ones(2)).sum(), x, allow_unused=True)[0].tolist()


@row("version counters", 0, 1)
def the_counter_of_a_tensor_with_other_data(torch):
    x = torch.zeros(2)
    x.add_(1)
    x.data = torch.ones(3)
    return x._version


@row("`x.set_", [1.0, 1.0], "RuntimeError")
def the_gradient_of_a_leaf_with_other_memory(torch):
    x = leaf(torch, 1.0, 2.0)
    out = x.clone().sum()
    with torch.no_grad():
        x.set_(torch.zeros(2))
    return attempt(lambda: torch.autograd.grad(out, x)[0].tolist())
