#include <fmt/format.h>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {

std::string html_choices(const Solution& s, std::string_view title) {
  if (!s.training || s.training->choices.empty()) return {};
  std::string items;
  for (const std::string& c : s.training->choices) {
    items += fmt::format("<li>{}</li>\n", html_escaped(c));
  }
  return html_section("choices", title, fmt::format("<ul class=\"choices\">\n{}</ul>\n", items));
}

std::string html_events(const Solution& s) {
  constexpr std::size_t most_open = 25;
  if (!s.training || s.training->events.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"step", "time", "what happened"}};
  for (const TrainingEvent& e : s.training->events) {
    rows.push_back({grouped(e.step), duration(e.seconds), html_escaped(e.text)});
  }
  std::string table = html_table(rows, false);
  if (rows.size() > most_open) {
    table = fmt::format("<details><summary>{} events</summary>\n{}</details>\n",
                        grouped(s.training->events.size()), table);
  }
  return html_section("events", "What happened on the way", table);
}

}  // namespace cauchy::detail
