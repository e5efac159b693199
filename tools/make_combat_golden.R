# Writes tests/golden/combat: a small table, and what Bioconductor's ComBat and limma make of it.
#
#   apt-get install r-bioc-sva r-bioc-limma && Rscript tools/make_combat_golden.R tests/golden/combat
#
# Each file has the batch of a row first, then its features: the table as it is (raw.csv), after
# ComBat with parametric priors (combat.csv), and after the same with batch "b" as reference
# (reference.csv). Then the same with two covariates, an age and an indicator of sex, both unevenly
# held by the batches: the table with the covariates last (given.csv), after ComBat with a model of
# them (given_combat.csv), the same with batch "b" as reference (given_reference.csv), and after
# removeBatchEffect with a design of them (given_limma.csv).

suppressMessages(library(sva))
suppressMessages(library(limma))

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

age <- 40 + 10 * c(a = 0, b = 1, c = -0.5)[batch] + 12 * rnorm(length(batch))
sex <- as.double(runif(length(batch)) < c(a = 0.3, b = 0.5, c = 0.7)[batch])
slopes <- rbind(age = rnorm(features) / 12, sex = rnorm(features))
rows <- rows + sweep(cbind(age, sex) %*% slopes, 2, unit, "*")
mod <- model.matrix(~ age + sex)
save(cbind(rows, age, sex), "given.csv")
save(corrected(mod = mod), "given_combat.csv")
save(corrected(mod = mod, ref.batch = "b"), "given_reference.csv")
save(t(removeBatchEffect(t(rows), batch, design = mod)), "given_limma.csv")
