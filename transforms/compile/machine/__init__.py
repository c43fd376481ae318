"""The machine: its compiler, objects in memory and on disk, BLAS, and how arrays lie in memory."""
