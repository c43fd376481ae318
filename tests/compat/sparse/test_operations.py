"""Sparse tensors: what they show, operations on them, and what is refused."""

import copy
import io
import pickle
import warnings

from harness import attempt, message

PLACES = [[0, 1, 1], [2, 0, 2]]


def made(torch, **facts):
    """A sparse tensor, one of which two entries share a place, and dense ones."""
    s = torch.sparse_coo_tensor(PLACES, [3.0, 4.0, 5.0], (2, 3), **facts)
    u = torch.sparse_coo_tensor([[1, 0, 1], [0, 2, 0]], [1.0, 2.0, 3.0], (2, 3))
    return s, u, torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)


def written(lines):
    """What each line gives as text, of errors the first words."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = [attempt(line) for line in lines]
    for value in answers:
        error = isinstance(value, tuple) and isinstance(value[0], str) and value[0] == "raised"
        found.append([*value[:2], value[2].partition(" backend")[0].partition("; ")[0]] if error else repr(value))
    return found


def script_making(torch):
    c = torch.sparse_coo_tensor
    rows = [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]
    v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return written([
        lambda: c(PLACES, [1, 2, 3]), lambda: c(PLACES, [1.0, 2.0], (2, 3)), lambda: c(PLACES, [1.0, 2, 3], (2, 3, 4)),
        lambda: c(PLACES, rows, (2, 3, 2)), lambda: c(PLACES, rows), lambda: c([[0, 1]], [1.0, 2.0], (2,)),
        lambda: c([[0, 1]], 3.0, (2,)), lambda: c((2, 3)), lambda: c(torch.tensor(PLACES)),
        lambda: c(PLACES, [1.0, 2, 3], (2, 3), dtype=torch.float64), lambda: c(PLACES, [True, False, True], (2, 3)),
        lambda: c(PLACES, [1.0, 2, 3], (2, 3), requires_grad=True), lambda: c(PLACES, v, (2, 3)),
        lambda: c(PLACES, v, (2, 3)).is_leaf, lambda: c(PLACES, v.detach(), (2, 3), is_coalesced=True).is_coalesced(),
        lambda: c([[0, 0], [0, 0]], [1.0, 2.0], (2, 3), is_coalesced=True, check_invariants=True),
        lambda: c([[0, 9], [0, 0]], [1.0, 2.0], (2, 3), check_invariants=True),
        lambda: c([[0, -1], [0, 0]], [1.0, 2.0], (2, 3), check_invariants=True),
        lambda: c(torch.zeros(0, 1, dtype=torch.int64), torch.tensor([3.0]), ()), lambda: c([[]], [], (2,)),
        lambda: c(indices=PLACES, values=v.detach(), size=(20, 30)), lambda: c(5, [1.0], (2,)),
        lambda: c(torch.tensor(PLACES, dtype=torch.int32), v.detach(), (2, 3))._indices().dtype,
        lambda: torch.sparse.FloatTensor(torch.tensor(PLACES), v.detach(), torch.Size([2, 3])),
        lambda: torch.sparse.LongTensor(2, 3),
        lambda: torch.sparse.spdiags(torch.arange(6.0).reshape(2, 3), torch.tensor([0, -1]), (3, 3))])


def script_facts(torch):
    s, u, d, _ = made(torch)
    return written([
        lambda: s, lambda: s.is_coalesced(), lambda: u.coalesce(), lambda: s.indices(), lambda: s.values(),
        lambda: s.coalesce().indices(), lambda: s.coalesce().values(), lambda: s._values(), lambda: s._indices(),
        lambda: s._nnz(), lambda: s.stride(), lambda: s.is_contiguous(), lambda: s.storage(), lambda: s.data_ptr(),
        lambda: s.numpy(), lambda: s.tolist(), lambda: s.item(), lambda: s.type(), lambda: s.is_sparse,
        lambda: d.is_sparse,
        lambda: s.numel(), lambda: len(s), lambda: s.dim(), lambda: s.size(), lambda: s.size(0), lambda: s.nbytes,
        lambda: bool(s), lambda: s.sparse_dim(), lambda: s.dense_dim(), lambda: s.layout, lambda: s.device,
        lambda: s.dtype, lambda: s.is_leaf, lambda: s.requires_grad, lambda: torch.is_tensor(s), lambda: s.grad,
        lambda: isinstance(s, torch.Tensor), lambda: isinstance(s, torch.sparse.FloatTensor),
        lambda: isinstance(s, torch.FloatTensor), lambda: s.double(), lambda: s.to(torch.int32), lambda: s.float() is s,
        lambda: d.coalesce(), lambda: d._nnz(), lambda: d.values(), lambda: torch.nn.Parameter(s),
        lambda: torch.typename(s), lambda: s.type_as(d.double())])


def script_operations(torch):
    s, u, d, e = made(torch)
    i = torch.tensor([1, 0, 1])
    return written([
        lambda: s * 2, lambda: 2 * s, lambda: s / 2, lambda: s / torch.tensor(2.0), lambda: s // 2, lambda: s * d,
        lambda: d * s, lambda: s * s, lambda: s + s, lambda: u + s, lambda: u + u, lambda: s + d, lambda: d + s,
        lambda: s - d, lambda: d - s, lambda: s + 1, lambda: s**2, lambda: u.pow(2), lambda: -s, lambda: s.sin(),
        lambda: u.sin(), lambda: s.relu(), lambda: s.abs(), lambda: s.sqrt(), lambda: s.isnan(), lambda: s * d[:, :1],
        lambda: s * d[:, :2], lambda: s / d, lambda: torch.sub(s, u), lambda: torch.add(s, u, alpha=2),
        lambda: s.T, lambda: s.mT, lambda: s.t(), lambda: s.transpose(0, 1), lambda: s.permute(1, 0),
        lambda: s.unsqueeze(0), lambda: s[0], lambda: s[0, 2], lambda: s[:, 1], lambda: s[None], lambda: s[..., 0],
        lambda: s.select(0, 1), lambda: s.index_select(0, i), lambda: s.unbind(0), lambda: list(s),
        lambda: torch.cat([s, s]), lambda: torch.stack([s, s]), lambda: torch.cat([s, d]), lambda: s.transpose(0, 2),
        lambda: d.to_sparse(), lambda: d.to_sparse(1), lambda: d.to_sparse().is_coalesced(), lambda: s.to_sparse() is s,
        lambda: d.sparse_mask(s), lambda: d.sparse_mask(u), lambda: s.sparse_mask(u), lambda: d[:1].sparse_mask(s),
        lambda: torch.zeros_like(s), lambda: torch.empty_like(s), lambda: u.to_dense(), lambda: s.clone(),
        lambda: s.detach(), lambda: s.dist(u), lambda: s.norm(), lambda: u.norm(), lambda: s.any()])


def script_products_and_sums(torch):
    s, u, d, e = made(torch)
    hybrid = torch.sparse_coo_tensor(PLACES, [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    return written([
        lambda: s.mm(e), lambda: s @ e, lambda: s.matmul(e), lambda: torch.sparse.mm(s, e), lambda: torch.mm(u, e),
        lambda: e.t() @ s.t(), lambda: torch.mm(e.t(), u.t()), lambda: s @ e[:, 0], lambda: s.mv(e[:, 0]),
        lambda: s @ s.t(), lambda: torch.sparse.mm(s, u.t()), lambda: torch.addmm(torch.ones(2, 4), s, e),
        lambda: torch.sparse.addmm(torch.ones(2, 4), s, e, beta=2, alpha=3), lambda: torch.spmm(s, e),
        lambda: torch.bmm(torch.stack([s, u]), torch.stack([e, e])), lambda: torch.nn.functional.linear(d, s),
        lambda: s @ torch.ones(2, 2), lambda: hybrid @ torch.ones(2, 2), lambda: torch.sparse.mm(d, d.t()),
        lambda: s.sum(), lambda: u.sum(), lambda: s.sum(0), lambda: s.sum(dim=1), lambda: s.sum((0, 1)),
        lambda: torch.sparse.sum(u), lambda: torch.sparse.sum(s, 0), lambda: torch.sparse.sum(s, [0, 1]),
        lambda: torch.sparse.sum(hybrid, 2), lambda: torch.sparse.sum(hybrid, 0), lambda: torch.sparse.sum(hybrid, [0,
        1]),
        lambda: torch.sparse.sum(d), lambda: torch.sum(s, dtype=torch.float64), lambda: torch.sparse.softmax(s, 1),
        lambda: torch.sparse.softmax(u, 0), lambda: torch.sparse.log_softmax(s, 1),
        lambda: torch.sparse.softmax(hybrid, 1), lambda: torch.sparse.softmax(hybrid, 2),
        lambda: hybrid.permute(1, 0, 2), lambda: hybrid.permute(2, 0, 1), lambda: hybrid.t(), lambda: hybrid.to_dense(),
        lambda: hybrid[1], lambda: hybrid[1, 0], lambda: hybrid.unsqueeze(3), lambda: hybrid.select(2, 1)])


def script_writes_in_place(torch):
    s, u, d, _ = made(torch)

    def entries():
        a = s.clone()
        b = a.mul_(2).add_(s)
        c = a.neg_()
        a /= 2
        return a, b is a, c is a, s

    def of_dense():
        x = torch.zeros(2, 3)
        version = x._version
        x.add_(s, alpha=2)
        x -= u
        x += s * 3
        return x, x._version > version

    def emptied():
        a = s.clone()
        return a.zero_(), a.copy_(u), a.sub_(s)

    leaf = s.detach().requires_grad_()
    return written([entries, of_dense, emptied, lambda: leaf.mul_(2), lambda: s.add_(d), lambda: s.copy_(d)])


def script_what_is_refused(torch):
    s, _, d, _ = made(torch)
    found = written([
        lambda: s.cos(), lambda: s.exp(), lambda: s.max(), lambda: s.view(6), lambda: torch.equal(s, s),
        lambda: s.reshape(3, 2), lambda: s.flatten(), lambda: s.expand(2, 2, 3), lambda: s.contiguous(),
        lambda: s[0:1], lambda: torch.nonzero(s), lambda: torch.triu(s), lambda: s.prod(),
        lambda: s.argmax(), lambda: torch.dot(s, s), lambda: s.reciprocal(), lambda: s.clamp(min=0)])
    kinds = [attempt(f)[:2] for f in (
        lambda: s.mean(), lambda: s > 0, lambda: 1 / s, lambda: s == s, lambda: s != s, lambda: s.softmax(1),
        lambda: s.narrow(0, 0, 1), lambda: s.var(),
        lambda: s.squeeze(), lambda: torch.ones_like(s), lambda: s.fill_(1), lambda: s.diagonal(), lambda: s.sort(),
        lambda: torch.where(d > 0, s, s), lambda: torch.isclose(s, s), lambda: torch.linalg.vector_norm(s))]
    return found, kinds


def script_comparisons_of_sparse_tensors(torch):
    with warnings.catch_warnings(action="ignore"):
        x = torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,))
        others = (x.clone(), x * 1.5, x.to_dense(), torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)),
                  torch.sparse_coo_tensor([[0, 0, 1]], [0.5, 0.5, 2.0], (3,)).coalesce(),
                  torch.sparse_coo_tensor([[0, 0, 1]], [0.5, 0.5, 2.0], (3,)), x.double())
        found = [message(lambda: torch.testing.assert_close(x, other)) for other in others]
        return found, torch.testing.assert_close(x, x.to_dense(), check_layout=False)


def script_copies_and_files(torch):
    s, u, _, e = made(torch)

    def through_a_file(value):
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        return torch.load(file)

    class Graph(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("links", s)
            self.weight = torch.nn.Parameter(torch.ones(3, 2))

        def forward(self, x):
            return torch.sparse.mm(self.links, x @ self.weight)

    m = Graph()
    return written([
        lambda: through_a_file({"s": s, "c": u.coalesce()}), lambda: through_a_file(u.coalesce()).is_coalesced(),
        lambda: pickle.loads(pickle.dumps(s)), lambda: copy.deepcopy(u), lambda: copy.copy(s), lambda: m(torch.ones(3,
        3)),
        lambda: dict(m.state_dict()), lambda: m.load_state_dict(Graph().state_dict()), lambda: m.double().links])

