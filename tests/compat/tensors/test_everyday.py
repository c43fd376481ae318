"""Everyday lines of torch-style scripts: the same on compat and PyTorch."""

import copy
import pickle

from harness import attempt, message


def script_descent(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    out = []
    for _ in range(3):
        loss = (w * w).sum()
        loss.backward()
        with T.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
        out.append(loss.item())
    w.data -= 0.5
    w.data.mul_(2)
    x = T.ones(2)
    x.requires_grad = True
    return out, w, T.autograd.grad((x * 3).sum(), x), copy.deepcopy(w), (w * 2).is_leaf, (w * 2).retains_grad


def shown(value):
    """What can be compared: values of tensors, the words of everything else."""
    if isinstance(value, tuple):
        return value if value[:1] == ("raised",) else str(value)
    return value if hasattr(value, "requires_grad") else str(value)


def script_one_line_each(T):
    lines = {
        "len": lambda: len(T.ones(3, 2)),
        "iter": lambda: [v.item() for v in T.arange(3)],
        "neg idx": lambda: T.arange(5)[-2:],
        "bool": lambda: T.arange(5)[T.arange(5)>2],
        "size": lambda: T.ones(2, 3).size(-1),
        "shape": lambda: T.ones(2, 3).shape[1:],
        "float()": lambda: float(T.tensor(2.)),
        "arith": lambda: 2/T.tensor([1., 4.]),
        "rpow": lambda: 2**T.tensor([1., 4.]),
        "rsub": lambda: 2-T.tensor([1., 4.]),
        "intdiv": lambda: T.tensor([7, 8])//2,
        "int/int": lambda: T.tensor([7, 8])/2,
        "mod": lambda: T.tensor([7, -8])%3,
        "and": lambda: (T.tensor([True, False])&T.tensor([True, True])),
        "invert": lambda: ~T.tensor([True]),
        "promo": lambda: (T.tensor([1, 2])+1.5).dtype,
        "promo2": lambda: (T.tensor([1.])+T.tensor(1, dtype=T.float64)).dtype,
        "promo3": lambda: (T.tensor([1], dtype=T.uint8)*T.tensor([1], dtype=T.int8)).dtype,
        "half": lambda: (T.tensor([1.]).half()+1).dtype,
        "stack": lambda: T.stack([T.ones(2), T.zeros(2)]).sum(0),
        "einsum": lambda: T.einsum('i, j->ij', T.ones(2), T.ones(3)),
        "full": lambda: T.full((2, ), 7),
        "eye": lambda: T.eye(2),
        "lin": lambda: T.linspace(0, 1, 3),
        "like": lambda: T.zeros_like(T.ones(2, dtype=T.int64)).dtype,
        "where": lambda: T.where(T.tensor([True, False]), 1., 0.),
        "clamp": lambda: T.tensor([1., 5.]).clamp(max=2),
        "clampint": lambda: T.tensor([1, 5]).clamp(0, 2),
        "max": lambda: T.tensor([[1, 5], [7, 2]]).max(dim=1)[1],
        "sort": lambda: T.tensor([3, 1, 2]).sort()[1],
        "cat": lambda: T.cat((T.ones(1), T.zeros(1))),
        "t": lambda: T.ones(2, 3).t().stride(),
        "view err": lambda: T.ones(2, 3).t().view(6),
        "mm err": lambda: T.ones(2, 3)@T.ones(2, 3),
        "add err": lambda: T.ones(2)+T.ones(3),
        "item err": lambda: T.ones(2).item(),
        "numpy err": lambda: T.ones(2, requires_grad=True).numpy(),
        "pickle": lambda: pickle.loads(pickle.dumps(T.ones(2))),
        "hash": lambda: len({T.ones(1), T.ones(1)}),
        "eq": lambda: T.ones(2)==1,
        "in-place chain": lambda: T.ones(2).add_(1).mul_(3),
        "setitem": lambda: (lambda a:(a.__setitem__((0, slice(None)), 5.), a)[1])(T.zeros(2, 2)),
        "mask set": lambda: (lambda a:(a.__setitem__(a>0, 9.), a)[1])(T.tensor([1., -1.])),
        "idx add": lambda: T.zeros(3).index_add_(0, T.tensor([0, 0]), T.ones(2)),
        "scatter": lambda: T.zeros(3).scatter_(0, T.tensor([1]), 5.),
        "nelement": lambda: T.ones(2, 3).numel(),
        "type": lambda: T.ones(1).type(),
        "std": lambda: T.arange(4.).std(),
        "norm": lambda: T.tensor([3., 4.]).norm(),
        "softmax": lambda: T.softmax(T.tensor([1., 1.]), 0),
        "expand neg": lambda: T.ones(2, 1).expand(-1, 3),
        "repr": lambda: repr(T.ones(2, requires_grad=True)*2),
        "squeeze": lambda: T.ones(1, 2, 1).squeeze().shape,
        "narrow": lambda: T.arange(5).narrow(0, 1, 2),
        "any dtype": lambda: T.tensor([0, 1]).any(),
        "argmax k": lambda: T.tensor([[1., 2.]]).argmax(1, keepdim=True),
        "lerp": lambda: T.lerp(T.zeros(2), T.ones(2), .5),
        "outer": lambda: T.outer(T.ones(2), T.ones(2)),
        "cumsum": lambda: T.arange(3).cumsum(0),
        "mean int": lambda: T.arange(3).mean(),
        "round": lambda: T.tensor([.5, 1.5]).round(),
        "sign": lambda: T.tensor([-2, 0]).sign(),
        "pow int": lambda: T.tensor([2])**-1,
        "bool sum": lambda: T.tensor([True, True]).sum(),
        "to": lambda: T.ones(1).to(T.int64).dtype,
        "new": lambda: T.ones(1).new_tensor([1, 2]).dtype,
        "allclose": lambda: T.allclose(T.ones(1), T.ones(1)),
        "equal": lambda: T.equal(T.ones(1), T.ones(2)),
        "unbind": lambda: T.ones(2, 2).unbind()[0],
        "T": lambda: T.ones(2, 3).T.shape,
        "mT": lambda: T.ones(4, 2, 3).mT.shape,
        "real": lambda: T.tensor([1+2j]).real,
        "abs": lambda: T.tensor([3+4j]).abs(),
        "conj": lambda: T.tensor([3+4j]).conj().resolve_conj(),
        "randint": lambda: T.randint(0, 5, (3, )).dtype,
        "mean dim": lambda: T.ones(2, 3).mean((0, 1)),
        "sum dt": lambda: T.ones(2).sum(dtype=T.float64).dtype,
        "ctor": lambda: T.FloatTensor([1, 2]).dtype,
        "Tensor": lambda: T.Tensor([1, 2]).dtype,
        "get": lambda: T.get_default_dtype(),
        "version": lambda: (lambda a:(a.add_(1), a._version)[1])(T.ones(1)),
    }
    return {name: shown(attempt(line)) for name, line in lines.items()}


def script_factories_write_to_out(T):
    whole = T.empty(0, dtype=T.int32)
    given = T.ones(2)
    return (T.arange(3, out=whole), whole, T.zeros(2, out=given) is given, given, T.eye(2, out=T.empty(2, 2)),
            T.randn(3, out=T.empty(3)).shape == (3,))


def script_samplers_on_recorded_tensors(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    y.normal_()
    y.sum().backward()
    return x.grad, y.requires_grad, attempt(lambda: x.uniform_())


def script_bfloat16_beside_numbers(T):
    b = T.tensor([1.0, 2.0], dtype=T.bfloat16)
    return [str(v.dtype) for v in (b + 1.0, b * 2, b + 1j, b + b)]


def script_assigned_real_and_imaginary_parts(torch):
    found = []
    x = torch.tensor([1 + 2j, 3 + 4j], requires_grad=True)
    r = torch.tensor([5.0, 6.0], requires_grad=True)
    y = x * 1
    y[0].imag = 0.0
    y.real = r
    (y.abs() ** 2).sum().backward()
    found += [y, x.grad, r.grad, y._version]
    for start, part, value in (((1.0, 2.0), "real", [3.0, 4.0]), ((1.0, 2.0), "real", 5), ((1, 2), "real", [2.5, 3.5]),
                               ((1j, 2.0), "imag", 7), ((1j, 2.0), "real", True)):
        t = torch.tensor(start)
        setattr(t, part, torch.tensor(value) if isinstance(value, list) else value)
        found += [t, t._version]
    leaf = torch.tensor([1j, 2.0], requires_grad=True)
    found += [message(lambda t=t, value=value: setattr(t, "imag", value)) for t, value in (
        (torch.ones(2), 3.0), (leaf, 3.0), (torch.tensor([1j]), 1j), (torch.tensor([1j]), "a"),
        (torch.tensor([1j]), None), (torch.tensor([1j, 1j]), torch.ones(3)))]

    def square(x):
        z = torch.complex(x, x) * 1
        z.imag = x * x
        z.real = 2.0
        return (z * z).real.sum()

    p = torch.tensor([0.5, 2.0])
    return found, torch.func.grad(square)(p), torch.func.vmap(torch.func.grad(square))(p[:, None]), (
        torch.func.jvp(square, (p,), (p,)))


def script_quotients_of_other_classes(torch):
    class Factor:
        def __rmul__(self, other):
            return "times", other

    return [Factor() / torch.tensor(2.0), *[
        attempt(lambda v=v, t=t: v / t) for v in ([1.0], None, "a", {}, (1,)) for t in (
        torch.tensor(2.0), torch.tensor([2, 3]))]]
