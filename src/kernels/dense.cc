#include "kernels/dense.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "kernels/product.h"

extern "C" {
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dgeqp3_(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau,
             double* work, const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dgecon_(const char* norm, const int* n, const double* a, const int* lda, const double* anorm,
             double* rcond, double* work, int* iwork, int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda,
             const int* ipiv, double* b, const int* ldb, int* info);
void dposv_(const char* uplo, const int* n, const int* nrhs, double* a, const int* lda, double* b,
            const int* ldb, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info);
int openblas_get_num_threads();
void openblas_set_num_threads(int threads);
}

namespace conflux::kernels {

namespace {

// LAPACK's order of numbers: a column is contiguous.
using ColumnMajor = Eigen::MatrixXd;

std::mutex mutex;
int users = 0;
int threads_before = 1;

// Work space that OpenBLAS takes for a thread that calls it: 128 MB and a page or two.
constexpr std::size_t kOpenBlasBuffer = std::size_t{129} << 20;

// Where memory is limited (`ulimit -v`), OpenBLAS asks for its work space again and again without
// end; so we ask first, once per thread.
void check_room_for_openblas() {
  thread_local bool checked = false;
  if (checked) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    void* const room = ::mmap(nullptr, kOpenBlasBuffer, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    ::munmap(room, kOpenBlasBuffer);
  }
  checked = true;
}

// Calls a routine of LAPACK twice: with a work size of -1 it only returns the size that it needs.
template <class Routine>
void with_work_space(const Routine& routine) {
  double needed = 0;
  int size = -1;
  routine(&needed, &size);
  size = static_cast<int>(needed);
  std::vector<double> work(static_cast<std::size_t>(size));
  routine(work.data(), &size);
}

Vector decompose_symmetric(const char* vectors, Matrix& matrix) {
  const SerialBlas serial;
  const int n = static_cast<int>(matrix.rows());
  Vector values(n);
  int info = 0;
  // Row-major and column-major are the same for a symmetric matrix; the columns of eigenvectors
  // that LAPACK writes are our rows.
  const int integers = 3 + 5 * n;
  std::vector<int> integer_work(static_cast<std::size_t>(integers));
  with_work_space([&](double* work, const int* size) {
    dsyevd_(vectors, "U", &n, matrix.data(), &n, values.data(), work, size, integer_work.data(),
            &integers, &info);
  });
  return info == 0 ? values : Vector();
}

// Householder vectors of a QR decomposition become the columns of Q.
void unfold_q(ColumnMajor& qr, const Vector& tau) {
  const int rows = static_cast<int>(qr.rows());
  const int cols = static_cast<int>(qr.cols());
  int info = 0;
  with_work_space([&](double* work, const int* size) {
    dorgqr_(&rows, &cols, &cols, qr.data(), &rows, tau.data(), work, size, &info);
  });
}

}  // namespace

SerialBlas::SerialBlas() {
  check_room_for_openblas();
  const std::lock_guard lock(mutex);
  if (users++ > 0) return;
  threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

SerialBlas::~SerialBlas() {
  const std::lock_guard lock(mutex);
  if (--users == 0) openblas_set_num_threads(threads_before);
}

Vector symmetric_eigen(Matrix& matrix) { return decompose_symmetric("V", matrix); }

Vector symmetric_eigenvalues(Matrix matrix) { return decompose_symmetric("N", matrix); }

Matrix orthonormal_basis(const Matrix& columns) {
  const SerialBlas serial;
  ColumnMajor q = columns;
  const int rows = static_cast<int>(q.rows());
  const int cols = static_cast<int>(q.cols());
  Vector tau(cols);
  int info = 0;
  with_work_space([&](double* work, const int* size) {
    dgeqrf_(&rows, &cols, q.data(), &rows, tau.data(), work, size, &info);
  });
  const Vector diagonal = q.diagonal();
  unfold_q(q, tau);
  for (Index k = 0; k < cols; ++k) {
    if (diagonal(k) < 0) q.col(k) = -q.col(k);
  }
  return q;
}

PivotedQr pivoted_qr(const Matrix& columns) {
  const SerialBlas serial;
  ColumnMajor q = columns;
  const int rows = static_cast<int>(q.rows());
  const int cols = static_cast<int>(q.cols());
  std::vector<int> order(static_cast<std::size_t>(cols), 0);  // 0: this column may be moved
  Vector tau(cols);
  int info = 0;
  with_work_space([&](double* work, const int* size) {
    dgeqp3_(&rows, &cols, q.data(), &rows, order.data(), tau.data(), work, size, &info);
  });
  PivotedQr out;
  out.pivots = q.diagonal().cwiseAbs();
  unfold_q(q, tau);
  out.basis = q;
  return out;
}

std::optional<Matrix> inverse(Matrix matrix, double least_condition) {
  const SerialBlas serial;
  const int n = static_cast<int>(matrix.rows());
  std::vector<int> pivots(static_cast<std::size_t>(n));
  // LAPACK sees the transpose, whose inverse is the transpose of ours.
  const double length = matrix.size() > 0 ? matrix.cwiseAbs().rowwise().sum().maxCoeff() : 0;
  int info = 0;
  dgetrf_(&n, &n, matrix.data(), &n, pivots.data(), &info);
  if (info != 0) return std::nullopt;
  if (least_condition > 0) {
    double condition = 0;
    std::vector<double> work(4 * static_cast<std::size_t>(n));
    std::vector<int> integers(static_cast<std::size_t>(n));
    dgecon_("1", &n, matrix.data(), &n, &length, &condition, work.data(), integers.data(), &info);
    if (!(condition >= least_condition)) return std::nullopt;
  }
  Matrix out = Matrix::Identity(n, n);
  dgetrs_("N", &n, &n, matrix.data(), &n, pivots.data(), out.data(), &n, &info);
  return out;
}

std::optional<Matrix> solve_positive(Matrix matrix, const Matrix& right) {
  const SerialBlas serial;
  const int n = static_cast<int>(matrix.rows());
  const int columns = static_cast<int>(right.cols());
  ColumnMajor solved = right;
  int info = 0;
  dposv_("U", &n, &columns, matrix.data(), &n, solved.data(), &n, &info);
  if (info != 0) return std::nullopt;
  return solved;
}

std::optional<Matrix> cholesky_factor(Matrix matrix) {
  const SerialBlas serial;
  const int n = static_cast<int>(matrix.rows());
  int info = 0;
  // The upper triangle by columns is our lower one by rows.
  dpotrf_("U", &n, matrix.data(), &n, &info);
  if (info != 0) return std::nullopt;
  for (Index i = 0; i < n; ++i) matrix.row(i).tail(n - i - 1).setZero();
  return matrix;
}

std::optional<Svd> thin_svd(const Matrix& matrix) {
  const SerialBlas serial;
  ColumnMajor a = matrix;
  const int rows = static_cast<int>(a.rows());
  const int cols = static_cast<int>(a.cols());
  const int least = std::min(rows, cols);
  ColumnMajor u(rows, least);
  ColumnMajor v_transposed(least, cols);
  Vector values(least);
  std::vector<int> integers(8 * static_cast<std::size_t>(least));
  int info = 0;
  with_work_space([&](double* work, const int* size) {
    dgesdd_("S", &rows, &cols, a.data(), &rows, values.data(), u.data(), &rows, v_transposed.data(),
            &least, work, size, integers.data(), &info);
  });
  if (info != 0) return std::nullopt;
  return Svd{u, values, v_transposed};
}

std::optional<Matrix> polar_factor(const Matrix& matrix, double least_ratio) {
  if (!matrix.allFinite()) return std::nullopt;
  const std::optional<Svd> svd = thin_svd(matrix);
  if (!svd) return std::nullopt;
  const Vector& values = svd->values;
  if (!(values(values.size() - 1) > least_ratio * values(0))) return std::nullopt;
  return product(svd->u, svd->v_transposed);
}

}  // namespace conflux::kernels
