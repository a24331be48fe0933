"""What to do with results of statsmodels that are not read."""

from __future__ import annotations

SMOOTHING = "statsmodels.tsa.statespace.exponential_smoothing.ExponentialSmoothing"
INSTEAD = {
    "MixedLM": (
        "points of a group share its effect: write a rivals.Candidate with one loss for each "
        "group; or take the variance of both as noise, rivals.read.regressor(results, exog, "
        "noise=scipy.stats.norm(scale=...)), and pass clusters= to rivals.compare"
    ),
    "GLS": (
        "its errors are correlated, so that points have no loss of their own; if sigma is "
        "diagonal, fit WLS with weights=1/sigma"
    ),
    "AutoReg": "fit ARIMA(y, order=(p, 0, 0)), which is the same model",
    "ETSModel": f"with additive errors, {SMOOTHING} is the same model",
    "HoltWintersResults": f"{SMOOTHING} is the same model with a likelihood",
    "RecursiveLS": "use rivals.read.regression with OLS",
}
