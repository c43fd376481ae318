"""The C renderer of the loop IR: arithmetic on single values, nests, and the file around them."""
