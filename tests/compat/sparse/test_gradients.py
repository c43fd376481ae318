"""Gradients through sparse tensors, and sparse gradients of tables."""

import warnings

import pytest

import covector.compat.torch as compat
from harness import attempt

PLACES = [[0, 1, 1], [2, 0, 2]]
TWICE = [[1, 0, 1], [0, 2, 0]]


def words(value):
    """A tensor as text; of errors the kind."""
    error = isinstance(value, tuple) and isinstance(value[0], str) and value[0] == "raised"
    return list(value[:2]) if error else repr(value)


def dense(t):
    """A gradient, its layout aside."""
    return t if t is None else t.to_dense()


def rows(torch):
    return (torch.arange(10.0).reshape(5, 2) / 7).requires_grad_()


def numbers(torch):
    return torch.tensor([[1, 2], [1, 4]])


def script_gradients_of_sparse_leaves(torch):
    weights = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    e, d = torch.arange(12.0).reshape(3, 4), torch.arange(6.0).reshape(2, 3) + 1
    lines = [
        lambda s: s.to_dense() * weights, lambda s: torch.sparse.mm(s, e) ** 2, lambda s: torch.sparse.sum(s * d),
        lambda s: torch.sparse.sum(s, 0).to_dense() ** 2, lambda s: (s * 3).to_dense() * weights,
        lambda s: torch.sparse.sum(s),
        lambda s: (s / 2).to_dense() ** 2, lambda s: (-s).to_dense() ** 2, lambda s: s.t().to_dense() * weights.t(),
        lambda s: s.coalesce().values() ** 2, lambda s: (s + s).to_dense() ** 2, lambda s: (s * s).to_dense() * weights,
        lambda s: torch.sparse.softmax(s, 1).to_dense() * weights, lambda s: s.pow(3).to_dense() * weights,
        lambda s: torch.sparse.log_softmax(s, 1).to_dense() * weights, lambda s: s.clone().to_dense() * weights,
        lambda s: s.to(torch.float64).to_dense() * weights, lambda s: s.abs().to_dense() * weights,
        lambda s: torch.sparse.addmm(torch.ones(2, 4), s, e, alpha=2) ** 2,
        lambda s: torch.sparse.mm(s, s.t()).to_dense() * torch.tensor([[1.0, 2.0], [3.0, 5.0]]),
        lambda s: s.detach().to_dense().requires_grad_() * 2]
    found = []
    for places in (PLACES, TWICE):
        for line in lines:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                s = torch.sparse_coo_tensor(places, [1.0, 2.0, 3.0], (2, 3), requires_grad=True)
                out = line(s)
                out.sum().backward()
            found.append([out.detach(), dense(s.grad)])
    return found


def script_gradients_of_dense_operands(torch):
    found = []
    for places in (PLACES, TWICE):
        s = torch.sparse_coo_tensor(places, [1.0, 2.0, 3.0], (2, 3))
        for line in (lambda x, s=s: torch.sparse.mm(s, x.t()), lambda x, s=s: s @ x.t(), lambda x, s=s: x @ s.t(),
                     lambda x, s=s: x + s, lambda x, s=s: x - s, lambda x,
                     s=s: (x.sparse_mask(s.coalesce())).to_dense(),
                     lambda x: (x + 1).to_sparse().to_dense(), lambda x, s=s: s.mv(x[0]),
                     lambda x, s=s: torch.addmm(x[:, :2], s, x.t()), lambda x, s=s: torch.nn.functional.linear(x, s),
                     lambda x, s=s: (s.coalesce() * x).to_dense(),
                     lambda x: torch.sparse_coo_tensor(PLACES, x[0], (2, 3)).to_dense()):
            x = (torch.arange(6.0).reshape(2, 3) + 1).requires_grad_()
            out = line(x)
            (out**2).sum().backward()
            found.append([out.detach(), dense(x.grad)])
    return found


def script_names_of_nodes(torch):
    s = torch.sparse_coo_tensor(PLACES, [1.0, 2.0, 3.0], (2, 3), requires_grad=True)
    e, w = torch.ones(3, 4), rows(torch)
    outs = [s.to_dense(), torch.sparse.mm(s, e), torch.mm(s, e), s * 2, s + s, -s, s.t(), s.coalesce(), s.sin(), s / 2,
            s.coalesce().values(), s.clone(), s.double(), s.transpose(0, 1), torch.sparse.sum(s, 0), s.norm(),
            torch.sparse.softmax(s, 1), torch.sparse_coo_tensor(PLACES, w[:3, 0], (2, 3)), w.to_sparse(),
            torch.nn.functional.embedding(numbers(torch), w, sparse=True)]
    return [[out.grad_fn.name(), [None if f[0] is None else f[0].name() for f in out.grad_fn.next_functions]]
            for out in outs]


def script_tables(torch):
    F, found = torch.nn.functional, []  # noqa: N806

    def gradient(**options):
        w = rows(torch)
        out = F.embedding(numbers(torch), w, sparse=True, **options)
        (out * torch.arange(4.0).reshape(2, 2, 1)).sum().backward()
        return [out, w.grad, w.grad.is_coalesced(), w.grad.coalesce()]

    for options in ({}, {"padding_idx": 1}, {"padding_idx": -1}, {"max_norm": 1.0}, {"scale_grad_by_freq": True}):
        found.append(words(attempt(lambda o=options: gradient(**o))))
    return found


