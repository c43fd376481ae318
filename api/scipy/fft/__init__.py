"""`scipy.fft` on arrays and traced arrays: Fourier, cosine and sine transforms."""

from .lengths import (
    fftfreq as fftfreq,
    fftshift as fftshift,
    ifftshift as ifftshift,
    next_fast_len as next_fast_len,
    prev_fast_len as prev_fast_len,
    rfftfreq as rfftfreq,
)
from .one_axis import (
    fft as fft,
    hfft as hfft,
    ifft as ifft,
    ihfft as ihfft,
    irfft as irfft,
    rfft as rfft,
)
from .several_axes import (
    fft2 as fft2,
    fftn as fftn,
    hfft2 as hfft2,
    hfftn as hfftn,
    ifft2 as ifft2,
    ifftn as ifftn,
    ihfft2 as ihfft2,
    ihfftn as ihfftn,
    irfft2 as irfft2,
    irfftn as irfftn,
    rfft2 as rfft2,
    rfftn as rfftn,
)
from .trigonometric import (
    dct as dct,
    dctn as dctn,
    dst as dst,
    dstn as dstn,
    idct as idct,
    idctn as idctn,
    idst as idst,
    idstn as idstn,
)
