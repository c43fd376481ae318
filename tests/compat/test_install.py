"""install(): other people's programs that import torch run on covector; each in a process of its own."""

import subprocess
import sys
import textwrap

import pytest


def run(code, *options):
    """The output of a program."""
    done = subprocess.run([sys.executable, *options, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_import_of_torch_is_answered():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        compat.install()
        import torch
        import torch.nn.functional as F
        from torch.autograd import Function
        from torch.utils.data import DataLoader
        from torch import nn, optim
        import torch.optim.lr_scheduler
        print(torch is compat, F is compat.nn.functional, torch.nn.functional is F, torch.Tensor.__module__,
              torch.__spec__.name, optim is torch.optim)
    """) == "True True True torch covector.compat.torch True"


def test_a_module_that_is_not_there_is_an_import_error_that_says_why():
    assert "install() was called" in run("""
        import covector.compat.torch as compat
        compat.install()
        try:
            import torch.quantization.observer
        except ModuleNotFoundError as error:
            print(error, error.name)
    """)


def test_with_another_torch_loaded_it_is_refused():
    assert "imported in this process already" in run("""
        import sys, types
        sys.modules["torch"] = types.ModuleType("torch")
        import covector.compat.torch as compat
        try:
            compat.install()
        except RuntimeError as error:
            print(error)
    """)


def test_libraries_that_tell_arrays_apart_by_their_module():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import opt_einsum, torch
        x = torch.ones(2, 2, requires_grad=True)
        y = opt_einsum.contract("ij,jk->ik", x, x)
        y.sum().backward()
        print(type(y) is torch.Tensor, x.grad.tolist())
    """) == "True [[4.0, 4.0], [4.0, 4.0]]"


def test_programs_find_names_of_older_releases():
    assert run("""
        import io
        import covector.compat.torch as compat
        compat.install()
        import torch
        from torch import GradScaler
        from torch.cuda.amp.autocast_mode import autocast
        from torch.cuda.amp.grad_scaler import GradScaler as Older
        from torch.cuda.streams import Event, Stream
        from torch.serialization import default_restore_location
        from torch.utils._pytree import _register_pytree_node
        file = io.BytesIO()
        torch.save(torch.arange(3), file)
        file.seek(0)
        print(torch.load(file, map_location=lambda s, tag: default_restore_location(s, "cpu")).tolist())
        print(torch.sym_max(1, 2.0), torch.sym_min(3, 2), torch.sym_not(0), torch.sym_sqrt(4))
    """) == "[0, 1, 2]\n2.0 2 True 2.0"


def test_casts_to_the_types_that_were_before_dtypes():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import torch
        x = torch.ones(2)
        print([str(x.type(t).dtype) for t in (torch.DoubleTensor, torch.LongTensor, torch.Tensor, "torch.IntTensor")])
        torch.set_default_tensor_type(torch.DoubleTensor)
        print(torch.ones(1).dtype)
    """).split("\n") == ["['torch.float64', 'torch.int64', 'torch.float32', 'torch.int32']", "torch.float64"]


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys\nimport torch\nprint(__name__, sys.argv[1:], torch.ones(2).sum().item())\n")
    return path


def test_a_script_is_run_so(script):
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", str(script), "a", "-b"], capture_output=True,
                          text=True)
    assert done.stdout.strip() == "__main__ ['a', '-b'] 2.0", done.stderr


def test_a_module_is_run_so(script):
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", "-m", "program", "a"], capture_output=True,
                          text=True, cwd=script.parent)
    assert done.stdout.strip() == "__main__ ['a'] 2.0", done.stderr


def test_a_script_that_is_not_there(tmp_path):
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", "nowhere.py"], capture_output=True, text=True,
                          cwd=tmp_path)
    assert done.returncode == 1
    assert "nowhere.py: there is no such script" in done.stderr


def test_processes_that_start_anew_have_the_module_too(tmp_path):
    (tmp_path / "many.py").write_text(textwrap.dedent("""
        import multiprocessing, sys
        import torch

        def total(n):
            return torch.ones(n).sum().item(), torch.__name__, sys.argv[1:]

        if __name__ == "__main__":
            for way in ("spawn", "forkserver"):
                with multiprocessing.get_context(way).Pool(1) as pool:
                    print(pool.map(total, [2, 3]))
    """))
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", "many.py", "-x"], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["[(2.0, 'torch', ['-x']), (3.0, 'torch', ['-x'])]"] * 2, done.stderr


def test_modules_that_programs_import_and_may_never_use():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import importlib.metadata
        import torch, torch.hub, torch.functional, torch.futures
        import torch.distributed.rpc, torch.distributed.autograd
        from torch._C import _TensorMeta
        from torch._dynamo import OptimizedModule
        from torch.utils import model_zoo
        import torch.utils.data._utils.collate
        from torch import fx
        from torch._subclasses.fake_tensor import FakeTensor, is_fake
        from torch.distributed import ProcessGroup, ReduceOp, TCPStore, all_reduce, get_rank, group, nn
        from torch.distributed.algorithms.join import Join
        from torch.distributed.device_mesh import DeviceMesh
        from torch.distributed.elastic.multiprocessing.errors import record
        from torch.distributed.fsdp import FullyShardedDataParallel
        from torch.distributed.optim import ZeroRedundancyOptimizer
        from torch.distributed.rpc import RRef
        from torch.distributed.tensor import DTensor
        from torch.fx.experimental.proxy_tensor import get_proxy_mode
        from torch.fx.graph_module import GraphModule
        from torch.types import Device, Number

        class Recorder(fx.Tracer):
            pass

        def written(reader: torch.PyTorchFileReader) -> torch.fx.GraphModule:
            pass

        def sent(x: RRef[int]) -> ProcessGroup:
            try:
                return RRef(x)
            except NotImplementedError as error:
                return error

        x = torch.ones(2)
        print(isinstance(x, (DTensor, FakeTensor, torch.SymInt)), isinstance(3, Number), is_fake(x), get_proxy_mode(),
              GraphModule is fx.GraphModule, torch.functional.einsum is torch.einsum, torch.torch is torch,
              torch.distributed.rpc.is_available(), torch.distributions.distribution.Distribution.__name__,
              importlib.metadata.version("torch") == torch.__version__, record(sent) is sent, fx.wrap("f"))
        print(sent(1))
        print(isinstance(torch.Tensor, _TensorMeta), isinstance(fx, OptimizedModule))
        print(ReduceOp.SUM == 0, group.WORLD, torch.distributed.is_nccl_available())
        for fun, args in [(nn.all_reduce, (x,)), (all_reduce, (x,)), (get_rank, ()), (model_zoo.load_url, ("",))]:
            try:
                fun(*args)
            except NotImplementedError as error:
                print(str(error).split(",")[0])
        try:
            Recorder()
        except NotImplementedError as error:
            print(error)
        torch._assert_async(x[:1])
    """).splitlines() == [
        "False True False None True True True False Distribution True True f",
        "torch.distributed.rpc.RRef is part of PyTorch, but not implemented in covector.compat.torch; one process runs "
        "here; covector.psum and others name axes of vmap (docs/compat_gaps.md has more)",
        "True False", "True None False", *[f"torch.distributed.{name} is part of PyTorch" for name in (
            "nn.all_reduce", "all_reduce", "get_rank")],
        "torch.utils.model_zoo.load_url is part of PyTorch",
        "torch.fx.Tracer is part of PyTorch, but not implemented in covector.compat.torch; covector.make_graph records "
        "functions of arrays (docs/compat_gaps.md has more)"]


