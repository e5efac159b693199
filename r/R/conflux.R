# Rows are samples and columns features, as everywhere in conflux; expression matrices of Bioconductor
# are the other way round, so give t(x).

#' Rows of all batches in the shared space, or as if all were of the batch `to`. The model is the
#' attribute "conflux" of the result; print it and read it before you use the rows.
align <- function(x, batch, to = NULL, ...) UseMethod("align")

align.default <- function(x, batch, to = NULL, ...) {
  x <- numbers_of(x)
  model <- fit(x, batch, ...)
  structure(predict(model, x, batch, to), conflux = model)
}

# Numeric columns are features; the others stay as they are.
align.data.frame <- function(x, batch, to = NULL, ...) {
  if (is.character(batch) && length(batch) == 1 && batch %in% names(x)) {
    of <- x[[batch]]
    numeric <- setdiff(names(x)[vapply(x, is.numeric, NA)], batch)
  } else {
    of <- batch
    numeric <- names(x)[vapply(x, is.numeric, NA)]
  }
  moved <- align.default(as.matrix(x[numeric]), of, to, ...)
  x[numeric] <- as.data.frame(moved)
  structure(x, conflux = attr(moved, "conflux"))
}

# The entry `dimred` of reducedDims is aligned and kept as another one, `name`; the model is in metadata.
align.SingleCellExperiment <- function(x, batch, to = NULL, dimred = "PCA", name = "conflux", ...) {
  if (length(batch) == 1) batch <- SummarizedExperiment::colData(x)[[batch]]
  moved <- align.default(SingleCellExperiment::reducedDim(x, dimred), batch, to, ...)
  S4Vectors::metadata(x)$conflux <- attr(moved, "conflux")
  attr(moved, "conflux") <- NULL
  SingleCellExperiment::reducedDim(x, name) <- moved
  x
}

#' Options are those of `conflux fit`: fit(x, batch, seed = 1, method = "nb").
fit <- function(x, batch, ...) {
  x <- numbers_of(x)
  options <- list(...)
  if (length(options) > 0 && (is.null(names(options)) || any(names(options) == ""))) {
    stop("options have names, as in fit(x, batch, seed = 1)")
  }
  words <- vapply(options, function(value) format(value, digits = 17, scientific = FALSE), "")
  batch <- names_of_batches(batch, x)
  sorted <- batch_by_batch(batch)
  .Call(conflux_r_fit, x[sorted, , drop = FALSE], names_of(x), batch[sorted],
        paste0(names(options), "=", words, recycle0 = TRUE))
}

#' Rows into the shared space, or as if they were of the batch `to`; new rows as well as those of the fit.
predict.conflux <- function(object, x, batch, to = NULL, ...) {
  moved(object, x, batch, if (is.null(to)) "transform" else "translate", to)
}

#' Rows of the shared space as rows of their batches.
as_batch <- function(model, x, batch) moved(model, x, batch, "inverse", NULL)

save_model <- function(model, path) invisible(.Call(conflux_r_save, model, path.expand(path)))
load_model <- function(path) .Call(conflux_r_load, path.expand(path))

print.conflux <- function(x, ...) {
  about <- .Call(conflux_r_about, x)
  cat("conflux model of ", length(about$groups), " batches (", paste(about$groups, collapse = ", "), ") and ",
      length(about$columns), " columns\n", about$summary, "\n", sep = "")
  invisible(x)
}

moved <- function(model, x, batch, way, to) {
  if (is.data.frame(x)) x <- as.matrix(x[.Call(conflux_r_about, model)$columns])
  x <- numbers_of(x)
  batch <- names_of_batches(batch, x)
  sorted <- batch_by_batch(batch)
  x[sorted, ] <- .Call(conflux_r_move, model, x[sorted, , drop = FALSE], batch[sorted], way, to)
  x
}

# Batches in the order of their first rows, and rows of a batch in theirs.
batch_by_batch <- function(batch) order(match(batch, unique(batch)))

numbers_of <- function(x) {
  if (!is.matrix(x)) x <- as.matrix(x)
  if (!is.numeric(x)) stop("the rows are of type ", typeof(x), "; give a matrix of numbers, a row per sample")
  storage.mode(x) <- "double"
  x
}

names_of <- function(x) if (is.null(colnames(x))) character(0) else colnames(x)

names_of_batches <- function(batch, x) {
  if (length(batch) != nrow(x)) {
    stop("there are ", nrow(x), " rows but ", length(batch), " batches; give one per row",
         if (length(batch) == ncol(x)) ", or t(x): rows are samples, columns are features")
  }
  if (anyNA(batch)) stop("row ", which(is.na(batch))[1], " has no batch; leave it out or name one")
  as.character(batch)
}
