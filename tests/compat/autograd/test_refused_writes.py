"""Writes that are refused: which refusal comes first, memory that is shared, what a transform captured."""

import math

import pytest

import covector.compat.torch as compat
from harness import attempt, message


def targets(torch):
    return {"leaf": lambda: torch.ones(3, requires_grad=True),
            "view of a leaf": lambda: torch.ones(4, requires_grad=True)[:3],
            "one of several views": lambda: (torch.ones(6, requires_grad=True) * 1).split(3)[0],
            "expanded": lambda: torch.ones(1).expand(3), "own strides": lambda: torch.empty_strided((3,), (0,)),
            "expanded leaf": lambda: torch.ones(1, requires_grad=True).expand(3), "plain": lambda: torch.ones(3)}


def script_which_refusal_comes_first(torch):
    """A leaf is one whatever is written to it; elements that share memory come before shapes and values."""
    wide, two, whole = torch.ones(2, 3), torch.ones(2), torch.tensor([0, 9])
    writes = {
        "add_": (two,), "mul_": (wide,), "sub_": (torch.ones(3, dtype=torch.complex64),), "pow_": (wide,),
        "eq_": (wide,), "copy_": (wide,), "addcmul_": (wide, wide), "bitwise_and_": (1,), "random_": (5, 2),
        "scatter_": (0, whole[1:], torch.ones(1)), "fill_": (torch.ones(3),), "normal_": (0, -1),
        "uniform_": (1, 0), "bernoulli_": (2.0,),
        "lerp_": (torch.ones(3, dtype=torch.float64), 0.5), "tril_": (), "cumsum_": (3,), "clamp_": (),
    }
    found = []
    for make in targets(torch).values():
        found += [message(lambda: getattr(make(), name)(*args))[:60] for name, args in writes.items()]
        found += [message(lambda: make().cumsum_(0, dtype=torch.float64))[:60], message(lambda: make().fill_(1j))[:60],
                  message(lambda: make().add_(torch.ones(3), alpha=1j))[:60],
                  message(lambda: make().div_(2, rounding_mode="x"))[:60]]
    return found


def script_outputs_that_share_memory_with_operands(torch):
    """The same elements in the same order may be written, shifted ones may not."""
    found = []
    for f in (lambda x: torch.add(x[:-1], 1, out=x[1:]), lambda x: torch.add(x, 1, out=x),
              lambda x: torch.exp(x[:4], out=x[2:]), lambda x: torch.cumsum(x[:4], 0, out=x[2:]),
              lambda x: torch.mul(x[:4].view(2, 2), x[1:5].view(2, 2), out=x[2:].view(2, 2)),
              lambda x: torch.add(x[:4].view(2, 2), x[:4].view(2, 2).T, out=x[:4].view(2, 2)),
              lambda x: torch.cat([x[:2], x[2:4]], out=x[:4]), lambda x: torch.where(x[:4] > 1, x[:4], 0, out=x[2:]),
              lambda x: torch.clamp(x[:4], 0, 1, out=x[2:]), lambda x: torch.take(x, torch.tensor([0, 1]), out=x[:2]),
              lambda x: torch.index_select(x, 0, torch.tensor([0, 1]), out=x[:2]), lambda x: torch.neg(x, out=x),
              lambda x: torch.add(x[::2], x[1::2], out=x[::2]), lambda x: torch.add(x[:3], 1, out=x[3:]),
              lambda x: torch.lerp(x[:4], x[2:], 0.5, out=x[2:])):
        x = torch.arange(6.0)
        found += [attempt(lambda: f(x)), x]
    return found


def script_parts_that_are_read_before_they_are_written(torch):
    """Where one part has gaps, in order of memory; what is written first is refused here, and not in the script."""
    found = []
    for shape, write in (
            ((4, 6), lambda x: x.__setitem__((slice(None), 2), x[2, :4])),
            ((4, 6), lambda x: x.__setitem__((slice(None), slice(0, -1)), x[:, 1:])),
            ((2, 600), lambda x: x.__setitem__((slice(None), slice(0, -1)), x[:, 1:])),
            ((4, 6), lambda x: x[:, :-2].add_(x[:, 2:])), ((4, 6), lambda x: x[:3, 1].mul_(x[1, :3])),
            ((4, 6), lambda x: x[:, :4].t().copy_(x[:, 1:5].t())), ((24,), lambda x: x[:20:2].sub_(x[2:22:2])),
            ((24,), lambda x: x[::2].copy_(x[1::2])), ((4, 6), lambda x: x[:-1].copy_(x[1:])),
            ((6,), lambda x: x[:-1].copy_(x[1:]))):
        for asks in (False, True):
            x = torch.arange(float(math.prod(shape))).reshape(shape).requires_grad_(asks)
            y = x * 1
            found += [attempt(lambda: write(y)), y.detach()]
            if asks:
                found.append(attempt(lambda: torch.autograd.grad((y * y).sum(), x)))
    return found


