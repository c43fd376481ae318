"""torch.quantization: the older name of torch.ao.quantization."""

from .._impl.dispatch import surface as _surface
from ..ao.quantization import (  # type: ignore[attr-defined] # its names are made when it is imported
    DeQuantStub as DeQuantStub,
    QConfig as QConfig,
    QuantStub as QuantStub,
    convert as convert,
    fuse_modules as fuse_modules,
    get_default_qat_qconfig as get_default_qat_qconfig,
    get_default_qconfig as get_default_qconfig,
    prepare as prepare,
    prepare_qat as prepare_qat,
)

__getattr__ = _surface.getter("quantization.", "torch.quantization")
