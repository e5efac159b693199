#include "kernels/symmetric.h"

#include <mutex>
#include <vector>

extern "C" {
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
int openblas_get_num_threads();
void openblas_set_num_threads(int threads);
}

namespace conflux::kernels {

namespace {

std::mutex mutex;
int users = 0;
int threads_before = 1;

}  // namespace

SerialBlas::SerialBlas() {
  const std::lock_guard lock(mutex);
  if (users++ > 0) return;
  threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

SerialBlas::~SerialBlas() {
  const std::lock_guard lock(mutex);
  if (--users == 0) openblas_set_num_threads(threads_before);
}

Vector symmetric_eigen(Matrix& matrix) {
  const SerialBlas serial;
  const int n = static_cast<int>(matrix.rows());
  Vector values(n);
  int info = 0;
  const int ask = -1;
  double work_size = 0;
  int iwork_size = 0;
  dsyevd_("V", "U", &n, matrix.data(), &n, values.data(), &work_size, &ask, &iwork_size, &ask,
          &info);
  const int lwork = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsyevd_("V", "U", &n, matrix.data(), &n, values.data(), work.data(), &lwork, iwork.data(),
          &iwork_size, &info);
  return info == 0 ? values : Vector();
}

}  // namespace conflux::kernels
