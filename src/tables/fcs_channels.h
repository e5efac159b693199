// The channels of an FCS file: names, widths, amplification, and spillover.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conflux/core/matrix.h"
#include "tables/fcs_text.h"

namespace conflux {

struct FcsChannel {
  /// $PnN
  std::string short_name;
  /// Name of the measured quantity, $PnS; may be empty.
  std::string long_name;
  /// Bytes of one value.
  std::size_t bytes = 0;
  /// Bits of a whole number that count: those below the range $PnR.
  std::uint64_t mask = ~std::uint64_t{0};
  double range = 0;
  /// $PnE: a value x stands for log_zero * 10^(decades * x / range); 0 decades: linear.
  double decades = 0;
  double log_zero = 0;
  /// $PnG, by which linear values are divided.
  double gain = 1;
  /// Seconds per tick of the clock.
  double step = 1;

  bool clock() const { return upper_case(short_name) == "TIME"; }
  /// The value that was measured, from the number that was stored.
  double measured(double stored) const;
};

/// Throws InvalidData that calls the file `name`. `type` is $DATATYPE: I, F or D.
std::vector<FcsChannel> fcs_channels(const FcsText& text, char type, const std::string& name);

/// Names of the columns: the measured quantity if all differ, otherwise, or if `short_names`, $PnN.
std::vector<std::string> column_names(const std::vector<FcsChannel>& channels, bool short_names,
                                      const std::string& name);

/// Undoes the spillover between channels.
struct Compensation {
  /// The keyword that held it.
  std::string keyword;
  std::vector<Index> channels;
  /// Rows of measured values times this are compensated.
  Matrix undo;
};

/// Nothing when the file tells no spillover, or one that changes nothing.
std::optional<Compensation> compensation_of(const FcsText& text,
                                            const std::vector<FcsChannel>& channels,
                                            const std::string& name);

/// A keyword that is a whole number, not negative; `missing` when it is not there or empty.
std::uint64_t whole_keyword(const FcsText& text, const std::string& keyword,
                            std::optional<std::uint64_t> missing, const std::string& name);

}  // namespace conflux
