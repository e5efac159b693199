// Makes tests/golden/tables/cells.h5ad: make_cells FILE ROWS. Linked with -lhdf5_serial.

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static hid_t text(void) {
  hid_t t = H5Tcopy(H5T_C_S1);
  H5Tset_size(t, H5T_VARIABLE);
  H5Tset_cset(t, H5T_CSET_UTF8);
  return t;
}
static hid_t plain(hid_t kind) {
  hid_t p = H5Pcreate(kind);
  H5Pset_obj_track_times(p, 0);
  return p;
}
static void attr(hid_t o, const char *n, const char *v) {
  hid_t t = text(), s = H5Screate(H5S_SCALAR);
  hid_t a = H5Acreate2(o, n, t, s, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, t, &v);
  H5Aclose(a);
}
static void enc(hid_t o, const char *t, const char *v) {
  attr(o, "encoding-type", t);
  attr(o, "encoding-version", v);
}
static hid_t grp(hid_t p, const char *n, const char *t, const char *v) {
  hid_t g = H5Gcreate2(p, n, H5P_DEFAULT, plain(H5P_GROUP_CREATE), H5P_DEFAULT);
  enc(g, t, v);
  return g;
}
static void order(hid_t o, const char **v, hsize_t n) {
  hid_t t = text(), s = H5Screate_simple(1, &n, NULL);
  hid_t a = H5Acreate2(o, "column-order", t, s, H5P_DEFAULT, H5P_DEFAULT);
  if (n)
    H5Awrite(a, t, v);
  H5Aclose(a);
}
static void texts(hid_t p, const char *n, const char **v, hsize_t k) {
  hid_t t = text(), s = H5Screate_simple(1, &k, NULL);
  hid_t d = H5Dcreate2(p, n, t, s, H5P_DEFAULT, plain(H5P_DATASET_CREATE),
                       H5P_DEFAULT);
  H5Dwrite(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
  enc(d, "string-array", "0.2.0");
  H5Dclose(d);
}
int main(int c, char **a) {
  int rows = atoi(a[2]), cols = 3;
  srand(1);
  hid_t f = H5Fcreate(a[1], H5F_ACC_TRUNC, plain(H5P_FILE_CREATE), H5P_DEFAULT);
  enc(f, "anndata", "0.1.0");
  float *x = malloc(4 * rows * cols);
  const char **id = malloc(8 * rows), **b = malloc(8 * rows);
  for (int i = 0; i < rows; ++i) {
    char *s = malloc(12);
    sprintf(s, "cell%d", i);
    id[i] = s;
    b[i] = i % 2 ? "b1" : "b0";
    for (int j = 0; j < cols; ++j)
      x[i * cols + j] = (rand() % 1000) / 100.f + (i % 2) * (j + 1);
  }
  hsize_t d[2] = {rows, cols};
  hid_t s = H5Screate_simple(2, d, NULL);
  hid_t m = H5Dcreate2(f, "X", H5T_IEEE_F32LE, s, H5P_DEFAULT,
                       plain(H5P_DATASET_CREATE), H5P_DEFAULT);
  H5Dwrite(m, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  enc(m, "array", "0.2.0");
  H5Dclose(m);
  const char *oc[] = {"batch"};
  hid_t o = grp(f, "obs", "dataframe", "0.2.0");
  attr(o, "_index", "_index");
  order(o, oc, 1);
  texts(o, "_index", id, rows);
  texts(o, "batch", b, rows);
  H5Gclose(o);
  const char *g[] = {"g1", "g2", "g3"};
  o = grp(f, "var", "dataframe", "0.2.0");
  attr(o, "_index", "_index");
  order(o, oc, 0);
  texts(o, "_index", g, 3);
  H5Gclose(o);
  o = grp(f, "layers", "dict", "0.1.0");
  H5Gclose(o);
  o = grp(f, "obsm", "dict", "0.1.0");
  H5Gclose(o);
  o = grp(f, "uns", "dict", "0.1.0");
  H5Gclose(o);
  H5Fclose(f);
  return 0;
}
