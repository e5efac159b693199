# Rows are samples and columns features, as everywhere in conflux; expression matrices of Bioconductor
# are the other way round, so give t(x).

#' Aligns the rows of all batches: into the shared space, or as if all were of the batch `to`. The model is the
#' attribute "conflux" of the result; print it for scores and warnings before you use the rows.
align <- function(x, batch, to = NULL, ...) UseMethod("align")

align.default <- function(x, batch, to = NULL, ...) {
  x <- numbers_of(x)
  model <- fit(x, batch, ...)
  structure(predict(model, x, batch, to), conflux = model)
}

# Types of columns are found as by `conflux fit`: numbers and factors with few levels are features, others are copied
# unchanged. In the shared space a factor is a number.
align.data.frame <- function(x, batch, to = NULL, ...) {
  model <- fit(x, batch, ...)
  if (is_name(batch, x)) batch <- x[[batch]]
  structure(predict(model, x, batch, to), conflux = model)
}

# The assay is aligned, sample by sample, and kept as another one, `name`; the model is in metadata.
align.SummarizedExperiment <- function(x, batch, to = NULL, assay = 1, name = "conflux", ...) {
  if (length(batch) == 1) batch <- column_of(x, batch)
  moved <- align.default(t(as.matrix(SummarizedExperiment::assay(x, assay))), batch, to, ...)
  S4Vectors::metadata(x)$conflux <- attr(moved, "conflux")
  attr(moved, "conflux") <- NULL
  SummarizedExperiment::assay(x, name, withDimnames = FALSE) <- t(moved)
  x
}

# The entry `dimred` of reducedDims is aligned and kept as another one, `name`; the model is in metadata.
align.SingleCellExperiment <- function(x, batch, to = NULL, dimred = "PCA", name = "conflux", ...) {
  if (length(batch) == 1) batch <- column_of(x, batch)
  options <- list(...)
  label <- options$label
  if (is.character(label) && length(label) == 1) options$label <- column_of(x, label)
  if (!dimred %in% SingleCellExperiment::reducedDimNames(x)) {
    stop("x has no reduced dimensions \"", dimred, "\"; compute them, as by scater::runPCA(x), or name others: dimred = ",
         paste0("\"", SingleCellExperiment::reducedDimNames(x), "\"", collapse = " or "))
  }
  moved <- do.call(align.default, c(list(SingleCellExperiment::reducedDim(x, dimred), batch, to), options))
  S4Vectors::metadata(x)$conflux <- attr(moved, "conflux")
  attr(moved, "conflux") <- NULL
  SingleCellExperiment::reducedDim(x, name) <- moved
  x
}

#' Options are those of `conflux fit`: fit(x, batch, seed = 1, method = "nb", missing = "drop").
#' `batch` and `label` name columns of x, or have one value per row; columns named by `drop` are copied unchanged.
#' Columns named by `keep` are covariates, which are never moved, so that their effects stay:
#' keep = c("age", "sex", "month:cyclic", "dose:category").
#' `row_weights` names a column of x, or has a weight for every row: how much it counts in the fit.
fit <- function(x, batch, label = NULL, drop = NULL, keep = NULL, row_weights = NULL, ...) {
  options <- list(...)
  if (length(options) > 0 && (is.null(names(options)) || any(names(options) == ""))) {
    stop("options have names, as in fit(x, batch, seed = 1)")
  }
  if (is_name(batch, x)) {
    options$group <- batch
    of <- x[[batch]]
    x <- x[setdiff(names(x), batch)]
  } else {
    of <- batch
  }
  if (!is.null(label)) {
    if (is_name(label, x)) {
      options$label <- label
    } else {
      if (length(label) != nrow(x)) stop("there are ", nrow(x), " rows but ", length(label), " labels; give one per row")
      options$label <- free_name("label", x)
      x <- cbind(as.data.frame(x), stats::setNames(data.frame(as.character(label)), options$label))
    }
  }
  if (!is.null(row_weights)) {
    if (is_name(row_weights, x)) {
      options$row_weights <- row_weights
    } else {
      if (length(row_weights) != nrow(x)) {
        stop("there are ", nrow(x), " rows but ", length(row_weights), " weights; give one per row")
      }
      options$row_weights <- "row_weights"
      x <- cbind(as.data.frame(x), row_weights = as.double(row_weights))
    }
  }
  if (length(drop) > 0) options$drop <- paste(drop, collapse = ",")
  if (length(keep) > 0) options$keep <- paste(keep, collapse = ",")
  if (!is.null(options$weights) && is.numeric(options$weights) && length(options$weights) == nrow(x)) {
    options[["row_weights"]] <- free_name("weight", x)
    x <- cbind(as.data.frame(x), stats::setNames(data.frame(as.double(options$weights)), options[["row_weights"]]))
    options$weights <- NULL
  }
  options <- lapply(options, function(value) if (length(value) > 1) paste(value, collapse = ",") else value)
  words <- vapply(options, function(value) format(value, digits = 17, scientific = FALSE), "")
  coded <- coded_of(x)
  in_words_of_r(.Call(conflux_r_fit, coded$numbers, names_of(coded$numbers), names_of_batches(of, x), coded$levels,
                      paste0(names(options), "=", words, recycle0 = TRUE)))
}

