"""Alignment of AnnData objects, in the manner of scanpy.

Nothing here imports anndata: any object with ``X``, ``obs``, ``obsm``, ``uns`` and ``var_names``
will do.
"""

from __future__ import annotations

import copy
import difflib
import json
import warnings
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._align import Alignment
from ._align import align as conflux_align
from ._aligner import BaseAligner
from ._arrays import as_samples
from ._columns import FitWarning
from .estimators import Aligner

__all__ = ["align", "correct", "map_new"]

_Rows = npt.NDArray[np.float64]

# Between the names of crossed batches, as in the command.
_BETWEEN = "+"
# Cells of the reference whose distances from each other are the standard of new cells.
_CELLS_OF_STANDARD = 5000
# Confidences below the first are those of foreign cells; a batch with more of them draws a warning.
_FOREIGN, _MANY_FOREIGN = 0.05, 0.2


def align(
    adata: Any,
    batch_key: str | Sequence[str] = "batch",
    basis: str = "X_pca",
    key_added: str = "X_conflux",
    label_key: str | None = None,
    covariates: Sequence[str] | str | None = None,
    fit_where: Any = None,
    **options: Any,
) -> Alignment:
    """Move the cells of all batches into a shared space, and judge the result on held-out cells.

    Parameters
    ----------
    adata : AnnData
        Gets ``obsm[key_added]``; ``uns["conflux"]`` gets the verdict and a summary of the model.
    batch_key : str or sequence of str
        Column of ``obs`` that holds the batch of a cell. Several are crossed: each combination that
        occurs is a batch.
    basis : str
        Key of ``obsm`` to align, with or without the leading "X_", or "X" for ``adata.X``.
    key_added : str
        Key of ``obsm`` for the result.
    label_key : str, optional
        Column of ``obs`` that holds the cell type; missing values are unknown. Cells are aligned
        with cells of the same label (``gate="label"``) unless ``gate`` says otherwise. Never used
        as a feature.
    covariates : str or sequence of str, optional
        Columns of ``obs`` whose effects stay, each alone or with a word: ["age", "sex",
        "dose:category"].
    fit_where : str or array-like of bool, optional
        Cells to fit on, say controls: "column=value" of ``obs``, a column of truth values, or one
        truth value per cell. All cells are moved.
    **options
        Parameters of :func:`conflux.align` and of :class:`conflux.Aligner`.

    Returns
    -------
    Alignment
        Print it before the cells are used. `model` moves new cells, :func:`map_new` new batches.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import conflux
    >>> X, donors, kinds = conflux.datasets.make_cells(300)
    >>> cells = SimpleNamespace(X=X, obs={"donor": donors}, obsm={"X_pca": X}, uns={})
    >>> done = conflux.pp.align(cells, "donor", layers=5)
    >>> cells.obsm["X_conflux"].shape, sorted(cells.uns["conflux"]["groups"])
    ((300, 20), ['A', 'B', 'C'])
    >>> cells.uns["conflux"]["verdict"] == done.summary.verdict
    True
    """
    basis, rows = _representation(adata, basis)
    keys = [batch_key] if isinstance(batch_key, str) else list(batch_key)
    batches = _batches(adata, keys)
    labels = None if label_key is None else np.asarray(_column(adata, label_key), dtype=object)
    cells = _cells(adata, fit_where, len(rows))
    _check_batches(batches, cells)
    table = rows if covariates is None else _with_covariates(adata, rows, covariates)
    if covariates is not None:
        options = {"covariates": covariates, **options}
    chosen = table[cells] if not cells.all() else table
    done = conflux_align(
        chosen, batches[cells], None if labels is None else labels[cells], **options
    )
    done.model._label_column = label_key or ""
    moved = done.model.transform(table, batches, labels) if done.check.differ else rows
    features = rows.shape[1]
    moved = np.asarray(moved)[:, :features].astype(np.float64)
    adata.obsm[key_added] = moved
    adata.uns["conflux"] = {
        **_summary(
            done.model,
            batch_key=keys[0] if len(keys) == 1 else np.array(keys, dtype=object),
            use_rep=basis,
            key_added=key_added,
            **({} if label_key is None else {"label_key": label_key}),
        ),
        "verdict": done.summary.verdict,
        "sentences": np.array(done.summary.sentences, dtype=object),
        "judgement": json.dumps(done.summary.to_dict()),
    }
    return Alignment(moved, done.model, done.check, done.summary, done.unseen)


