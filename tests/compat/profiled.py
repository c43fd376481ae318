"""The profiler of a torch, and what a profile counted of the operations that both libraries run alike."""


def counts(prof):
    return sorted(
        {
            (e.key, e.count)
            for e in prof.key_averages()
            if not e.key.startswith(
                (
                    "aten::empty",
                    "aten::detach",
                    "aten::_",
                    "aten::resize",
                    "aten::fill",
                    "aten::ones",
                    "aten::copy",
                    "aten::clone",
                    "aten::new",
                    "aten::mul",
                    "aten::neg",
                    "aten::expand",
                    "aten::sin",
                    "aten::cos",
                    "aten::as_strided",
                    "detach",
                )
            )
        }
    )


def P(torch):
    return torch.autograd.profiler
