"""torch.ao.quantization: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("ao.quantization", "DeQuantStub QuantStub QConfig",
                        "convert fuse_modules fuse_modules_qat get_default_qat_qconfig get_default_qconfig prepare "
                        "prepare_qat"))
