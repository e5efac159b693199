"""scikit-learn's own checks, on the estimators themselves."""

import pickle
import warnings

import numpy as np
import pytest

import conflux

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

PUBLIC = [getattr(conflux, name) for name in conflux.estimators.__all__ if name != "load"]


# Every check is run, also those that scikit-learn passes over because an estimator says that they
# cannot apply: these must fail for the one reason that it gives, the missing groups.
@pytest.mark.parametrize("estimator", PUBLIC, ids=lambda each: each.__name__)
def test_estimators_pass_the_checks(estimator, monkeypatch):
    tags = estimator()._more_tags()
    excused = tags.pop("_xfail_checks")
    monkeypatch.setattr(conflux.BaseAligner, "_more_tags", lambda self: tags)
    passed, unexpected = [], []
    for instance, check in check_estimator(estimator(), generate_only=True):
        name = getattr(check, "func", check).__name__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check(instance)
                passed.append(name)
            except Exception as error:
                if name not in excused or "needs groups" not in str(error):
                    unexpected.append(f"{check}: {type(error).__name__}: {error}")
    assert not unexpected, "\n\n".join(unexpected)
    assert not set(passed) & set(excused), "these pass; no excuse is needed"
    assert len(passed) >= 28


def test_check_estimator_itself_passes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(conflux.NB())


# The laws that the checks above cannot ask for without groups, with them.
@pytest.mark.parametrize("estimator", [conflux.NB(), conflux.GB(), conflux.INB(layers=2)], ids=repr)
def test_the_checks_without_groups_hold_with_groups(estimator):
    X, groups = conflux.datasets.make_moons(60)
    before = dict(estimator.__dict__)
    fitted = clone(estimator).fit(X, groups)
    whole = fitted.transform(X, groups)
    np.testing.assert_array_equal(clone(estimator).fit_transform(X, groups), whole)
    np.testing.assert_array_equal(clone(estimator).fit(X.tolist(), groups.tolist()).transform(
        X.tolist(), groups.tolist()), whole)
    np.testing.assert_array_equal(fitted.fit(X, groups).transform(X, groups), whole)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(fitted.transform(X[order], groups[order]), whole[order])
    np.testing.assert_array_equal(
        np.vstack([fitted.transform(X[i : i + 7], groups[i : i + 7]) for i in range(0, len(X), 7)]),
        whole,
    )
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted)).transform(X, groups), whole
    )
    with pytest.raises(ValueError, match="Reshape your data"):
        fitted.transform(X[0], groups[:1])
    objects = X.astype(object)
    np.testing.assert_array_equal(fitted.transform(objects, groups), whole)
    single = fitted.transform(X.astype(np.float32), groups)
    np.testing.assert_allclose(single, whole, atol=1e-4)
    assert estimator.__dict__ == before


def test_pickles_of_another_version_say_so():
    X, groups = conflux.datasets.make_moons(30)
    fitted = conflux.NB().fit(X, groups)
    state = fitted.__getstate__()
    assert state["_conflux_version"] == conflux.__version__
    state["_conflux_version"] = "0.0.1"
    del state["strength"]
    again = conflux.NB.__new__(conflux.NB)
    with pytest.warns(conflux.FitWarning, match="pickled by conflux 0.0.1"):
        again.__setstate__(state)
    np.testing.assert_array_equal(again.transform(X, groups), fitted.transform(X, groups))
    assert again.strength is conflux.NB().strength
