"""torch.fft, and what is supported on it: short-time Fourier transforms."""

import numpy as np

from ....._interpreters import Ambient
from .....extend import REGISTRY
from ..dispatch.call import operation
from ..dispatch.host_ops import assume, primal_of
from ..dispatch.layouts import IN_ORDER, format_order, ordered, replaced
from ..dispatch.out_argument import Target
from ..factories.creation import new_leaf, numpy_dtype
from ..modes.warnings import first, tell
from ..types import dtypes
from ..types.arrays import ARRAYS
from .array_functions import cnp
from .axes import wrap_dim
from .windows import pad

_NORMS = (None, "forward", "backward", "ortho")
SPECTRUM = Target(floating=True)


def one(name, fun, real=False):
    """A transform along one axis."""

    def body(input, n=None, dim=-1, norm=None):
        x = prepared(name, input, real)
        if not x.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        d = wrap_dim(dim, x.ndim)
        if n is not None and n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
        if not x.shape[d] and n is None:
            raise RuntimeError("Invalid number of data points (0) specified")
        checked_norm(norm)
        return transformed(kept(fun(x, n, d, norm), x), x, (d,), None if n is None else (n,),
                           "last" if name in ("irfft", "hfft") else None)

    operation(f"fft.{name}", method=False, out=SPECTRUM)(body)


def many(name, fun, dims=None, real=False, half=None):
    """A transform along several axes.

    Args:
        half: the place of the axis of which a half is kept: "with" the others, "first" or "last"; None without one.
    """

    def body(input, s=None, dim=dims, norm=None):
        x = prepared(name, input, real)
        checked_norm(norm)
        axes = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        sizes = None if s is None else (s,) if isinstance(s, int) else tuple(s)
        if axes is not None:
            axes = tuple([wrap_dim(d, x.ndim) for d in axes])
            if len(set(axes)) != len(axes):
                raise RuntimeError("FFT dims must be unique")
            if axes and not x.ndim:
                raise IndexError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
        if sizes is not None and axes is not None and len(sizes) != len(axes):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if sizes is not None and len(sizes) > x.ndim:
            raise RuntimeError(f"Got shape with {len(sizes)} values but input tensor only has {x.ndim} dimensions.")
        if sizes is not None and axes is None:
            axes = tuple(range(x.ndim - len(sizes), x.ndim))
        if sizes is not None:  # -1 keeps a length
            sizes = tuple([x.shape[a] if k == -1 else k for k, a in zip(sizes, axes)])
        axes = tuple(range(x.ndim)) if axes is None else axes
        return transformed(kept(fun(x, sizes, axes, norm), x), x, axes, sizes, half)

    operation(f"fft.{name}", method=False, out=SPECTRUM)(body)


def prepared(name, x, real):
    """The operand as floating-point numbers, or torch's refusals."""
    if real and x.dtype.kind == "c":
        raise RuntimeError(f"{name} expects a real input tensor, but got {type_name(x)}")
    if x.dtype.kind in "biu":
        return x.astype(dtypes.Default.float.numpy)
    if x.dtype.itemsize == 2:
        raise RuntimeError(f"Unsupported dtype {dtypes.type_word(x.dtype)}")
    return x


def type_name(x):
    """`ComplexFloat`."""
    return dtypes.type_word(x.dtype)


def checked_norm(norm):
    """torch's refusal of other norms."""
    if norm not in _NORMS:
        raise RuntimeError(f"Invalid normalization mode: \"{norm}\"")


