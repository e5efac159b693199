#!/usr/bin/env bash
# Models of a release and what they do to rows, kept for ever in tests/golden/releases/VERSION: every
# later conflux reads them and moves these rows to the same places. Run once, when a version is released.
#   tools/make_release_fixtures.sh build/release/apps/conflux/conflux
set -euo pipefail
conflux=$(realpath "$1")
version=$("$conflux" --version | cut -d' ' -f2)
out=$(cd "$(dirname "$0")/../tests/golden" && pwd)/releases/$version
[ ! -e "$out" ] || { echo "$out is there; models of a release are never changed" >&2; exit 1; }
mkdir -p "$out/cells"
cd "$out"

# Numbers, whole numbers, categories, zeros that repeat, and gaps.
awk 'BEGIN { srand(1); print "group,height,age,rain,kind"
  for (i = 0; i < 150; ++i) { g = i % 2
    printf "%s,%.6f,%s,%s,%s\n", g ? "b" : "a", 2 * g + rand() + rand() + rand(),
      i % 17 == 3 ? "" : int(20 + 30 * rand() + 5 * g),
      rand() < 0.4 ? 0 : sprintf("%.5f", rand() * (1 + g)), substr("xyz", 1 + int(3 * rand()), 1) } }' >table.csv
# Counts of 80 cells and 30 genes, as 10x Genomics writes them.
awk 'BEGIN { srand(2); for (c = 1; c <= 80; ++c) for (g = 1; g <= 30; ++g) {
    x = int(-log(rand()) * (g % 4 == c % 4 ? 4 : 1) * (c > 40 && g > 20 ? 3 : 1)); if (x > 0) line[++n] = g " " c " " x }
  print "%%MatrixMarket matrix coordinate integer general"; print 30, 80, n; for (i = 1; i <= n; ++i) print line[i] }' >cells/matrix.mtx
seq -f 'gene%g' 30 >cells/genes.tsv
awk 'BEGIN { for (c = 1; c <= 80; ++c) print (c > 40 ? "b" : "a") c }' >cells/barcodes.tsv
awk 'BEGIN { print "barcode,group"; for (c = 1; c <= 80; ++c) print (c > 40 ? "b" : "a") c "," (c > 40 ? "b" : "a") }' >cells/meta.csv

# Every kind of layer.
fit_table() {
  "$conflux" fit table.csv --group group --method "$2" "${@:3}" -q -o "table_$1.conflux"
  "$conflux" transform "table_$1.conflux" table.csv -q -o "table_$1.csv"
}
fit_table quantile nb
fit_table histogram nb --estimator histogram
fit_table spline nb --estimator spline
fit_table sliced gb-inb --layers 3
fit_table gated inb --layers 2 --gate clusters
fit_table destructor dd --layers 4
fit_table tree tree --layers 2
"$conflux" fit cells --meta cells/meta.csv --meta-key barcode --group group --pca 5 --normalize log1p-cp10k \
  --method inb --layers 4 -q -o cells.conflux
"$conflux" transform cells.conflux cells --meta cells/meta.csv --meta-key barcode -q -o cells.csv
du -sh "$out"
