"""Saved values: what nodes show of them, when they are freed, writes to them, and mutation that is allowed."""

from harness import attempt, double, made_function, message


def script_saved_attributes_by_operation(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    m, e, p, d, s, t = x * y, x.exp(), x ** 3, x / y, x.sigmoid(), x.tanh()
    got = [m.grad_fn._saved_self, m.grad_fn._saved_other, e.grad_fn._saved_result, p.grad_fn._saved_self,
           p.grad_fn._saved_exponent, d.grad_fn._saved_other, s.grad_fn._saved_result,
           t.grad_fn._saved_result, m.grad_fn._saved_self is x, x.sin().grad_fn._saved_self,
           x.log().grad_fn._saved_self,
           x.sqrt().grad_fn._saved_result, x.relu().grad_fn._saved_result]
    return got, attempt(lambda: m.grad_fn._saved_nothing)


def script_saved_shapes(torch):
    x = torch.ones(2, 3, requires_grad=True)
    return [list(x.sum().grad_fn._saved_self_sym_sizes), list(x.sum(1).grad_fn._saved_dim),
            x.sum(1).grad_fn._saved_keepdim,
            list(x.view(3, 2).grad_fn._saved_self_sym_sizes), list(x.expand(4, 2, 3).grad_fn._saved_self_sym_sizes),
            x.transpose(0, 1).grad_fn._saved_dim0, x.unsqueeze(0).grad_fn._saved_dim]


def script_saved_freed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.sum().backward()
    return attempt(lambda: y.grad_fn._saved_result), attempt(lambda: y.grad_fn._raw_saved_result is None)


def script_saved_not_needed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    fn = (x * c).grad_fn
    return fn._saved_self, fn._saved_other


def script_saved_other_stays_writable(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    b = x * 1
    z = b * c
    b.add_(1)
    z.sum().backward()
    return x.grad


def script_saved_result_after_write(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    fn = y.grad_fn
    y.add_(1)
    return attempt(lambda: fn._saved_result)


def script_hooks_on_a_raw_saved_tensor(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    seen = []
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: (seen.append("pack"), t * 2)[1], lambda t: (seen.append("unpack"), t / 2)[1])
    again = attempt(lambda: raw.register_hooks(lambda t: t, lambda t: t))
    y.sum().backward()
    return seen, x.grad, again, type(raw).__name__, a_call(x)


def a_call(x):
    return x.exp().grad_fn(x.detach())


def script_allow_mutation(torch):
    g = torch.autograd.graph
    a = torch.ones(2, 3, requires_grad=True)
    with g.allow_mutation_on_saved_tensors() as ctx:
        b = a.clone()
        out = (b ** 2).sum()
        b.sin_()
        out.backward()
        grad = a.grad
    with g.allow_mutation_on_saved_tensors():
        b = a.clone()
        late = (b ** 2).sum()
    err = attempt(lambda: late.backward())

    def nested():
        with g.allow_mutation_on_saved_tensors(), g.allow_mutation_on_saved_tensors():
            pass

    return b, grad, err, attempt(nested), ctx is not None


def script_increment_version(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = y.exp() * y
    before = y._version
    torch.autograd.graph.increment_version(y)
    torch.autograd.graph.increment_version([y, x.detach()])
    with torch.inference_mode():
        i = torch.ones(1)
    return before, y._version, attempt(lambda: z.sum().backward()), attempt(
        lambda: torch.autograd.graph.increment_version(i))


def script_what_was_freed_has_no_raw_values(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = Twice.apply(x)
    out.sum().backward()
    try:
        return len(out.grad_fn._raw_saved_tensors)
    except RuntimeError as error:
        return str(error)[:40]


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def script_saved_attributes(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = x * w
    out = [y.grad_fn._saved_self, y.grad_fn._saved_other, y.grad_fn._saved_self is x, x.exp().grad_fn._saved_result]
    y.sum().backward()
    return out, attempt(lambda: y.grad_fn._saved_self)


def script_versions(torch):
    x = torch.ones(3)
    a = x._version
    x.add_(1)
    v = x[1:]
    v.mul_(2)
    d = x.detach()
    d.zero_()
    return a, x._version, v._version, d._version, x.data._version, x


def script_modified_saved_value(torch):
    x = leaf(torch, 1.0, 2.0)
    out = []
    for write in (lambda y: y.add_(1), lambda y: y[0].zero_(), lambda y: y.detach().add_(1), lambda y: y.data.add_(1)):
        y = x * 1
        z = y * y
        write(y)
        out.append(attempt(lambda z=z: z.sum().backward()))
        x.grad = None
    return out


def script_saved_variables_is_an_old_name(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    f = made_function(torch, forward, lambda ctx, g: g * 2 * ctx.saved_variables[0])
    x = torch.tensor(3.0, requires_grad=True)
    f.apply(x).backward()
    return x.grad


def script_saved_tensors_are_made_by_nodes_alone(torch):
    def same(x):
        return x

    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        return x * 2

    f = made_function(torch, forward, lambda ctx, g: g * 2)
    x = torch.ones(5, requires_grad=True)
    y, z = f.apply(x), x * x
    first, second = y.grad_fn._raw_saved_tensors
    third = z.grad_fn._raw_saved_self
    words = "incompatible function arguments"
    found = [message(torch.autograd.SavedTensor), message(lambda: second.register_hooks(same, same))]
    for saved in (first, third):
        found += [isinstance(saved, torch.autograd.SavedTensor), words in message(lambda: saved.register_hooks(same)),
                  words in message(lambda: saved.register_hooks(1, 1))]
        found += [message(lambda: saved.register_hooks(same, same)) for _ in range(2)]
    z.sum().backward()
    return found, message(lambda: third.register_hooks(same, same)), x.grad


def script_mutation_of_saved_tensors(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        a = torch.ones(2, 3, requires_grad=True)
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.backward()
    return a.grad, type(context).__name__


def script_allow_mutation_more(torch):
    g = torch.autograd.graph
    out = []
    x = double(torch, 1, 2).requires_grad_()
    with g.allow_mutation_on_saved_tensors() as ctx:
        out.append(type(ctx).__name__)
        a = x.clone()
        y = a * a
        a.mul_(5)
        z = (y * a).sum()
        a.zero_()
        z.backward()
        out.append(x.grad)
        x.grad = None
        v = x.clone()
        w = v[0:1]
        p = v.exp() * v
        w.fill_(9.0)
        p.sum().backward()
        out.append(x.grad)
        x.grad = None
        b = x.clone()
        q = (b**2).sum()
        b.sin_()
        q.backward(retain_graph=True)
        b.cos_()
        q.backward()
        out.append(x.grad)
        x.grad = None
        c = x.clone()
        q = (c**2).sum()
    out.append(attempt(lambda: q.backward()))

    def nested():
        with g.allow_mutation_on_saved_tensors():
            with g.allow_mutation_on_saved_tensors():
                pass

    out.append(attempt(nested))
    with g.allow_mutation_on_saved_tensors():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            a = x.clone()
            y = (a * a).sum()
            a.mul_(2)
        out.append(attempt(y.backward))
    with g.allow_mutation_on_saved_tensors() as ctx:
        a = x.clone()
        y = (a * a).sum()
        ctx.clear()
        out.append(attempt(y.backward)[:2] if isinstance(attempt(y.backward), tuple) else "ok")
    x.grad = None

    @g.allow_mutation_on_saved_tensors()
    def f():
        a = x.clone()
        y = (a * a).sum()
        a.mul_(2)
        y.backward()
        return x.grad

    out.append(attempt(f))
    return out


def script_raw_saved(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    y = x.exp()
    f = y.grad_fn
    s = f._raw_saved_result
    out.append(type(s).__name__)
    out.append(attempt(lambda: s.register_hooks(lambda t: t * 2, lambda t: t / 2)))
    out.append(attempt(lambda: s.register_hooks(lambda t: t, lambda t: t)))
    out.append(attempt(lambda: f._saved_result))
    y.sum().backward()
    out.append(x.grad)
    out.append(attempt(lambda: f._saved_result))
    y = x * x
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: "x", lambda t: x.exp().detach())
    out.append(torch.autograd.grad(y.sum(), x))
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: "x", lambda t: None)
    out.append(attempt(lambda: torch.autograd.grad(y.sum(), x)))
    return out


def script_what_a_raw_saved_tensor_holds(torch):
    x = torch.tensor(2.0, requires_grad=True)

    def unpack(t):
        return t * 1

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 3, unpack):
        y = x**2
    packed, plain = y.grad_fn._raw_saved_self, y.exp().grad_fn._raw_saved_result

    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    z = Kept.apply(x)
    own = z.grad_fn._raw_saved_tensors
    out = (packed.data, packed.unpack_hook is unpack, plain.unpack_hook, own[0].data, own[0].unpack_hook,
           [isinstance(t, torch._C._autograd.SavedTensor) for t in (packed, plain, *own)])
    own[0].register_hooks(lambda t: t.detach() * 5, lambda t: t / 5)
    return out, own[0].data, z.grad_fn.saved_tensors


def script_originals_that_were_detached_in_place(torch):
    def left(op, of=lambda a, b: a, wanted=None):
        x = torch.tensor([0.5, 0.25], requires_grad=True)
        a = x.clone()
        b = op(a)
        of(a, b).detach_()
        return attempt(lambda: torch.autograd.grad(b.sum(), x)[0].tolist())

    w = torch.tensor([3.0, 4.0], requires_grad=True)
    found = [left(op) for op in (
        lambda a: a.sin(), lambda a: a * w, lambda a: a.log() + 1, lambda a: a.exp(), lambda a: a.sqrt(),
        lambda a: a + 1, lambda a: a * 2, lambda a: a @ w, lambda a: a.detach() * w * x_of(a), lambda a: a ** 3)]
    found.append(left(lambda a: a.exp().sin()))
    found.append(left(lambda a: a.sin(), lambda a, b: a.detach()))
    x = torch.tensor([0.5], requires_grad=True)
    y = x.sin()
    x.detach_()
    y.backward()
    found.append(x.grad)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        found.append(left(lambda a: a.sin()))
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        found.append(left(lambda a: a.sin()))

    def inside(v):
        a = v * 2
        b = a.sin()
        a.detach_()
        return b.sum()

    found.append(attempt(lambda: torch.func.grad(inside)(torch.ones(2))))
    return found


def x_of(a):
    return a + 1


def script_second_sweeps_of_detached_originals(torch):
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    a, b = x.clone(), x.clone() * 2
    y = a * b
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    a.detach_()
    return attempt(lambda: torch.autograd.grad(y.sum(), x, retain_graph=True)), attempt(
        lambda: torch.autograd.grad(y.sum(), x, create_graph=True)), torch.autograd.grad(g.sum(), x)


def script_saved_inputs_of_a_function_that_were_detached_in_place(torch):
    Cube = made_function(torch, lambda ctx, x: (ctx.save_for_backward(x), x ** 3)[1],
                         lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2)
    x = double(torch, 2.0).requires_grad_()
    a = x.clone()
    y = Cube.apply(a)
    a.detach_()
    return torch.autograd.grad(y.sum(), x)


def script_copies_before_the_first_write(torch):
    def copies(saved, write):
        with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
            x = double(torch, 1, 2, 3, 4).requires_grad_()
            a = x.clone()
            outs = [a ** 2 for _ in range(saved)]
            found = [len(context.cloned)]
            write(a)
            found.append(len(context.cloned))
            sum(o.sum() for o in outs).backward()
            found.append(x.grad)
            del outs
            return *found, len(context.cloned)

    ones = double(torch, 1, 1, 1, 1)
    return [copies(2, write) for write in (
        lambda a: a.sin_(), lambda a: a.detach().zero_(), lambda a: a.data.mul_(3),
        lambda a: a.__setitem__(0, 5.0), lambda a: a.__setitem__(slice(0, 2), ones[:2]),
        lambda a: torch.add(ones, 1, out=a.detach()), lambda a: torch._foreach_mul_([a], 3.0),
        lambda a: a.index_add_(0, torch.tensor([1]), ones[:1]), lambda a: a.normal_(), lambda a: None,
        lambda a: torch.nn.init.constant_(a.detach(), 3.0))]


def script_copies_of_two_versions(torch):
    found = []
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        a = torch.ones(2, requires_grad=True).clone()
        b = a ** 2
        a.sin_()
        c = a ** 2
        a.sin_()
        found.append(len(context.cloned))
        del b
        found.append(len(context.cloned))
        del c
        found.append(len(context.cloned))
        (a ** 2).sum().backward()
        a.sin_()
        return *found, len(context.cloned)
