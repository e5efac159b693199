# One peer of studies/peer_study.py: Rscript peers.R NAME IN.csv OUT.csv. Rows of IN are samples; `batch` and `label` are
# columns of it. OUT has the corrected features.
words <- commandArgs(trailingOnly = TRUE)
table <- read.csv(words[2], check.names = FALSE)
batch <- table$batch
label <- table$label
features <- as.matrix(table[setdiff(names(table), c("batch", "label"))])

combat <- function(keep) {
  suppressPackageStartupMessages(library(sva))
  design <- if (keep) model.matrix(~label) else NULL
  t(suppressMessages(ComBat(dat = t(features), batch = batch, mod = design)))
}

remove_batch_effect <- function(keep) {
  suppressPackageStartupMessages(library(limma))
  if (keep) return(t(removeBatchEffect(t(features), batch = batch, design = model.matrix(~label))))
  t(removeBatchEffect(t(features), batch = batch))
}

# Seurat 4.3's vignette "Fast integration using reciprocal PCA", on genes that are log-normalized already.
rpca <- function() {
  suppressPackageStartupMessages(library(Seurat))
  rownames(features) <- sprintf("cell%05d", seq_len(nrow(features)))
  all <- CreateSeuratObject(Matrix::Matrix(t(features), sparse = TRUE))
  all$batch <- batch
  parts <- SplitObject(all, split.by = "batch")
  genes <- rownames(all)
  parts <- lapply(parts, function(part) {
    part <- ScaleData(part, features = genes, verbose = FALSE)
    RunPCA(part, features = genes, npcs = 20, verbose = FALSE)
  })
  anchors <- FindIntegrationAnchors(parts, anchor.features = genes, reduction = "rpca", dims = 1:20, verbose = FALSE)
  together <- IntegrateData(anchorset = anchors, dims = 1:20, verbose = FALSE)
  DefaultAssay(together) <- "integrated"
  together <- RunPCA(ScaleData(together, verbose = FALSE), npcs = 20, verbose = FALSE)
  Embeddings(together, "pca")[rownames(features), ]
}

made <- switch(words[1], combat = combat(FALSE), combat_label = combat(TRUE), limma = remove_batch_effect(FALSE),
               limma_label = remove_batch_effect(TRUE), rpca = rpca())
write.csv(as.data.frame(made), words[3], row.names = FALSE)
