"""`_saved_*` of nodes: what is listed is PyTorch's, by name, type and value."""

import numpy as np
import pytest

import covector.compat.torch as compat

# Nodes that show all that PyTorch's show; of the others what is listed is PyTorch's.
WHOLE = """
x + y | x - y | x * y | x / y | x + 2 | 2 - x | -x | x ** 2 | x ** 3 | x ** 2.5 | x ** y | torch.pow(x, 0.5)
torch.add(x, y, alpha=2) | torch.sub(x, y, alpha=3) | torch.add(x, 2, alpha=2) | x.exp() | x.log() | x.sin() | x.tanh()
x.sigmoid() | x.sqrt() | x.abs() | x.square() | x.relu() | x.erf() | x.erfinv() | x.logit() | x.xlogy(y) | x.sinc()
torch.atan2(x, y) | torch.hypot(x, y) | torch.maximum(x, y) | torch.fmod(x, y) | torch.remainder(x, y)
torch.logaddexp(x, y) | torch.fmax(x, y) | torch.lerp(x, y, 0.3) | torch.addcmul(x, y, z) | torch.addcdiv(x, y, z)
torch.where(x > 0.5, x, y) | torch.where(x > 0.5, x, z * 2) | x.clamp(0.2, 0.6) | x.clamp(min=0.2) | x.clamp_min(0.2)
x.clamp_max(0.2) | torch.nan_to_num(x) | x.sum() | x.sum(0) | x.sum(1, keepdim=True) | x.sum((0, 1)) | x.sum(-1)
x.mean() | x.mean(0) | x.max() | x.logsumexp(0) | x.cumsum(0) | x.cumsum(-1)
s.mv(v) | v.dot(v) | torch.bmm(b, b) | x.t() | x.T | x.transpose(0, 1) | x.permute(1, 0) | x.view(-1) | x.view(3, 2)
x.squeeze() | x.unsqueeze(1) | x.expand(4, 2, 3) | x[0] | x[0:1] | x[:, 1] | x[None] | x[..., 0]
x[:, ::2] | x.select(0, 1) | x.narrow(1, 0, 2) | x.flip(0) | x.roll(1, 0) | torch.cat([x, y]) | torch.cat([x, y], 1)
torch.stack([x, y], 1) | x.clone() | x.tril() | x.triu(1) | F.softmax(x, 1) | F.log_softmax(x, -1) | F.gelu(x)
F.silu(x) | F.leaky_relu(x) | F.hardtanh(x) | F.softplus(x) | F.mish(x) | F.threshold(x, 0.5, 0.0) | F.hardswish(x)
F.hardshrink(x) | F.softshrink(x) | x.clone().mul_(y) | x.clone().exp_() | x.clone().zero_() | torch.linalg.inv(s)
torch.vdot(v, v) | torch.linalg.matrix_exp(s) | torch.linalg.pinv(s)
"""
PARTLY = """
x.amax(0) | x.nansum(0) | x.amin(-1, True)
x * 2 | 2 / x | 2 ** x | x.prod() | x.prod(0) | x.max(0)[0] | x.std() | x.var(0) | x.norm() | x.cumprod(0)
x.median(0)[0]
x.topk(2)[0] | x.sort()[0] | x @ s | x.mm(s) | torch.addmm(s, s, s) | x[i] | x[x > 0.5] | x.unbind()[0] | x.split(1)[0]
x[0, 1] | x.diagonal() | x.repeat(2, 2) | x.gather(1, j) | x.scatter_add(1, j, y) | x.index_select(0, i) | F.elu(x)
x.masked_fill(x > 0.5, 0.0) | x.as_strided((2, 2), (1, 1)) | F.mse_loss(x, y) | F.nll_loss(x, i) | F.linear(x, s, v)
F.layer_norm(x, (3,)) | F.conv1d(b, b) | F.embedding(i, x) | F.batch_norm(x, None, None, training=True)
F.prelu(x, v[:1])
torch.linalg.det(s) | torch.linalg.slogdet(s)[1] | torch.linalg.solve(s, v) | torch.linalg.qr(s)[0]
torch.linalg.svd(s)[1]
(x * 1) / (y * 1) | (x * 1).prod() | x.clone().clamp_(0.2) | x.clone().pow_(2) | torch.complex(x, y) | x.clone().div_(y)
"""


def calls(text):
    return [c.strip() for line in text.strip().splitlines() for c in line.split("|")]


def saved(torch, call):
    """`{name: plain value}` of what the node of a call lists, and the name of the node."""
    def numbers(n, start):
        return (torch.arange(n, dtype=torch.float64) * 0.37 + start).sin().abs().mul(0.8).add(0.1)

    x, y, z = [numbers(6, k).reshape(2, 3).requires_grad_() for k in (0.1, 1.7, 0.9)]
    s = (numbers(9, 0.4).reshape(3, 3) + torch.eye(3, dtype=torch.float64)).requires_grad_()
    names = {"torch": torch, "F": torch.nn.functional, "x": x, "y": y, "z": z, "s": s,
             "v": numbers(3, 0.8).requires_grad_(),
             "b": numbers(18, 0.3).reshape(2, 3, 3).requires_grad_(), "i": torch.tensor([0, 1]),
             "j": torch.tensor([[0, 1, 2], [2, 1, 0]])}
    node = eval(call, names).grad_fn
    found = {name: getattr(node, name) for name in dir(node) if "_saved_" in name}
    return node.name(), {name: plain(v) if name.startswith("_saved") else None for name, v in found.items()}


def plain(v):
    """A value that those of two libraries can be compared by."""
    if hasattr(v, "detach"):
        return (str(v.dtype) if v.ndim else "", tuple(v.shape), bool(v.ndim and v.requires_grad),
                np.round(np.array(v.detach().tolist(), complex), 9).tolist())
    return tuple(v) if isinstance(v, tuple | list) else v


@pytest.mark.reference
@pytest.mark.parametrize("words", calls(WHOLE) + calls(PARTLY))
def test_what_is_listed_is_pytorchs(words):
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    (name, ours), (other, theirs) = saved(compat, words), saved(torch, words)
    if name == other:
        assert ours.keys() <= theirs.keys(), ours.keys() - theirs.keys()
        assert ours == {k: theirs[k] for k in ours}
    if words in calls(WHOLE):
        assert name == other and ours.keys() == theirs.keys(), theirs.keys() ^ ours.keys()


@pytest.mark.parametrize("words", calls(WHOLE) + calls(PARTLY))
def test_what_is_listed_can_be_read(words):
    saved(compat, words)
