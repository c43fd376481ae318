"""Reduction of a loss over its elements: `reduction=` and the deprecated flags."""

from ..dispatch.call import ROWS
from ..modes.warnings import tell


def legacy(size_average, reduce, reduction):
    """The reduction that the two deprecated flags mean, with torch's warning; as given without them."""
    if size_average is None and reduce is None:
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    found = ("mean" if size_average else "sum") if reduce else "none"
    tell(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def reduced(loss, reduction):
    """A loss under `reduction`: none, mean or sum."""
    if reduction == "none":
        return loss
    if reduction == "mean":
        return ROWS["mean"].body(loss)
    if reduction == "sum":
        return ROWS["sum"].body(loss)
    raise ValueError(f"{reduction} is not a valid value for reduction")
