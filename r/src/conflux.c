/* R's matrices, which run down their columns, for conflux, whose rows lie one after the other. */

#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>
#include <conflux/conflux_c.h>
#include <string.h>

static void fail(void) { Rf_error("%s", conflux_error()); }

static void finish(SEXP pointer) {
  conflux_destroy(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static SEXP wrap(conflux_model* model) {
  if (model == NULL) fail();
  SEXP out = PROTECT(R_MakeExternalPtr(model, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(out, finish, TRUE);
  Rf_setAttrib(out, R_ClassSymbol, Rf_mkString("conflux"));
  UNPROTECT(1);
  return out;
}

static conflux_model* unwrap(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrAddr(pointer) == NULL) {
    Rf_error("this is no model, or one of another session; keep models by save_model() and load_model()");
  }
  return R_ExternalPtrAddr(pointer);
}

static const char* text_at(SEXP texts, R_xlen_t i) { return Rf_translateCharUTF8(STRING_ELT(texts, i)); }

/* Rows from `begin` on that are of one batch. */
static R_xlen_t run_length(SEXP batch, R_xlen_t begin) {
  R_xlen_t end = begin + 1;
  while (end < XLENGTH(batch) && STRING_ELT(batch, end) == STRING_ELT(batch, begin)) ++end;
  return end - begin;
}

/* Copies rows out of a matrix of n rows, or back. */
static void turn(double* matrix, double* rows, R_xlen_t begin, R_xlen_t count, R_xlen_t n, int width, int back) {
  for (int j = 0; j < width; ++j) {
    for (R_xlen_t i = 0; i < count; ++i) {
      double* in_matrix = matrix + j * n + begin + i;
      double* in_rows = rows + i * width + j;
      if (back) *in_matrix = *in_rows; else *in_rows = *in_matrix;
    }
  }
}

static const char** texts_of(SEXP texts) {
  const char** out = (const char**)R_alloc((size_t)XLENGTH(texts), sizeof(char*));
  for (R_xlen_t i = 0; i < XLENGTH(texts); ++i) out[i] = text_at(texts, i);
  return out;
}

struct FitWork {
  SEXP x, columns, batch, levels, options;
  conflux_table* table;
};

static SEXP fit_rows(void* data) {
  struct FitWork* work = data;
  const R_xlen_t n = Rf_nrows(work->x);
  const int width = Rf_ncols(work->x);
  if ((work->table = conflux_table_create(width)) == NULL) fail();
  for (R_xlen_t j = 0; j < XLENGTH(work->columns); ++j) {
    if (!conflux_table_name(work->table, j, text_at(work->columns, j))) fail();
  }
  for (int j = 0; j < width; ++j) {
    const SEXP levels = VECTOR_ELT(work->levels, j);
    if (XLENGTH(levels) == 0) continue;
    if (!conflux_table_levels(work->table, j, texts_of(levels), XLENGTH(levels))) fail();
  }
  double* rows = (double*)R_alloc((size_t)n * (size_t)width, sizeof(double));
  turn(REAL(work->x), rows, 0, n, n, width, 0);
  if (!conflux_table_add_rows(work->table, texts_of(work->batch), rows, n)) fail();
  size_t length = 1;
  for (R_xlen_t k = 0; k < XLENGTH(work->options); ++k) length += strlen(text_at(work->options, k)) + 1;
  char* words = R_alloc(length + 1, 1);
  strcpy(words, "\n");
  for (R_xlen_t k = 0; k < XLENGTH(work->options); ++k) strcat(strcat(words, text_at(work->options, k)), "\n");
  return wrap(conflux_fit(work->table, words));
}

static void free_fit(void* data) { conflux_table_destroy(((struct FitWork*)data)->table); }

SEXP conflux_r_fit(SEXP x, SEXP columns, SEXP batch, SEXP levels, SEXP options) {
  struct FitWork work = {x, columns, batch, levels, options, NULL};
  /* The table goes, whether the fit succeeds or not. */
  return R_ExecWithCleanup(fit_rows, &work, free_fit, &work);
}

SEXP conflux_r_move(SEXP pointer, SEXP x, SEXP batch, SEXP way, SEXP to) {
  const conflux_model* model = unwrap(pointer);
  const R_xlen_t n = Rf_nrows(x);
  const int width = Rf_ncols(x);
  if (width != conflux_num_columns(model)) {
    Rf_error("the rows have %d columns but the model has %d; give those that it was fitted on", width,
             (int)conflux_num_columns(model));
  }
  SEXP out = PROTECT(Rf_duplicate(x));
  double* rows = (double*)R_alloc((size_t)n * (size_t)width, sizeof(double));
  const int back = strcmp(text_at(way, 0), "inverse") == 0;
  for (R_xlen_t i = 0, count; i < n; i += count) {
    count = run_length(batch, i);
    const char* group = text_at(batch, i);
    turn(REAL(out), rows, i, count, n, width, 0);
    const int done = back                 ? conflux_inverse(model, group, rows, count)
                     : Rf_isNull(to)      ? conflux_transform(model, group, rows, count)
                                          : conflux_translate(model, group, text_at(to, 0), rows, count);
    if (!done) fail();
    turn(REAL(out), rows, i, count, n, width, 1);
  }
  UNPROTECT(1);
  return out;
}

SEXP conflux_r_save(SEXP pointer, SEXP path) {
  if (!conflux_save(unwrap(pointer), text_at(path, 0))) fail();
  return path;
}

SEXP conflux_r_load(SEXP path) { return wrap(conflux_load(text_at(path, 0))); }

SEXP conflux_r_with_amount(SEXP pointer, SEXP amount) {
  return wrap(conflux_with_amount(unwrap(pointer), Rf_asReal(amount)));
}

static SEXP names_of(const conflux_model* model, int64_t count, const char* (*name)(const conflux_model*, int64_t)) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
  for (int64_t i = 0; i < count; ++i) SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(name(model, i), CE_UTF8));
  UNPROTECT(1);
  return out;
}

SEXP conflux_r_about(SEXP pointer) {
  const conflux_model* model = unwrap(pointer);
  const char* names[] = {"groups", "columns", "summary", "levels", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, names_of(model, conflux_num_groups(model), conflux_group_name));
  SET_VECTOR_ELT(out, 1, names_of(model, conflux_num_columns(model), conflux_column_name));
  SET_VECTOR_ELT(out, 2, Rf_ScalarString(Rf_mkCharCE(conflux_summary(model), CE_UTF8)));
  SEXP levels = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)conflux_num_columns(model)));
  for (int64_t j = 0; j < conflux_num_columns(model); ++j) {
    SEXP own = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)conflux_num_levels(model, j)));
    for (R_xlen_t i = 0; i < XLENGTH(own); ++i) {
      SET_STRING_ELT(own, i, Rf_mkCharCE(conflux_level_name(model, j, i), CE_UTF8));
    }
    SET_VECTOR_ELT(levels, (R_xlen_t)j, own);
    UNPROTECT(1);
  }
  SET_VECTOR_ELT(out, 3, levels);
  UNPROTECT(2);
  return out;
}

static const R_CallMethodDef kMethods[] = {
    {"conflux_r_fit", (DL_FUNC)&conflux_r_fit, 5},   {"conflux_r_move", (DL_FUNC)&conflux_r_move, 5},
    {"conflux_r_save", (DL_FUNC)&conflux_r_save, 2}, {"conflux_r_load", (DL_FUNC)&conflux_r_load, 1},
    {"conflux_r_about", (DL_FUNC)&conflux_r_about, 1},
    {"conflux_r_with_amount", (DL_FUNC)&conflux_r_with_amount, 2}, {NULL, NULL, 0}};

void R_init_conflux(DllInfo* info) {
  R_registerRoutines(info, NULL, kMethods, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
}
