"""Dynamic scope of the transforms: debug modes, floating-point warnings, named axes."""