def script_tables_accumulate(torch):
    F, i = torch.nn.functional, numbers(torch)  # noqa: N806

    def steps(*sparse):
        w = rows(torch)
        held = []
        for k, flag in enumerate(sparse):
            (F.embedding(i, w, sparse=flag) * (k + 1)).sum().backward()
            held.append(w.grad)
        return [repr(w.grad), [g is w.grad for g in held]]

    def once(first, second):
        w = rows(torch)
        (F.embedding(i, w, sparse=first).sum() + F.embedding(i[0], w, sparse=second).sum()).backward()
        return [w.grad.to_dense(), w.grad.is_sparse]

    def tied():
        w = rows(torch)
        (F.embedding(i, w, sparse=True) @ w.t()).sum().backward()
        return w.grad

    def behind(f):
        w = rows(torch)
        F.embedding(i, f(w), sparse=True).sum().backward()
        return dense(w.grad)

    return [steps(True, True, True), steps(True, False), steps(False, True), once(True, True), once(True, False),
    tied(),
            behind(lambda w: w * 2), behind(lambda w: w.exp()), behind(lambda w: -w), behind(lambda w: w / 3),
            behind(lambda w: w.clone())]


def script_what_sees_a_sparse_gradient(torch):
    F, i = torch.nn.functional, numbers(torch)  # noqa: N806

    def by_grad():
        w = rows(torch)
        return torch.autograd.grad(F.embedding(i, w, sparse=True).sum(), w)

    def by_hooks():
        w, seen = rows(torch), []
        w.register_hook(lambda g: seen.append(g) or g * 2)
        w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.is_sparse))
        F.embedding(i, w, sparse=True).sum().backward()
        return seen, w.grad

    def by_a_function():
        class First(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.size = x.shape
                return x[0] * 2

            @staticmethod
            def backward(ctx, grad):
                return torch.sparse_coo_tensor([[0]], 2 * grad.unsqueeze(0), ctx.size)

        w = rows(torch)
        First.apply(w).sum().backward()
        return w.grad

    def assigned():
        w = rows(torch)
        w.grad = torch.sparse_coo_tensor([[1]], [[1.0, 2.0]], (5, 2))
        return w.grad

    def twice():
        w, v = rows(torch), torch.ones(2, 2, 2, requires_grad=True)
        g, = torch.autograd.grad((F.embedding(i, w, sparse=True) * v).sum(), w, create_graph=True)
        (g.to_dense() ** 2).sum().backward()
        return g.requires_grad, v.grad

    def given():
        x = torch.sparse_coo_tensor(PLACES, [1.0, 2.0, 3.0], (2, 3), requires_grad=True)
        (x * 2).backward(torch.sparse_coo_tensor([[0], [2]], [1.0], (2, 3)))
        return x.grad.to_dense()

    return [words(f()) for f in (by_grad, by_hooks, by_a_function, assigned, twice, given)]


def script_bags(torch):
    F, found = torch.nn.functional, []  # noqa: N806
    flat, starts = torch.tensor([1, 2, 1, 4, 0]), torch.tensor([0, 2, 2])
    for mode in ("sum", "mean"):
        for options in ({}, {"padding_idx": 1}, {"padding_idx": -1}):
            w = rows(torch)
            out = F.embedding_bag(flat, w, starts, mode=mode, sparse=True, **options)
            (out * torch.arange(1.0, 4.0)[:, None]).sum().backward()
            found.append([out, repr(w.grad)])
        w = rows(torch)
        F.embedding_bag(numbers(torch), w, mode=mode, sparse=True).sum().backward()
        found.append(repr(w.grad))
    w, scale = rows(torch), torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], requires_grad=True)
    F.embedding_bag(flat, w, starts, mode="sum", sparse=True, per_sample_weights=scale, padding_idx=2).sum().backward()
    return [*found, repr(w.grad), scale.grad,
            words(attempt(lambda: F.embedding_bag(numbers(torch), rows(torch), mode="max", sparse=True)))]


def script_layers(torch):
    torch.manual_seed(0)
    found = []
    for layer in (torch.nn.Embedding(5, 2, sparse=True, padding_idx=0), torch.nn.EmbeddingBag(5, 2, sparse=True)):
        layer(numbers(torch)).sum().backward()
        found += [repr(layer), layer.weight.grad.is_sparse, layer.weight.grad.to_dense()]
    return found


def test_a_sparse_gradient_under_transforms():
    i = numbers(compat)

    def f(w, sparse=True):
        return (compat.nn.functional.embedding(i, w, sparse=sparse) ** 2).sum()

    w = rows(compat).detach()
    g = compat.func.grad(f)(w)
    assert g.is_sparse and compat.equal(g.to_dense(), compat.func.grad(lambda w: f(w, False))(w))
    with pytest.raises(NotImplementedError, match="sparse"):
        compat.func.vmap(compat.func.grad(f))(w.expand(2, 5, 2))
    with pytest.raises((NotImplementedError, RuntimeError)):
        compat.func.jvp(compat.func.grad(f), (w,), (w,))


def test_places_outside_the_size_are_refused_without_being_asked_for():
    for places in ([[0, 9], [0, 0]], [[0, -1], [0, 0]]):
        with pytest.raises(RuntimeError, match="index"):
            compat.sparse_coo_tensor(places, [1.0, 2.0], (2, 3))


def test_a_rule_that_knows_dense_gradients_alone_names_the_sparse_one():
    w = rows(compat)
    out = compat.nn.functional.embedding(numbers(compat), w.cumsum(0), sparse=True)
    with pytest.raises(NotImplementedError, match="sparse gradient"):
        out.sum().backward()


def test_values_with_a_history_are_not_written_to():
    s = compat.sparse_coo_tensor(PLACES, [1.0, 2.0, 3.0], (2, 3), requires_grad=True).coalesce()
    with pytest.raises((RuntimeError, ValueError)):
        s.values().mul_(2)
