"""How operations take their arguments: what fits no signature, `out=`, formulas of einsum, broadcasting of losses."""

import itertools
import warnings

import numpy as np

from harness import attempt, double, message, shown, table

rng = np.random.default_rng(4)


def kinds(lines):
    """What each line gives, of errors the type alone: one that opt_einsum raises or not counts as both."""
    found = []
    for line in lines:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(shown(line()))
            except Exception as error:  # of either library
                kind = next(k for k in (TypeError, IndexError, ValueError, RuntimeError, AttributeError)
                            if isinstance(error, k))
                found.append(kind.__name__)
    return found


def script_factories_look_first(torch):
    return kinds([lambda: torch.zeros(), lambda: torch.randn(), lambda: torch.randint(), lambda: torch.ones(2.0),
                  lambda: torch.zeros(size=(2, 3)), lambda: torch.zeros(2, dtype=float), lambda: torch.eye(2, out=3),
                  lambda: torch.arange(1, 2, 3, 4), lambda: torch.zeros(2, pin_memory=True), lambda: torch.eye(n=2),
                  lambda: torch.full((2,), 1.0, pin_memory=False), lambda: torch.zeros([2, 3], None),
                  lambda: torch.zeros((torch.tensor(2), 3)), lambda: torch.zeros(True), lambda: torch.range(3),
                  lambda: torch.nonzero(torch.ones(2), as_tuple=1), lambda: torch.ones(2).nonzero(as_tuple="x"),
                  lambda: torch.unique(torch.ones(2), return_inverse=1), lambda: torch.ones(2).unique(dim=0.5)])


def script_arguments_that_fit_no_signature(torch):
    x = double(torch, 1, 2)
    m = x.expand(2, 2).clone()
    return kinds([lambda: m.max(dim=None), lambda: torch.min(m, None), lambda: m.sum(0, keepdim=None),
                  lambda: m.mean(0, keepdim=None), lambda: torch.maximum(x, 1.5), lambda: torch.minimum(x, 2),
                  lambda: m.squeeze(None), lambda: torch.squeeze(m, dim=(0, 0)), lambda: m.view("x"),
                  lambda: m.view(object()), lambda: m.expand("x"), lambda: m.expand(2, "x"), lambda: m.repeat("x"),
                  lambda: m.repeat(2, object()), lambda: torch.split("x", 2), lambda: m[object()], lambda: m["x"],
                  lambda: m[{}], lambda: torch.max(x, x), lambda: torch.max(x, other=x), lambda: torch.max(m, 1)[1],
                  lambda: m.max(axis=1, keepdims=True)[0], lambda: torch.sum(x, out=x.sum(), dtype=torch.float64),
                  lambda: torch.argsort(x, descending=True, dim=0, out=x.long()),
                  lambda: torch.index_select(m, 1, torch.tensor([5])),
                  lambda: torch.index_select(m, 0, torch.tensor([5]))])


def script_targets(torch):
    x = double(torch, 1.5, -2.5)
    mask = torch.tensor([[True, False], [True, True]])
    into = lambda *shape, dtype=torch.float64: torch.zeros(shape, dtype=dtype)  # noqa: E731
    return kinds([lambda: torch.add(x, x, out=3), lambda: torch.mul(x, 2, out=3.5),
                  lambda: torch.add(x.long(), 2, out=3),
                  lambda: torch.div(x, 2, out=True), lambda: torch.mul(x, 2, out="x"),
                  lambda: torch.cumsum(x, 0, out=into(2, dtype=torch.int64)),
                  lambda: torch.cumprod(x, 0, out=into(2, dtype=torch.float32)),
                  lambda: x.clone().cumsum_(0, dtype=torch.float32), lambda: x.clone().cumsum_(0, dtype=torch.float64),
                  lambda: torch.nonzero(mask, out=into(0, dtype=torch.int64)), lambda: torch.nonzero(mask, out=into(0)),
                  lambda: torch.nonzero(mask, as_tuple=True, out=into(0, dtype=torch.int64)),
                  lambda: torch.fft.irfft(x.to(torch.complex128), out=into(2, dtype=torch.complex128)),
                  lambda: torch.multinomial(x.abs(), 1, out=into(1)),
                  lambda: torch.bernoulli(x * 0, out=into(2, dtype=torch.bool)),
                  lambda: torch.randint(3, (2,), out=into(2, dtype=torch.complex128)),
                  lambda: torch.normal(x.abs().requires_grad_(), 1.0, out=into(2)).shape])


