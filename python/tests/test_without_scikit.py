"""numpy is all that the package needs."""

import subprocess
import sys
import textwrap

SCRIPT = """
import sys
for name in ("sklearn", "scipy", "pandas", "matplotlib", "anndata", "tqdm"):
    sys.modules[name] = None
import copy, pickle
import numpy as np
import conflux

X, groups = conflux.datasets.make_moons(100)
inb = conflux.INB(layers=3, verbose=1)
assert repr(inb) == "INB(layers=3, verbose=1)", repr(inb)
try:
    inb.transform(X, groups)
except conflux.NotFittedError as error:
    assert isinstance(error, ValueError) and isinstance(error, AttributeError)
Z = inb.fit(X, groups).transform(X, groups)
assert abs(inb.inverse_transform(Z, groups) - X).max() < 1e-9
assert inb.get_params()["layers"] == 3 and inb.set_params(layers=4).layers == 4
try:
    inb.set_params(layer=4)
except ValueError as error:
    assert "layer" in str(error)
else:
    raise AssertionError
assert (pickle.loads(pickle.dumps(inb)).transform(X, groups) == Z).all()
assert (copy.deepcopy(inb).transform(X, groups) == Z).all()
conflux.metrics.sliced_w2(X, Z)
try:
    conflux.plot.history(inb)
except ImportError as error:
    assert "matplotlib" in str(error)
else:
    raise AssertionError
print("done", conflux.INB.__mro__[-2].__module__)  # all others derive from it
"""


def test_the_package_works_with_numpy_alone():
    out = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", textwrap.dedent(SCRIPT)],
        capture_output=True, text=True,
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout.splitlines()[-1] == "done conflux._scikit"
