"""Sentences of PyTorch's reference that state what happens, one script each, on compat and PyTorch."""

import inspect
import threading
import warnings

from harness import attempt


def noted(fn):
    """What a call gives, and the first words of what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = attempt(fn)
    return answer, [f"{w.category.__name__}: {str(w.message)[:60]}" for w in caught]


def pair(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def script_vectors_may_be_none_for_scalars(torch):
    x, w = pair(torch), torch.ones(2)
    y, z = x * 2, (x * x).sum()
    torch.autograd.backward([y, z], [torch.tensor([1.0, 10.0]), None])
    return (x.grad, attempt(lambda: torch.autograd.backward([w, z * 1], [None, None])),
            attempt(lambda: torch.autograd.backward([x * 2])),
            attempt(lambda: torch.autograd.backward([x * 2], [None])),
            attempt(lambda: torch.autograd.grad([x * 2, w], [x], [torch.ones(2), None])))


def script_inputs_of_backward(torch):
    x = pair(torch)
    y = x * 2
    first = attempt(lambda: (y * y).sum().backward(inputs=[y]))
    none = attempt(lambda: (x * 2).sum().backward(inputs=[]))
    (x * 2).sum().backward(inputs=x)
    return first, none, x.grad, noted(lambda: torch.autograd.grad((x * 3).sum(), [x], only_inputs=False))


def script_gradient_is_recorded_with_create_graph_alone(torch):
    x, g = pair(torch), torch.tensor([1.0, 1.0], requires_grad=True)
    (x * x).backward(g)
    plain, x.grad = x.grad, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).backward(g, create_graph=True)
    return plain, x.grad, attempt(lambda: (x * 2).sum().backward(torch.ones(2))), attempt(
        lambda: (x * 2).backward(torch.ones(2, dtype=torch.float64)))


def script_four_rules_of_layouts(torch):
    out = []
    for p in (torch.ones(3, 2).t(), torch.ones(6).as_strided((2, 2), (3, 1)), torch.ones(1).expand(3),
              torch.ones(2, 3, 4).permute(2, 0, 1)):
        p = p.requires_grad_()
        (p * 2).sum().backward()
        first = p.grad
        (p * 2).sum().backward()
        out += [first.stride(), p.grad is first]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (p * p).sum().backward(create_graph=True)
        out += [p.grad is first, p.grad.stride()]
    return out


def script_manual_layout(torch):
    q = torch.ones(2, 3, requires_grad=True)
    q.grad = torch.zeros(3, 2).t()
    first = q.grad
    with warnings.catch_warnings():  # PyTorch says once a process that the layout is not the parameter's
        warnings.simplefilter("ignore")
        (q * 2).sum().backward()
        out = [q.grad is first, q.grad.stride()]
        (q * q).sum().backward(create_graph=True)
    return [*out, q.grad is first, q.grad.stride(), q.grad]


def script_floating_and_complex_types_alone(torch):
    kinds = (torch.half, torch.float, torch.double, torch.bfloat16, torch.cfloat, torch.cdouble)
    return [torch.ones(2, dtype=k, requires_grad=True).requires_grad for k in kinds], attempt(
        lambda: torch.tensor([1], requires_grad=True)), attempt(
        lambda: torch.ones(2, dtype=torch.int64).requires_grad_())


def script_variable(torch):
    kind, t = torch.autograd.Variable, torch.ones(2)
    v, w, u = kind(t), kind(t, requires_grad=True), kind(torch.ones(2, requires_grad=True) * 2)
    return (type(v).__name__, v is t, v.data_ptr() == t.data_ptr(), w.requires_grad, t.requires_grad, u.requires_grad,
            isinstance(t, kind), w.data.requires_grad, noted(lambda: kind(t, volatile=True).requires_grad),
            attempt(lambda: kind(3)))


def script_disabled_recording(torch):
    x, seen = pair(torch), []
    with torch.no_grad():
        y, z, w = x * 2, torch.ones(2, requires_grad=True), x.detach().requires_grad_()
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()

    @torch.no_grad()
    def doubled(x):
        return x * 2

    @torch.no_grad
    def tripled(x):
        return x * 3

    return [t.requires_grad for t in (y, z, w, doubled(x), tripled(x))], seen


def script_hooks_and_handles(torch):
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    handle = v.register_hook(lambda g: g * 2)
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    hooked, v.grad = v.grad, None
    handle.remove()
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    return hooked, v.grad, type(handle).__name__, handle.remove(), attempt(lambda: torch.ones(2).register_hook(print))


def script_nodes_show_what_they_saved(torch):
    b = torch.zeros(3, requires_grad=True).exp()
    wanted = ("__call__", "_raw_saved_result", "_register_hook_dict", "_saved_result", "metadata", "name",
              "next_functions", "register_hook", "register_prehook", "requires_grad")
    fn = b.grad_fn
    return ([n for n in wanted if n not in dir(fn)], isinstance(fn, torch.autograd.graph.Node), fn._saved_result,
            fn.name(), fn.metadata, fn.requires_grad, fn.next_functions[0][0].name())


def script_save_on_cpu_makes_no_copy(torch):
    a, c = torch.ones(3, requires_grad=True) * 1, torch.ones(3)
    with torch.autograd.graph.save_on_cpu():
        y = a * c
    saved = [(getattr(y.grad_fn, n), t) for n, t in (("_saved_self", a), ("_saved_other", c))]
    return [s.data_ptr() == t.data_ptr() for s, t in saved if s is not None]


def script_multi_grad_hook(torch):
    a, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    c, d, out = a * b, a * b, []
    torch.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda gs: out.append([g is not None for g in gs]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    return out


def script_mutation_of_saved_tensors(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        a = torch.ones(2, 3, requires_grad=True)
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.backward()
    return a.grad, type(context).__name__


def script_disabled_hooks(torch):
    def nested():
        with torch.autograd.graph.disable_saved_tensors_hooks("saved tensors default hooks are disabled"):
            with torch.autograd.graph.save_on_cpu():
                pass

    return attempt(nested)


def script_gradients_in_a_dtype_of_their_own(torch):
    x = torch.ones(2, dtype=torch.float16, requires_grad=True)
    x.grad_dtype = torch.float32
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    y = torch.ones(2, requires_grad=True)
    y.grad_dtype = None
    y.grad = torch.ones(2, dtype=torch.float64)
    return x.grad, str(x.grad_dtype), y.grad, attempt(lambda: (y * 1).grad_dtype)


def script_dual_numbers(torch):
    ad = torch.autograd.forward_ad
    with ad.dual_level():
        x = ad.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
        found = ad.unpack_dual(x * x)
        inside = [type(found).__name__, found.primal, found.tangent, ad.unpack_dual(torch.ones(1)).tangent,
                  attempt(lambda: ad.make_dual(torch.ones(2), torch.ones(3))),
                  attempt(lambda: ad.make_dual(torch.ones(2, dtype=torch.int64), torch.ones(2)))]
    return inside, attempt(lambda: ad.make_dual(torch.ones(2), torch.ones(2)))


def script_arguments_of_the_reference(torch):
    """Names and defaults, as the editions and PyTorch 2 give them."""
    ad = torch.autograd
    functions = (ad.backward, ad.grad, ad.functional.jacobian, ad.functional.hessian, ad.functional.vjp,
                 ad.functional.jvp, ad.functional.vhp, ad.functional.hvp, ad.profiler.record_function,
                 ad.profiler.emit_nvtx, ad.profiler.emit_itt, torch.Tensor.backward, torch.Tensor.register_hook,
                 ad.graph.register_multi_grad_hook, ad.graph.save_on_cpu, ad.graph.disable_saved_tensors_hooks,
                 ad.forward_ad.make_dual, ad.forward_ad.unpack_dual, ad.detect_anomaly, ad.set_detect_anomaly,
                 ad.inference_mode, ad.set_grad_enabled)
    return [[(p.name, str(p.default), str(p.kind)) for p in inspect.signature(f).parameters.values()]
            for f in functions]


def script_names_of_the_reference(torch):
    ad = torch.autograd
    names = {
        "": "backward grad gradcheck gradgradcheck Function Variable NestedIOFunction detect_anomaly enable_grad "
            "inference_mode no_grad set_grad_enabled set_detect_anomaly forward_ad functional graph profiler "
            "anomaly_mode grad_mode function",
        "function": "Function BackwardCFunction FunctionCtx FunctionMeta InplaceFunction NestedIOFunction "
                    "once_differentiable _ContextMethodMixin",
        "graph": "Node saved_tensors_hooks save_on_cpu disable_saved_tensors_hooks register_multi_grad_hook "
                 "allow_mutation_on_saved_tensors GradientEdge get_gradient_edge increment_version",
        "profiler": "profile record_function emit_nvtx emit_itt load_nvprof EventList FunctionEvent",
        "forward_ad": "dual_level make_dual unpack_dual enter_dual_level exit_dual_level UnpackedDualTensor",
        "functional": "vjp jvp vhp hvp jacobian hessian",
        "grad_mode": "no_grad enable_grad set_grad_enabled inference_mode",
    }
    return [f"{module}.{name}" for module, line in names.items() for name in line.split()
            if not hasattr(getattr(ad, module) if module else ad, name)]


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


def script_wrong_arguments_of_autograd(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, n = x * 2, torch.tensor([1.0, 2.0])
    autograd = torch.autograd

    def assigned():
        torch.tensor([1]).requires_grad = True

    def hooked(t):
        t.register_post_accumulate_grad_hook(lambda p: 1)
        (t * 2).sum().backward()

    def marked():
        class Marked(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_non_differentiable(1)
                return x * 1

        Marked.apply(x)

    return [attempt(fn)[:2] if fn is marked else attempt(fn) for fn in (
        assigned, marked, lambda: autograd.grad(y.sum(), []), lambda: autograd.grad(y.sum(), n),
        lambda: autograd.grad(y.sum(), x.detach().requires_grad_()), lambda: autograd.backward(y.sum(), inputs=n),
        lambda: autograd.backward(y.sum(), inputs=[1.0]), lambda: hooked(x.detach().requires_grad_()),
        lambda: torch.set_grad_enabled("no"), lambda: autograd.set_detect_anomaly(True, check_nan=1),
        lambda: autograd.forward_ad.exit_dual_level())]


def script_wrong_arguments_of_operations(torch):
    x = torch.tensor([1.0, 2.0])
    functional = torch.nn.functional
    return [attempt(fn) for fn in (
        lambda: x[1.5], lambda: torch.stack([]), lambda: torch.sin(1.0), lambda: torch.exp("a"),
        lambda: functional.binary_cross_entropy(x * 5, x), lambda: functional.pad(x, (1,)),
        lambda: functional.embedding(torch.tensor([7]), torch.ones(3, 2)), lambda: torch.add(1, 2),
        lambda: torch.cdist(x, x), lambda: torch.broadcast_tensors(x, torch.ones(3)), lambda: x.type("frob"),
        lambda: functional.linear(x, torch.ones(3, 3)))]


def script_pickled_results_are_leaves(torch):
    import pickle
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return pickle.loads(pickle.dumps(x * 2)), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x.detach()))
