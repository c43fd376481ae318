"""The torch-shaped stateful layer; not built yet, so importing it says so."""

raise ImportError(
    f"{__name__} was imported, but the stateful torch layer is not built yet in this version of covector; "
    "use the functional transforms (covector.grad, covector.vjp, covector.vmap), or torch itself"
)
