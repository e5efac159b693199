// The FCS format of cytometers, versions 2.0 to 3.1 (and what of 3.2 looks like them).
//
// A row is an event, a column a channel, named by $PnS if these names differ, otherwise by $PnN.
// Values are as measured: bits above the range masked, gain and logarithmic amplification undone,
// and spillover between channels compensated if the file has its matrix. The header and the text
// both give the place of the data; the one that fits the number of events is used, with a message
// if they differ.
//
// Written are version 3.1 and float64, with the keywords that the rows came with.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kFcsFormat;

std::unique_ptr<TableWriter> write_fcs(std::unique_ptr<OutputStream> out,
                                       const TableOptions& options);

}  // namespace conflux
