from typing import Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt

__version__: str

_Array = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]

class Error(RuntimeError): ...
class InvalidData(ValueError): ...
class InvalidOption(ValueError): ...

class Layer:
    @property
    def kind(self) -> str: ...
    @property
    def num_lines(self) -> int: ...
    @property
    def frame(self) -> Optional[_Array]: ...
    def move_along_line(self, group: int, line: int, values: npt.ArrayLike) -> _Array: ...
    def line_range(self, group: int, line: int) -> tuple[float, float]: ...
    def affine_map(self, group: int) -> Optional[tuple[_Array, _Array, _Array]]: ...

_Cells = list[tuple[str, Union[_Array, list[str]]]]
_Names = list[str]

class Table:
    def __init__(self, columns: _Cells) -> None: ...
    @staticmethod
    def of_rows(rows: npt.NDArray[Any], names: _Names, threads: int) -> Table: ...

_Rows = Union[Table, npt.NDArray[Any]]

class Columns:
    @property
    def feature_names(self) -> _Names: ...
    @property
    def kinds(self) -> list[str]: ...
    @property
    def kept_names(self) -> _Names: ...
    @property
    def kept_kinds(self) -> list[str]: ...
    @property
    def carried(self) -> dict[str, str]: ...
    @property
    def lines(self) -> list[str]: ...
    @property
    def scale_reason(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def doubts(self) -> list[tuple[str, int, str]]: ...
    def new_categories(self, table: Table) -> dict[str, int]: ...

class Data:
    def __init__(
        self,
        x: _Rows,
        groups: _Codes,
        group_names: _Names,
        masses: Optional[_Array],
        labels: _Codes,
        label_names: _Names,
        names: _Names,
        columns: Optional[dict[str, Any]],
        threads: int,
    ) -> None: ...
    @staticmethod
    def of_model(
        model: Model,
        x: _Rows,
        groups: _Codes,
        group_names: _Names,
        labels: _Codes,
        label_names: _Names,
        names: _Names,
        threads: int,
    ) -> Data: ...
    def others(self, x: _Rows, groups: _Codes, names: _Names, threads: int) -> Data: ...
    @property
    def columns(self) -> Optional[Columns]: ...
    @property
    def feature_names(self) -> _Names: ...
    @property
    def group_names(self) -> _Names: ...
    @property
    def dim(self) -> int: ...
    @property
    def group_sizes(self) -> list[int]: ...
    @property
    def dropped(self) -> int: ...

def column_choice_words(name: str) -> list[str]: ...
def move_table(
    model: Model,
    table: Table,
    from_groups: Optional[_Codes],
    to_groups: Optional[_Codes],
    labels: Optional[_Codes],
    shared: bool,
    threads: int,
) -> tuple[_Cells, int]: ...
def move_array(
    model: Model,
    x: npt.NDArray[Any],
    names: _Names,
    from_groups: Optional[_Codes],
    to_groups: Optional[_Codes],
    labels: Optional[_Codes],
    shared: bool,
    threads: int,
) -> tuple[_Array, int]: ...
def coordinates(
    model: Model, x: _Rows, names: _Names, groups: _Codes, threads: int
) -> _Array: ...
def log_slopes(model: Model, rows: npt.NDArray[Any]) -> _Array: ...

class Model:
    @property
    def columns(self) -> Optional[Columns]: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    def with_table_group(
        self, name: str, table: Table, masses: Optional[_Array], threads: int
    ) -> Model: ...
    @property
    def dim(self) -> int: ...
    @property
    def group_names(self) -> list[str]: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def group_column(self) -> str: ...
    @property
    def label_column(self) -> str: ...
    @property
    def label_names(self) -> list[str]: ...
    @property
    def group_sizes(self) -> list[int]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def history(self) -> list[dict[str, Any]]: ...
    @property
    def dropped_history(self) -> list[dict[str, Any]]: ...
    @property
    def held_out_at_start(self) -> Optional[float]: ...
    @property
    def held_out_nb(self) -> Optional[float]: ...
    @property
    def layers(self) -> list[Layer]: ...
    def group_index(self, name: str) -> int: ...
    def move(
        self,
        x: npt.NDArray[Any],
        from_groups: Optional[_Codes],
        to_groups: Optional[_Codes],
        labels: Optional[_Codes],
        want_rows: bool,
        want_log_det: bool,
        threads: int,
    ) -> tuple[Optional[_Array], Optional[_Array]]: ...
    def with_group(
        self, name: str, x: npt.NDArray[Any], masses: Optional[_Array], threads: int
    ) -> Model: ...
    def save(self, path: str) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def load(path: str) -> Model: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...

def describe_options() -> list[dict[str, Any]]: ...
def resolve_options(
    options: dict[str, Any], dim: int, group_names: list[str], group_sizes: list[int]
) -> dict[str, Any]: ...
def paper_options(method: str, num_groups: int) -> dict[str, Any]: ...
def fit(
    data: Data,
    options: dict[str, Any],
    group_column: str,
    label_column: str,
    on_layer: Optional[Callable[[dict[str, Any]], bool]],
) -> Model: ...
def draw_rows(
    options: dict[str, Any], size: int, labels: Optional[npt.NDArray[np.int64]]
) -> npt.NDArray[np.int64]: ...
def fit_drawn(
    data: Data,
    options: dict[str, Any],
    group_column: str,
    label_column: str,
    drawn_from: list[int],
    checkpoint: bytes,
    on_checkpoint: Callable[[bytes], None],
    seconds: float,
) -> Model: ...
def align(
    data: Data,
    options: dict[str, Any],
    unseen: float,
    to: str,
    group_column: str,
    label_column: str,
    on_layer: Optional[Callable[[dict[str, Any]], bool]],
) -> tuple[Model, npt.NDArray[np.bool_], dict[str, Any]]: ...
def w2_exact(
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    x_weights: Optional[_Array],
    y_weights: Optional[_Array],
    block: Optional[int],
    threads: int,
) -> float: ...
def paper_wd(
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    block: Optional[int],
    single: bool,
    epsilon: float,
    max_iterations: int,
    threshold: float,
    threads: int,
) -> float: ...
def sinkhorn_divergence(
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    relative_epsilon: float,
    epsilon: Optional[float],
    tolerance: float,
    max_iterations: int,
    threads: int,
) -> dict[str, Any]: ...
def sliced_w2(
    x: npt.NDArray[Any], y: npt.NDArray[Any], directions: int, seed: int, threads: int
) -> float: ...
def max_sliced_w2(
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    starts: int,
    max_steps: int,
    min_relative_gain: float,
    seed: int,
    threads: int,
) -> tuple[float, _Array]: ...
def energy_distance(x: npt.NDArray[Any], y: npt.NDArray[Any], threads: int) -> float: ...
def frechet_distance(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float: ...
def kernel_distance(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> float: ...
def lisi(x: npt.NDArray[Any], kinds: _Codes, perplexity: int, threads: int) -> _Array: ...
def integration_scores(
    x: npt.NDArray[Any], batches: _Codes, labels: _Codes, before: Optional[npt.NDArray[Any]],
    threads: int,
) -> dict[str, Any]: ...
def neighbors_kept(
    before: npt.NDArray[Any], after: npt.NDArray[Any], count: int, threads: int
) -> float: ...
def transport_cost(
    x: npt.NDArray[Any], y: npt.NDArray[Any], weights: Optional[_Array], threads: int
) -> float: ...
def round_trip_error(
    original: npt.NDArray[Any], returned: npt.NDArray[Any]
) -> tuple[float, float, int]: ...
def predict_groups(
    data: Data,
    unseen: Optional[Data],
    folds: int,
    trees: int,
    max_rows: int,
    seed: int,
    threads: int,
) -> dict[str, Any]: ...
def check(
    data: Data, error_rate: float, max_rows: int, permutations: int, seed: int, threads: int
) -> dict[str, Any]: ...
def save_page(path: str, page: str) -> None: ...
def report(
    model: Model, data: Data, rows: int, seed: int, threads: int
) -> dict[str, Any]: ...
def evaluate(
    model: Model,
    data: Data,
    metrics: list[str],
    shared_space: bool,
    max_rows: int,
    seed: int,
    threads: int,
) -> dict[str, Any]: ...
def metric_names() -> list[str]: ...
def make_moons(samples: int, noise: float, seed: int) -> tuple[_Array, _Codes]: ...
def make_circles(
    samples: int, noise: float, factor: float, seed: int
) -> tuple[_Array, _Codes]: ...
def make_random_pattern(
    samples: int, num_groups: int, class_sep: float, flip: float, seed: int
) -> tuple[_Array, _Codes]: ...
def make_gaussians(samples: int, seed: int) -> tuple[_Array, _Codes]: ...
def make_gaussian_groups(
    num_groups: int, dim: int, samples: int, seed: int
) -> tuple[_Array, _Codes]: ...
