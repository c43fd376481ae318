"""torch._dynamo._trace_wrapped_higher_order_op, as far as other people's modules look at it."""

import contextlib


class TransformGetItemToIndex(contextlib.AbstractContextManager):
    """A context in which tensors without axes index others as operations do, which they always do here."""

    def __exit__(self, *exc):
        return False