def script_targets_of_composite_operations_carry_the_gradient(torch):
    found = []
    for call in (lambda x, out: torch.tensordot(x, x, dims=1, out=out), lambda x, out: torch.linalg.norm(x, out=out),
                 lambda x, out: torch.inner(x, x[0], out=out)):
        x = double(torch, 1, 2, 3, 4).reshape(2, 2).requires_grad_()
        out = torch.zeros(0, dtype=torch.float64)
        y = call(x, out)
        found += [y is out, y.requires_grad, y, torch.autograd.grad((y * y).sum(), x)[0]]
    return found


def script_views_of_einsum(torch):
    x = double(torch, *range(24)).reshape(2, 3, 4)
    square = double(torch, *range(9)).reshape(3, 3)
    found = [torch.einsum("ijk->kij", x), torch.einsum("...k->k...", x), torch.einsum("ii->i", square),
             torch.einsum("iij->ji", x[:, :2]), torch.einsum("ijk->ki", x)]
    torch.einsum("ii->i", square).zero_()
    return [[f, f._is_view()] for f in found] + [square]


def script_layouts_of_einsum(torch):
    sizes = dict(zip("ijkl", (2, 3, 4, 5)))
    found = []
    for a, b in itertools.product(("ij", "kij", "jl"), ("jk", "lj", "ik")):
        letters = sorted(set(a + b))
        for out in (letters[::-1], letters[1:], letters[:2]):
            x, y = (torch.tensor(np.cos(np.arange(np.prod([sizes[k] for k in w]))).reshape([sizes[k] for k in w]))
                    for w in (a, b))
            found.append(torch.einsum(f"{a},{b}->{''.join(out)}", x, y))
    return found


def script_dtypes_and_errors_of_einsum(torch):
    x, f = double(torch, 1, 2), torch.tensor([3.0, 4.0])
    m = double(torch, 1, 2, 3, 4).reshape(2, 2)
    return kinds([lambda: torch.einsum("i,i->i", x, f), lambda: torch.einsum("i,i->", x, f),
                  lambda: torch.einsum(",i->i", x[0], f), lambda: torch.einsum("i,j->ij", x, x > 1),
                  lambda: torch.einsum(), lambda: torch.einsum("i"), lambda: torch.einsum(3, x),
                  lambda: torch.einsum("i,i", x, 2.0), lambda: torch.einsum("i,i", x, x, x, x),
                  lambda: torch.einsum("ii", x.expand(3, 2)), lambda: torch.einsum("i->j", x),
                  lambda: torch.einsum(m, [0, 1], m, [1, 2], [0, 2]), lambda: torch.einsum(m, [0, 1], [1, 0]),
                  lambda: torch.einsum(m, [..., 0], [0, ...]), lambda: torch.einsum(m, [60, 1]),
                  lambda: torch.einsum("...i,i->i", m, x), lambda: torch.einsum("ij,jk", [m, m])])


