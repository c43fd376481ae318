"""torch.utils.cpp_extension, as far as other people's modules import it: nothing is compiled against PyTorch here."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("utils.cpp_extension", "BuildExtension", "CppExtension CUDAExtension SyclExtension "
                        "include_paths library_paths load load_inline"))
CUDA_HOME = None
