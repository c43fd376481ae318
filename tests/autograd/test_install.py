"""install(): programs that import autograd run on covector; each in a process of its own."""

import subprocess
import sys
import textwrap

import pytest


def run(code, *options):
    done = subprocess.run([sys.executable, *options, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_import_of_autograd_is_answered():
    assert run("""
        import covector.compat.autograd as compat
        compat.install()
        compat.install()
        import autograd
        import autograd.numpy as np
        import autograd.numpy.random as npr
        from autograd.numpy.linalg import norm
        from autograd.scipy.stats import norm as normal
        from autograd.misc.optimizers import adam
        from autograd import grad
        print(autograd is compat, np is compat.numpy, autograd.__name__, grad(np.tanh)(0.0))
    """) == "True True autograd 1.0"


def test_a_module_that_is_not_there_is_an_import_error_that_says_why():
    assert "install() was called" in run("""
        import covector.compat.autograd as compat
        compat.install()
        try:
            import autograd.nonsense
        except ModuleNotFoundError as error:
            print(error)
    """)


def test_with_another_autograd_loaded_it_is_refused():
    assert "imported in this process already" in run("""
        import sys, types
        sys.modules["autograd"] = types.ModuleType("autograd")
        import covector.compat.autograd as compat
        try:
            compat.install()
        except RuntimeError as error:
            print(error)
    """)


@pytest.mark.parametrize("how", ["script", "module"])
def test_a_program_runs_unchanged(tmp_path, how):
    script = tmp_path / "program.py"
    script.write_text("import sys\nimport autograd.numpy as np\nfrom autograd import grad\n"
                      "print(grad(np.tanh)(0.0), sys.argv[1:])\n")
    named = [str(script)] if how == "script" else ["-m", "program"]
    done = subprocess.run([sys.executable, "-m", "covector.compat.autograd", *named, "7"], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.stdout.strip() == "1.0 ['7']", done.stderr


def test_without_arguments_it_says_how():
    done = subprocess.run([sys.executable, "-m", "covector.compat.autograd"], capture_output=True, text=True)
    assert done.returncode == 2 and "script.py" in done.stdout


def test_traced_values_are_of_a_class_of_autograd():
    assert run("""
        import covector.compat.autograd as compat
        compat.install()
        from autograd import grad, hessian
        seen = set()
        hessian(lambda x: (seen.add(type(x).__module__), x**2)[1])(1.0)
        print(*seen)
    """) == "autograd.numpy.numpy_boxes"