def script_words_for_shapes_of_contractions(torch):
    def ones(*shape):
        return torch.ones(shape, dtype=torch.float64)

    return [message(line) for line in (
        lambda: torch.einsum("ij,jk->ik", ones(2, 3), ones(2, 3)), lambda: torch.einsum("ij,jk", ones(2, 3)),
        lambda: torch.einsum("ij", ones(2, 3), ones(2, 3)), lambda: torch.einsum("ij,jk", ones(2, 3, 4), ones(3, 2)),
        lambda: torch.einsum("ij,jk", ones(2), ones(3, 2)), lambda: torch.einsum("i...j,jk", ones(2), ones(3, 2)),
        lambda: torch.einsum("bij,bjk->bik", ones(2, 3, 4), ones(3, 4, 2)),
        lambda: torch.tensordot(ones(2, 3), ones(2, 3), dims=1),
        lambda: torch.tensordot(ones(2, 3), ones(4, 3), ([0], [1])),
        lambda: torch.linalg.solve(ones(2, 2), ones(3)), lambda: torch.linalg.solve(ones(2, 2), ones(3, 1)),
        lambda: torch.linalg.solve(ones(2, 2), ones(3, 1), left=False),
        lambda: torch.linalg.solve(ones(2, 2), ones(2), left=False),
        lambda: torch.linalg.solve(ones(2, 2), ones(()).reshape(())),
        lambda: torch.linalg.solve_ex(ones(5, 2, 2), ones(5, 3, 1)))]


def script_gradients_of_einsum(torch):
    found = []
    for formula, *shapes in (("iij->j", (3, 3, 2)), ("...ij->...ji", (2, 3, 4)), ("ij,jk->ki", (2, 3), (3, 4)),
                             ("bij,bjk,k->bi", (2, 3, 4), (2, 4, 3), (3,)), ("i,j->ji", (2,), (3,))):
        tensors = [torch.tensor(np.sin(np.arange(np.prod(s)) + 1.0).reshape(s), requires_grad=True) for s in shapes]
        y = torch.einsum(formula, *tensors)
        found += [g.contiguous() for g in torch.autograd.grad((y * y).sum(), tensors)]
    return found


def script_losses_refuse(torch):
    loss = torch.nn.functional
    x, labels = double(torch, *range(6)).reshape(2, 3), torch.tensor([0, 2])
    p = x.sigmoid()
    return kinds([lambda: loss.cross_entropy(x, labels.double()), lambda: loss.nll_loss(x, labels.double()),
                  lambda: loss.nll_loss(x, x[:1, 0]), lambda: loss.nll_loss(x, labels[:1]),
                  lambda: loss.l1_loss(x, x > 1), lambda: loss.mse_loss(x, x > 1),
                  lambda: loss.binary_cross_entropy(p, p, weight=0.5),
                  lambda: loss.binary_cross_entropy(p, p, weight=p),
                  lambda: loss.binary_cross_entropy_with_logits(x, p.long()),
                  lambda: loss.binary_cross_entropy_with_logits(x, p > 1),
                  lambda: loss.binary_cross_entropy_with_logits(x, p.float()), lambda: loss.normalize(x, p="x"),
                  lambda: loss.normalize(x, p=None), lambda: loss.normalize(x, out=3),
                  lambda: torch.topk(x > 1, 2), lambda: torch.topk(x, 2)])


def script_batch_norm_looks_at_its_parameters(torch):
    x, one = double(torch, *range(12)).reshape(2, 3, 2), double(torch, 1, 2, 3)
    norm = torch.nn.functional.batch_norm
    return kinds([lambda: norm(x, one, one), lambda: norm(x, one, one.float()), lambda: norm(x, one.long(), one),
                  lambda: norm(x, one, one[:1]), lambda: norm(x, one, one, one[:2]), lambda: norm(x, one, one, one > 1),
                  lambda: norm(x, None, None, one.float(), training=True), lambda: norm(x[0, 0], one, one),
                  lambda: norm(x.half(), one.float(), one.float()), lambda: norm(x, None, None)])


def script_cosine_similarity_broadcasts(torch):
    x, y = (torch.tensor(rng_values, requires_grad=True) for rng_values in VALUES)
    near = torch.nn.functional.cosine_similarity
    out = [near(x, y, dim=1), near(x, y[:, :1], dim=1), near(x.expand(2, 3, 4), y, dim=0)]
    return [*out, *torch.autograd.grad(sum((o * o).sum() for o in out), (x, y)),
            *kinds([lambda: near(x.detach().long(), y), lambda: near(x.long(), y.long()),
                    lambda: near(x, y.to(torch.complex128))])]


