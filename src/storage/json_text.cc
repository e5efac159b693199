#include "storage/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "conflux/core/error.h"

namespace conflux {

namespace {

// A model of 10,000 layers has about a million values.
constexpr Index kMostValues = 20'000'000;

// Passes over a text and refuses what parse_json() does not allow. Parsing with a callback could
// do it on the way, but takes time in proportion to the square of a list's length.
class Inspector : public nlohmann::json_sax<Json> {
 public:
  Inspector(int max_depth, const std::string& name) : max_depth_(max_depth), name_(name) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (keys_.back().insert(key).second) return true;
    throw InvalidData(fmt::format("{} names \"{}\" twice; the file is damaged.", name_, key));
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    throw InvalidData(fmt::format("{} is no JSON ({}); the file is damaged.", name_, error.what()));
  }

 private:
  bool count() {
    if (++values_ <= kMostValues) return true;
    throw InvalidData(
        fmt::format("{} has more than {} values, more than any model; the file is "
                    "damaged.",
                    name_, kMostValues));
  }

  bool open() {
    if (static_cast<int>(keys_.size()) >= max_depth_) {
      throw InvalidData(name_ + " is nested too deeply; the file is damaged.");
    }
    keys_.emplace_back();
    return count();
  }

  bool close() {
    keys_.pop_back();
    return true;
  }

  int max_depth_;
  const std::string& name_;
  // The keys of each object that is open; lists have none.
  std::vector<std::unordered_set<std::string>> keys_;
  Index values_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, int max_depth, const std::string& name) {
  Inspector inspector(max_depth, name);
  try {
    Json::sax_parse(text.begin(), text.end(), &inspector);
    return Json::parse(text.begin(), text.end());
  } catch (const Json::exception& error) {
    throw InvalidData(fmt::format("{} is no JSON ({}); the file is damaged.", name, error.what()));
  }
}

std::string to_text(const OrderedJson& json) {
  try {
    return json.dump();
  } catch (const OrderedJson::exception&) {
    throw InvalidData(
        "a name of a group or a feature is not valid UTF-8, which model files are written in; "
        "rename it, or convert the data to UTF-8.");
  }
}

}  // namespace conflux
