"""The compiler: from graphs to functions, by rewriting, lowering to loops, and rendering as NumPy, LLVM, C or CUDA."""