#' Rows into the shared space, or as if they were of the batch `to`; new rows as well as those of the fit.
predict.conflux <- function(object, x, batch, to = NULL, ...) {
  moved(object, x, batch, if (is.null(to)) "transform" else "translate", to)
}

#' Rows of the shared space as rows of their batches.
as_batch <- function(model, x, batch) moved(model, x, batch, "inverse", NULL)

#' The model with rows moved by a fraction of their way: 0 leaves them in place, 1 moves them all the way.
with_amount <- function(model, amount) .Call(conflux_r_with_amount, model, as.double(amount))

save_model <- function(model, path) invisible(.Call(conflux_r_save, model, path.expand(path)))
load_model <- function(path) .Call(conflux_r_load, path.expand(path))

print.conflux <- function(x, ...) {
  about <- .Call(conflux_r_about, x)
  cat("conflux model of ", length(about$groups), " batches (", paste(about$groups, collapse = ", "), ") and ",
      length(about$columns), " columns\n", r_words(about$summary), "\n", sep = "")
  invisible(x)
}

moved <- function(model, x, batch, way, to) {
  about <- .Call(conflux_r_about, model)
  if (is_name(batch, x)) batch <- x[[batch]]
  if (is.data.frame(x) && any(!about$columns %in% names(x))) {
    stop("the rows have no column \"", setdiff(about$columns, names(x))[1], "\", which the fit had; add it")
  }
  given <- if (is.data.frame(x)) x[about$columns] else x
  coded <- coded_of(given, if (is.data.frame(x)) stats::setNames(about$levels, about$columns))$numbers
  batch <- names_of_batches(batch, x)
  sorted <- batch_by_batch(batch)
  out <- coded
  out[sorted, ] <- in_words_of_r(
    .Call(conflux_r_move, model, coded[sorted, , drop = FALSE], batch[sorted], way, to))
  if (!is.data.frame(x)) return(out)
  for (j in seq_along(given)) {
    # A column that did not move keeps its type.
    if (identical(out[, j], coded[, j])) next
    levels <- about$levels[[j]]
    x[[about$columns[j]]] <- if (length(levels) == 0 || way == "transform") out[, j] else levels[out[, j] + 1]
  }
  x
}

# Rows as a matrix of numbers, in which texts are positions among their levels, from 0.
coded_of <- function(x, known = NULL) {
  if (!is.data.frame(x)) {
    x <- numbers_of(x)
    return(list(numbers = x, levels = rep(list(character(0)), ncol(x))))
  }
  levels <- lapply(names(x), function(name) {
    column <- x[[name]]
    if (is.numeric(column) || is.logical(column)) return(character(0))
    if (length(known[[name]]) > 0) return(known[[name]])
    if (is.factor(column)) base::levels(column) else unique(as.character(column[!is.na(column)]))
  })
  numbers <- vapply(seq_along(x), function(j) {
    column <- x[[j]]
    if (length(levels[[j]]) == 0) return(as.double(column))
    places <- match(as.character(column), levels[[j]]) - 1
    new <- is.na(places) & !is.na(column)
    if (any(new)) {
      stop("column \"", names(x)[j], "\" has a value \"", column[new][1], "\", which the fit has not seen")
    }
    as.double(places)
  }, double(nrow(x)))
  numbers <- matrix(numbers, nrow(x), dimnames = list(NULL, names(x)))
  list(numbers = numbers, levels = levels)
}

# Flags of the command, and what they are called here.
r_words <- function(text) {
  text <- gsub("say --as ([^= ]+)=category or [^= ]+=ignore", "make \\1 a factor, or drop = \"\\1\"", text)
  text <- gsub("--(missing|gate|repeats|goal|method|scale) ([a-z-]+)", "\\1 = \"\\2\"", text)
  text <- gsub("--(group) ([A-Za-z_.]+)", "batch = \"\\2\"", text)
  text <- gsub("--([a-z]+(-[a-z]+)*)", "\\1 =", text)
  text <- gsub("conflux (fit|align) ", "\\1() ", text)
  gsub("group =", "batch =", text, fixed = TRUE)
}

in_words_of_r <- function(work) tryCatch(work, error = function(error) stop(r_words(conditionMessage(error)), call. = FALSE))

# A name that no column of x has.
free_name <- function(name, x) {
  while (name %in% colnames(x)) name <- paste0(name, "_")
  name
}

column_of <- function(x, name) {
  columns <- SummarizedExperiment::colData(x)
  if (!name %in% names(columns)) {
    stop("colData(x) has no column \"", name, "\"; it has ", paste(names(columns), collapse = ", "))
  }
  columns[[name]]
}

is_name <- function(name, x) is.data.frame(x) && is.character(name) && length(name) == 1 && name %in% names(x)

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
