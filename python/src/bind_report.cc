// Binds reports, as a page and as JSON.

#include <pybind11/stl.h>

#include "bindings.h"
#include "caller_data.h"
#include "conflux/report/report.h"
#include "files/file_kind.h"
#include "files/whole_file.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using namespace py::literals;

// Rows of data that was read for the model.
py::dict report_on_model(const Model& model, const CallerData& data, Index rows, std::uint64_t seed,
                         int threads) {
  Report report;
  std::string page, json;
  {
    const py::gil_scoped_release unlocked;
    report = make_report(model, data.groups(), {.rows = rows, .seed = seed, .threads = threads});
    page = report_html(report);
    json = report_json(report);
  }
  return py::dict("verdict"_a = name_of(report.verdict), "sentences"_a = report.sentences,
                  "cautions"_a = report.cautions, "html"_a = page, "json"_a = json);
}

}  // namespace

void bind_report(py::module_& module) {
  module.def("report", &report_on_model, py::arg("model"), py::arg("data"), py::arg("rows"),
             py::arg("seed"), py::arg("threads"));
  module.def(
      "save_page",
      [](const std::string& path, const std::string& page) {
        refuse_other_kind(path, FileKind::kPage);
        replace_file(path, page);
      },
      py::arg("path"), py::arg("page"));
}

}  // namespace conflux::python
