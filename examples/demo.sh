#!/usr/bin/env bash
# The command on real data: aligns handwritten digits, judges the model on rows that it has not seen,
# and shows one hand's 3 as every other digit.
#
#   examples/demo.sh CONFLUX FOLDER
set -euo pipefail
conflux=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

run() {
  echo
  echo "\$ conflux $*"
  "$conflux" "$@"
}

echo "1797 digits of 8 x 8 pixels, ten groups; every fourth row is held out of the fit."
awk -F, 'NR == 1 || NR % 4 != 1' "$here/digits.csv" > "$folder/seen.csv"
awk -F, 'NR == 1 || NR % 4 == 1' "$here/digits.csv" > "$folder/unseen.csv"

run align "$folder/seen.csv" --group group -o "$folder/aligned_digits.csv" --model "$folder/digits.conflux"
run evaluate "$folder/digits.conflux" "$folder/unseen.csv" --metrics w2_exact,transport_cost,round_trip |
  sed '/^w2_exact .*before/,$d' # pairs of digits

echo
echo "\$ conflux translate $folder/digits.conflux three.csv --to 0 ... 9"
echo "a held-out 3, and the same hand writing 0, 1, 2, 4 ... 9:"
awk -F, 'NR == 1 || ($NF == 3 && !seen++)' "$folder/unseen.csv" > "$folder/three.csv"
tail -n 1 "$folder/three.csv" > "$folder/translated.csv"
for digit in 0 1 2 4 5 6 7 8 9; do
  "$conflux" translate "$folder/digits.conflux" "$folder/three.csv" --to "$digit" -q -o - |
    tail -n 1 >> "$folder/translated.csv"
done
awk -F, '
  { for (i = 1; i <= 64; i++) pixel[NR, i] = $i }
  function shade(value) {
    value = int(value / 16 * 9 + 0.5)
    return substr(" .:-=+*#%@", (value < 0 ? 0 : value > 9 ? 9 : value) + 1, 1)
  }
  END {
    for (first = 1; first <= NR; first += 5)
      for (y = 0; y < 8; y++) {
        line = ""
        for (n = first; n < first + 5; n++) {
          for (x = 1; x <= 8; x++) line = line shade(pixel[n, 8 * y + x]) shade(pixel[n, 8 * y + x])
          line = line "  "
        }
        print line
      }
  }' "$folder/translated.csv"
echo "model: $folder/digits.conflux, aligned rows: $folder/aligned_digits.csv"