def transformed(out, x, axes, sizes=None, half=None):
    """The output as torch lays it out: each transform moves its axes inside, in their order in memory."""
    array, given = (v.value if type(v) is Ambient else v for v in (out, x))
    if type(array) is not np.ndarray or type(given) is not np.ndarray:
        return out
    if sizes is not None and half == "last":  # what is read of the operand
        sizes = (*sizes[:-1], sizes[-1] // 2 + 1)
    if sizes is not None and any(n > given.shape[a] for n, a in zip(sizes, axes)):  # padded, in its memory format
        order = format_order(given)
    else:
        order = sorted(range(given.ndim), key=lambda a: -given.strides[a])
    steps = {None: [axes], "with": [axes], "first": [axes[-1:], axes[:-1]], "last": [axes[:-1], axes[-1:]]}[half]
    for step in steps:
        order = [a for a in order if a not in step] + [a for a in order if a in step]
    if half == "with" and axes:
        order = [a for a in order if a != axes[-1]] + [axes[-1]]
    return replaced(out, array, ordered(array, order))


def kept(out, x):
    """The output in the precision of the operand."""
    single = x.dtype in (np.float32, np.complex64)
    wanted = (np.complex64 if single else np.complex128) if out.dtype.kind == "c" else (
        np.float32 if single else np.float64)
    return out if out.dtype == wanted else out.astype(wanted)


F = cnp.fft
one("fft", F.fft)
one("ifft", F.ifft)
one("rfft", F.rfft, real=True)
one("irfft", F.irfft)
one("hfft", F.hfft)
one("ihfft", F.ihfft, real=True)
many("fft2", F.fftn, (-2, -1))
many("ifft2", F.ifftn, (-2, -1))
many("rfft2", F.rfftn, (-2, -1), real=True, half="with")
many("irfft2", F.irfftn, (-2, -1), half="last")
many("fftn", F.fftn)
many("ifftn", F.ifftn)
many("rfftn", F.rfftn, real=True, half="with")
many("irfftn", F.irfftn, half="last")
_FLIPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _hfftn(x, s, axes, norm):
    """The real transform of a Hermitian signal: the inverse one of its conjugate, scaled the other way."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    return F.irfftn(cnp.conj(x), s, axes, _FLIPPED[norm])


def _ihfftn(x, s, axes, norm):
    axes = tuple(range(x.ndim)) if axes is None else axes
    return cnp.conj(F.rfftn(x, s, axes, _FLIPPED[norm]))


many("hfft2", _hfftn, (-2, -1), half="last")
many("hfftn", _hfftn, half="last")
many("ihfft2", _ihfftn, (-2, -1), real=True, half="first")
many("ihfftn", _ihfftn, real=True, half="first")


def _axes(dim, ndim):
    return tuple(range(ndim)) if dim is None else tuple([wrap_dim(d, ndim) for d in (
        (dim,) if isinstance(dim, int) else dim)])


@operation("fft.fftshift", method=False, layout=IN_ORDER)
def fftshift(input, dim=None):
    """Move the zero frequency to the center."""
    axes = _axes(dim, input.ndim)
    return cnp.roll(input, tuple([input.shape[a] // 2 for a in axes]), axes)


@operation("fft.ifftshift", method=False, layout=IN_ORDER)
def ifftshift(input, dim=None):
    """Undo `fftshift`."""
    axes = _axes(dim, input.ndim)
    return cnp.roll(input, tuple([(input.shape[a] + 1) // 2 for a in axes]), axes)


def frequencies(name, fun):
    """`fftfreq` and `rfftfreq`."""

    def make(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
        return new_leaf(fun(n, d).astype(numpy_dtype(dtype)), requires_grad, device)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Return the frequencies of the samples of `{name[:-4]}`."
    return make


FREQUENCIES = {"fftfreq": frequencies("fftfreq", np.fft.fftfreq), "rfftfreq": frequencies("rfftfreq", np.fft.rfftfreq)}


def framed(x, size, hop):
    """Frames of the last axis: `(…, frames, size)`."""
    count = (x.shape[-1] - size) // hop + 1
    places = np.arange(count)[:, None] * hop + np.arange(size)
    return cnp.take(x, places, axis=x.ndim - 1)


def full_window(window, length, size, x):
    """The window in the middle of a frame."""
    kind = x.dtype if x.dtype.kind != "c" else x.real.dtype
    window = np.ones(length, kind) if window is None else window
    left = (size - length) // 2
    return cnp.pad(window, [(left, size - length - left)]) if length < size else window


@operation("stft")
def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
         normalized=False, onesided=None, return_complex=None, align_to_window=None):
    """Compute the short-time Fourier transform."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if input.ndim not in (1, 2):
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, but got {input.ndim}D")
    if return_complex is None and input.dtype.kind != "c" and not (window is not None and window.dtype.kind == "c"):
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further "
                           "require that return_complex=True in a future PyTorch release.")
    if return_complex is False and first("stft"):
        tell("stft with return_complex=False is deprecated. In a future pytorch release, stft will return "
             "complex tensors for all inputs, and return_complex=False will raise an error.\nNote: you can "
             "still call torch.view_as_real on the complex output to recover the old return format.")
    if window is None:
        tell("A window was not provided. A rectangular window will be applied,which is known to cause "
             "spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are "
             "recommended to reduce spectral leakage.To suppress this warning and use a rectangular window, "
             "explicitly set `window=torch.ones(n_fft, device=<device>)`.")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"stft: expected 0 < win_length <= n_fft, but got win_length={length}")
    if hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    if window is not None and tuple(window.shape) != (length,):
        raise RuntimeError(f"stft: expected a 1D window tensor of size equal to win_length={length}, but got window "
                           f"with size {list(window.shape)}")
    x = input if input.ndim == 2 else cnp.expand_dims(input, 0)
    if center:
        x = pad.row.body(x, (n_fft // 2, n_fft // 2), pad_mode)
    if not 0 < n_fft <= x.shape[-1]:
        raise RuntimeError(f"stft: expected 0 < n_fft < {x.shape[-1]}, but got n_fft={n_fft}")
    window = full_window(window, length, n_fft, x)
    frames = framed(x, n_fft, hop) * window
    one_sided = onesided if onesided is not None else frames.dtype.kind != "c"
    norm = "ortho" if normalized else "backward"
    out = F.rfft(frames, None, -1, norm) if one_sided else F.fft(frames, None, -1, norm)
    out = cnp.swapaxes(kept(out, x), 1, 2)
    out = out if input.ndim == 2 else out[0]
    return cnp.stack([cnp.real(out), cnp.imag(out)], axis=-1) if return_complex is False else out


@operation("istft")
def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
          length=None, return_complex=False):
    """Compute the inverse short-time Fourier transform."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if input.dtype.kind != "c":
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with "
                           "return_complex=True.")
    if input.ndim not in (2, 3):
        raise RuntimeError(f"istft: expected a tensor with 2 or 3 dimensions, but got {input.ndim}")
    if not 0 < hop <= width:
        raise RuntimeError(f"istft: expected 0 < hop_length <= win_length, but got hop_length={hop}")
    x = input if input.ndim == 3 else cnp.expand_dims(input, 0)
    bins, count = x.shape[1], x.shape[2]
    one_sided = onesided if onesided is not None else bins != n_fft
    if bins != (n_fft // 2 + 1 if one_sided else n_fft):
        raise RuntimeError("istft: expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"n_fft / 2 + 1 when onesided=True, but got {bins}" if one_sided else
                           "istft: expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"n_fft when onesided=False, but got {bins}")
    norm = "ortho" if normalized else "backward"
    turned = cnp.swapaxes(x, 1, 2)
    if not return_complex and not one_sided:
        turned, one_sided = turned[..., : n_fft // 2 + 1], True  # the other half is not read for a real output
    frames = kept(F.irfft(turned, n_fft, -1, norm) if one_sided else F.ifft(turned, None, -1, norm), x)
    window = full_window(window, width, n_fft, frames)
    total = n_fft + hop * (count - 1)
    places = np.arange(count)[:, None] * hop + np.arange(n_fft)
    signal = overlapped(frames * window, places, total)
    weight = overlapped(cnp.broadcast_to(cnp.expand_dims(window * window, 0), (1, count, n_fft)), places, total)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    signal, weight = signal[:, start : min(end, total)], weight[:, start : min(end, total)]
    plain = None if assume(invertible, weight) else primal_of(weight)
    if type(plain) in ARRAYS and not invertible(plain):
        raise RuntimeError("istft: window overlap add min: 1")
    out = signal / weight
    if end > total:
        out = cnp.pad(out, [(0, 0), (0, end - total)])
    return out if input.ndim == 3 else out[0]


def invertible(weight):
    """Tell whether no sum of windows is 0."""
    return not weight.size or not np.abs(weight).min() < 1e-11


def overlapped(frames, places, total):
    """Frames added up where they lie."""
    kernel, hop = frames.shape[-1], int(places[1, 0] - places[0, 0]) if len(places) > 1 else 1
    columns = cnp.swapaxes(frames, 1, 2)
    return REGISTRY["overlap_add"].fun(columns, (total,), (kernel,), (hop,), (1,))
