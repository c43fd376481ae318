"""How torch.nn is imported: paths that programs name, and what is loaded when."""

import importlib
import subprocess
import sys
import warnings

import pytest

import covector.compat.torch as torch
from harness import attempt

PATHS = [
    ("nn.modules.utils", "_pair"), ("nn.modules.utils", "_triple"), ("nn.modules.batchnorm", "_BatchNorm"),
    ("nn.modules.batchnorm", "_NormBase"), ("nn.modules.conv", "_ConvNd"), ("nn.modules.conv", "_ConvTransposeNd"),
    ("nn.modules.dropout", "_DropoutNd"), ("nn.modules.loss", "_Loss"), ("nn.modules.loss", "_WeightedLoss"),
    ("nn.modules.instancenorm", "_InstanceNorm"), ("nn.modules.pooling", "_MaxPoolNd"),
    ("nn.modules.lazy", "LazyModuleMixin"),
    ("nn.modules.module", "register_module_forward_hook"), ("nn.modules.module", "_addindent"),
    ("nn.modules.module", "_IncompatibleKeys"), ("nn.modules.linear", "NonDynamicallyQuantizableLinear"),
    ("nn.modules.transformer", "_get_clones"), ("nn.modules.activation", "MultiheadAttention"),
    ("nn.parameter", "Parameter"), ("nn.parameter", "UninitializedParameter"), ("nn.common_types", "_size_2_t"),
    ("nn.grad", "conv2d_weight"), ("nn.init", "_calculate_fan_in_and_fan_out"), ("nn.utils.rnn", "PackedSequence"),
    ("nn.utils.clip_grad", "clip_grad_norm_"), ("nn.utils.parametrizations", "weight_norm"),
    ("nn.utils.stateless", "functional_call"), ("nn.utils.prune", "l1_unstructured"), ("utils.hooks", "BackwardHook"),
    ("utils.hooks", "RemovableHandle"), ("_C", "_disabled_torch_function_impl"), ("nn.functional", "conv_tbc"),
    ("nn.functional", "fractional_max_pool2d"), ("nn.parallel.scatter_gather", "scatter_kwargs"),
    ("cuda.nvtx", "range_push"), ("distributed._composable.fsdp", "fully_shard"), ("distributed._tensor", "DTensor"),
    ("distributed", "DistError"), ("distributed", "ProcessGroupGloo"), ("distributed", "DebugLevel"),
    ("distributed.distributed_c10d", "_get_default_group"), ("distributed.distributed_c10d", "ReduceOp"),
    ("distributed.constants", "default_pg_timeout"),
    ("distributed._tensor.experimental", "local_map"), ("distributions.multivariate_normal", "_batch_mahalanobis"),
    ("distributions.multivariate_normal", "_precision_to_scale_tril"), ("utils._pytree", "SUPPORTED_NODES"),
    ("utils._pytree", "_get_node_type"), ("utils._pytree", "PyTree"), ("utils.data.dataloader", "_collate_fn_t"),
    ("backends.cpu", "get_cpu_capability"), ("distributions.constraints", "_Real"),
    ("distributions.constraints", "_IndependentConstraint"), ("distributions.constraints", "_CorrCholesky"),
]


@pytest.mark.parametrize(("module", "name"), PATHS)
def test_path_that_programs_import(module, name):
    assert hasattr(importlib.import_module(f"{torch.__name__}.{module}"), name)


def test_layers_are_loaded_when_they_are_asked_for():
    code = ("import sys, covector.compat.torch as torch\n"
            "def loaded(): return sorted(n.rpartition('.')[2] for n in sys.modules if '.nn.modules.' in n)\n"
            "print(loaded()); torch.nn.Linear; print(loaded()); torch.nn.modules.conv._ConvNd; print(len(loaded()))")
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[:3] == ["[]", "['lazy', 'linear']", "3"]


def test_a_name_is_the_same_on_all_its_paths():
    assert torch.nn.Linear is torch.nn.modules.Linear is torch.nn.modules.linear.Linear
    assert torch.nn.Parameter is torch.nn.parameter.Parameter
    assert "Conv2d" in dir(torch.nn) and "Conv2d" in dir(torch.nn.modules)


def test_a_subclass_that_takes_nothing_over_gives_plain_tensors():
    class Mine(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    x = torch.Tensor._make_subclass(Mine, torch.ones(2), True)
    assert type(x) is Mine and x.requires_grad
    assert type(x + 1) is torch.Tensor


def test_steps_of_recurrences_are_functions_too():
    cell, x = torch.nn.LSTMCell(3, 2), torch.ones(4, 3)
    state = torch.zeros(4, 2), torch.zeros(4, 2)
    found = torch.lstm_cell(x, state, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    assert all(map(torch.equal, found, cell(x)))


def test_refusal_names_a_way_out():
    with pytest.raises(NotImplementedError, match="sparse_coo_tensor"):
        torch.sparse_csr_tensor


def test_a_parameter_takes_the_roads_of_plain_tensors():
    """Outputs of lanes and of programs are the same objects in kind: nodes without a call of `__torch_function__`."""
    p, leaf = torch.nn.Parameter(torch.ones(3)), torch.ones(3, requires_grad=True)
    for f in (lambda t: t * t, lambda t: 2 * t, lambda t: t.sin(), lambda t: t[1:], lambda t: t.view(3, 1), torch.sum,
              lambda t: torch.nn.functional.layer_norm(t, (3,), t)):
        for _ in range(3):
            a, b = f(p), f(leaf)
        assert type(a.grad_fn) is type(b.grad_fn) and type(a) is torch.Tensor
        assert a.dispatch_key == b.dispatch_key
        a.sum().backward()
        b.sum().backward()
    assert torch.equal(p.grad, leaf.grad)
    m = torch.nn.Linear(2, 2).half().float()
    assert m.weight.dispatch_key == torch.ones(1).dispatch_key


def script_reductions_by_number(torch):
    reduction = importlib.import_module(f"{torch.__name__}.nn._reduction")
    out = [reduction.get_enum(r) for r in ("none", "mean", "sum")] + [attempt(lambda: reduction.get_enum("max"))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for average in (None, True, False):
            for reduce in (None, True, False):
                out += [reduction.legacy_get_string(average, reduce), reduction.legacy_get_enum(average, reduce, False)]
    return out


def test_ranges_of_a_device_are_refused():
    with pytest.raises(RuntimeError, match="range_push.*NVTX functions not installed"):
        torch.cuda.nvtx.range_push("step")
    with pytest.raises(RuntimeError, match="NVTX functions not installed"), torch.cuda.nvtx.range("step {}", 1):
        pass


def test_script_classes_are_names_of_torch():
    assert torch.ScriptModule is torch.jit.ScriptModule
    assert torch.ScriptFunction is torch.jit.ScriptFunction


def script_modules_that_classes_name(torch):
    optim, schedules = torch.optim, torch.optim.lr_scheduler
    kinds = [optim.Adam, optim.AdamW, optim.SGD, optim.LBFGS, optim.RMSprop, optim.Optimizer, optim.SparseAdam,
             schedules.StepLR, schedules.OneCycleLR, schedules.ReduceLROnPlateau, optim.swa_utils.AveragedModel,
             torch.nn.Parameter, torch.nn.LSTM, torch.autograd.Function, torch.no_grad, torch.utils.data.DataLoader,
             torch.utils.data.TensorDataset, torch.utils.data.RandomSampler]
    return [f"{kind.__module__}.{kind.__qualname__}".removeprefix("covector.compat.") for kind in kinds]
