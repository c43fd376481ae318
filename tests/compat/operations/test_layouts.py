"""How outputs lie in memory where operands are permuted."""

import itertools
import math


def permuted(torch, shape, order, dtype="float64"):
    x = torch.arange(float(math.prod(shape)), dtype=torch.float64).reshape(shape) / 7
    return x.permute(order).to(getattr(torch, dtype))


def laid(answer):
    return [tuple(x.stride()) for x in (answer if isinstance(answer, tuple) else (answer,))]


def script_distances_and_normalizations(torch):
    F, found = torch.nn.functional, []  # noqa: N806
    for order in itertools.permutations(range(3)):
        x, cube = permuted(torch, (2, 3, 4), order), permuted(torch, (4, 4, 4), order)
        weight = torch.ones(4, dtype=torch.float64)
        found.append([laid(v) for v in (
            torch.cdist(cube, cube), torch.cdist(cube, cube[:, :2], p=1.0), F.rms_norm(x, x.shape[1:]),
            F.layer_norm(x, x.shape[1:]), F.group_norm(cube, 2, weight), F.instance_norm(cube),
            F.batch_norm(cube, weight * 0, weight), F.batch_norm(cube, None, None, training=True),
            F.local_response_norm(x, 2), torch.median(x, 1), torch.nanmedian(x, 0, True), torch.trapezoid(x),
            torch.unique(x, dim=1), torch.unique(x, dim=2, return_inverse=True)[0],
            torch.unique_consecutive(x, dim=0), torch.unique_consecutive(x, dim=2), x.clamp(0, 1), x // 2, x.tril(),
            torch.add(x, x, alpha=2), torch.lerp(x, x, 0.7), torch.diagonal_scatter(cube, torch.ones(4, 4).double()))])
    return found


def script_channels_last(torch):
    F, found = torch.nn.functional, []  # noqa: N806
    for shape, order in (((2, 3, 4, 5), (0, 3, 1, 2)), ((2, 4, 3, 3), (1, 0, 2, 3)), ((2, 4, 3, 3), (0, 2, 3, 1)),
                         ((2, 3, 2, 2, 4), (0, 4, 1, 2, 3))):
        x = permuted(torch, shape, order)
        mean = torch.zeros(x.shape[1], dtype=torch.float64)
        found.append([laid(v) for v in (
            F.batch_norm(x, mean, mean + 1), F.batch_norm(x, None, None, training=True), F.group_norm(x, 1),
            F.instance_norm(x), F.rms_norm(x, x.shape[-1:]), F.local_response_norm(x, 2), torch.fft.fft(x, 6, 0))])
    return found


def script_transforms(torch):
    found = []
    for order in itertools.permutations(range(3)):
        x, z = permuted(torch, (2, 3, 4), order), permuted(torch, (2, 3, 4), order, "complex128")
        for dim in ((0, 1), (2, 0), (1, 2), None):
            found.append([laid(getattr(torch.fft, name)(z if name in ("irfftn", "hfftn") else x, dim=dim)) for name in
                          ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")])
        for n, dim in ((None, 0), (None, 1), (2, -1), (6, 1)):
            found.append([laid(getattr(torch.fft, name)(z if name in ("irfft", "hfft") else x, n, dim)) for name in
                          ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")])
        for s in ((3, 6), (2, 2), None):
            found.append([laid(getattr(torch.fft, name)(z if name == "irfft2" else x, s)) for name in
                          ("fft2", "rfft2", "irfft2")])
    return found


def script_reductions_that_keep_axes(torch):
    found = []
    for order in itertools.permutations(range(3)):
        x = permuted(torch, (2, 3, 4), order)
        for dim in (0, 1, 2, (0, 1), (1, 2), (0, 2)):
            found.append([laid(v) for v in (
                x.sum(dim, keepdim=True), x.mean(dim, keepdim=True), x.amax(dim, keepdim=True),
                x.nansum(dim, keepdim=True), x.std(dim, keepdim=True), x.norm(1, dim=dim, keepdim=True),
                x.norm(float("inf"), dim=dim), torch.linalg.vector_norm(x, 0, dim), (x > 0).all(dim, keepdim=True),
                x.any(dim, keepdim=True), x.logsumexp(dim, keepdim=True))])
        found.append([laid(v) for v in (x.prod(0, keepdim=True), x.prod(1, keepdim=True), *torch.gradient(x),
                                        torch.aminmax(x, dim=1, keepdim=True).min)])
    return found


def script_index_arrays(torch):
    found, mask = [], torch.tensor([True, False, True, True])
    for order in itertools.permutations(range(3)):
        x = permuted(torch, (4, 4, 4), order)
        some = torch.tensor([[0, 1], [1, 2]])
        found.append([laid(v) for v in (
            x[:, [0, 1]], x[[0, 1]], x[..., [0, 1]], x[:, some], x[some], x[[0, 1], :, [1, 2]], x[:, [0, 1], [1, 2]],
            x[[0, 1], [1, 2]], x[:, mask], x[mask], x[..., mask], x[0, :, [0, 1]], x[:, 0, [0, 1]], x[1:, None, [0, 1]],
            x[::2, :, [0, 1]], x[:, ::2][:, [0, 1]], x.gather(1, some[:, None]), x.take_along_dim(x.argsort(0), 0))])
    return found
