// The part of a netCDF file that tables need: the variables on one grid.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/index.h"
#include "tables/calendar.h"

namespace conflux::netcdf {

/// An open file that closes itself. Its numbers are those of the C library.
class File {
 public:
  /// Throws InvalidData when the file is no netCDF.
  File(const std::string& path, std::string name, bool to_write = false);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int id() const { return id_; }
  const std::string& name() const { return name_; }
  /// All written data are in the file when this returns. Throws Error.
  void close();
  /// Throws when a call of the library has failed: Error with the words of the system, InvalidData
  /// that names the file and `what` for anything else.
  void check(int status, const std::string& what) const;

  std::string text_attribute(int variable, const char* name) const;
  std::optional<double> number_attribute(int variable, const char* name) const;

 private:
  int id_ = -1;
  std::string name_;
};

/// A variable with one number per point of the grid.
struct GridVariable {
  std::string name;
  int id = 0;
  bool whole = false;
  /// value = stored * scale + offset
  double scale = 1;
  double offset = 0;
  /// Stored numbers that stand for missing ones.
  std::vector<double> missing = {};

  double unpacked(double stored) const;
  double packed(double value) const;
};

struct GridCoordinate {
  std::string name;
  /// One per step of the dimension.
  std::vector<double> values = {};
  std::optional<Calendar> calendar = {};
};

struct Grid {
  /// Steps of each dimension, the slowest first.
  std::vector<Index> sizes;
  /// Dimensions with coordinates, with their positions among the dimensions.
  std::vector<std::pair<Index, GridCoordinate>> coordinates;
  std::vector<GridVariable> variables;
  std::vector<std::string> notes;

  Index rows() const;
  /// Rows of one step of the slowest dimension.
  Index slab() const;
};

/// The grid that most variables are on; of several, the largest. Throws InvalidData when there is
/// none.
Grid find_grid(const File& file);

/// Stored numbers of the steps begin .. begin + count - 1 of the slowest dimension.
void read_steps(const File& file, const Grid& grid, const GridVariable& variable, Index begin,
                Index count, std::vector<double>& to);
void write_steps(const File& file, const Grid& grid, const GridVariable& variable, Index begin,
                 Index count, const std::vector<double>& from);

}  // namespace conflux::netcdf
