"""Runs the scripts of examples/torch for a few steps and prints their curves as JSON.

With "covector" as argument `import torch` gives covector.compat.torch; "cuda" behind it has them run on a GPU, and
"stand-in" behind that on what stands for one. With "record" PyTorch's curves are written to torch_curves.json.
"""

import contextlib
import importlib
import importlib.util
import io
import json
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEPS = {"gpt": 15, "vae": 40, "lstm_series": 3, "reinforce": 8, "per_sample": 15, "saved_hooks": 10,
         "custom_function": 15, "step_in_backward": 15, "ensemble": 15}


def curves(device):
    """`{script: values}`."""
    sys.path.insert(0, str(HERE.parents[1] / "examples" / "torch"))
    warnings.simplefilter("error")
    with contextlib.redirect_stdout(io.StringIO()):
        return {name: importlib.import_module(name).main(steps, device=device) for name, steps in STEPS.items()}


if __name__ == "__main__":
    if "stand-in" in sys.argv[1:]:
        spec = importlib.util.spec_from_file_location("like_cupy", HERE.parent / "backends" / "like_cupy.py")
        like_cupy = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(like_cupy)
        like_cupy.install()
    if "covector" in sys.argv[1:]:
        import covector.compat.torch

        covector.compat.torch.install()
    found = json.dumps(curves("cuda" if "cuda" in sys.argv[1:] else "cpu"), indent=1)
    if sys.argv[1:] == ["record"]:
        (HERE / "torch_curves.json").write_text(found + "\n", encoding="utf-8")
    sys.stdout.write(found)
