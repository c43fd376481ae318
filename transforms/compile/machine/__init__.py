"""The target machine: compiler, object cache, BLAS, and memory layouts of arrays and Python objects."""
