// The sets of the studies: what a fit sees, and rows that it never sees.
//
// IMAGES holds mnist/ and fashion-mnist/ as tools/get_data.sh writes them, TABLES the sources
// pbmc3500 and cccma_climate, PLANES the files {moons,circles,pattern}_{train,test}.csv.

#pragma once

#include <conflux/conflux.h>
#include <core/rng.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace conflux::study {

struct Sources {
  std::filesystem::path images = "data";
  std::filesystem::path tables = "../shared/data";
  std::filesystem::path planes = "tests/golden";
  /// Which images are fitted on; defaults were chosen with the first.
  std::uint64_t split = 2021;
};

struct StudySet {
  GroupSet train;
  GroupSet test;
};

inline Matrix numbers_of(const Table& table) {
  Matrix out(table.num_rows(), table.num_columns());
  for (Index j = 0; j < out.cols(); ++j) {
    out.col(j) = Eigen::Map<const Vector>(table.columns[static_cast<std::size_t>(j)].numbers.data(),
                                          out.rows());
  }
  return out;
}

/// Images of each class, in the order of the files.
inline std::vector<Matrix> read_classes(const std::filesystem::path& folder,
                                        const std::vector<std::string>& parts, Index classes) {
  std::vector<std::vector<double>> pixels(static_cast<std::size_t>(classes));
  for (const std::string& part : parts) {
    const Table labels = read_table(folder / (part + "-labels-idx1-ubyte"));
    auto reader = open_table(folder / (part + "-images-idx3-ubyte"));
    for (Table block; reader->read(block, 4096);) {
      const Matrix rows = numbers_of(block);
      for (Index i = 0; i < rows.rows(); ++i) {
        const auto label = static_cast<std::size_t>(
            labels.columns.front().numbers[static_cast<std::size_t>(block.first_row + i)]);
        if (label >= pixels.size()) continue;
        pixels[label].insert(pixels[label].end(), rows.row(i).data(), rows.row(i).data() + 784);
      }
    }
  }
  std::vector<Matrix> out;
  for (const auto& each : pixels) {
    out.push_back(
        Eigen::Map<const Matrix>(each.data(), static_cast<Index>(each.size()) / 784, 784));
  }
  return out;
}

/// 4500 images of a class to fit on, drawn at random (the files are ordered by writers), and at
/// most `test_rows` of the rest; dequantized by uniform noise and divided by 256. Fitted on in
/// single precision, as files of images are.
inline StudySet image_set(const std::vector<Matrix>& classes, Index test_rows,
                          std::uint64_t split) {
  constexpr Index kTrain = 4500;
  StudySet out;
  Index rest = test_rows;
  for (const Matrix& rows : classes) rest = std::min(rest, rows.rows() - kTrain);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    Stream stream(split, Purpose::kToyData, c);
    std::vector<Index> order = stream.permutation(classes[c].rows());
    order.resize(static_cast<std::size_t>(kTrain + rest));
    Matrix rows = classes[c](order, Eigen::all);
    for (double& value : rows.reshaped<Eigen::RowMajor>()) value = (value + stream.uniform()) / 256;
    out.train.add(fmt::format("{}", c), SingleMatrix(rows.topRows(kTrain).cast<float>()));
    out.test.add(fmt::format("{}", c), Matrix(rows.bottomRows(rest)));
  }
  return out;
}

/// Three donors; every cell is fitted on and judged, as peers do.
inline StudySet cell_set(const std::filesystem::path& folder) {
  const Matrix rows = numbers_of(read_table(folder / "pbmc_3500_pcs.tsv.gz"));
  const Table meta = read_table(folder / "pbmc_3500_meta.tsv.gz");
  std::map<std::string, std::vector<Index>> members;
  for (Index i = 0; i < rows.rows(); ++i) {
    members[meta["donor"].text[static_cast<std::size_t>(i)]].push_back(i);
  }
  StudySet out;
  for (const auto& [name, positions] : members) {
    const Matrix group = rows(positions, Eigen::all);
    out.train.add(name, Matrix(group));
    out.test.add(name, Matrix(group));
  }
  return out;
}

/// Two climate models, scaled by mean and deviation of the regional one; calibration to fit on.
inline StudySet climate_set(const std::filesystem::path& folder) {
  const auto rows_of = [&](const std::string& name) {
    return numbers_of(read_table(folder / (name + ".csv.gz")));
  };
  const Matrix base = rows_of("rcm_c");
  const Eigen::RowVectorXd mean = base.colwise().mean();
  const Eigen::RowVectorXd deviation =
      ((base.rowwise() - mean).colwise().squaredNorm() / static_cast<double>(base.rows() - 1))
          .cwiseSqrt();
  const auto scaled = [&](const std::string& name) {
    Matrix out = rows_of(name).rowwise() - mean;
    out.array().rowwise() /= deviation.array();
    return out;
  };
  StudySet out;
  for (const std::string name : {"gcm", "rcm"}) {
    out.train.add(name, scaled(name + "_c"));
    out.test.add(name, scaled(name + "_p"));
  }
  return out;
}

inline const std::vector<std::string>& set_names() {
  static const std::vector<std::string> names{"mnist01", "mnist", "fashion01", "fashion", "pbmc",
                                              "climate", "moons", "circles",   "pattern"};
  return names;
}

/// Ten classes have ninety pairs: fewer test rows are looked at.
inline StudySet read_set(const std::string& name, const Sources& sources) {
  const std::vector<std::string> mnist{"train", "t10k"};
  if (name == "mnist01")
    return image_set(read_classes(sources.images / "mnist", mnist, 2), 2403, sources.split);
  if (name == "mnist")
    return image_set(read_classes(sources.images / "mnist", mnist, 10), 1000, sources.split);
  const std::filesystem::path fashion = sources.images / "fashion-mnist";
  if (name == "fashion01") return image_set(read_classes(fashion, {"all"}, 2), 2403, sources.split);
  if (name == "fashion") return image_set(read_classes(fashion, {"all"}, 10), 1000, sources.split);
  if (name == "pbmc") return cell_set(sources.tables / "pbmc3500");
  if (name == "climate") return climate_set(sources.tables / "cccma_climate");
  StudySet out;
  out.train = read_csv(sources.planes / (name + "_train.csv"));
  out.test = read_csv(sources.planes / (name + "_test.csv"));
  return out;
}

}  // namespace conflux::study