VALUES = rng.normal(size=(2, 3, 4))


def script_matrices_of_one_triangle(torch):
    a = torch.tensor(VALUES[0, :, :3] + 0.3j * VALUES[1, :, :3], requires_grad=True)
    positive = a + 6 * torch.eye(3)
    values, vectors = torch.linalg.eigh(a)
    factor = torch.linalg.cholesky(positive)
    below = torch.linalg.eigvalsh(a.real, UPLO="U")
    return [values, vectors.abs(), factor, below,
            *(torch.autograd.grad(t, a, retain_graph=True)[0].contiguous()
              for t in ((values ** 2).sum(), vectors.abs().cos().sum(), below.cos().sum())),
            *table([lambda: torch.linalg.solve(positive, a, left=False).stride()])]


def script_powers_of_a_number_are_contiguous(torch):
    x = torch.tensor(VALUES[0]).t()
    return [2**x, torch.pow(2.0, x), torch.pow(torch.tensor(2.0, dtype=torch.float64), x), x**2, 2 - x]


def script_writes_translate_errors(torch):
    x = torch.ones(2, 3)
    return kinds([lambda: x.logical_and_(torch.ones(2)), lambda: x.expand(4, 2, 3).logical_or_(x),
                  lambda: x.expand(4, 2, 3).tril(1)])


def script_indices_that_are_refused(torch):
    x, index = torch.tensor(VALUES[0], dtype=torch.float32), torch.tensor([0, 1])
    far, real, grid = torch.tensor([9, 0]), torch.tensor([0.0, 1.0]), torch.tensor([[0, 1]])
    return kinds([lambda: torch.index_add(x, 1, far, x[:, :2]), lambda: torch.index_add(x, 1, index - 1, x[:, :2]),
                  lambda: torch.index_add(x[0], 0, far[:1], x[0, :1]), lambda: torch.index_add(x, 1, real, x[:, :2]),
                  lambda: torch.index_add(x, 1, grid, x[:, :2]), lambda: torch.index_add(x, 1, index, x[:2, :2]),
                  lambda: torch.index_add(x, 1, index, x[0, :2]), lambda: torch.index_add(x, 1, index, x[:, :3]),
                  lambda: torch.index_copy(x, 1, far, x[:, :2]), lambda: torch.index_copy(x, 1, grid, x[:, :2]),
                  lambda: torch.index_fill(x, 1, far, 1.0), lambda: torch.index_fill(x, 1, index.int(), 1.0),
                  lambda: torch.index_fill(x, 1, real, 1.0), lambda: torch.index_fill(x, 1, grid, 1.0),
                  lambda: torch.take_along_dim(x, real[None], 1), lambda: torch.take_along_dim(x, index, 1),
                  lambda: torch.take_along_dim(x, grid.int(), 1), lambda: torch.take_along_dim(x, grid.t(), 1),
                  lambda: torch.take_along_dim(x, real[None]), lambda: torch.take(x, real > 0),
                  lambda: torch.take(x, index.int()), lambda: torch.take(x, far + 90),
                  lambda: torch.put(x, real, x[0, :2]), lambda: torch.isin(x > 0, x > 0), lambda: torch.isin(x, x > 0),
                  lambda: torch.isin(x.to(torch.complex64), x), lambda: torch.isin(x, 1),
                  lambda: torch.kthvalue(x[:, :0], 1), lambda: torch.scatter_reduce(x, 1, far[None], x, "sum"),
                  lambda: torch.scatter_reduce(x[:, :0], 1, grid, x, "sum"),
                  lambda: torch.scatter_reduce(x, 1, index, x, "sum"), lambda: torch.index_put(x, ("x",), x[0]),
                  lambda: torch.index_put(x, (far,), x[0]), lambda: x.index_put_((index,), torch.ones(3, 4)),
                  lambda: torch.masked_scatter(x, real[:1], x), lambda: torch.masked_scatter(x, x > 0, x.long()),
                  lambda: torch.masked_scatter(x, x.isfinite(), x[0]),
                  lambda: torch.masked_scatter(x[0], x.isfinite(), x),
                  lambda: torch.unique_consecutive(x[0, :1]), lambda: torch.unique_consecutive(x, return_counts=1)])


