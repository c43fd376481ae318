"""Entry points of compiled functions: jit and its signatures, callables of native code, exported source."""
