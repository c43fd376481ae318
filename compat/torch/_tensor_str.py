"""torch._tensor_str: the numbers of a tensor as `print` writes them, for programs that write files so."""

from ._impl.tensor.printing import (
    Options as PRINT_OPTS,
    formatter as _formatter,
    nested as _nested,
    summarized as _summarized,
)

__all__ = ["PRINT_OPTS"]


def _tensor_str(self, indent):
    """The brackets and numbers of a tensor, further lines indented by so many blanks."""
    array = self.detach().cpu().numpy()
    summarize = array.size > PRINT_OPTS.threshold
    return _nested(array, indent, summarize, _formatter(_summarized(array) if summarize else array))
