"""The loop IR: statements, their nests and places, and the builder of LLVM's text."""
