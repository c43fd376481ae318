"""Forms of calls that whole programs rest on: how casts lie in memory, dtypes that PyTorch casts, refusals of norms."""

import os
import subprocess
import sys

from harness import attempt, table


def script_casts_and_copies_of_expanded_tensors(torch):
    shapes = {
        "rows": torch.arange(3.0).expand(2, 3), "middle": torch.arange(4.0).view(2, 1, 2).expand(2, 3, 2),
        "both": torch.arange(3.0).view(1, 3, 1).expand(2, 3, 4),
        "turned": torch.arange(6.0).view(2, 3).t()[None].expand(4, 3, 2),
        "permuted": torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1), "steps": torch.arange(12.0).view(3, 4)[:, ::2]}
    casts = [lambda x: x.double(), lambda x: x.to(torch.float64), lambda x: x.half(), lambda x: x.long(),
             lambda x: x.clone(), lambda x: x.contiguous(), lambda x: x.type(torch.float64), lambda x: x.bool(),
             lambda x: x.to(torch.float32, copy=True), lambda x: x.clone(memory_format=torch.contiguous_format)]
    return [(name, cast(x).stride()) for name, x in shapes.items() for cast in casts], [
        shapes["rows"].double().view(-1), shapes["middle"].to(torch.float64).view(2, -1)]


def script_dtypes_that_are_cast(torch):
    functional, a = torch.nn.functional, torch.tensor([[2.0, 0.0], [1.0, 3.0]])
    b = torch.tensor([[1.0, 2.0], [3.0, 1.0]])
    x, y = b.double().requires_grad_(), b.clone().requires_grad_()
    torch.linalg.solve_triangular(a, x, upper=False).sum().backward()
    functional.kl_div(y, b.double(), reduction="sum").backward()
    return table([
        lambda: torch.linalg.solve_triangular(a, b.double(), upper=False),
        lambda: torch.linalg.solve_triangular(a.double(), b, upper=False),
        lambda: functional.kl_div(a, b.double(), reduction="sum"), lambda: functional.kl_div(a.double(), b),
        lambda: functional.kl_div(a, b.half(), log_target=True), lambda: functional.kl_div(a, b.long())]) + [
        x.grad.float(), y.grad, x.grad.dtype]


def script_attention_with_a_mask_that_is_causal_too(torch):
    attend = torch.nn.functional.scaled_dot_product_attention
    q = (torch.arange(24.0).view(1, 2, 3, 4) / 10).requires_grad_()
    masks = [torch.ones(3, 3).bool(), torch.ones(3, 3).tril().flip(1).bool(), torch.eye(3) - 1]
    found = [attend(q, q, q, attn_mask=m, is_causal=True) for m in masks]
    found[1].sum().backward()
    return [t.detach() for t in found], q.grad, attempt(
        lambda: attend(q[0], q[0], q[0], attn_mask=masks[0], is_causal=True))


def script_refusals_of_norms(torch):
    x, cube = torch.ones(2, 3), torch.ones(2, 2, 3)
    norms = torch.linalg.matrix_norm, torch.linalg.norm
    return table([lambda f=f, args=args: f(*args) for f in norms for args in [
        (x, 3), (x, "x"), (x, 2, (0,)), (x, 2, (0, 0)), (x, 2, (0, 5)), (torch.ones(3), "fro", (0, 1)),
        (x.long(), "fro"), (x, 0, (0, 1)), (cube, "nuc", (0, 2)), (cube, 1, (1, 2))]] + [
        lambda: torch.linalg.norm(cube, 2), lambda: torch.linalg.norm(cube, 2, (0, 1, 2)),
        lambda: torch.linalg.norm(cube, "fro"), lambda: torch.norm(x, "nuc", 0), lambda: torch.norm(cube, "nuc"),
        lambda: torch.norm(torch.ones(3), "nuc", (0, 1))])


def script_what_nodes_of_parts_saved(torch):
    x = torch.ones(4, 2, requires_grad=True)
    return [[(name, str(getattr(o[0].grad_fn, name))) for name in dir(o[0].grad_fn) if name.startswith("_saved")]
            for o in (x.split(2), x.split([1, 3]), x.unbind(1), x.chunk(2), list(x))]


def script_numbers_saved_for_backward(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g, None

    x = torch.ones(2, requires_grad=True)
    return [attempt(lambda y=y: Twice.apply(x, y)) for y in (3, "a", [x], None)], torch.Generator(device=None).device


def test_torch_is_imported_without_optional_parts_of_the_standard_library():
    optional = ["sqlite3", "_multiprocessing", "lzma", "bz2", "ctypes", "readline"]
    code = (f"import sys; sys.modules.update(dict.fromkeys({optional})); import covector.compat.torch as torch; "
            "print(torch.ones(1))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False)
    assert done.stdout == "tensor([1.])\n", done.stderr
