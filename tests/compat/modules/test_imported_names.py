"""Names that programs import from the corners of PyTorch: each is there, or refuses when it is used."""

import importlib
import warnings

import pytest

import covector.compat.torch as compat
from harness import attempt

# Module: names that are imported and do what PyTorch's do; names of what is not built, which say so when they are used.
IMPORTED = {
    "utils.data.dataloader": ("_BaseDataLoaderIter _MultiProcessingDataLoaderIter _SingleProcessDataLoaderIter _utils "
                              "BatchSampler Dataset IterableDataset RandomSampler Sampler SequentialSampler "
                              "default_collate", ""),
    "utils.data._utils.collate": ("collate_float_fn collate_int_fn collate_numpy_array_fn collate_numpy_scalar_fn "
                                  "collate_str_fn collate_tensor_fn default_collate_err_msg_format "
                                  "default_collate_fn_map", ""),
    "utils._pytree": ("BUILTIN_TYPES FlattenFunc KeyEntry KeyPath PyTreeSpec UnflattenFunc treespec_leaf", ""),
    "utils._contextlib": ("_DecoratorContextManager _NoParamDecoratorContextManager", ""),
    "_jit_internal": ("_copy_to_script_wrapper export ignore is_scripting unused", ""),
    "serialization": ("DEFAULT_PROTOCOL STORAGE_KEY_SEPARATOR SourceChangeWarning", ""),
    "jit": ("Error ScriptWarning TracerWarning TracingCheckError", "Attribute CompilationUnit freeze load save"),
    "masked": ("is_masked_tensor", "MaskedTensor as_masked_tensor masked_tensor"),
    "multiprocessing": ("ProcessExitedException ProcessRaisedException", "spawn start_processes"),
    "fx.node": ("Argument Target", "Node map_arg"),
    "fx.proxy": ("", "GraphAppendingTracer Proxy TraceError"),
    "nn.parameter": ("_ParameterMeta", ""),
    "_tensor": ("Tensor", ""),
    "_lowrank": ("pca_lowrank svd_lowrank", ""),
    "_ops": ("", "HigherOrderOperator OpOverload OpOverloadPacket"),
    "cuda.memory": ("max_memory_allocated memory_allocated memory_stats", ""),
    "cuda.random": ("get_rng_state manual_seed_all", ""),
    "export": ("", "Dim ExportedProgram export load save"),
    "nested": ("", "as_nested_tensor nested_tensor to_padded_tensor"),
    "package": ("", "PackageExporter PackageImporter"),
    "quantization": ("", "QConfig QuantStub prepare"),
    "torch_version": ("TorchVersion", ""),
    "utils._python_dispatch": ("is_traceable_wrapper_subclass", "TorchDispatchMode"),
    "utils.collect_env": ("", "get_pretty_env_info"),
    "testing": ("assert_allclose", ""),
    "utils.data": ("functional_datapipe", "IterDataPipe MapDataPipe"),
    "utils.benchmark": ("", "Compare"),
    "_C": ("", "Block Graph Node Value"),
    "": ("float8_e4m3fn qint8 quint8 uint4 int2", ""),
}


@pytest.mark.parametrize("module", IMPORTED)
def test_a_name_is_imported_and_refused_when_it_is_used_at_most(module):
    room = importlib.import_module(f"{compat.__name__}.{module}".rstrip("."))
    built, unbuilt = IMPORTED[module]
    assert [name for name in built.split() if not hasattr(room, name)] == []
    for name in unbuilt.split():
        found = getattr(room, name)
        assert not isinstance(found, type) or not isinstance(compat.ones(1), found)
        with pytest.raises(NotImplementedError, match=rf"{name} is part of PyTorch, but not implemented"):
            found()


@pytest.mark.parametrize(("other", "order"), [
    ("2.9", 1), ((2, 9), 1), ("2.13.0", 1), ("2.13.1rc1", -1), ((3,), -1), ("2.13.0+covector", 0), ("no version", -1)])
def test_versions_compare_as_numbers(other, order):
    version = compat.__version__
    assert isinstance(version, compat.torch_version.TorchVersion) and version.split(".")[0] == "2"
    assert (version > other, version == other, version < other) == (order > 0, order == 0, order < 0)
    assert (version >= other, version != other, version <= other) == (order >= 0, order != 0, order <= 0)


def script_assertions_by_their_old_name(torch):
    x = torch.ones(3)
    calls = [(x + 1e-6, {}), (x.double(), {}), ([1.0] * 3, {}), (x + 1e-2, {}), (x + 1e-2, {"rtol": 0.1, "atol": 0.0})]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [attempt(lambda y=y, kw=kw: torch.testing.assert_allclose(x, y, **kw)) is None for y, kw in calls]


def script_contexts_on_functions(torch):
    from_ = importlib.import_module(f"{torch.__name__}.utils._contextlib")
    seen = []

    class Inside(from_._DecoratorContextManager):
        def __enter__(self):
            seen.append("in")

        def __exit__(self, *exc):
            seen.append("out")

    @Inside()
    def three():
        seen.append("3")
        return 3

    return three(), three(), seen
