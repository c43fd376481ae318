"""What a native program is made of: statements, their nests and places, and the text LLVM reads."""
