// The FCS format of cytometers, versions 2.0 to 3.1 (and what of 3.2 looks like them).
//
// A row is an event, a column a channel, called by what it measures ($PnS) if that tells channels
// apart, otherwise by $PnN. Values are those that were measured: bits above the range masked, gain
// and logarithmic amplification undone, and the light that spills from one channel into another
// taken out if the file tells how much. Where the data are is told twice, by the header and by the
// text; the place that holds the number of events that is told is believed, and a difference said.
//
// Written are version 3.1 and float64, with the keywords that the rows came with.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kFcsFormat;

std::unique_ptr<TableWriter> write_fcs(std::unique_ptr<OutputStream> out,
                                       const TableOptions& options);

}  // namespace conflux
