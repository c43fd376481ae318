"""Making functions public: those that are no `operation`, names of nn.functional, and second names."""

import inspect

from ..dispatch.call import ROWS, Row, attach, inplace_method, named, operation
from ..dispatch.overriding import dispatching
from ..dispatch.signatures import BY_SIGNATURE, signed
from ..types.tensor_type import Tensor
from ..views.fast import viewing


def method(name=None, aliases=(), attached=True, asks=False, function=None, doc=None, plans=None, alike=False):
    """Make a function of tensors public: `torch.name`, of other arguments if it is `function`, and `Tensor.name`, which
    `asks` classes of other tensors. That of a view has `plans` (`views/fast.viewing`), by the shape of another tensor
    if it is `alike`; where they take sizes one by one, the function takes them in a tuple."""

    def make(fun):
        row = Row(name or fun.__name__, fun, None, asks=False)
        if asks:
            fun = row.body = dispatching(fun)
        row.fun = named(function or fun, row, doc)
        if plans is not None:
            apart = plans.__code__.co_flags & inspect.CO_VARARGS
            row.fun = viewing((lambda shape, sizes: plans(shape, *sizes)) if apart else plans, row.fun, alike)
            fun = viewing(plans, fun if asks else signed(row.name, loose=True)(fun), alike)
        ROWS[row.name] = row
        if attached:
            attach(row.name, named(fun, row, doc))
        for alias in aliases:
            ROWS[alias] = row
            attach(alias, fun)
        return fun

    return make


def functional(name, body=None, node=BY_SIGNATURE, **facts):
    """`torch.nn.functional.name` of a function of core values; `facts` are those of `operation`."""
    make = operation(f"nn.functional.{name}", method=False, node=node, **facts)
    return make if body is None else make(body)


def synonyms(table):
    """Other names of operations, as functions, methods and in place."""
    for alias, name in table.items():
        row = ROWS[alias] = ROWS[name]
        attach(alias, row.fun)
        writes = getattr(Tensor, name + "_", None)  # its own, if it writes another body than the row's
        attach(alias + "_", writes if getattr(writes, "row", row) is not row else inplace_method(row))
