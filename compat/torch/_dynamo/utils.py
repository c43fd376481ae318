"""torch._dynamo.utils, as far as other people's modules look at it."""


def is_compile_supported(device_type):
    """False: nothing is compiled, on no device."""
    return False
