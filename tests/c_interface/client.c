/* A program in plain C: two groups of which one is shifted and stretched. */

#include <conflux/conflux_c.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS 400

static int failures = 0;

static void expect(int truth, const char* claim) {
  if (truth) return;
  printf("not true: %s (%s)\n", claim, conflux_error());
  ++failures;
}

/* Numbers that look drawn, the same everywhere. */
static double drawn(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

static void fill(double* rows, double shift, double scale, unsigned seed) {
  int i;
  for (i = 0; i < ROWS; ++i) {
    const double x = drawn(&seed) + drawn(&seed) + drawn(&seed);
    rows[2 * i] = shift + scale * x;
    rows[2 * i + 1] = shift - x + drawn(&seed);
  }
}

static double mean_of(const double* rows, int column) {
  double sum = 0;
  int i;
  for (i = 0; i < ROWS; ++i) sum += rows[2 * i + column];
  return sum / ROWS;
}

static double largest_difference(const double* a, const double* b) {
  double out = 0;
  int i;
  for (i = 0; i < 2 * ROWS; ++i) out = fmax(out, fabs(a[i] - b[i]));
  return out;
}

static void check_refusals(const conflux_model* model) {
  double row[2] = {0, 0};
  expect(conflux_table_create(0) == NULL, "a table has columns");
  expect(strstr(conflux_error(), "0 columns") != NULL, "the reason names the number");
  expect(!conflux_transform(model, "wednesday", row, 1), "groups are known");
  expect(strstr(conflux_error(), "monday") != NULL, "the reason names the groups");
  expect(conflux_load("absent.conflux") == NULL, "models are files");
  expect(strstr(conflux_error(), "absent.conflux") != NULL, "the reason names the file");
  expect(!conflux_transform(NULL, "monday", row, 1), "there is a model");
  expect(conflux_group_name(model, 2) == NULL, "groups are counted");
}

int main(int argc, char** argv) {
  static double monday[2 * ROWS], tuesday[2 * ROWS], moved[2 * ROWS], again[2 * ROWS];
  const char* path = argc > 1 ? argv[1] : "client.conflux";
  conflux_table* table = conflux_table_create(2);
  conflux_model *model, *loaded;
  fill(monday, 0, 1, 1);
  fill(tuesday, 2, 1.5, 2);
  expect(conflux_table_name(table, 0, "height"), "columns have names");
  expect(!conflux_table_name(table, 1, "height"), "names differ");
  expect(conflux_table_add(table, "monday", monday, ROWS), "rows are added");
  expect(conflux_table_add(table, "tuesday", tuesday, ROWS), "rows are added");
  expect(conflux_fit(table, "metod=nb") == NULL, "options are known");
  expect(strstr(conflux_error(), "method") != NULL, "the reason names the nearest option");
  model = conflux_fit(table, "method=inb seed=1");
  expect(model != NULL, "a model is fitted");
  conflux_table_destroy(table);
  if (model == NULL) return 1;

  expect(conflux_num_groups(model) == 2 && conflux_num_columns(model) == 2, "counts are known");
  expect(strcmp(conflux_group_name(model, 1), "tuesday") == 0, "groups keep their names");
  expect(strcmp(conflux_column_name(model, 0), "height") == 0, "columns keep their names");
  expect(strlen(conflux_summary(model)) > 20, "there is something to say");

  memcpy(moved, tuesday, sizeof moved);
  expect(conflux_translate(model, "tuesday", "monday", moved, ROWS), "rows are translated");
  expect(fabs(mean_of(moved, 0) - mean_of(monday, 0)) < 0.1, "means meet");
  expect(fabs(mean_of(moved, 1) - mean_of(monday, 1)) < 0.1, "means meet");
  memcpy(moved, tuesday, sizeof moved);
  expect(conflux_transform(model, "tuesday", moved, ROWS), "rows are transformed");
  memcpy(again, moved, sizeof again);
  expect(conflux_inverse(model, "tuesday", again, ROWS), "rows return");
  expect(largest_difference(again, tuesday) < 1e-8, "the way back is exact");

  expect(conflux_save(model, path), "the model is saved");
  loaded = conflux_load(path);
  expect(loaded != NULL, "the model is loaded");
  memcpy(again, tuesday, sizeof again);
  expect(conflux_transform(loaded, "tuesday", again, ROWS), "a loaded model moves rows");
  expect(largest_difference(again, moved) == 0, "to the same bits");
  check_refusals(model);
  conflux_destroy(loaded);
  conflux_destroy(model);
  remove(path);
  if (failures == 0) printf("C: all claims are true; conflux %s\n", conflux_version());
  return failures == 0 ? 0 : 1;
}
