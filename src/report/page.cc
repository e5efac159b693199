// The page: what matters most first, then eight questions, then what it was made of.

#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace conflux {

namespace {

constexpr std::size_t kChosenGroups = 2;

// With many groups, the two that are farthest from the others after the alignment.
std::vector<Index> groups_to_choose(const Report& report) {
  std::vector<Index> order(report.group_names.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (report.evaluation.judgement) {
    const auto& far = report.evaluation.judgement->energy_of_group;
    const auto distance = [&](Index m) {
      return m < static_cast<Index>(far.size()) ? far[m].after : 0.0;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return distance(a) > distance(b); });
  }
  order.resize(std::min(order.size(), kChosenGroups));
  return order;
}

std::string file_names(const Report& report) {
  if (report.model_name.empty()) return "";
  const auto last = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  std::string out = " · " + last(report.model_name);
  if (!report.data_names.empty()) out += " on " + last(report.data_names.front());
  if (report.data_names.size() > 1)
    out += fmt::format(" and {} more", report.data_names.size() - 1);
  return out;
}

// True if the rows should not be used before the sentences are read.
bool asks_for_care(const Report& report) {
  switch (report.verdict) {
    case Verdict::kReduced:
    case Verdict::kUnchanged:
    case Verdict::kWorse:
    case Verdict::kBelowChance:
      return true;
    default:
      return !report.cautions.empty();
  }
}

std::string verdict_text(const Report& report) {
  std::string out(name_of(report.verdict));
  const std::size_t count = report.cautions.size();
  if (count > 0) out += fmt::format(", with {} caution{}", count, count == 1 ? "" : "s");
  return out;
}

std::string capitalized(std::string_view name) {
  std::string out(name);
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// A line may break between words, but not between the dash of an option and its letter.
std::string command_text(std::string_view command) {
  std::string out;
  while (!command.empty()) {
    const std::string_view word = command.substr(0, command.find(' '));
    const std::string text = escaped(std::string(word));
    out += word.starts_with('-') ? "<span class=\"option\">" + text + "</span>" : text;
    command.remove_prefix(word.size());
    if (command.empty()) break;
    out += ' ';
    command.remove_prefix(1);
  }
  return out;
}

std::string advice_of(const Report& report) {
  std::string out = "<div class=\"advice\"><strong>What to do</strong><ol>";
  for (const ReportAdvice& each : report.advice) {
    out += fmt::format("<li>{}", escaped(each.sentence));
    if (!each.command.empty()) {
      out += fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>", command_text(each.command));
    }
    out += "</li>\n";
  }
  return out + "</ol></div>\n";
}

std::string top(const Report& report) {
  const bool look = asks_for_care(report);
  std::string out = fmt::format(
      "<header><p class=\"kicker\">conflux report{}</p>\n<h1 class=\"verdict{}\"><span "
      "class=\"sign\" aria-hidden=\"true\">{}</span>{}</h1>\n",
      escaped(file_names(report)), look ? " look" : "", look ? "▲" : "●",
      capitalized(verdict_text(report)));
  for (const std::string& sentence : report.sentences) {
    out += fmt::format("<p>{}</p>\n", sentence_text(sentence));
  }
  out += "<dl class=\"numbers\">";
  for (const Headline& each : report.headlines) {
    out +=
        fmt::format("<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"note\">{}</dd></div>\n",
                    escaped(each.name), escaped(each.value), escaped(each.note));
  }
  return out + "</dl>" + advice_of(report) + "</header>\n";
}

constexpr const char* kQuestions[] = {"Is there a difference?",
                                      "Where?",
                                      "Did it work?",
                                      "What moved, and how far?",
                                      "Was anything fused?",
                                      "Can new rows be trusted?",
                                      "When and why did it stop?",
                                      "How does a row look in other groups?"};

std::string contents() {
  std::string out = "<nav aria-label=\"questions\"><ol>";
  int number = 0;
  for (const char* question : kQuestions) {
    out += fmt::format("<li><a href=\"#q{}\">{}</a></li>", ++number, question);
  }
  return out + "</ol></nav>\n";
}

std::string foot(const Report& report) {
  const Index looked =
      std::accumulate(report.rows_looked_at.begin(), report.rows_looked_at.end(), Index{0});
  std::string out = fmt::format(
      "<footer><p>{} rows in {} groups, {} features. Pictures are made of {} of {} rows, drawn "
      "with seed {}.</p>\n",
      report.all_rows, report.group_names.size(), report.feature_names.size(), looked,
      report.all_rows, report.seed);
  out += report.rows_inside == 0
             ? std::string(
                   "<p>This page holds no values of rows; its pictures are made of counts "
                   "and quantiles.</p>\n")
             : fmt::format(
                   "<p>This page holds values of {} rows: their places in the pictures of "
                   "questions 3 and 8, and the tables of question 8. --rows 0 leaves them "
                   "out.</p>\n",
                   report.rows_inside);
  return out + "</footer>\n";
}

}  // namespace

std::string sentence_text(std::string sentence) {
  constexpr std::string_view kArrow = "->";
  for (std::size_t at = sentence.find(kArrow); at != std::string::npos;
       at = sentence.find(kArrow, at)) {
    sentence.replace(at, kArrow.size(), "→");
  }
  return escaped(sentence);
}

std::string page_section(int number, const std::string& question,
                         const std::vector<std::string>& sentences, const std::string& shown) {
  std::string out = fmt::format("<section id=\"q{}\"><h2>{}. {}</h2>\n", number, number, question);
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) out += fmt::format("<p>{}</p>\n", sentence_text(sentence));
  }
  return out + shown + "</section>\n";
}

std::string figure(const std::string& picture, const std::string& note) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, escaped(note));
}

std::string side_by_side(const std::vector<std::string>& figures) {
  std::string out = figures.size() > 2 ? "<div class=\"pair small\">" : "<div class=\"pair\">";
  for (const std::string& each : figures) out += each;
  return out + "</div>\n";
}

std::string empty_state(const std::string& sentence) {
  return fmt::format("<p class=\"empty\">{}</p>\n", escaped(sentence));
}

std::string page_table(const std::vector<std::vector<std::string>>& rows, const std::string& name) {
  std::string out =
      fmt::format("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table>",
                  escaped(name));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (const std::string& cell : rows[i]) {
      out += i == 0 ? fmt::format("<th scope=\"col\">{}</th>", escaped(cell))
                    : fmt::format("<td>{}</td>", escaped(cell));
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string report_html(const Report& report) {
  const GroupStyles styles(report.group_names, groups_to_choose(report));
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += fmt::format("<title>conflux report: {}</title>\n<style>{}</style></head>\n<body>\n",
                     verdict_text(report), page_style());
  out += top(report) + contents() + "<main>\n";
  out += difference_section(report) + features_section(report);
  out += success_section(report, styles) + moves_section(report, styles);
  out += fusing_section(report) + reach_section(report) + stop_section(report);
  out += elsewhere_section(report);
  return out + "</main>\n" + foot(report) + "</body></html>\n";
}

}  // namespace conflux
