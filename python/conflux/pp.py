"""Alignment of AnnData objects, in the manner of scanpy.

Nothing here imports anndata: any object with ``X``, ``obs``, ``obsm``, ``uns`` and ``var_names``
will do.
"""

from __future__ import annotations

import difflib
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._aligner import BaseAligner
from ._arrays import as_samples
from .estimators import Aligner

__all__ = ["align", "correct"]

_Rows = npt.NDArray[np.float64]


def align(
    adata: Any,
    batch_key: str = "batch",
    use_rep: str = "X_pca",
    key_added: str = "X_conflux",
    label_key: str | None = None,
    fit_where: Any = None,
    **options: Any,
) -> BaseAligner:
    """Move the cells of all batches into a shared space.

    Parameters
    ----------
    adata : AnnData
        Gets ``obsm[key_added]``, and a summary of the model in ``uns["conflux"]``.
    batch_key : str
        Column of ``obs`` that tells the batch of a cell.
    use_rep : str
        Key of ``obsm`` to align, or "X" for ``adata.X``.
    key_added : str
        Key of ``obsm`` for the result.
    label_key : str, optional
        Column of ``obs`` that tells what a cell is; missing values are unknown. Cells are aligned
        with cells of the same label (``gate="label"``) unless ``gate`` says otherwise. Never used
        as a feature.
    fit_where : str or array-like of bool, optional
        Cells to fit on, say controls: "column=value" of ``obs``, a column of truth values, or one
        truth value per cell. All cells are moved.
    **options
        Parameters of :class:`conflux.Aligner`.

    Returns
    -------
    Aligner
        The fitted aligner, to move new cells or to save.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import conflux
    >>> X, donors, kinds = conflux.datasets.make_cells(300)
    >>> cells = SimpleNamespace(X=X, obs={"donor": donors}, obsm={"X_pca": X}, uns={})
    >>> aligner = conflux.pp.align(cells, "donor", layers=5)
    >>> cells.obsm["X_conflux"].shape, sorted(cells.uns["conflux"]["groups"])
    ((300, 20), ['A', 'B', 'C'])
    """
    rows = _representation(adata, use_rep)
    batches = np.asarray(_column(adata, batch_key))
    labels = None if label_key is None else np.asarray(_column(adata, label_key), dtype=object)
    if label_key is not None:
        options = {"gate": "label", **options}
    aligner = _fit(
        rows, batches, _cells(adata, fit_where, len(rows)), options, labels, label_key or ""
    )
    adata.obsm[key_added] = aligner.transform(rows, batches, labels)
    adata.uns["conflux"] = _summary(
        aligner,
        batch_key=batch_key,
        use_rep=use_rep,
        key_added=key_added,
        **({} if label_key is None else {"label_key": label_key}),
    )
    return aligner


def correct(
    adata: Any,
    batch_key: str = "batch",
    n_comps: int = 50,
    fit_where: Any = None,
    **options: Any,
) -> _Rows:
    """Return expression without batch effects.

    Cells are aligned in the space of the leading principal components. Each cell is then moved by
    what its components were moved by; the rest of its expression is kept as it is.

    Parameters
    ----------
    adata : AnnData
        ``X`` holds expression, dense or sparse; it is not changed. ``uns["conflux"]`` gets a
        summary of the model.
    batch_key : str
        Column of ``obs`` that tells the batch of a cell.
    n_comps : int
        Principal components; at most the numbers of cells and genes.
    fit_where : str or array-like of bool, optional
        As in :func:`align`.
    **options
        Parameters of :class:`conflux.Aligner`.

    Returns
    -------
    ndarray of shape (n_cells, n_genes)
        Corrected expression, dense.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import conflux
    >>> X, donors, kinds = conflux.datasets.make_cells(300)
    >>> cells = SimpleNamespace(X=X, obs={"donor": donors}, obsm={}, uns={})
    >>> conflux.pp.correct(cells, "donor", n_comps=5, layers=5).shape
    (300, 20)
    """
    expression = np.asarray(_representation(adata, "X"), dtype=np.float64)
    batches = np.asarray(_column(adata, batch_key))
    components = _principal_components(expression, n_comps)
    scores = (expression - expression.mean(axis=0)) @ components.T
    aligner = _fit(scores, batches, _cells(adata, fit_where, len(scores)), options)
    moved: _Rows = aligner.transform(scores, batches)
    adata.uns["conflux"] = _summary(
        aligner, batch_key=batch_key, use_rep="X", n_comps=len(components)
    )
    corrected: _Rows = expression + (moved - scores) @ components
    return corrected


