#ifdef CONFLUX_HAS_NETCDF

#include "tables/netcdf_grid.h"

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "conflux/core/error.h"
#include "files/descriptor.h"
#include "tables/table_format.h"
#ifdef CONFLUX_HAS_HDF5
#include "tables/hdf5_driver.h"
#endif

namespace conflux::netcdf {

namespace {

constexpr std::size_t kMostText = 1 << 16;

// Errors of the system are positive.
void refuse_if_of_system(int status, const std::string& what) {
  if (status <= 0) return;
  throw Error(fmt::format("{} cannot be read or written: {}; check the disk and the space left.",
                          what, reason(status)));
}

struct Dimension {
  std::string name;
  Index size = 0;
};

std::vector<Dimension> dimensions_of(const File& file) {
  int count = 0;
  file.check(nc_inq_ndims(file.id(), &count), "its dimensions");
  std::vector<Dimension> out;
  for (int d = 0; d < count; ++d) {
    char name[NC_MAX_NAME + 1] = {};
    std::size_t size = 0;
    file.check(nc_inq_dim(file.id(), d, name, &size), "its dimensions");
    out.push_back({name, static_cast<Index>(size)});
  }
  return out;
}

struct RawVariable {
  std::string name;
  int id = 0;
  nc_type type = NC_NAT;
  std::vector<int> dims;
};

std::vector<RawVariable> variables_of(const File& file) {
  int count = 0;
  file.check(nc_inq_nvars(file.id(), &count), "its variables");
  std::vector<RawVariable> out;
  for (int v = 0; v < count; ++v) {
    RawVariable& variable = out.emplace_back();
    char name[NC_MAX_NAME + 1] = {};
    int dims[NC_MAX_VAR_DIMS] = {};
    int ndims = 0;
    file.check(nc_inq_var(file.id(), v, name, &variable.type, &ndims, dims, nullptr),
               "its variables");
    variable.name = name;
    variable.id = v;
    variable.dims.assign(dims, dims + ndims);
  }
  return out;
}

bool holds_numbers(nc_type type) {
  return (type >= NC_SHORT && type <= NC_UINT64) || type == NC_BYTE;
}

bool is_coordinate(const RawVariable& variable, const std::vector<Dimension>& dimensions) {
  return variable.dims.size() == 1 &&
         dimensions[static_cast<std::size_t>(variable.dims[0])].name == variable.name;
}

GridVariable grid_variable(const File& file, const RawVariable& raw) {
  GridVariable out{.name = raw.name, .id = raw.id};
  out.whole = raw.type != NC_FLOAT && raw.type != NC_DOUBLE;
  out.scale = file.number_attribute(raw.id, "scale_factor").value_or(1);
  out.offset = file.number_attribute(raw.id, "add_offset").value_or(0);
  for (const char* name : {"_FillValue", "missing_value"}) {
    if (const auto value = file.number_attribute(raw.id, name)) out.missing.push_back(*value);
  }
  // Cells that were never written hold these values.
  if (out.missing.empty() && raw.type == NC_FLOAT) out.missing.push_back(NC_FILL_FLOAT);
  if (out.missing.empty() && raw.type == NC_DOUBLE) out.missing.push_back(NC_FILL_DOUBLE);
  if (out.scale == 0 || !std::isfinite(out.scale) || !std::isfinite(out.offset)) {
    throw InvalidData(fmt::format(
        "{}: variable \"{}\" has a scale_factor or add_offset that cannot be undone; correct its "
        "attributes.",
        file.name(), raw.name));
  }
  return out;
}

GridCoordinate coordinate_of(const File& file, const RawVariable& raw, Index size) {
  GridCoordinate out{.name = raw.name};
  out.values.resize(static_cast<std::size_t>(size));
  file.check(nc_get_var_double(file.id(), raw.id, out.values.data()),
             fmt::format("coordinate \"{}\"", raw.name));
  out.calendar =
      Calendar::of(file.text_attribute(raw.id, "units"), file.text_attribute(raw.id, "calendar"));
  return out;
}

Index steps_of(const std::vector<int>& dims, const std::vector<Dimension>& dimensions) {
  Index out = 1;
  for (const int d : dims) {
    const Index size = dimensions[static_cast<std::size_t>(d)].size;
    if (size > 0 && out > (Index{1} << 40) / size) return Index{1} << 41;
    out *= size;
  }
  return out;
}

// Places and counts of a hyperslab over all but the slowest dimension.
void select_steps(const Grid& grid, Index begin, Index count, std::vector<std::size_t>& start,
                  std::vector<std::size_t>& counts) {
  start.assign(grid.sizes.size(), 0);
  counts.assign(grid.sizes.begin(), grid.sizes.end());
  start[0] = static_cast<std::size_t>(begin);
  counts[0] = static_cast<std::size_t>(count);
}

}  // namespace

File::File(const std::string& path, std::string name, bool to_write) : name_(std::move(name)) {
#ifdef CONFLUX_HAS_HDF5
  hdf5::leave_out_cleanup();
#endif
  const int status = nc_open(path.c_str(), to_write ? NC_WRITE : NC_NOWRITE, &id_);
  if (status == NC_NOERR) return;
  refuse_if_of_system(status, name_);
  throw InvalidData(fmt::format("{} cannot be read as netCDF ({}); copy or make the file again.",
                                name_, nc_strerror(status)));
}

File::~File() {
  if (id_ >= 0) nc_close(id_);
}

void File::close() { check(nc_close(std::exchange(id_, -1)), "the last of it"); }

void File::check(int status, const std::string& what) const {
  if (status == NC_NOERR) return;
  refuse_if_of_system(status, fmt::format("{}: {}", name_, what));
  throw InvalidData(
      fmt::format("{}: {} cannot be read or written ({}); copy or make the file "
                  "again.",
                  name_, what, nc_strerror(status)));
}

std::string File::text_attribute(int variable, const char* name) const {
  nc_type type = NC_NAT;
  std::size_t size = 0;
  if (nc_inq_att(id_, variable, name, &type, &size) != NC_NOERR || type != NC_CHAR ||
      size > kMostText) {
    return {};
  }
  std::string out(size, '\0');
  if (nc_get_att_text(id_, variable, name, out.data()) != NC_NOERR) return {};
  return out.substr(0, out.find('\0'));
}

std::optional<double> File::number_attribute(int variable, const char* name) const {
  nc_type type = NC_NAT;
  std::size_t size = 0;
  if (nc_inq_att(id_, variable, name, &type, &size) != NC_NOERR || size != 1 ||
      !holds_numbers(type)) {
    return std::nullopt;
  }
  double out = 0;
  if (nc_get_att_double(id_, variable, name, &out) != NC_NOERR) return std::nullopt;
  return out;
}

double GridVariable::unpacked(double stored) const {
  const bool absent =
      std::isnan(stored) || std::find(missing.begin(), missing.end(), stored) != missing.end();
  return absent ? std::numeric_limits<double>::quiet_NaN() : stored * scale + offset;
}

double GridVariable::packed(double value) const {
  if (std::isnan(value)) return missing.empty() ? value : missing.front();
  const double stored = (value - offset) / scale;
  return whole ? std::round(stored) : stored;
}

Index Grid::slab() const {
  Index out = 1;
  for (std::size_t d = 1; d < sizes.size(); ++d) out *= sizes[d];
  return out;
}

Index Grid::rows() const { return sizes.front() * slab(); }

Grid find_grid(const File& file) {
  const std::vector<Dimension> dimensions = dimensions_of(file);
  const std::vector<RawVariable> all = variables_of(file);
  std::map<std::vector<int>, std::vector<const RawVariable*>> grids;
  for (const RawVariable& variable : all) {
    if (variable.dims.empty() || !holds_numbers(variable.type)) continue;
    if (!is_coordinate(variable, dimensions)) grids[variable.dims].push_back(&variable);
  }
  const auto chosen = std::max_element(grids.begin(), grids.end(), [&](auto& a, auto& b) {
    return std::pair(a.second.size(), steps_of(a.first, dimensions)) <
           std::pair(b.second.size(), steps_of(b.first, dimensions));
  });
  if (chosen == grids.end() || steps_of(chosen->first, dimensions) > (Index{1} << 40)) {
    throw InvalidData(fmt::format(
        "{} has no variable with numbers on a grid of coordinates; choose another file.",
        file.name()));
  }
  Grid out;
  for (const int d : chosen->first) {
    const Dimension& dimension = dimensions[static_cast<std::size_t>(d)];
    for (const RawVariable& variable : all) {
      if (variable.name != dimension.name || !is_coordinate(variable, dimensions)) continue;
      if (!holds_numbers(variable.type)) continue;
      out.coordinates.emplace_back(static_cast<Index>(out.sizes.size()),
                                   coordinate_of(file, variable, dimension.size));
    }
    out.sizes.push_back(dimension.size);
  }
  for (const RawVariable* variable : chosen->second) {
    out.variables.push_back(grid_variable(file, *variable));
  }
  for (const auto& [dims, variables] : grids) {
    if (dims == chosen->first) continue;
    for (const RawVariable* variable : variables) {
      out.notes.push_back(fmt::format("{}: variable \"{}\" is left out: it is on another grid",
                                      file.name(), variable->name));
    }
  }
  return out;
}

void read_steps(const File& file, const Grid& grid, const GridVariable& variable, Index begin,
                Index count, std::vector<double>& to) {
  std::vector<std::size_t> start, counts;
  select_steps(grid, begin, count, start, counts);
  to.resize(static_cast<std::size_t>(count * grid.slab()));
  file.check(nc_get_vara_double(file.id(), variable.id, start.data(), counts.data(), to.data()),
             fmt::format("variable \"{}\"", variable.name));
}

void write_steps(const File& file, const Grid& grid, const GridVariable& variable, Index begin,
                 Index count, const std::vector<double>& from) {
  std::vector<std::size_t> start, counts;
  select_steps(grid, begin, count, start, counts);
  file.check(nc_put_vara_double(file.id(), variable.id, start.data(), counts.data(), from.data()),
             fmt::format("variable \"{}\"", variable.name));
}

}  // namespace conflux::netcdf

#endif  // CONFLUX_HAS_NETCDF
