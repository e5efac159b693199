"""The estimator interface of scikit-learn, with or without scikit-learn installed.

scikit-learn's own base class is used if it is installed. Otherwise a small one stands in, which has
parameters and a readable name and nothing else, so that numpy is all that conflux needs.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

__all__ = ["EstimatorBase", "NotFittedError", "configured_output"]


class _OwnNotFittedError(ValueError, AttributeError):
    """The estimator has to be fitted first."""


class _OwnBase:
    """Parameters of an estimator are the arguments of its constructor."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters.values()
        return sorted(p.name for p in parameters if p.name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Any:
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {known!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not parameters[name].default and value != parameters[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


# Type checkers see the small base, which promises less.
if TYPE_CHECKING:
    EstimatorBase = _OwnBase
    NotFittedError = _OwnNotFittedError
else:
    try:
        from sklearn.base import BaseEstimator as EstimatorBase
        from sklearn.exceptions import NotFittedError
    except ImportError:
        EstimatorBase = _OwnBase
        NotFittedError = _OwnNotFittedError


def configured_output(estimator: object) -> str:
    """Return "pandas" or "default": what set_output() or scikit-learn's configuration ask for."""
    own: dict[str, str] = getattr(estimator, "_sklearn_output_config", {})
    if "transform" in own:
        return own["transform"]
    try:
        from sklearn import get_config
    except ImportError:
        return "default"
    return str(get_config().get("transform_output", "default"))