def _fit(
    rows: Any,
    batches: npt.NDArray[Any],
    cells: npt.NDArray[np.bool_],
    options: dict[str, Any],
    labels: npt.NDArray[np.object_] | None = None,
    label_key: str = "",
) -> BaseAligner:
    aligner = Aligner(**options)
    aligner._label_column = label_key
    if cells.all():
        return aligner.fit(rows, batches, y=labels)
    lost = sorted({str(batch) for batch in batches} - {str(batch) for batch in batches[cells]})
    if lost:
        raise ValueError(f"fit_where leaves no cell of the batches {lost}; choose more cells.")
    return aligner.fit(
        rows[cells], batches[cells], y=None if labels is None else labels[cells]
    )


def _representation(adata: Any, use_rep: str) -> Any:
    if use_rep == "X":
        rows = adata.X
        return as_samples(rows.toarray() if hasattr(rows, "toarray") else rows)
    if use_rep not in adata.obsm:
        raise KeyError(_unknown("obsm", use_rep, list(adata.obsm)))
    return as_samples(adata.obsm[use_rep], f"obsm[{use_rep!r}]")


def _column(adata: Any, key: str) -> Any:
    if key not in adata.obs:
        raise KeyError(_unknown("obs", key, list(adata.obs)))
    return adata.obs[key]


def _cells(adata: Any, fit_where: Any, count: int) -> npt.NDArray[np.bool_]:
    if fit_where is None:
        return np.ones(count, dtype=bool)
    if isinstance(fit_where, str) and "=" in fit_where:
        key, value = fit_where.split("=", 1)
        chosen = np.asarray(_column(adata, key.strip())).astype(str) == value.strip()
    else:
        chosen = np.asarray(_column(adata, fit_where) if isinstance(fit_where, str) else fit_where)
    if chosen.dtype != np.bool_ or chosen.shape != (count,):
        raise ValueError(
            f"fit_where gives {chosen.dtype} of shape {chosen.shape}; give one truth value for "
            f"each of the {count} cells, or 'column=value'."
        )
    truths: npt.NDArray[np.bool_] = chosen
    return truths


def _principal_components(expression: _Rows, n_comps: int) -> _Rows:
    """Return the leading components as rows, from the smaller of the two Gram matrices."""
    centered = expression - expression.mean(axis=0)
    count = min(n_comps, *centered.shape)
    if n_comps < 1:
        raise ValueError(f"n_comps is {n_comps}; choose at least 1.")
    if centered.shape[1] <= centered.shape[0]:
        _, vectors = np.linalg.eigh(centered.T @ centered)
        return np.ascontiguousarray(vectors[:, ::-1][:, :count].T)
    values, vectors = np.linalg.eigh(centered @ centered.T)
    values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    kept = values > values[0] * np.finfo(float).eps * len(centered)
    components: _Rows = (centered.T @ vectors[:, kept] / np.sqrt(values[kept])).T
    return np.ascontiguousarray(components)


def _summary(aligner: BaseAligner, **names: Any) -> dict[str, Any]:
    """Return what a reader of the object should know, in types that h5ad files hold."""
    model = aligner.model_
    return {
        **names,
        "method": model.options["method"],
        "groups": np.array(model.group_names, dtype=object),
        "group_sizes": np.array(model.group_sizes),
        "n_layers": len(model.layers),
        "spread": np.array([record.spread_before for record in aligner.history_]),
        "options": json.dumps(model.options),
        "warnings": json.dumps(model.warnings),
        "seconds": model.seconds,
        "version": _core.__version__,
    }


def _unknown(where: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, [str(name) for name in known], 1)
    if near:
        return f"{where} has no {key!r}; did you mean {near[0]!r}?"
    return f"{where} has no {key!r}; it has {', '.join(map(repr, known)) or 'nothing'}."