def script_shapes_and_operands_that_are_refused(torch):
    x, b = torch.tensor(VALUES[0], dtype=torch.float32), torch.ones(2, 3, 3)
    one = torch.ones(2)
    return kinds([lambda: torch.baddbmm(x, x, x), lambda: torch.baddbmm(x, b, x[0]), lambda: torch.baddbmm(b, b, x),
                  lambda: torch.baddbmm(b[None], b, b), lambda: torch.baddbmm(b[0], b, b),
                  lambda: torch.addbmm(x, x[0], b), lambda: torch.addbmm(b, b, b), lambda: torch.addmv(x[0], x, x),
                  lambda: torch.addmv(x[0], x[0], x[0]), lambda: torch.addr(x, x, x),
                  lambda: torch.addr(b, x[0], x[0]), lambda: torch.broadcast_shapes(),
                  lambda: torch.broadcast_shapes((2,), (3,)), lambda: torch.broadcast_shapes(2, (3, 1)),
                  lambda: torch.broadcast_shapes([2], one), lambda: torch.broadcast_shapes((-1, 2), (2, 2)),
                  lambda: torch.narrow(x, 0, 1.5, 1), lambda: x.select(0, 1.5), lambda: x.narrow(0, 0.5, 1),
                  lambda: torch.roll(x, (0, 0), 1), lambda: torch.roll(x, 1, (0, 0)), lambda: torch.roll(x, (1, 2)),
                  lambda: torch.roll(x, (1, 1), (0, 0)), lambda: torch.roll(x, 1, 9), lambda: torch.roll(x, 2),
                  lambda: x.clone().fill_("x"), lambda: x.clone().fill_(None), lambda: x.clone().fill_(x),
                  lambda: torch.block_diag(1, x), lambda: torch.block_diag(x, out=x),
                  lambda: torch.cartesian_prod(x[0], 1), lambda: one.mT, lambda: torch.rsub(0.5, x),
                  lambda: torch.rsub(x, 2, out=x), lambda: torch.dist(x, x > 0), lambda: x.logical_and_(one),
                  lambda: torch.constant_pad_nd(x, pad=(1, 1)), lambda: x.byte().sum_to_size(1, 4),
                  lambda: str(one.__rand__("x")), lambda: str(one.__rmatmul__("x")), lambda: str(one.__rmod__("x")),
                  lambda: str(one.__and__("x")), lambda: str(one.__rxor__(object()))])


def script_arguments_of_random_operations(torch):
    x = torch.tensor(VALUES[0], dtype=torch.float32)
    calls = [lambda: x.uniform_(0, 1, 2), lambda: x.uniform_(nothing=1), lambda: x.uniform_(to=2),
             lambda: x.normal_(0, 1, generator=None), lambda: x.normal_(std=2.0), lambda: x.exponential_("x"),
             lambda: x.bernoulli_(0.5), lambda: x.bernoulli_(x.clamp(0, 1)), lambda: x.random_(3),
             lambda: x.random_(1, 3), lambda: x.geometric_(0.5), lambda: x.geometric_(), lambda: x.cauchy_(sigma=2.0),
             lambda: x.log_normal_(None), lambda: torch.multinomial(x[:0].abs(), 1),
             lambda: torch.multinomial(x[0].abs(), 1, replacement=1)]
    return kinds([lambda call=call: call().shape for call in calls])


