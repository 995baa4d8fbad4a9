#include "cli/predict_table.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/expr/parse.hpp>
#include <cauchy/io/csv.hpp>

#include "cli/grid_option.hpp"  // split_list
#include "cli/json.hpp"

namespace cauchy::cli {

Quantities quantities_of(const std::string& text, const Problem& problem) {
  Quantities q;
  if (text.empty()) {
    q.names = problem.all_fields();
    for (const std::string& name : q.names) q.expressions.push_back(Field(name));
    return q;
  }
  const Context context = problem.context();
  for (const std::string& part : split_list(text)) {
    // "speed=sqrt(u^2+v^2)" has a name of its own.
    const auto equal = part.find('=');
    const bool named = equal != std::string::npos && equal > 0 &&
                       part.find_first_of("<>=", equal + 1) != equal + 1 &&
                       part.find_first_of("<>()") > equal;
    const std::string form = named ? part.substr(equal + 1) : part;
    const int column = named ? static_cast<int>(equal) + 2 : 1;
    std::string name = named ? part.substr(0, equal) : part;
    name.erase(name.find_last_not_of(' ') + 1);
    q.expressions.push_back(parse(form, context, {fmt::format("--of '{}'", part), 1, column}));
    q.names.push_back(name);
  }
  return q;
}

std::vector<double> points_in(const std::string& file,
                              const std::vector<std::string>& coordinates) {
  const Table table = read_table(file);
  std::vector<std::vector<double>> columns;
  for (const std::string& name : coordinates) columns.push_back(table.column(name));
  std::vector<double> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (const auto& column : columns) rows.push_back(column[i]);
  }
  return rows;
}

void deliver(const Table& table, const Delivery& d, Console& console) {
  if (!d.out.empty()) {
    write_table(d.out, table);
    return tell_delivery(table.rows(), d, console);
  }
  if (!d.json) {
    console.out << to_csv(table);
    return;
  }
  Json list = Json::array();
  const std::size_t width = table.columns.size();
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = std::span(table.values).subspan(i * width, width);
    list.push_back(std::vector<double>(row.begin(), row.end()));
  }
  print_json(console.out, {{"columns", table.columns}, {"rows", list}});
}

void tell_delivery(std::size_t rows, const Delivery& d, Console& console) {
  if (!d.json) {
    fmt::print(console.out, "{} at {} {}: {}\n", fmt::join(d.quantities, ", "), rows, d.unit,
               d.out);
    return;
  }
  Json json = {{"file", d.out}, {"points", rows}};
  if (d.outside) json["outside"] = *d.outside;
  json["quantities"] = d.quantities;
  print_json(console.out, json);
}

}  // namespace cauchy::cli
