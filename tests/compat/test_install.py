"""install(): other people's programs that import torch run on covector; each in a process of its own."""

import subprocess
import sys
import textwrap

import pytest


def run(code, *options):
    """The output of a program."""
    done = subprocess.run([sys.executable, *options, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_import_of_torch_is_answered():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        compat.install()
        import torch
        import torch.nn.functional as F
        from torch.autograd import Function
        from torch.utils.data import DataLoader
        from torch import nn, optim
        import torch.optim.lr_scheduler
        print(torch is compat, F is compat.nn.functional, torch.nn.functional is F, torch.Tensor.__module__,
              torch.__spec__.name, optim is torch.optim)
    """) == "True True True torch covector.compat.torch True"


def test_a_module_that_is_not_there_is_an_import_error_that_says_why():
    assert "install() was called" in run("""
        import covector.compat.torch as compat
        compat.install()
        try:
            import torch.onnx.symbolic_helper
        except ModuleNotFoundError as error:
            print(error, error.name)
    """)


def test_with_another_torch_loaded_it_is_refused():
    assert "imported in this process already" in run("""
        import sys, types
        sys.modules["torch"] = types.ModuleType("torch")
        import covector.compat.torch as compat
        try:
            compat.install()
        except RuntimeError as error:
            print(error)
    """)


def test_libraries_that_tell_arrays_apart_by_their_module():
    assert run("""
        import covector.compat.torch as compat
        compat.install()
        import opt_einsum, torch
        x = torch.ones(2, 2, requires_grad=True)
        y = opt_einsum.contract("ij,jk->ik", x, x)
        y.sum().backward()
        print(type(y) is torch.Tensor, x.grad.tolist())
    """) == "True [[4.0, 4.0], [4.0, 4.0]]"


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys\nimport torch\nprint(__name__, sys.argv[1:], torch.ones(2).sum().item())\n")
    return path


def test_a_script_is_run_so(script):
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", str(script), "a", "-b"], capture_output=True,
                          text=True)
    assert done.stdout.strip() == "__main__ ['a', '-b'] 2.0", done.stderr


def test_a_module_is_run_so(script):
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", "-m", "program", "a"], capture_output=True,
                          text=True, cwd=script.parent)
    assert done.stdout.strip() == "__main__ ['a'] 2.0", done.stderr


def test_a_script_that_is_not_there(tmp_path):
    done = subprocess.run([sys.executable, "-m", "covector.compat.torch", "nowhere.py"], capture_output=True, text=True,
                          cwd=tmp_path)
    assert done.returncode == 1
    assert "nowhere.py: there is no such script" in done.stderr
