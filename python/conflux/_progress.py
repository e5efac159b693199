"""Tells how a fit goes on."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, SupportsIndex

__all__ = ["LayerRecord", "Progress"]


class LayerRecord(NamedTuple):
    """Record of one layer of a fit.

    ``spread`` is the mean squared Wasserstein distance of the groups to their barycenter along the
    directions of the layer: where the search for directions began, where it ended, and there after
    the layer has moved the groups. It is 0 for layers without a search. ``held_out`` is the mean
    energy distance of rows that were held out, after this layer; None when there are none.
    ``seconds`` went into products with the rows, into sorting with what is done to sorted values,
    and into the rest; ``flops`` and ``bytes`` are those of the products.

    Examples
    --------
    >>> from conflux import INB, datasets
    >>> X, groups = datasets.make_moons(200)
    >>> inb = INB(layers=3).fit(X, groups)
    >>> [record.kind for record in inb.history_]
    ['sliced', 'sliced', 'sliced']
    """

    layer: int
    kind: str
    spread_at_start: float
    spread_before: float
    spread_after: float
    held_out: float | None
    held_out_error: float | None
    steps: int
    evaluations: int
    passes: int
    seconds: float
    product_seconds: float
    sort_seconds: float
    flops: float
    bytes: float


class Progress:
    """Calls the user's function after every layer, and shows a bar or lines if asked to."""

    def __init__(
        self, verbose: int, total: int, callback: Callable[[LayerRecord], object] | None
    ) -> None:
        if not isinstance(verbose, SupportsIndex):
            raise TypeError(f"verbose is {verbose!r}; choose 0, 1 or 2.")
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {callback!r}; give a function of a LayerRecord, or None.")
        self._verbose = int(verbose)
        self._total = total
        self._callback = callback
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self._verbose == 1:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                self._bar = tqdm(total=self._total, unit="layer", desc="conflux")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, fields: dict[str, Any]) -> bool:
        record = LayerRecord(**fields)
        self._show(record)
        return self._callback is not None and bool(self._callback(record))

    def _show(self, record: LayerRecord) -> None:
        if self._bar is not None:
            self._bar.update(1)
            self._bar.set_postfix(spread=f"{record.spread_before:.3g}")
            return
        # Without a bar, a tenth of the layers is enough to see that it goes on.
        number = record.layer + 1
        if self._verbose > 1 or (self._verbose == 1 and number % max(1, self._total // 10) == 0):
            print(
                f"layer {number}/{self._total} ({record.kind}): spread {record.spread_before:.4g} "
                f"-> {record.spread_after:.4g}, {record.seconds:.3f} s"
            )
