"""One call gives the same bits the first time and every other time: what computes it follows from its arguments."""

import numpy as np
import pytest

import covector.compat.torch as torch

PROGRAMS = {
    "sum": lambda x, y: x.exp().sum(0),
    "var": lambda x, y: x.var(0),
    "std": lambda x, y: x.std(1),
    "mean": lambda x, y: x.mean(0),
    "matmul": lambda x, y: x @ y,
    "turned": lambda x, y: y.t() @ x.t(),
    "einsum of one": lambda x, y: torch.einsum("ij->j", x),
    "einsum": lambda x, y: torch.einsum("ij,jk->ki", x, y),
    "einsum of rows": lambda x, y: torch.einsum("ij,ij->i", x, x.sin()),
    "einsum of three": lambda x, y: torch.einsum("ij,jk,lk->il", x, y, y),
    "linear": lambda x, y: torch.nn.functional.linear(x, y.t(), y[0]),
    "layer_norm": lambda x, y: torch.nn.functional.layer_norm(x, (x.shape[1],)),
    "softmax": lambda x, y: torch.softmax(x, 0),
    "logsumexp": lambda x, y: torch.logsumexp(x, 0),
    "norm": lambda x, y: x.norm(dim=0),
    "gelu": lambda x, y: torch.nn.functional.gelu(x),
    "cumsum": lambda x, y: x.cumsum(0),
    "tensordot": lambda x, y: torch.tensordot(x, y, 1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_and_its_gradient_have_the_same_bits_each_time(name, dtype):
    rng = np.random.default_rng(3)
    given = [torch.tensor(rng.normal(size=shape), dtype=dtype) for shape in ((40, 70), (70, 60))]

    def run():
        x, y = (t.clone().requires_grad_() for t in given)
        out = PROGRAMS[name](x, y)
        found = torch.autograd.grad((out * out.detach().cos()).sum(), (x, y), allow_unused=True)
        return [t.detach().numpy().tobytes() for t in (out, *found) if t is not None]

    first = run()
    assert all(run() == first for _ in range(50))
