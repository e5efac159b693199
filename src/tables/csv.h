// Text tables: cells separated by commas or tabs, as in RFC 4180.
//
// A cell may stand in quotes, inside of which separators, line ends and doubled quotes are text.
// Lines end with LF or CRLF; a UTF-8 byte order mark is skipped; empty lines are allowed at the end
// only. Rows are found first, which is cheap, and then read on all cores: the result does not
// depend on their number. Numbers are written with the fewest digits that read back to the same
// bits, quotes only where they are needed, missing numbers as nothing.

#pragma once

#include "tables/table_format.h"

namespace conflux {

extern const TableFormat kCsvFormat;
extern const TableFormat kTsvFormat;
extern const TableFormat kTxtFormat;

}  // namespace conflux
