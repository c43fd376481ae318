"""Dtypes that an operation refuses, beside its signatures: by the table that was measured of PyTorch."""

import re

from ..types.dtypes import c_type, letter, promote_types, promoted, type_word
from ..types.mixture_table import MIXED
from ..types.refusal_table import REFUSED

# Dtypes that an operation refuses in some forms of its call alone: which arguments they are.

_INTEGERS, _COMPLEX = "?Bbhil", "FD"


def _missing(kernel):
    """The error of a dtype that a kernel of PyTorch is not built for."""
    return NotImplementedError, f"\"{kernel}\" not implemented for '{{word}}'"


def _number_of_products(which):
    return RuntimeError, f"For integral input tensors, argument {which} must not be a floating point number."


def _many(size):
    """Tell whether an adaptive pool gives several elements along some axis: one is a mean."""
    return any(n != 1 for n in (size if isinstance(size, tuple | list) else (size,)))


def _some(*tensors):
    """Tell whether tensors have elements."""
    return all(0 not in t.shape for t in tensors)


def _low_norm(A, ord=None, dim=None):
    """Tell whether a norm is one of singular values."""
    axes = A.dim() if dim is None else 1 if isinstance(dim, int) else len(dim)
    return ord == "nuc" or ord in (2, -2) and axes == 2


