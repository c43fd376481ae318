"""Names, arguments, attributes and pickles of the reference."""

import inspect
from collections import OrderedDict

from harness import message


def script_what_may_be_deleted_and_set_on_tensors(torch):
    x = torch.tensor(1.0, requires_grad=True)
    found = [message(lambda name=name: delattr(x, name)) for name in (
        "data", "requires_grad", "_grad_fn", "_backward_hooks")]
    x.data = torch.tensor(2.0)
    found += [message(lambda: setattr(x, "data", torch.tensor(3))), message(lambda: setattr(x, "data", None))]
    seen = []
    plain, y = torch.ones(2), x * 2
    for t in (x, plain, y):
        t._backward_hooks = OrderedDict(mine=lambda g: seen.append(g.tolist()))
    (y * plain.sum()).backward()
    y = x * 2
    y._grad_fn = None
    return found, x, x.grad, seen, y.requires_grad, plain._backward_hooks is not None


def script_types_of_tensors_by_their_old_names(torch):
    kinds = [torch.DoubleTensor, torch.FloatTensor, torch.LongTensor, torch.BoolTensor]
    tensors = [torch.ones(2), torch.ones(2).double(), torch.ones(2).long(), torch.ones(2) > 0, 3]
    return [[isinstance(t, kind) for t in tensors] for kind in kinds], [
        (kind([1, 0]), kind().dtype == kind.dtype, torch.ones(2).type(kind), tensors[0].type(kind.dtype).type())
        for kind in kinds]


def script_numpy_without_recording(torch):
    x = torch.ones(2, requires_grad=True)
    found = [message(x.numpy)]
    with torch.no_grad():
        array = x.numpy()
        array[0] = 5.0
    return found, x, message(x.numpy)


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


def script_pickled_results_are_leaves(torch):
    import pickle
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return pickle.loads(pickle.dumps(x * 2)), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x.detach()))


def script_swapped_tensors_take_each_others_place(torch):
    import weakref
    swap = torch.utils.swap_tensors
    layer = torch.nn.Linear(2, 2, bias=False)
    optimizer, weight = torch.optim.SGD(layer.parameters(), lr=1.0), layer.weight
    other = torch.nn.Parameter(torch.ones(2, 2))
    other.tag = "other"
    swap(layer.weight, other)
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    found = [weight is layer.weight, weight, weight.tag, hasattr(other, "tag"), weight.grad, other.grad]
    leaf = torch.ones(2, requires_grad=True)
    product, plain = leaf * 2, torch.zeros(3)
    swap(product, plain)
    plain.sum().backward()
    found += [leaf.grad, product, product.requires_grad, plain.requires_grad]
    kept = weakref.ref(plain)
    found += [message(lambda: swap(product, plain)), kept() is plain]
    whole, end = torch.arange(4.0), torch.zeros(2)
    view = whole[1:]
    swap(view, end)
    end.add_(1)
    return found, whole, view, end._is_view(), view._is_view()
