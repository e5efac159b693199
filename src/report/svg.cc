#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conflux {

namespace {

// One decimal, and no more letters than needed.
std::string place(double value) {
  std::string out = fmt::format("{:.1f}", value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string class_text(std::string_view classes) {
  return classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
}

std::string closed(std::string_view element, std::string_view hover) {
  if (hover.empty()) return "/>";
  return fmt::format("><title>{}</title></{}>", escaped(hover), element);
}

// Length of the UTF-8 letter that begins at `text`, 0 if there is none.
std::size_t letter_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ||
                     (first == 0xc2 && second < 0xa0);
  return wrong ? 0 : length;
}

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::string letter_text(std::string_view letter) {
  if (letter.empty()) return std::string(kReplacement);
  switch (letter[0]) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return " ";
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(letter[0]);
  return code < 0x20 || code == 0x7f ? std::string(kReplacement) : std::string(letter);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = letter_length(text);
    out += letter_text(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::size_t letters_of(std::string_view text) {
  std::size_t out = 0;
  for (std::size_t at = 0; at < text.size(); ++out) {
    at += std::max<std::size_t>(1, letter_length(text.substr(at)));
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t letters) {
  std::size_t count = 0, last = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count + 1 == letters) last = at;
    at += std::max<std::size_t>(1, letter_length(text.substr(at)));
  }
  if (count <= letters) return std::string(text);
  return std::string(text.substr(0, last)) + "…";
}

double Scale::at(double value) const {
  if (!(high > low)) return 0.5 * (from + to);
  return from + (std::clamp(value, low, high) - low) / (high - low) * (to - from);
}

std::vector<double> round_marks(double low, double high, int about) {
  if (!(high > low)) return {low};
  const double wanted = (high - low) / about;
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < wanted) step = factor * power;
  }
  std::vector<double> out;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) {
    out.push_back(k == 0 ? 0 : k * step);
  }
  return out;
}

std::string mark_text(double value) {
  if (value != 0 && std::abs(value) < 1e-12) return "0";
  return fmt::format("{:.4g}", value);
}

Svg::Svg(double height, std::string_view title, std::string_view description, double width) {
  body_ = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\"><title>{}</title><desc>{}</desc>",
                      place(width), place(height), escaped(title), escaped(description));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>", place(x1), place(y1),
                       place(x2), place(y2), class_text(classes));
}

void Svg::rect(double x, double y, double width, double height, std::string_view classes,
               std::string_view hover) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}", place(x), place(y),
                       place(width), place(height), class_text(classes)) +
           closed("rect", hover);
}

void Svg::shade(double x, double y, double width, double height, double strength,
                std::string_view hover) {
  body_ += fmt::format(
               "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"hue\" "
               "fill-opacity=\"{:.2f}\"",
               place(x), place(y), place(width), place(height), std::clamp(strength, 0.0, 1.0)) +
           closed("rect", hover);
}

void Svg::circle(double x, double y, double radius, std::string_view classes,
                 std::string_view hover) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}", place(x), place(y), place(radius),
                       class_text(classes)) +
           closed("circle", hover);
}

void Svg::path(std::string_view steps, std::string_view classes) {
  if (steps.empty()) return;
  body_ += fmt::format("<path d=\"{}\"{}/>", steps, class_text(classes));
}

void Svg::shape(std::string_view steps, double strength) {
  if (steps.empty()) return;
  body_ += fmt::format("<path d=\"{}\" class=\"px\" fill-opacity=\"{:.2f}\"/>", steps,
                       std::clamp(strength, 0.0, 1.0));
}

void Svg::text(double x, double y, std::string_view text, std::string_view classes,
               std::string_view hover) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}", place(x), place(y), class_text(classes),
                       escaped(text));
  if (!hover.empty()) body_ += fmt::format("<title>{}</title>", escaped(hover));
  body_ += "</text>";
}

void Svg::slanted(double x, double y, std::string_view text, std::string_view hover) {
  body_ += fmt::format(
      "<text transform=\"translate({} {}) rotate(-50)\" class=\"small\">{}<title>{}</title></text>",
      place(x), place(y), escaped(text), escaped(hover));
}

void Svg::horizontal_marks(const Scale& scale, double top, double bottom, std::string_view name) {
  for (const double value : round_marks(scale.low, scale.high, 6)) {
    const double x = scale.at(value);
    line(x, top, x, bottom, "grid");
    text(x, bottom + 13, mark_text(value), "mid small");
  }
  if (!name.empty()) text(0.5 * (scale.from + scale.to), bottom + 27, name, "mid small");
}

void Svg::vertical_marks(const Scale& scale, double left, double right) {
  for (const double value : round_marks(scale.low, scale.high, 4)) {
    const double y = scale.at(value);
    line(left, y, right, y, "grid");
    text(left - 4, y + 3.5, mark_text(value), "end small");
  }
}

std::string Svg::finish() && { return std::move(body_) + "</svg>\n"; }

std::string polyline(const std::vector<std::pair<double, double>>& points) {
  std::string out;
  for (const auto& [x, y] : points) {
    out += fmt::format("{}{} {}", out.empty() ? "M" : "L", place(x), place(y));
  }
  return out;
}

}  // namespace conflux