def _by_differences(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Tell whether distances are computed one by one, not by a product of matrices."""
    many = max(x1.shape[-2], x2.shape[-2]) > 25 and compute_mode != "donot_use_mm_for_euclid_dist"
    return _some(x1, x2) and not (p == 2 and (many or compute_mode == "use_mm_for_euclid_dist"))


def _dilated(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return any(d != 1 for d in (dilation if isinstance(dilation, tuple | list) else (dilation,)))


def _resampled(modes):
    """Tell whether a resampling is in one of some modes."""
    return lambda x, size=None, scale_factor=None, mode="nearest", *a, **k: mode in modes


def _truths(input, other, *, rounding_mode=None):
    """Tell whether the other operand is boolean, too."""
    return isinstance(other, bool) or getattr(getattr(other, "dtype", None), "category", None) == 0


def _product(a, b, dims=2):
    """Tell whether a contraction is a product of matrices: one number, of axes out of order, is a sum of products."""
    if not (_truths(a, b) and _some(a, b)):
        return False
    if isinstance(dims, int):
        return True
    axes = [[d % max(x.dim(), 1) for d in own] for x, own in zip((a, b), dims)]
    one = all(n == 1 for x, own in zip((a, b), axes) for d, n in enumerate(x.shape) if d not in own)
    alike = [a.shape[d] for d in axes[0]] == [b.shape[d] for d in axes[1]]
    return not one or not alike or axes == [sorted(own) for own in axes]


def _always(*args, **named):
    return True


_MEAN = RuntimeError, ("mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                       "dtype. Got: {word}")
_SINGULAR = RuntimeError, "linalg.matrix_norm: Low precision dtypes not supported. Got {word}"
_INVERSE = RuntimeError, "linalg.inv: Expected a floating point or complex tensor as input. Got {word}"

# Names, letters of dtypes, the error, and whether a call is of the form: a function of its arguments. The first that
# fits counts.
FORMS = (
    ("addr", _INTEGERS, _number_of_products("beta"), lambda *a, beta=1, alpha=1: isinstance(beta, float)),
    ("addr", _INTEGERS, _number_of_products("alpha"), lambda *a, beta=1, alpha=1: isinstance(alpha, float)),
    *(("div", "?", _missing(f"div_{word}_cpu"),
       lambda x, y, *, rounding_mode=None, word=word: rounding_mode == word and _truths(x, y))
      for word in ("floor", "trunc")),
    ("index_reduce", "?FD", _missing("index_func_"),
     lambda x, *a, include_self=True: (x.dim() < 2 or not include_self) and _some(x)),
    *(("index_reduce", letters, _missing(kernel),
       lambda x, dim, index, source, reduce, *, include_self=True, word=word: reduce == word and _some(x, index))
      for word, letters, kernel in (("mean", "?", "div_floor_cpu"), ("amax", _COMPLEX, "maximum_cpu"),
                                    ("amin", _COMPLEX, "minimum_cpu"))),
    *(("scatter_reduce", letters, _missing(f"scatter_gather_tensor_cpu_reduce_{word}"),
       lambda x, dim, index, src, reduce, *, include_self=True, word=word: reduce == word and _some(index))
      for word, letters in (("mean", "?"), ("amax", _COMPLEX), ("amin", _COMPLEX))),
    ("linalg.matrix_rank", "eg", _missing("linalg_svd_cpu"),
     lambda A, tol=None, *, atol=None, rtol=None, hermitian=False: tol is not None and not hermitian),
    *((f"nn.functional.adaptive_avg_pool{n}d", _INTEGERS, _MEAN, lambda x, size: not _many(size)) for n in (1, 2, 3)),
    ("nn.functional.adaptive_avg_pool2d", _COMPLEX, None, lambda x, size: not (_many(size) and _some(x))),
    ("nn.functional.adaptive_avg_pool1d", _COMPLEX, _missing("adaptive_avg_pool2d"),
     lambda x, size: _many(size) and _some(x)),
    ("nn.functional.adaptive_avg_pool3d", _COMPLEX, _missing("adaptive_avg_pool3d_cpu"),
     lambda x, size: _many(size) and _some(x)),
    *((f"nn.functional.conv{n}d", "Bbhi", _missing("slow_conv_dilated<>"), _dilated) for n in (1, 2, 3)),
    *(("nn.functional.pad", "?", _missing(f"{kernel}_pad{n}d"),
       lambda x, pad, mode="constant", value=None, word=word, n=n: mode == word and len(pad) == 2 * n)
      for word, kernel in (("reflect", "reflection"), ("replicate", "replication")) for n in (1, 2, 3)),
    ("nn.functional.poisson_nll_loss", _COMPLEX, _missing("le_cpu"),
     lambda x, y, log_input=True, full=False, *a, **k: full),
    ("nn.functional.ctc_loss", "eg", _missing("ctc_loss_cpu"), _always),
    ("nn.functional.pdist", "eg", _missing("pdist"), lambda x, p=2.0: x.shape[0] > 1),
    ("cdist", "eg", _missing("cdist"), _by_differences),
    ("linalg.matrix_norm", "g", _SINGULAR, lambda A, ord="fro", dim=(-2, -1), *a, **k: _low_norm(A, ord, dim)),
    ("linalg.norm", "g", _SINGULAR, lambda A, ord=None, dim=None, *a, **k: _low_norm(A, ord, dim)),
    ("norm", "g", _SINGULAR, lambda A, p="fro", *a, **k: p == "nuc"),
    ("round", "Bbhil", _missing("round_cpu"), lambda x, *, decimals=None: bool(decimals)),
    ("round", "Bbhil", _missing("round_vml_cpu"), lambda x, *, decimals=None: decimals is not None),
    ("tensordot", "?", _missing("addmm_impl_cpu_"), _product),
    ("linalg.matrix_power", _INTEGERS, _INVERSE, lambda A, n: n < 0),
    ("linalg.matrix_power", "g", (RuntimeError, "linalg.inv: Low precision dtypes not supported. Got {word}"),
     lambda A, n: n < 0),
    ("linalg.matrix_power", "?", _missing("addmm_impl_cpu_"), lambda A, n: n > 1),
    ("stft", "?", _missing("reflection_pad1d"), lambda *a, center=True, **k: a[5] if len(a) > 5 else center),
    ("stft", "?", (RuntimeError, "stft: expected a tensor of floating point or complex values, but got {word}"),
     _always),
    *((f"nn.functional.lp_pool{n}d", "BbhiFD", _missing(f"avg_pool{max(n, 2)}d"), _always) for n in (1, 2, 3)),
    *(("nn.functional.interpolate", "B", _missing(kernel), _resampled(modes))
      for kernel, modes in (("compute_indices_weights_linear", ("linear", "trilinear")),
                            ("adaptive_avg_pool2d", ("area",)))),
    ("nn.functional.fold", "Bbhil", _missing("col2im_out_cpu"), _always),
)


class Refusals:
    """Checks of one operation's refusals.

    Args:
        place: which tensor's dtype counts, None for the common one of all operands.
    """

    __slots__ = ("alone", "dtypes", "forms", "mixed", "place")

    def __init__(self, place=0):
        self.place = place
        self.alone = False  # whether the operation itself tells of mixtures in which several differ from the first
        self.dtypes = {}  # letter -> (class, message, marks: ^ tensors without axes, ~ without elements are taken)
        self.forms = ()  # [(letters, error or None where it is taken, whether a call is of the form)]
        self.mixed = {}  # place of a tensor -> [(letters of the first one, of it, (class, message) or None: taken)]

    def check(self, name, args, kwargs, tensors):
        """Raise PyTorch's error where the dtypes of the tensors are refused, in this form, alone or together."""
        first = tensors[0]
        own = first.dtype
        for letters, error, fits in self.forms:
            if (letter(own) or "-") in letters and fits(*args, **kwargs):
                if error is None:
                    return
                raise told((*error, ""), name, first, own, first)
        mixed = False
        for t in tensors:
            if t is not first and t.dtype is not own:
                mixed = True
                break
        if mixed and self.mixed and not (self.alone and sum(t.dtype is not own for t in tensors) > 1):
            for place, groups in self.mixed.items():
                if place < len(tensors) and (dtype := tensors[place].dtype) is not own:
                    one, other = letter(own) or "-", letter(dtype) or "-"
                    for ones, others, found in groups:
                        if one in ones and other in others:
                            if found is None:
                                return
                            raise told(found, name, first, dtype, tensors[place])
        if self.dtypes:
            if self.place is None:
                of, dtype = first, common(args, tensors, mixed)
            else:
                of = tensors[self.place] if self.place < len(tensors) else first
                dtype = of.dtype
                if mixed and any(t.dtype is not dtype and t.dtype.category > 1 for t in tensors):
                    return  # other mixtures are refused by the operation itself, or not at all
            found = self.dtypes.get(letter(dtype))
            if found is not None and not ("^" in found[2] and any(not t.shape for t in tensors)
                                          or "~" in found[2] and any(0 in t.shape for t in tensors)):
                raise told(found, name, of, dtype, of)


def common(args, tensors, mixed):
    """The dtype that operands have together; None where a Python number among the first two raises its kind."""
    dtype = tensors[0].dtype
    if mixed:
        dtype = promoted([t.dtype for t in tensors if t.shape], [t.dtype for t in tensors if not t.shape], ())
    return None if any(_NUMBERS.get(type(v), 0) > dtype.category for v in args[:2]) else dtype


_NUMBERS = {bool: 0, int: 1, float: 2, complex: 3}


def told(found, name, main, dtype, tensor):
    """The error of a line of the table."""
    kind, message, _ = found
    first = main.dtype.numpy
    return kind(message.format(
        name=name.rpartition(".")[2].removesuffix("_with_indices"), word=type_word(dtype.numpy),
        c=c_type(dtype.numpy), type=_type(dtype.numpy), main=type_word(first), main_c=c_type(first),
        main_type=_type(first), common=type_word(promote_types(main.dtype, dtype).numpy), shape=list(tensor.shape)))


def _type(dtype):
    """The type name of a dtype in messages."""
    word = type_word(dtype)
    return f"CPU{word}Type" if "omplex" in word or word == "BFloat16" else f"torch.{word}Tensor"


def _read():
    """The tables, by the names of operations."""
    kinds = {kind.__name__: kind for kind in (NotImplementedError, RuntimeError, TypeError, ValueError)}
    found = {}
    for line in REFUSED.strip().split("\n"):
        names, letters, kind, message = line.split(" | ", 3)
        for marked in names.split():
            name, _, place = _MARKS.sub("", marked).partition("@")
            facts = found.get(name)
            if facts is None:
                facts = found[name] = Refusals(None if marked[-1] == "*" else int(place or 0))
            facts.dtypes |= dict.fromkeys(letters, (kinds[kind], message, marked))
    for line in MIXED.strip().split("\n"):
        names, letters, kind, message = line.split(" | ", 3)
        error = (kinds[kind], message, "") if kind in kinds else None  # taken
        groups = [(*group.split(":"), error) for group in letters.split()]
        for marked in names.split():
            name, _, place = marked.partition("@")
            found.setdefault(name, Refusals()).mixed.setdefault(int(place), []).extend(groups)
    for name, *form in FORMS:
        facts = found.setdefault(name, Refusals())
        facts.forms = (*facts.forms, form)
    return found


_MARKS = re.compile(r"[*^~]")
_BY_NAME = _read()


def refusals(name):
    """The refusals of an operation, or of the one that it is a part of; None for nothing."""
    return _BY_NAME.get(name.removesuffix("_with_indices"))
