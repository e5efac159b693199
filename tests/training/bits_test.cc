// The bits of every method, in its defaults and in the paper preset: a change of the code that is
// not meant to change a fit must leave all of them alone.
//
// tests/golden/fit_bits.txt holds one digest per fit and kind of processor. After a change that is
// meant to change bits, record those of this processor anew and say so in the commit; for other
// processors, the fits that have changed become "unrecorded":
//
//   CONFLUX_RECORD_BITS=1 build/release/tests/training_test --gtest_filter='FitBits*'

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "files/digest.h"
#include "options/option_table.h"
#include "tests/support/golden.h"

extern "C" char* openblas_get_corename(void);

namespace conflux {
namespace bits_test {

const std::string kFile = golden_folder() / "fit_bits.txt";
constexpr Index kRows = 300;

/// Digests by the name of the fit.
using Digests = std::map<std::string, std::string>;

/// Kinds of processors round sums differently; digests are promised on one kind only.
std::string processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "x86-avx512";
  if (__builtin_cpu_supports("avx2")) return "x86-avx2";
#endif
  return "other";
}

/// OpenBLAS has code of its own for some processors that have the same instructions, and cuts its
/// work by the size of their caches.
std::string processor_and_blas() {
  const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return fmt::format("{}/{}/{}k", processor(), openblas_get_corename(), cache / 1024);
}

/// The record, by processor and BLAS.
std::map<std::string, Digests> read_record() {
  std::ifstream file(kFile);
  std::map<std::string, Digests> out;
  std::string section;
  for (std::string name, value; file >> name >> value;) {
    if (name == "processor") {
      section = value;
    } else {
      out[section][name] = value;
    }
  }
  return out;
}

/// Bits that changed here have changed on other processors as well.
void update(std::map<std::string, Digests>& record, const Digests& now) {
  const Digests before = record[processor_and_blas()];
  for (auto& [section, digests] : record) {
    for (const auto& [name, digest] : now) {
      if (before.contains(name) && before.at(name) != digest) digests[name] = "unrecorded";
    }
  }
  record[processor_and_blas()] = now;
}

void write_record(const std::map<std::string, Digests>& record) {
  std::ofstream file(kFile);
  for (const auto& [section, digests] : record) {
    file << "processor " << section << "\n";
    for (const auto& [name, digest] : digests) file << name << " " << digest << "\n";
  }
}

void add(Digest& digest, std::span<const double> values) { digest.add(std::as_bytes(values)); }

/// Where all rows go, how they come back and how volumes change: no map can differ without a trace.
std::string digest_of(const Fit& fit, const GroupSet& groups) {
  Digest digest;
  const Workers workers(1);
  for (Index m = 0; m < groups.num_groups(); ++m) {
    Matrix rows = groups[m].rows.to_matrix();
    std::vector<double> log_det(static_cast<std::size_t>(rows.rows()));
    const auto all = std::span<const double>(rows.data(), static_cast<std::size_t>(rows.size()));
    fit.flow.forward_in_place(m, Rows(rows), log_det.data(), workers);
    add(digest, all);
    add(digest, log_det);
    fit.flow.inverse_in_place((m + 1) % groups.num_groups(), Rows(rows), log_det.data(), workers);
    add(digest, all);
    add(digest, log_det);
  }
  return digest.hex();
}

/// Two halves of each group under two labels, for gates.
void label_by_first_feature(GroupSet& groups) {
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    auto& of_group = labels.emplace_back();
    for (Index i = 0; i < groups[m].rows.rows(); ++i) {
      of_group.push_back(groups[m].rows(i, 0) < 0 ? 0 : 1);
    }
  }
  groups.set_labels({"low", "high"}, std::move(labels));
}

/// Every way of fitting that has bits of its own, by name.
Digests digests() {
  Digests out;
  GroupSet three = make_gaussian_groups(3, 5, kRows, 7);
  label_by_first_feature(three);
  const GroupSet two = make_toy("moons", kRows, 3);
  const auto record = [&](const std::string& name, const GroupSet& groups, FitOptions options) {
    options.threads = 1;
    out[name] = digest_of(fit_flow(groups, options), groups);
  };
  for (const auto& [method, name] : EnumNames<Method>::kNames) {
    FitOptions automatic;
    automatic.method = method;
    FitOptions paper_three = paper_options(method, 3);
    FitOptions paper_two = paper_options(method, 2);
    record(fmt::format("{}/auto/3", name), three, automatic);
    record(fmt::format("{}/auto/2", name), two, automatic);
    record(fmt::format("{}/paper/3", name), three, paper_three);
    record(fmt::format("{}/paper/2", name), two, paper_two);
  }
  FitOptions few;
  few.method = Method::kInb;
  few.layers = 10;
  FitOptions options = few;
  options.gate = Gating::kClusters;
  record("inb/gate-auto", three, options);
  options.gate = Gating::kLabel;
  record("inb/gate-label", three, options);
  options = few;
  options.validation_fraction = 0.2;
  record("inb/held-out", three, options);
  options = few;
  options.image = "1x5";
  record("inb/image", three, options);
  for (const auto& [stack, name] : EnumNames<DdStack>::kNames) {
    options = {};
    options.method = Method::kDd;
    options.dd_stack = stack;
    record(fmt::format("dd/{}", name), three, options);
  }
  return out;
}

TEST(FitBits, AreThoseOfTheRecord) {
#if defined(HWY_COMPILE_ONLY_STATIC) || !defined(__GNUC__) || defined(__clang__)
  GTEST_SKIP() << "the record is of g++ and of kernels that are made for the processor";
#endif
  std::map<std::string, Digests> record = read_record();
  ASSERT_FALSE(record.empty()) << kFile << " is missing";
  if (std::getenv("CONFLUX_RECORD_BITS") != nullptr) {
    update(record, digests());
    write_record(record);
    GTEST_SKIP() << "recorded " << processor_and_blas() << " in " << kFile;
  }
  const auto recorded = record.find(processor_and_blas());
  if (recorded == record.end()) GTEST_SKIP() << "nothing is recorded of " << processor_and_blas();
  const Digests now = digests();
  for (const auto& [name, digest] : recorded->second) {
    // Bits that were changed on purpose on another processor than this one.
    if (digest == "unrecorded") continue;
    EXPECT_TRUE(now.contains(name) && now.at(name) == digest) << name;
  }
  EXPECT_EQ(now.size(), recorded->second.size());
}

}  // namespace bits_test
}  // namespace conflux
