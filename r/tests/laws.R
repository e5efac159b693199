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

# Columns that are kept: their effects stay, and they are never moved.
age <- 40 + 12 * (batch == "tuesday") + 10 * rnorm(n)
scans <- data.frame(height = 0.1 * age + 2 * (batch == "tuesday") + rnorm(n), width = x[, "width"], age = age,
                    sex = sample(c("f", "m"), n, TRUE), day = batch)
aligned_scans <- align(scans, "day", keep = c("age", "sex"), seed = 1, method = "location-scale")
expect(identical(aligned_scans$age, scans$age) && identical(aligned_scans$sex, scans$sex), "kept columns stay")
of_day <- function(rows) unname(coef(lm(height ~ (day == "tuesday") + age, rows))[2])
expect(abs(of_day(scans)) > 1.5 && abs(of_day(aligned_scans)) < 0.3, "days meet at the same age")
expect(abs(coef(lm(height ~ day + age, aligned_scans))["age"] - 0.1) < 0.02, "the effect of age stays")
scans$age[3] <- NA
gaps <- predict(attr(aligned_scans, "conflux"), scans, batch)
expect(is.na(gaps$age[3]) && is.finite(gaps$height[3]), "a kept cell may be missing")
refuses(predict(attr(aligned_scans, "conflux"), scans[c("height", "width")], batch), "age")

# Rows are moved in part, and return.
half <- with_amount(model, 0.5)
some_way <- predict(half, x, batch)
expect(gap(some_way) < 0.7 * gap(x) && gap(some_way) > gap(aligned), "half of the way is between")
expect(max(abs(as_batch(half, some_way, batch) - x)) < 1e-9, "the way back from half of the way is exact")
expect(identical(predict(with_amount(model, 0), x, batch), x), "no way leaves every bit")
expect(identical(predict(with_amount(model, 1), x, batch), predict(model, x, batch)), "the whole way is the model")
refuses(with_amount(model, 2), "from 0")

# A row of weight 3 is three rows.
weights <- rep(c(1, 3, 2), length.out = n)
thrice <- rep(seq_len(n), weights)
weighted <- fit(x, batch, row_weights = weights, seed = 1, method = "means", repeats = "keep")
copied <- fit(x[thrice, ], batch[thrice], seed = 1, method = "means", repeats = "keep")
expect(max(abs(predict(weighted, x, batch) - predict(copied, x, batch))) < 1e-9, "rows count by their weights")
refuses(fit(x, batch, row_weights = weights[-1]), "one per row")

# A column of the frame names its batches everywhere, and labels may be a column or a vector with gaps.
expect(identical(predict(category, frame, "day"), predict(category, frame, batch)), "a column names the batches")
expect(identical(as_batch(category, predict(category, frame, "day"), "day")$width, frame$width) ||
       max(abs(as_batch(category, predict(category, frame, "day"), "day")$width - frame$width)) < 1e-9, "frames return")
types <- ifelse(x[, 1] > 1, "large", "small")
types[1:20] <- NA
by_vector <- fit(x, batch, label = types, seed = 1, method = "inb", layers = 3)
by_column <- fit(data.frame(x, label = types), batch, label = "label", seed = 1, method = "inb", layers = 3)
expect(identical(predict(by_vector, x, batch), predict(by_column, x, batch)), "labels are a vector or a column")
twice <- data.frame(x, label = 1)
expect(ncol(fit_columns <- predict(fit(twice, batch, label = types, seed = 1, method = "nb"), twice, batch)) == 3,
       "a column called label is no hindrance")
tibble <- structure(frame, class = c("tbl_df", "tbl", "data.frame"))
expect(inherits(align(tibble, "day", seed = 1, method = "nb"), "tbl_df"), "a tibble stays one")
refuses(predict(category, frame["height"], batch), "no column \"width\"")
expect(grepl("gate = \"label\"", conflux:::r_words("use --gate label, or --missing drop")), "advice is in words of R")
expect(!grepl("--", conflux:::r_words("with --gate none, --label cell or --min-cluster"), fixed = TRUE), "and has no flags")
expect(!any(grepl("--[a-z]", capture.output(print(by_vector)))), "nor has the summary")

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
  refuses(align(cells, "hour"), "colData(x) has no column")
  refuses(align(cells, "day", dimred = "UMAP"), "UMAP")
  chips <- SummarizedExperiment::SummarizedExperiment(list(log2 = t(x)))
  SummarizedExperiment::colData(chips)$day <- batch
  chips <- align(chips, "day", seed = 1, method = "inb")
  expect(identical(c(SummarizedExperiment::assay(chips, "conflux")), c(t(unclass(aligned)))), "samples are moved as rows are")
} else {
  cat("SKIPPED: SingleCellExperiment is not installed\n")
}
cat("R: all claims are true\n")