def map_new(
    adata: Any,
    reference: Any,
    done: Alignment | BaseAligner,
    batch_key: str | Sequence[str] = "batch",
    basis: str = "X_pca",
    key_added: str = "X_conflux",
    label_key: str | None = None,
    neighbors: int = 15,
) -> BaseAligner:
    """Map cells of new batches onto an aligned reference, with a confidence for each cell.

    The maps of the reference stay as they are; each new batch gets one of its own. A batch whose
    cell types the reference lacks cannot be mapped: read the confidences.

    Parameters
    ----------
    adata : AnnData
        The new cells. ``obsm[key_added]`` gets them in the shared space,
        ``obs["conflux_confidence"]`` how near each lies to the reference: the fraction of reference
        cells that lie at least as far from the cells of their surroundings (0.5 is usual, below
        0.05 the reference has no such cell). With `label_key`, ``obs["conflux_label"]`` is the most
        frequent label of the nearest reference cells and ``obs["conflux_label_confidence"]`` their
        fraction.
    reference : AnnData
        The cells that :func:`align` has aligned.
    done : Alignment or Aligner
        What :func:`align` returned, or its model.
    batch_key, basis, key_added
        As for :func:`align`. Without ``obsm[basis]`` the new cells are projected onto
        ``reference.varm["PCs"]``.
    label_key : str, optional
        Column of ``reference.obs`` with labels to transfer.
    neighbors : int
        Nearest reference cells that are looked at.

    Returns
    -------
    Aligner
        The model with the new batches, to save or to map more cells of them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import conflux
    >>> X, donors, kinds = conflux.datasets.make_cells(900)
    >>> def cells(chosen):
    ...     obs = {"donor": donors[chosen], "kind": kinds[chosen]}
    ...     return SimpleNamespace(X=X[chosen], obs=obs, obsm={"X_pca": X[chosen]}, uns={})
    >>> reference, new = cells(donors != "C"), cells(donors == "C")
    >>> done = conflux.pp.align(reference, "donor")
    >>> model = conflux.pp.map_new(new, reference, done, "donor", label_key="kind")
    >>> bool((new.obs["conflux_label"] == new.obs["kind"]).mean() > 0.9)
    True
    """
    aligner = copy.copy(done.model if isinstance(done, Alignment) else done)
    rows = _projected(adata, reference, basis)
    keys = [batch_key] if isinstance(batch_key, str) else list(batch_key)
    batches = _batches(adata, keys)
    for batch in dict.fromkeys(batches.tolist()):
        if _labels.name_of(batch) not in aligner.model_.group_names:
            aligner.add_group(rows[batches == batch], batch)
    if key_added not in reference.obsm:
        raise KeyError(_unknown("reference.obsm", key_added, list(reference.obsm)))
    aligned = np.asarray(reference.obsm[key_added], dtype=np.float64)
    if neighbors < 1 or neighbors >= len(aligned):
        raise ValueError(
            f"neighbors is {neighbors} but the reference has {len(aligned)} cells; choose fewer."
        )
    moved = np.asarray(aligner.transform(rows, batches))
    places, distances = _nearest(moved, aligned, neighbors, own=False)
    # Reference cells that are their own neighbors would set too narrow a standard.
    drawn = np.random.default_rng(0).permutation(len(aligned))[:_CELLS_OF_STANDARD]
    _, usual = _nearest(aligned[drawn], aligned, neighbors, own=True)
    standard = np.sort(usual.mean(axis=1))
    far = np.searchsorted(standard, distances.mean(axis=1), side="left")
    confidence = 1 - far / len(standard)
    adata.obsm[key_added] = moved
    adata.obs["conflux_confidence"] = confidence
    for batch in dict.fromkeys(batches.tolist()):
        lost = float((confidence[batches == batch] < _FOREIGN).mean())
        if lost > _MANY_FOREIGN:
            warnings.warn(
                f"{lost:.0%} of the cells of batch {batch!r} lie further from the reference than "
                f"{1 - _FOREIGN:.0%} of its own cells from each other: the reference lacks such "
                "cells, or the batch holds few of the types of the reference; do not trust their "
                "places.", FitWarning, stacklevel=2,
            )
    if label_key is not None:
        labels = np.asarray(_column(reference, label_key), dtype=object)
        names, codes = _labels.encode_labels(labels, len(labels))
        votes = np.zeros((len(moved), len(names) + 1))
        for column in codes[places].T:
            votes[np.arange(len(moved)), column] += 1  # -1, the last, is unknown
        best = votes[:, : len(names)].argmax(axis=1)
        adata.obs["conflux_label"] = np.array(names, dtype=object)[best]
        adata.obs["conflux_label_confidence"] = votes[np.arange(len(moved)), best] / neighbors
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
    expression = np.asarray(_representation(adata, "X")[1], dtype=np.float64)
    batches = _batches(adata, [batch_key])
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
    rows: Any, batches: npt.NDArray[Any], cells: npt.NDArray[np.bool_], options: dict[str, Any]
) -> BaseAligner:
    _check_batches(batches, cells)
    return Aligner(**options).fit(rows[cells], batches[cells])


