// The paper's planar sets as text: lines `x,y,group` below a header.

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace conflux::app {

/// By names like "moons_train".
const std::map<std::string, std::string_view>& planar_tables();

}  // namespace conflux::app
