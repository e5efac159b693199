// Small models of every kind, files that vanish, and files taken apart.

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "conflux/storage/model_file.h"
#include "conflux/toys/toy.h"
#include "core/rng.h"
#include "files/whole_file.h"
#include "options/methods.h"
#include "options/option_table.h"
#include "storage/tensor_file.h"

namespace conflux {

/// The library's own values, which can be changed in place.
using OrderedJson = nlohmann::ordered_json;

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "conflux-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  Index num_files() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::string path_;
};

struct Kind {
  Method method;
  Estimator estimator = Estimator::kQuantile;
  Index grid = 0;
};

inline void PrintTo(const Kind& kind, std::ostream* out) {
  *out << name_of(kind.method) << " " << name_of(kind.estimator) << " " << kind.grid;
}

inline FitOptions options_of(const Kind& kind) {
  FitOptions options;
  options.method = kind.method;
  options.estimator = kind.estimator;
  options.grid = kind.grid;
  options.layers = method_info(kind.method).one_layer() ? 1 : 4;
  options.directions = 3;
  options.search_steps = 3;
  return without_ignored(options);
}

inline Model fit_model(const GroupSet& groups, const Kind& kind) {
  Fit fit = fit_flow(groups, options_of(kind));
  Model model{.flow = std::move(fit.flow), .record = std::move(fit.record)};
  model.group_column = "batch";
  model.label_column = "ziffer \u00fc \"quoted\"";
  model.metadata = {{"note", "line\nbreak"}, {"empty", ""}};
  for (Index j = 0; j < groups.dim(); ++j) model.feature_names.push_back(fmt::format("f{}", j));
  return model;
}

inline void expect_same_bits(const Flow& a, const Flow& b, const Matrix& rows) {
  ASSERT_EQ(a.group_names(), b.group_names());
  ASSERT_EQ(a.num_layers(), b.num_layers());
  const Workers workers(1);
  const auto same = [&](const auto& move) {
    Matrix x = rows;
    Matrix y = rows;
    std::vector<double> x_log_det(static_cast<std::size_t>(rows.rows()));
    std::vector<double> y_log_det = x_log_det;
    move(a, Rows(x), x_log_det.data());
    move(b, Rows(y), y_log_det.data());
    EXPECT_TRUE(x.allFinite());
    EXPECT_EQ(0, std::memcmp(x.data(), y.data(), sizeof(double) * x.size()));
    EXPECT_EQ(x_log_det, y_log_det);
  };
  for (Index m = 0; m < a.num_groups(); ++m) {
    const Index next = (m + 1) % a.num_groups();
    same([&](const Flow& f, Rows r, double* l) { f.forward_in_place(m, r, l, workers); });
    same([&](const Flow& f, Rows r, double* l) { f.inverse_in_place(m, r, l, workers); });
    same([&](const Flow& f, Rows r, double* l) { f.translate_in_place(m, next, r, l, workers); });
  }
}

inline Bytes bytes_of(const Model& model) { return model_bytes(model); }

/// A file taken apart, to be changed and put together again with the right checksum.
struct RawFile {
  OrderedJson header;
  Bytes payload;

  explicit RawFile(const Bytes& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    const char* text = reinterpret_cast<const char*>(bytes.data()) + 8;
    header = OrderedJson::parse(text, text + length);
    payload.assign(bytes.begin() + 8 + static_cast<std::ptrdiff_t>(length), bytes.end());
  }

  OrderedJson& metadata() { return header["__metadata__"]; }

  /// Replaces a JSON text in the metadata.
  template <class Change>
  void change(const std::string& key, Change change) {
    OrderedJson json = OrderedJson::parse(metadata()[key].get<std::string>());
    change(json);
    metadata()[key] = json.dump();
  }

  template <class T>
  void set_number(const std::string& name, Index i, T value) {
    const auto begin = header[name]["data_offsets"][0].get<std::size_t>();
    std::memcpy(payload.data() + begin + static_cast<std::size_t>(i) * 8, &value, 8);
  }
  double number(const std::string& name, Index i) const {
    const auto begin = header[name]["data_offsets"][0].get<std::size_t>();
    double value = 0;
    std::memcpy(&value, payload.data() + begin + static_cast<std::size_t>(i) * 8, 8);
    return value;
  }

  Bytes bytes() const {
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    Bytes out(8 + text.size());
    std::memcpy(out.data(), &length, 8);
    std::memcpy(out.data() + 8, text.data(), text.size());
    out.insert(out.end(), payload.begin(), payload.end());
    renew_checksum(out);
    return out;
  }
};

}  // namespace conflux