def test_what_a_library_with_compiled_operations_asks_for():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import torch, torch._custom_ops, torch.ao.quantization, torch.onnx
        from torch._dynamo.utils import is_compile_supported
        from torch.hub import _get_torch_home, get_dir, urlparse
        from torch.jit.annotations import BroadcastingList2
        from torch.library import Library
        from torch.onnx import symbolic_opset11
        from torch.onnx.symbolic_helper import parse_args
        from torch.utils.model_zoo import tqdm

        def pooled(x, size: BroadcastingList2[int]):
            return x

        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(
            torch._C.DispatchKey.AutocastCUDA)
        print(get_dir().startswith(_get_torch_home()), urlparse("https://a/b").path, is_compile_supported("cpu"),
              torch._C.DispatchKey.AutocastCPU in keys, torch.jit._script_if_tracing(pooled) is pooled,
              torch._C._is_tracing(),
              parse_args("v")(pooled) is pooled, torch.onnx.register_custom_op_symbolic("a::b", pooled, 11))
        torch._assert(True, "holds")
        for fun, args in [(torch.ops.load_library, ("lib.so",)), (torch._assert, (False, "does not hold")),
                          (torch.ao.quantization.QuantStub, ()), (torch._custom_ops.get_ctx, ()), (tqdm, ()),
                          (symbolic_opset11.select, ()), (Library, ("a", "IMPL"))]:
            try:
                fun(*args)
            except (OSError, AssertionError, NotImplementedError) as error:
                print(type(error).__name__, str(error).split(",")[0])
    """).splitlines() == [
        "True /b False True True False True None",
        "OSError Could not load this library: lib.so: its operations are compiled for PyTorch's own tensors",
        "AssertionError does not hold", *[f"UnbuiltError torch.{name} is part of PyTorch" for name in (
            "ao.quantization.QuantStub", "_custom_ops.get_ctx", "utils.model_zoo.tqdm",
            "onnx.symbolic_opset11.select", "library.Library")]]


def test_all_of_torch_nn_is_imported_by_a_star():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        from torch.nn import *
        print(Sequential.__name__, Parameter.__name__, functional.relu.__name__, init.ones_.__name__)
    """) == "Sequential Parameter relu ones_"


