"""Programs in native code: one function where a graph is native as a whole, else NumPy's calls between segments."""

from .segments import whole, with_segments


def native(program):
    """`(text, function)` of a program."""
    known = {}
    one = whole(program.draft, known)
    if one is not None:
        return one.compiled()
    program.draft, segments = with_segments(program.draft, known)
    texts, functions = [], {}
    for segment in segments:
        text, functions[segment] = segment.compiled()
        texts.append(text)
    text, run = program.numpy(functions)
    return "\n".join([text, *texts]), run
