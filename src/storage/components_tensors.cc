#include "storage/components_tensors.h"

#include <algorithm>

#include "conflux/core/error.h"
#include "storage/damaged.h"
#include "storage/record_json.h"

namespace conflux {

namespace {

std::vector<double> numbers_of(const Vector& vector) { return {vector.begin(), vector.end()}; }

Vector vector_of(TensorFile& file, const std::string& name, Index size) {
  const std::vector<double> numbers = file.doubles(name, {size});
  return Eigen::Map<const Vector>(numbers.data(), size);
}

void check_loadings(const Matrix& loadings) {
  const Matrix products = loadings.transpose() * loadings;
  const Matrix one = Matrix::Identity(loadings.cols(), loadings.cols());
  if ((products - one).cwiseAbs().maxCoeff() > 1e-8) {
    damaged("the loadings of the components are not orthonormal");
  }
}

}  // namespace

Json write_components(const Components& components, TensorWriter& out) {
  const auto genes = static_cast<Index>(components.genes.size());
  const Index count = components.count();
  out.add("components.mean", {genes}, numbers_of(components.mean));
  out.add("components.loadings", {genes, count},
          std::vector<double>(components.loadings.data(),
                              components.loadings.data() + components.loadings.size()));
  out.add("components.variances", {count}, numbers_of(components.variances));
  out.add("components.total_variance", {1}, std::vector<double>{components.total_variance});
  return {{"genes", components.genes},
          {"normalization", std::string(name_of(components.normalization))}};
}

Components read_components(const Json& json, TensorFile& file) {
  if (!json.is_object() || !json.contains("genes") || !json.contains("normalization") ||
      !json.at("normalization").is_text()) {
    damaged("the components have no genes or no normalization");
  }
  Components out;
  out.genes = texts_from_json(json.at("genes"), "genes");
  try {
    out.normalization = normalization_called(json.at("normalization").text());
  } catch (const InvalidOption&) {
    damaged("the normalization is unknown");
  }
  const auto genes = static_cast<Index>(out.genes.size());
  const Shape shape = file.shape("components.loadings", 2);
  if (genes < 1 || shape[0] != genes || shape[1] < 1 || shape[1] > genes) {
    damaged("the loadings of the components have not one row per gene");
  }
  const std::vector<double> loadings = file.doubles("components.loadings", shape);
  out.loadings = Eigen::Map<const Matrix>(loadings.data(), genes, shape[1]);
  check_loadings(out.loadings);
  out.mean = vector_of(file, "components.mean", genes);
  out.variances = vector_of(file, "components.variances", shape[1]);
  out.total_variance = vector_of(file, "components.total_variance", 1)(0);
  return out;
}

}  // namespace conflux
