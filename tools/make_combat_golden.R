# Writes tests/golden/combat: a small table, and what Bioconductor's ComBat makes of it.
#
#   apt-get install r-bioc-sva && Rscript tools/make_combat_golden.R tests/golden/combat
#
# Each file has the batch of a row first, then its features: the table as it is (raw.csv), after
# ComBat with parametric priors (combat.csv), and after the same with batch "b" as reference
# (reference.csv).

suppressMessages(library(sva))

folder <- commandArgs(trailingOnly = TRUE)[1]
set.seed(39)
sizes <- c(a = 7, b = 9, c = 5)
features <- 10
batch <- rep(names(sizes), sizes)
shift <- matrix(rnorm(3 * features, 0.5), 3, dimnames = list(names(sizes), NULL))
spread <- matrix(sqrt(1 / rgamma(3 * features, 4, 3)), 3, dimnames = list(names(sizes), NULL))
unit <- 10^seq(-1, 2, length.out = features)
noise <- matrix(rnorm(length(batch) * features), ncol = features)
rows <- sweep(5 + shift[batch, ] + spread[batch, ] * noise, 2, unit, "*")

save <- function(table, name) {
  text <- apply(table, 2, function(x) trimws(formatC(x, digits = 17, format = "g")))
  writeLines(apply(cbind(batch, text), 1, paste, collapse = ","), file.path(folder, name))
}
corrected <- function(...) t(suppressMessages(ComBat(t(rows), batch, par.prior = TRUE, ...)))
save(rows, "raw.csv")
save(corrected(), "combat.csv")
save(corrected(ref.batch = "b"), "reference.csv")