def script_searches_with_nan(torch):
    nan = float("nan")
    edges, values = double(torch, 1, 2, nan), double(torch, 0.5, nan, 2.5)
    found = [torch.searchsorted(double(torch, 1, 2, 3), values), torch.bucketize(values, double(torch, 1, 2, 3))]
    found += [torch.searchsorted(edges, values, right=right) for right in (False, True)]
    rows = torch.stack([edges, edges - 1])
    return [*found, torch.searchsorted(rows, torch.stack([values, values])),
            torch.searchsorted(torch.tensor([2.0, 1.0]), torch.tensor([nan, 1.5]), sorter=torch.tensor([1, 0]))]


def script_histograms_of_equal_values(torch):
    one = torch.ones(3)
    return [*torch.histogram(one, 4), *torch.histogram(one[:0], 2), torch.histc(one, 4), torch.histc(one[:0], 4),
            *torch.histogramdd(torch.ones(3, 2), [2, 2])[1]]


def script_layouts_of_turned_operands(torch):
    x = torch.tensor(VALUES[0][:3, :3]).t()
    q = double(torch, 0.2, 0.7)
    return [x.rot90(), x.rot90(2), x.contiguous().rot90(3), torch.cross(x, x + 1, 0), torch.polar(x.abs(), x),
            x.msort(), x.put(torch.tensor([0, 4]), q), x.index_put((torch.tensor([0]),), q[:1]),
            torch.addr(x, x[0], x[1]),
            torch.renorm(x, 2, 0, 1.0), torch.block_diag(x, x), torch.diagonal_scatter(x, x[0]),
            torch.cumulative_trapezoid(x), torch.quantile(x, q, dim=1), torch.quantile(x, q, 1, True)[..., 0],
            *torch.unravel_index(torch.tensor([3, 5]), (2, 3)), torch.diag_embed(x, 0, 0, 2)]


def script_targets_of_lu(torch):
    out = torch.zeros(0), torch.zeros(2, dtype=torch.int32)
    return kinds([lambda: torch.lu(torch.tensor([[2.0, 1.0], [1.0, 3.0]]), out=out) is out,
                  lambda: out[0].contiguous(), lambda: out[1], lambda: torch.lu(torch.eye(2), out=out[:1])])


def script_matrices_that_are_refused(torch):
    x, m = torch.tensor(VALUES[0]), torch.tensor(VALUES[0, :, :3]) + 4 * torch.eye(3, dtype=torch.float64)
    b, nan = torch.stack([m, m]), m / 0 * 0
    return kinds([lambda: torch.geqrf(m[0]), lambda: torch.ormqr(m[0], m[0], m), lambda: torch.ormqr(m, m[0, :1], m),
                  lambda: torch.ormqr(m, m[0], b), lambda: torch.ormqr(m, m[0], x.t()),
                  lambda: torch.triangular_solve(m[0], m), lambda: torch.triangular_solve(x, m[:2]),
                  lambda: torch.triangular_solve(x.t(), m), lambda: torch.triangular_solve(x, b)[1],
                  lambda: torch.pinverse(nan), lambda: torch.svd(nan), lambda: torch.logdet(m * 0),
                  lambda: torch.logdet(-m), lambda: torch.index_reduce(m, 0, torch.tensor([[0]]), m, "prod"),
                  lambda: torch.index_reduce(m, 0, torch.tensor([0, 1]), x[:2], "prod"),
                  lambda: torch.index_reduce(m, 1, torch.tensor([0, 1, 1]), m, "amax"),
                  lambda: torch.gradient(m.byte()), lambda: torch.gradient(m > 0),
                  lambda: hasattr(torch.Tensor, "view_as_real"), lambda: hasattr(torch.Tensor, "gradient"),
                  lambda: torch.bincount(torch.tensor([], dtype=torch.int64)),
                  lambda: torch.zeros(0, requires_grad=True).median().requires_grad])


