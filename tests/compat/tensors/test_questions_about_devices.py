"""What programs ask of devices, kernels and autocast before they compute."""

import importlib

from harness import attempt


def script_there_is_no_device(torch):
    cuda, kernels = torch.cuda, importlib.import_module(f"{torch.__name__}.backends.cuda")
    seen = [cuda.get_rng_state_all(), cuda.set_rng_state_all([]), cuda.get_arch_list(), list(cuda.memory_stats())]
    with cuda.stream(None), cuda.device_of(torch.ones(1)):
        seen.append("in")
    kernels.enable_flash_sdp(False)
    seen += [kernels.flash_sdp_enabled(), kernels.math_sdp_enabled(), kernels.cudnn_sdp_enabled()]
    kernels.enable_flash_sdp(True)
    seen += [kernels.flash_sdp_enabled(), kernels.mem_efficient_sdp_enabled()]
    seen.append(cuda._initialized)
    return [*seen, issubclass(cuda.OutOfMemoryError, RuntimeError), cuda.OutOfMemoryError is torch.OutOfMemoryError,
            issubclass(torch.AcceleratorError, RuntimeError)]


def script_autocast_is_off(torch):
    return [torch.is_autocast_enabled(), torch.is_autocast_enabled("cpu"), str(torch.get_autocast_dtype("cpu")),
            str(torch.get_autocast_dtype("cuda")), torch.is_autocast_cache_enabled()]


def script_arguments_of_to_are_read(torch):
    read = importlib.import_module(f"{torch.__name__}._C")._nn._parse_to
    given = [((), {}), (("cpu",), {}), ((torch.float64,), {}), ((torch.device("cpu"), torch.float32, True), {}),
             ((torch.ones(1, dtype=torch.float64),), {}), ((None,), {}), (("cpu", None, True), {}),
             ((), {"device": "cpu", "dtype": torch.float16, "non_blocking": True}),
             ((), {"memory_format": torch.channels_last})]
    return [[str(part) for part in read(*args, **named)] for args, named in given]


def script_threads_between_operations(torch):
    return [torch.get_num_interop_threads() > 0, attempt(lambda: torch.set_num_interop_threads(0))]
