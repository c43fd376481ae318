"""Fit a regression by Gauss-Newton and by Newton, with standard errors: python examples/regression.py

`predict` is ordinary NumPy code that knows nothing about covector and could be part of another
package; `jacobian` and `hessian` differentiate it as it is. For a linear model the solution is known
in closed form, so the program can check both fits and their standard errors to many digits.
"""

import numpy as np
from sklearn.datasets import load_diabetes

import covector as cv


def predict(coefficients, features):
    """Return the predicted progression of the disease: an intercept and ten slopes."""
    return coefficients[0] + np.dot(features, coefficients[1:])


def gauss_newton(features, y, steps=3):
    """Minimize the sum of squared residuals, linearizing the residuals at each step.

    With residuals r and their Jacobian J, the step solves the least-squares problem J d = -r.
    """

    def residuals(coefficients):
        return predict(coefficients, features) - y

    coefficients = np.zeros(features.shape[1] + 1)
    for _ in range(steps):
        j = cv.jacobian(residuals)(coefficients)  # 442 residuals by 11 coefficients
        step, *_ = np.linalg.lstsq(j, -residuals(coefficients))
        coefficients = coefficients + step
    return coefficients


def newton(features, y, tolerance=1e-10, max_steps=50):
    """Minimize the negative log-likelihood over the coefficients and the log of the noise.

    Returns the coefficients, the noise, and the standard errors of both: the square roots of the
    diagonal of the inverse Hessian at the minimum.
    """

    def negative_log_likelihood(theta):
        coefficients, log_noise = theta[:-1], theta[-1]
        z = (predict(coefficients, features) - y) / np.exp(log_noise)
        return 0.5 * np.sum(z * z) + len(y) * log_noise

    gradient, hessian = cv.grad(negative_log_likelihood), cv.hessian(negative_log_likelihood)
    theta = np.append(np.zeros(features.shape[1] + 1), np.log(np.sqrt(np.mean(y * y))))
    for iteration in range(max_steps):
        # Far from the minimum the Hessian may have negative eigenvalues. Using their absolute values
        # makes the step a descent direction there, and changes nothing close to the minimum.
        curvature, directions = np.linalg.eigh(hessian(theta))
        step = -directions @ (directions.T @ gradient(theta) / np.abs(curvature))
        theta = theta + shortened(step, negative_log_likelihood, theta)
        print(
            f"  Newton {iteration + 1}: likelihood {-negative_log_likelihood(theta):.6f}, "
            f"step {np.linalg.norm(step):.1e}"
        )
        if np.linalg.norm(step) < tolerance * np.linalg.norm(theta):
            break
    errors = np.sqrt(np.diag(np.linalg.inv(hessian(theta))))
    return theta[:-1], np.exp(theta[-1]), errors


def shortened(step, objective, theta):
    """Halve a step until it does not increase the objective, as a full step may far from the minimum."""
    while objective(theta + step) > objective(theta) and np.linalg.norm(step) > 1e-9:
        step = step / 2
    return step


def closed_form(features, y):
    """Return the textbook solution: the normal equations and the covariance they imply."""
    x = np.column_stack((np.ones(len(y)), features))
    inverse = np.linalg.inv(x.T @ x)
    coefficients = inverse @ x.T @ y
    noise = np.sqrt(np.mean((y - x @ coefficients) ** 2))  # the maximum-likelihood estimate: divided by n
    log_noise_error = np.sqrt(0.5 / len(y))
    return coefficients, noise, np.append(noise * np.sqrt(np.diag(inverse)), log_noise_error)


def main() -> None:
    data = load_diabetes()
    # Standardize the features, so that the slopes are comparable.
    features = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    by_gauss_newton = gauss_newton(features, data.target)
    by_newton, noise, errors = newton(features, data.target)
    exact, exact_noise, exact_errors = closed_form(features, data.target)

    print(f"{'':>10} {'estimate':>9} {'std error':>9} {'ratio':>6}")
    for name, value, error in zip(["intercept", *data.feature_names], by_newton, errors[:-1], strict=True):
        print(f"{name:>10} {value:9.3f} {error:9.3f} {value / error:6.1f}")
    print(f"{'noise':>10} {noise:9.3f}")

    np.testing.assert_allclose(by_gauss_newton, exact, rtol=1e-9)
    np.testing.assert_allclose(by_newton, exact, rtol=1e-9)
    np.testing.assert_allclose(noise, exact_noise, rtol=1e-9)
    np.testing.assert_allclose(errors, exact_errors, rtol=1e-8)
    print("largest relative differences from the closed form:")
    print(
        f"  Gauss-Newton {differs(by_gauss_newton, exact):.0e}, Newton {differs(by_newton, exact):.0e}, "
        f"standard errors {differs(errors, exact_errors):.0e}"
    )
    print("agrees with the closed form: yes")


def differs(ours, exact):
    return np.max(np.abs(ours / exact - 1))


if __name__ == "__main__":
    main()
