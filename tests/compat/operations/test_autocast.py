"""autocast on the CPU: which operations are cast, nesting, decorators, Functions, checkpoints, transforms."""

import threading

from harness import attempt


def dtypes_of(out):
    """The dtypes of a nest of tensors."""
    if isinstance(out, tuple | list):
        return [dtypes_of(o) for o in out]
    return str(getattr(out, "dtype", out))


def script_products_are_small(torch):
    a = torch.ones(2, 3, requires_grad=True)
    b = torch.full((3, 2), 0.3, requires_grad=True)
    with torch.autocast("cpu"):
        y = a @ b
        z = y + torch.ones(2, 2)
    z.sum().backward()
    return [y, z, a.grad, b.grad, (a @ b).dtype, [type(f).__name__ for f, _ in y.grad_fn.next_functions]]


def script_which_operations_are_cast(torch):
    nn = torch.nn.functional
    x, wide = torch.ones(1, 2, 4, 4, dtype=torch.bfloat16), torch.ones(4, 4)
    small = wide.bfloat16()
    calls = [lambda: nn.pad(x, (1, 1)), lambda: nn.pad(x[0], (1, 1), mode="reflect"), lambda: x.prod(), lambda: x.sum(),
             lambda: nn.pad(x, (1, 1, 1, 1), "replicate"), lambda: nn.softmax(x, 0), lambda: nn.layer_norm(x, (4,)),
             lambda: torch.einsum("ij,jk->ik", wide, small), lambda: torch.cov(wide), lambda: x.exp(),
             lambda: torch.outer(wide[0], wide[0]), lambda: torch.einsum("ii->i", wide),
             lambda: torch.mv(wide, wide[0]), lambda: wide.addmm(wide, wide), lambda: nn.l1_loss(small, small),
             lambda: nn.nll_loss(small, torch.tensor([0, 1, 2, 3])), lambda: nn.cosine_similarity(small, small),
             lambda: nn.cross_entropy(small, torch.tensor([0, 1, 2, 3])), lambda: torch.linalg.norm(small),
             lambda: torch.mm(wide.double(), wide.double()), lambda: torch.mm(wide, wide, out=torch.empty(4, 4)),
             lambda: torch.matmul(wide.int(), wide.int()), lambda: torch.baddbmm(x[0].float(), x[0], x[0]),
             lambda: torch.cat([wide, small]), lambda: torch.stack([wide, small]), lambda: wide * small,
             lambda: torch.fft.fft(small), lambda: torch.linalg.inv(torch.eye(2).bfloat16()),
             lambda: nn.prelu(wide, torch.ones(1)), lambda: nn.scaled_dot_product_attention(x.float(), x, x)]
    with torch.autocast("cpu"):
        return [dtypes_of(attempt(call)) for call in calls]


def script_layers(torch):
    nn = torch.nn
    x, seen = torch.ones(2, 1, 4, 4), []
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 3),
                          nn.LayerNorm(3))
    with torch.autocast("cpu", torch.bfloat16):
        for layer in model:
            x = layer(x)
            seen.append(str(x.dtype))
        loss = nn.functional.cross_entropy(x, torch.tensor([0, 1]))
        steps = torch.ones(5, 2, 3)
        seen += [dtypes_of(layer(3, 4, 2)(steps)) for layer in (nn.LSTM, nn.GRU, nn.RNN)]
        seen += [dtypes_of(layer(3, 4)(steps[0])) for layer in (nn.LSTMCell, nn.GRUCell, nn.RNNCell)]
        seen.append(dtypes_of(nn.MultiheadAttention(4, 2)(*[torch.ones(3, 2, 4)] * 3)))
    loss.backward()
    return [*seen, str(loss.dtype), [str(p.grad.dtype) for p in model.parameters()]]


def script_nesting_and_setters(torch):
    x, seen = torch.ones(2, 2), []

    def look():
        seen.append([dtypes_of(x @ x), torch.is_autocast_enabled("cpu"), str(torch.get_autocast_dtype("cpu")),
                     torch.is_autocast_cache_enabled()])

    context = torch.autocast("cpu", dtype=torch.float16, cache_enabled=False)
    with torch.autocast("cpu"):
        look()
        with torch.autocast("cpu", enabled=False):
            look()
        with context:
            look()
            other = threading.Thread(target=look)
            other.start()
            other.join()
        look()
    with context:
        look()
    torch.set_autocast_enabled("cpu", True)
    look()
    torch.set_autocast_dtype("cpu", torch.float16)
    look()
    torch.set_autocast_enabled("cpu", False)
    torch.set_autocast_dtype("cpu", torch.bfloat16)
    torch.clear_autocast_cache()
    look()
    decorated = torch.autocast("cpu")(lambda x: x @ x)
    return [*seen, dtypes_of(decorated(x)), torch.autocast_increment_nesting(), torch.autocast_decrement_nesting(),
            attempt(lambda: torch.autocast("foo")), attempt(lambda: torch.autocast(3)),
            attempt(lambda: torch.autocast("cpu")(3)), torch.autocast("cpu", dtype=torch.float64)._enabled]


def script_functions_under_autocast(torch):
    seen = []
    for cast_inputs in (None, torch.float32, torch.float16):
        class Product(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                seen.append((str(a.dtype), torch.is_autocast_enabled("cpu")))
                return a.mm(b)

            @staticmethod
            @torch.amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                seen.append((str(g.dtype), torch.is_autocast_enabled("cpu")))
                return g.mm(b.t()), a.t().mm(g)

        a = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu"):
            y = Product.apply(a, a)
        y.sum().backward()
        seen += [str(y.dtype), str(a.grad.dtype), str(Product.apply(a, a).dtype)]
    return seen


def script_transforms_and_checkpoints_under_autocast(torch):
    x, seen = torch.ones(2, 2), []
    a = torch.full((2, 2), 1.01, requires_grad=True)

    def region(a):
        seen.append(torch.is_autocast_enabled("cpu"))
        return a @ a

    with torch.autocast("cpu"):
        seen += [dtypes_of(torch.func.grad(lambda w: (w @ x).sum())(x)), dtypes_of(torch.vmap(lambda v: v @ x)(x)),
                 dtypes_of(torch.func.jvp(lambda w: w @ x, (x,), (x,)))]
        outs = [torch.utils.checkpoint.checkpoint(region, a, use_reentrant=kind) for kind in (False, True)]
        with torch.inference_mode():
            small = x @ x
    sum(o.sum() for o in outs).backward()
    return [*seen, *outs, a.grad, small.dtype, small.is_inference()]