def test_vmap_from_before_torch_func_lets_none_pass():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import torch
        from torch._vmap_internals import _vmap
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        pulled = _vmap(lambda v: torch.autograd.grad(y, (x, torch.ones(1, requires_grad=True)), v, allow_unused=True),
                       allow_none_pass_through=True)(torch.eye(3))
        print(pulled[0].tolist(), pulled[1])
    """) == "[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]] None"


def test_names_below_the_surface_that_libraries_of_graphs_import():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import torch
        from torch._tensor_str import PRINT_OPTS, _tensor_str
        from torch.jit import ScriptModule, _overload
        from torch.utils.data.dataloader import _BaseDataLoaderIter
        aten = torch.ops.aten
        print(aten.sort.stable, aten.add_.Tensor, aten._to_copy.default, aten.index.Tensor)
        print(isinstance(torch.nn.Linear(1, 1), ScriptModule), torch.onnx.is_in_onnx_export(),
              isinstance(iter(torch.utils.data.DataLoader([1.0])), _BaseDataLoaderIter), PRINT_OPTS.threshold,
              "USE_MKL=OFF" in torch.__config__.show(), _overload(len) is len)
        print(_tensor_str(torch.tensor([[1.0, 2.5], [3.0, 4.0]]), 1))
        try:
            torch.onnx.export()
        except NotImplementedError as error:
            print(error)
    """).splitlines() == [
        "aten.sort.stable aten.add_.Tensor aten._to_copy.default aten.index.Tensor",
        "False False True 1000 True True", "[[1.0000, 2.5000],", "  [3.0000, 4.0000]]",
        "torch.onnx.export is part of PyTorch, but not implemented in covector.compat.torch; load the weights into "
        "PyTorch with its state_dict and export there (docs/compat_gaps.md has more)"]


def test_parts_of_python_that_torch_loads_are_loaded():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import multiprocessing, torch
        print(multiprocessing.connection.Connection.__name__)
    """) == "Connection"


def test_functorch_comes_with_torch():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import functorch, torch, warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            func, params = functorch.make_functional(torch.nn.Linear(2, 1))
            x = torch.tensor([3.0, 4.0])
            print(functorch.__name__, [g.tolist() for g in functorch.grad(lambda p: func(p, x).sum())(params)])
            print([str(w.message).partition("Please ")[2] for w in caught if w.category is FutureWarning])
            from functorch.experimental import chunk_vmap
            print(chunk_vmap(torch.sum, chunks=3)(torch.ones(4, 2)).tolist())
    """) == ("functorch [[[3.0, 4.0]], [1.0]]\n"
             "['use `torch.func.functional_call` instead.', 'use `torch.func.grad` instead.']\n[2.0, 2.0, 2.0, 2.0]")


def test_libraries_that_tell_traced_numbers_apart_by_their_class():
    assert run("""
        import covector.compat.autograd as compat
        compat.install()
        import autograd
        import autograd.numpy as np

        def f(x):
            kinds.update({x.__class__.__module__, x[0].__class__.__module__, np.sum(x).__class__.__module__})
            return np.sum(x * x)

        kinds = set()
        autograd.hessian(f)(np.ones(2))
        autograd.grad(lambda t: f(t * np.ones(2)))(1.)
        print(kinds)
    """) == "{'autograd.numpy.numpy_boxes'}"


def test_classes_say_the_module_that_they_are_imported_from():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import pickle
        import torch
        from torch import nn
        import torch.nn.utils.prune

        kinds = (torch.Generator, nn.Linear, nn.Module, torch.optim.Adam, torch.utils.data.DataLoader, torch.no_grad,
                 torch.nn.utils.prune.L1Unstructured)
        print([kind.__module__ for kind in kinds if not kind.__module__.startswith("torch")])
        print(type(pickle.loads(pickle.dumps(nn.Linear(1, 1)))) is nn.Linear, str(nn.ReLU))
    """) == "[]\nTrue <class 'torch.nn.modules.activation.ReLU'>"