def script_captured_tensors(torch):
    """The message names the overload."""
    found = []
    for name, args in {"add_": (1,), "sub_": ("x",), "mul_": ("x",), "div_": (2,), "floor_divide_": (2,), "pow_": (2,),
                       "remainder_": ("x",), "eq_": (1,), "fill_": (1,), "masked_fill_": (torch.ones(2) > 0, 1),
                       "lerp_": ("x", 0.5), "copy_": ("x",), "zero_": (), "exp_": (), "bitwise_and_": ("x",),
                       "t_": (), "unsqueeze_": (0,), "squeeze_": (), "transpose_": (0, 0)}.items():
        captured = torch.ones(2)

        def f(x, captured=captured, name=name, args=args):
            getattr(captured, name)(*[x if type(a) is str else a for a in args])
            return x.sum()

        found.append([message(lambda: torch.func.grad(f)(torch.ones(2))), captured])
    return found


def script_numbers_of_outputs(torch):
    """Which one of several views it is is known when it may no longer be used."""
    x = torch.ones(4, requires_grad=True) * 1
    views = [*x.split(2), *x.unbind()]
    x.mul_(2)
    return [v.output_nr for v in views] + [message(lambda: views[1] + 1)[:40], x.split(2)[1].output_nr]


def script_scaled_sources(torch):
    """A factor is cut off to the dtype of the source."""
    found = []
    for name in ("bool", "uint8", "int64"):
        dtype = getattr(torch, name)
        x, source = torch.zeros(3, dtype=dtype), torch.ones(2, dtype=dtype)
        found += [attempt(lambda: x.index_add(0, torch.tensor([0, 1]), source, alpha=alpha))
                  for alpha in (1, 2, 2.5, 0, True)]
    return found


def script_writes_to_expanded_tensors(torch):
    """A number may fill memory that elements share; a tensor of one, and a number at an index, are values to copy."""
    writes = [lambda e: e.fill_(2.0), lambda e: e.fill_(torch.tensor(2.0)), lambda e: e.zero_(), lambda e: e.add_(1),
              lambda e: e.copy_(torch.arange(3.0)), lambda e: e[0:2].fill_(2), lambda e: e[0:2].copy_(torch.ones(3)),
              lambda e: e.sub_(torch.ones(3))]
    keys = [0, slice(0, 2), slice(0, 1), slice(0, 0), slice(None), slice(None, None, 2), ..., None, (slice(None), 0),
            (0, 0), (0, slice(0, 2)), (slice(0, 2), slice(0, 1))]
    writes += [lambda e, key=key, value=value: e.__setitem__(key, value)
               for key in keys for value in (1.5, 3, True, torch.tensor(2.0))]
    found = []
    for write in writes:
        for expanded in (lambda: torch.zeros(1, 3).expand(4, 3), lambda: torch.zeros(4, 1).expand(4, 3).data,
                         lambda: (torch.zeros(4, 1, requires_grad=True) * 1).expand(4, 3)):
            e = expanded()
            found += [attempt(lambda: write(e) and None), e.detach()]
    return found


def script_writes_to_places_of_expanded_tensors(torch):
    """PyTorch still allows some of them, with a warning each time: the memory of the places is written."""
    mask = torch.tensor([[True, False, False], [False, True, False]])
    first, rows = torch.tensor([0]), torch.tensor([True, False])
    writes = [lambda e: e.masked_fill_(mask, 1.0), lambda e: e.masked_fill_(mask, torch.tensor(2.0)),
              lambda e: e.masked_scatter_(mask, torch.ones(6)), lambda e: e.index_fill_(0, first, 1.5),
              lambda e: e.index_fill_(1, first, 1.5), lambda e: e.index_put_((first,), torch.tensor(2.5)),
              lambda e: e.index_put_((torch.tensor([0, 1]),), torch.tensor(2.5), accumulate=True),
              lambda e: e.index_put_((torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([1.0, 2.0]), True),
              lambda e: e.__setitem__(first, 1.0), lambda e: e.__setitem__((first, slice(1)), torch.ones(1, 1)),
              lambda e: e.__setitem__(rows, torch.ones(3)), lambda e: e.index_copy_(0, first, torch.ones(1, 3)),
              lambda e: e.scatter_(0, torch.zeros(1, 3, dtype=torch.int64), 1.0)]
    found = []
    for write in writes:
        for expanded in (lambda: torch.zeros(1, 3).expand(2, 3), lambda: torch.zeros(2, 1).expand(2, 3)):
            e = expanded()
            found += [attempt(lambda: write(e) is None), e]
    return found


def test_the_warning_of_a_write_to_places_is_at_the_users_line():
    mask, first = compat.tensor([True, False, False]), compat.tensor([0])
    for write in (lambda e: e.masked_fill_(mask, 1.0), lambda e: e.index_fill_(0, first, 1.0),
                  lambda e: e.index_put_((first,), compat.tensor(1.0)), lambda e: e.__setitem__(first, 1.0)):
        with pytest.warns(UserWarning, match="on expanded tensors is deprecated") as seen:
            write(compat.zeros(1, 3).expand(2, 3))
        assert seen[0].filename == __file__