def _check_batches(batches: npt.NDArray[Any], cells: npt.NDArray[np.bool_]) -> None:
    lost = sorted({str(batch) for batch in batches} - {str(batch) for batch in batches[cells]})
    if lost:
        raise ValueError(f"fit_where leaves no cell of the batches {lost}; choose more cells.")


def _batches(adata: Any, keys: list[str]) -> npt.NDArray[Any]:
    """Return the batch of each cell; of several keys, the names of their values joined."""
    columns = [np.asarray(_column(adata, key)) for key in keys]
    if len(columns) == 1:
        return columns[0]
    if not columns:
        raise ValueError("batch_key is empty; name a column of obs.")
    for key, column in zip(keys, columns):
        if any(_labels.missing(value) for value in column):
            raise ValueError(f"obs[{key!r}] has missing values; name the batch of every cell.")
    crossed = zip(*columns)
    return np.array([_BETWEEN.join(map(_labels.name_of, each)) for each in crossed], dtype=object)


def _with_covariates(adata: Any, rows: Any, covariates: Sequence[str] | str) -> Any:
    """Return a data frame of the rows and the columns of obs that covariates name."""
    import pandas

    words = covariates.split(",") if isinstance(covariates, str) else covariates
    frame = pandas.DataFrame(rows, columns=[f"component_{j + 1}" for j in range(rows.shape[1])])
    for name in (word.split(":")[0].strip() for word in words):
        frame[name] = np.asarray(_column(adata, name))
    return frame


def _representation(adata: Any, basis: str) -> tuple[str, Any]:
    """Return the key of the rows and the rows."""
    if basis == "X":
        rows = adata.X
        return basis, as_samples(rows.toarray() if hasattr(rows, "toarray") else rows)
    if basis not in adata.obsm and f"X_{basis}" in adata.obsm:
        basis = f"X_{basis}"
    if basis not in adata.obsm:
        raise KeyError(_unknown("obsm", basis, list(adata.obsm)))
    return basis, as_samples(adata.obsm[basis], f"obsm[{basis!r}]")


def _projected(adata: Any, reference: Any, basis: str) -> Any:
    """Return the cells in the basis of the reference."""
    known = {basis, f"X_{basis}", "X"} & {*adata.obsm, *(["X"] if basis == "X" else [])}
    if known or "PCs" not in getattr(reference, "varm", {}):
        return _representation(adata, basis)[1]
    if list(adata.var_names) != list(reference.var_names):
        raise ValueError(
            "the genes are not those of the reference in its order; pass "
            "adata[:, reference.var_names]."
        )
    loadings = np.asarray(reference.varm["PCs"], dtype=np.float64)
    center = np.asarray(reference.X.mean(axis=0), dtype=np.float64).ravel()
    return np.asarray(adata.X @ loadings) - center @ loadings


def _nearest(
    rows: _Rows, others: _Rows, count: int, own: bool
) -> tuple[npt.NDArray[np.int64], _Rows]:
    """Return the nearest of the others and their distances; `own` leaves out the row itself."""
    center = others.mean(axis=0)
    rows, others = rows - center, others - center
    squares = (others**2).sum(axis=1)
    places = np.empty((len(rows), count), dtype=np.int64)
    distances = np.empty((len(rows), count))
    wanted = count + own
    for begin in range(0, len(rows), 512):
        block = rows[begin : begin + 512]
        gaps = squares - 2 * block @ others.T + (block**2).sum(axis=1)[:, None]
        near = np.argpartition(gaps, wanted - 1, axis=1)[:, :wanted]
        found = np.take_along_axis(gaps, near, axis=1)
        order = np.argsort(found, axis=1, kind="stable")[:, own:]
        places[begin : begin + 512] = np.take_along_axis(near, order, axis=1)
        distances[begin : begin + 512] = np.sqrt(
            np.maximum(np.take_along_axis(found, order, axis=1), 0)
        )
    return places, distances


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
