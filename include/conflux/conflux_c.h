/* conflux for C, and for every language that can call C.
 *
 *   conflux_table* cells = conflux_table_create(2);
 *   conflux_table_add(cells, "monday", monday, 500);
 *   conflux_table_add(cells, "tuesday", tuesday, 400);
 *   conflux_model* model = conflux_fit(cells, "seed=1");
 *   conflux_transform(model, "tuesday", tuesday, 400);
 *
 * Rows are doubles in C order, one row after the other; NaN is a missing number. Columns get the
 * types that the command would find, so the same numbers give the same model. Rows are moved in
 * place. A function that fails returns 0 or NULL, and conflux_error() has the reason and a remedy.
 * A returned pointer is valid until its owner is destroyed. Different threads may use a model at
 * the same time, but not a table that is being filled.
 *
 * Functions and their meaning stay through all versions with the same first number; new ones may be
 * added. */

#ifndef CONFLUX_CONFLUX_C_H_
#define CONFLUX_CONFLUX_C_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct conflux_table conflux_table;
typedef struct conflux_model conflux_model;

/* "0.1.0" */
const char* conflux_version(void);
/* What the last function that failed on this thread has to say; empty if none has. */
const char* conflux_error(void);

/* An empty table; columns are called c0, c1, ... until they get names. */
conflux_table* conflux_table_create(int64_t columns);
int conflux_table_name(conflux_table* table, int64_t column, const char* name);
/* The column holds text: its numbers are positions among these levels, from 0. Categories, labels
 * and the names of subjects are such columns. Texts must not contain line breaks. */
int conflux_table_levels(conflux_table* table, int64_t column, const char* const* levels,
                         int64_t count);
/* Copies rows of a group. */
int conflux_table_add(conflux_table* table, const char* group, const double* rows, int64_t count);
/* Copies rows, each with the name of its group. Rows in the order of a file give the model of the
 * file: the noise that spreads repeated values follows the position of a row. */
int conflux_table_add_rows(conflux_table* table, const char* const* groups, const double* rows,
                           int64_t count);
void conflux_table_destroy(conflux_table* table);

/* Options are those of `conflux fit` by name, as "method=nb seed=1 missing=drop label=cell
 * keep=age", or NULL; one on each line if a value has blanks. Those about files and output are
 * unknown here. `group` is the name that the model gives to the column of the groups, "group" if it
 * is left out. A column named by `label` is no feature, and none of the columns that are moved.
 * Judges the result, too. */
conflux_model* conflux_fit(const conflux_table* table, const char* options);
conflux_model* conflux_load(const char* path);
int conflux_save(const conflux_model* model, const char* path);
void conflux_destroy(conflux_model* model);
/* The model with rows moved by this fraction of their way, from 0 (in place) to 1; a new model. */
conflux_model* conflux_with_amount(const conflux_model* model, double amount);

/* -1 when the model is NULL. */
int64_t conflux_num_groups(const conflux_model* model);
int64_t conflux_num_columns(const conflux_model* model);
/* In the order of their first rows. */
const char* conflux_group_name(const conflux_model* model, int64_t group);
/* Names of the columns that conflux_transform() and the others expect. */
const char* conflux_column_name(const conflux_model* model, int64_t column);
/* Texts that the numbers of a column stand for, see conflux_table_levels(); 0 for a column of
 * numbers, -1 if there is no such column. */
int64_t conflux_num_levels(const conflux_model* model, int64_t column);
const char* conflux_level_name(const conflux_model* model, int64_t column, int64_t level);
/* What was aligned, how well, and what to beware of: sentences with line breaks between them. */
const char* conflux_summary(const conflux_model* model);

/* Rows of a group into the shared space, out of it, and as if they were of another group. In the
 * shared space a category is a number between its levels. */
int conflux_transform(const conflux_model* model, const char* group, double* rows, int64_t count);
int conflux_inverse(const conflux_model* model, const char* group, double* rows, int64_t count);
int conflux_translate(const conflux_model* model, const char* from, const char* to, double* rows,
                      int64_t count);

#ifdef __cplusplus
}
#endif

#endif /* CONFLUX_CONFLUX_C_H_ */
