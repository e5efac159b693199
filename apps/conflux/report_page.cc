#include "report_page.h"

#include <fmt/format.h>

#include "files/whole_file.h"

namespace conflux::app {

void write_report(const std::string& path, const Report& report, double seconds,
                  const Console& console) {
  replace_file(path, report_html(report));
  console.info(fmt::format("{}: {}, in {:.1f} s", path, name_of(report.verdict), seconds));
  for (const std::string& sentence : report.sentences) console.info(sentence);
}

}  // namespace conflux::app
