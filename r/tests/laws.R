# Laws of every row that conflux moves from R. With CONFLUX, the command, models are compared with
# its own.
library(conflux)

expect <- function(truth, claim) if (!isTRUE(truth)) stop("not true: ", claim)
refuses <- function(work, words) {
  said <- tryCatch({ work; "nothing" }, error = conditionMessage)
  expect(grepl(words, said, fixed = TRUE), paste0("it says ", words, ", not ", said))
}

set.seed(1)
n <- 400
batch <- rep(c("monday", "tuesday"), n / 2)
x <- cbind(height = rnorm(n), width = rnorm(n))
x[batch == "tuesday", ] <- 2 + 1.5 * x[batch == "tuesday", ]
gap <- function(rows) max(abs(colMeans(rows[batch == "monday", ]) - colMeans(rows[batch == "tuesday", ])))

aligned <- align(x, batch, seed = 1, method = "inb")
model <- attr(aligned, "conflux")
expect(gap(aligned) < 0.2 && gap(x) > 1.5, "means meet in the shared space")
expect(identical(dimnames(aligned), dimnames(x)), "names stay")
expect(max(abs(as_batch(model, aligned, batch) - x)) < 1e-9, "the way back is exact")
as_monday <- predict(model, x, batch, to = "monday")
expect(max(abs((as_monday - x)[batch == "monday", ])) < 1e-9, "rows of a batch are rows of it already")
expect(gap(as_monday) < 0.2, "rows of tuesday look like those of monday")
# A row is moved by itself, whatever stands beside it and in whatever order.
some <- c(7, 3, 200)
expect(identical(predict(model, x[some, ], batch[some]), unclass(aligned)[some, ]), "rows do not see each other")
expect(any(grepl("Rows keep", capture.output(print(model)))), "a model tells how well it went")

file <- tempfile(fileext = ".conflux")
save_model(model, file)
expect(identical(predict(load_model(file), x, batch), predict(model, x, batch)), "a file keeps every bit")

frame <- data.frame(x, day = batch, note = "kept")
moved <- align(frame, "day", seed = 1, method = "inb")
expect(identical(moved$note, frame$note) && identical(moved$day, frame$day), "other columns stay")
expect(identical(moved$height, unname(aligned[, "height"])), "a frame is moved as its matrix is")

frame$site <- factor(rep(c("north", "south"), each = n / 2))
frame$height[7] <- NA
labeled <- fit(frame, "day", label = "site", drop = "width", seed = 1, method = "nb")
expect(any(grepl("2 batches", capture.output(print(labeled)))), "labels and dropped columns are no features")
kept <- predict(labeled, frame, batch)
expect(identical(kept$width, frame$width) && identical(kept$site, frame$site), "what is no feature stays")
expect(is.na(kept$height[7]), "what is missing stays missing")
category <- fit(frame, "day", seed = 1, method = "nb")
expect(is.numeric(predict(category, frame, batch)$site), "a factor is a number in the shared space")
expect(all(predict(category, frame, batch, to = "monday")$site %in% c("north", "south")), "and a value elsewhere")
strange <- transform(frame, site = "east")
refuses(predict(category, strange, batch), "has not seen")

refuses(fit(x, batch, metod = "nb"), "did you mean \"method\"")
refuses(fit(t(x), batch), "t(x)")
refuses(fit(x, c(NA, batch[-1])), "row 1 has no batch")
refuses(fit(x, rep("one", n)), "group")
refuses(predict(model, x, rep("sunday", n)), "monday")
refuses(predict(model, x[, 1, drop = FALSE], batch), "1 columns but the model has 2")
refuses(fit(matrix("a", 2, 2), c("a", "b")), "character")
refuses(load_model("absent.conflux"), "absent.conflux")
refuses(predict(unserialize(serialize(model, NULL)), x, batch), "save_model")

command <- Sys.getenv("CONFLUX")
if (nzchar(command)) {
  folder <- tempfile()
  dir.create(folder)
  table <- file.path(folder, "table.csv")
  sorted <- order(batch)
  write.csv(format(data.frame(x, day = batch)[sorted, ], digits = 17), table, row.names = FALSE, quote = FALSE)
  said <- system2(command, c("fit", table, "--group", "day", "--seed", 1, "--method", "inb", "-q", "-o",
                             file.path(folder, "m.conflux")))
  expect(said == 0, "the command fits")
  written <- as.matrix(read.csv(table)[c("height", "width")])
  own <- fit(written, batch[sorted], seed = 1, method = "inb")
  theirs <- load_model(file.path(folder, "m.conflux"))
  expect(identical(predict(own, written, batch[sorted]), predict(theirs, written, batch[sorted])),
         "R and the command fit the same maps")
}

if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
  cells <- SingleCellExperiment::SingleCellExperiment(list(counts = matrix(0, 3, n)), reducedDims = list(PCA = x))
  SummarizedExperiment::colData(cells)$day <- batch
  cells <- align(cells, "day", seed = 1, method = "inb")
  expect(identical(c(SingleCellExperiment::reducedDim(cells, "conflux")), c(aligned)), "cells are moved as rows are")
  expect(inherits(S4Vectors::metadata(cells)$conflux, "conflux"), "the model is kept beside the cells")
} else {
  cat("SKIPPED: SingleCellExperiment is not installed\n")
}
cat("R: all claims are true\n")