def script_operands_in_different_orders(torch):
    """The first operand that tells axes apart decides where they lie."""
    a, b = torch.ones(3, 2).t(), torch.ones(2, 3)
    c, d, e = torch.ones(2, 3, 4).permute(2, 0, 1), torch.ones(4, 2, 3), torch.ones(3, 2, 4).permute(2, 1, 0)
    answers = [a + b, b + a, a * b, c + d, d + c, c * e, e - c, a + torch.ones(3), torch.ones(3) + a,
               torch.ones(2, 1) + a,
               a.exp(), torch.where(a > 0, a, b), torch.maximum(a, b), a**b, torch.softmax(a, 0), a.cumsum(0),
               torch.lerp(a, b, 0.5), torch.addcmul(b, a, a), -c, torch.cat([a, a]), torch.stack([a, a]), c.mean(0),
               c.sum(1, keepdim=True), a.masked_fill(a > 0, 1.0)]
    return [t.stride() for t in answers]


def script_wrong_arguments_of_operations(torch):
    x = torch.tensor([1.0, 2.0])
    functional = torch.nn.functional
    return [attempt(fn) for fn in (
        lambda: x[1.5], lambda: torch.stack([]), lambda: torch.sin(1.0), lambda: torch.exp("a"),
        lambda: functional.binary_cross_entropy(x * 5, x), lambda: functional.pad(x, (1,)),
        lambda: functional.embedding(torch.tensor([7]), torch.ones(3, 2)), lambda: torch.add(1, 2),
        lambda: torch.cdist(x, x), lambda: torch.broadcast_tensors(x, torch.ones(3)), lambda: x.type("frob"),
        lambda: functional.linear(x, torch.ones(3, 3)))]


def script_sizes_by_name(torch):
    x = double(torch, 1, 2)
    return [x.new_ones(size=(2,)), x.new_zeros(size=[1, 2], dtype=torch.int64), x.new_empty(size=(3,)).shape,
            x.new_full(size=(2,), fill_value=3), x.new_full((2,), fill_value=3), x.new_tensor(data=[1, 2]),
            x.view(size=(2, 1)), x.reshape(shape=(2, 1)), torch.reshape(input=x, shape=(1, 2)), x.expand(size=(3, 2)),
            x.repeat(repeats=(2,)), x.sum_to_size(size=(1,)), x.clone().resize_(size=(2, 1)), x.permute(dims=(0,)),
            x.flip(dims=(0,)), x.tile(dims=(2,)), x.unflatten(dim=0, sizes=(1, 2)), x.roll(shifts=1, dims=0),
            *kinds([lambda: x.new_ones(2, shape=3), lambda: x.new_full(size=(2,)), lambda: x.view(2, size=(2, 1)),
                    lambda: x.new_tensor()])]


def script_an_ellipsis_that_passes_over_nothing(torch):
    x = torch.arange(60.0).reshape(3, 4, 5)
    places, mask = torch.tensor([1, 2]), torch.tensor([True, False, True])
    out = []
    for key in ((slice(None), places, Ellipsis, places), (slice(None), places, Ellipsis, 1),
                (mask, Ellipsis, 1, places),
                (slice(None), places, None, places), (1, Ellipsis, places, places), (places, Ellipsis, places)):
        leaf, copy = x.clone().requires_grad_(), x.clone()
        read = leaf[key]
        (read ** 2).sum().backward()
        copy[key] = read.detach() + 1
        out += [x[key], leaf.grad, copy]
    return out


def script_axes_of_squeeze(torch):
    x = torch.arange(3.0).reshape(1, 3, 1).requires_grad_()
    y = (x * 1).squeeze_((0, 2))
    return [list(v.shape) for v in (x.squeeze((0, 2)), x.squeeze((-1, 0)), x.broadcast_to(2, 1, 3, 4), y,
                                    torch.func.vmap(lambda t: t.broadcast_to(2, 3, 1).squeeze((2, 0)))(x))], [
        type(v.grad_fn).__name__ for v in (x.squeeze((0, 2)), x.squeeze((0,)), x.squeeze(0), x.squeeze(), y)], [
        torch.autograd.grad(x.squeeze((0, 2)).sum(), x)[0].tolist(), attempt(lambda: x.squeeze((0, 0)))]
