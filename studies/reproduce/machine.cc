#include "reproduce/machine.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

namespace conflux::app {

namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace

Json machine_json() {
  double load = 0;
  ::getloadavg(&load, 1);
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"load", load},
          {"date", today()},
          {"version", CONFLUX_VERSION}};
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace conflux::app
