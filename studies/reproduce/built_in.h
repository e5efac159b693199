// Files of the source tree that are part of the command.

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace conflux::app {

/// The paper's planar sets by names like "moons_train": lines `x,y,group` below a header.
const std::map<std::string, std::string_view>& planar_tables();

/// tools/get_data.sh.
const std::string& get_data_script();

}  // namespace conflux::app
