#include "cli/constants_table.hpp"

#include <fmt/format.h>

#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

std::string interval_text(const FoundConstant& c) {
  if (!c.interval) return "-";
  return fmt::format("{:.6g} to {:.6g} ({:.4g} %)", c.interval->lower, c.interval->upper,
                     100 * c.interval->level);
}

}  // namespace

void print_constants(std::ostream& out, const std::vector<ConstantsOfRun>& runs,
                     std::size_t indent) {
  bool any = false, intervals = false;
  for (const ConstantsOfRun& r : runs) {
    for (const FoundConstant& c : r.constants) {
      any = true;
      intervals = intervals || c.interval.has_value();
    }
  }
  if (!any) return;
  std::vector<std::string> heading;
  if (runs.size() > 1) heading.emplace_back("run");
  heading.insert(heading.end(), {"constant", "value"});
  if (intervals) heading.emplace_back("interval");
  heading.emplace_back("relative error");
  std::vector<std::vector<std::string>> rows{heading};
  for (const ConstantsOfRun& r : runs) {
    for (const FoundConstant& c : r.constants) {
      std::vector<std::string> row;
      if (runs.size() > 1) row.push_back(r.run);
      row.insert(row.end(), {c.name, fmt::format("{:.8g}", c.value)});
      if (intervals) row.push_back(interval_text(c));
      row.push_back(short_number(c.relative_error));
      rows.push_back(std::move(row));
    }
  }
  print_table(out, rows, indent);
}

}  // namespace cauchy::cli
