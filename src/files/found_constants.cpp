#include "files/found_constants.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace cauchy::detail {

using Json = nlohmann::ordered_json;

std::vector<FoundConstant> found_constants(const Solution& s) {
  std::vector<FoundConstant> all;
  for (const auto& [name, value] : s.unknowns) {
    FoundConstant c{.name = name, .value = value};
    if (const auto e = s.error.unknowns.find(name); e != s.error.unknowns.end()) {
      c.relative_error = e->second;
    }
    if (const auto i = s.intervals.find(name); i != s.intervals.end()) c.interval = i->second;
    all.push_back(std::move(c));
  }
  return all;
}

Json to_json(const std::vector<FoundConstant>& constants) {
  Json list = Json::array();
  for (const FoundConstant& c : constants) {
    Json interval;
    if (c.interval) {
      interval = {{"lower", c.interval->lower},
                  {"upper", c.interval->upper},
                  {"level", c.interval->level},
                  {"how", c.interval->how}};
    }
    list.push_back(
        {{"name", c.name},
         {"value", c.value},
         {"relative_error", std::isnan(c.relative_error) ? Json() : Json(c.relative_error)},
         {"interval", interval}});
  }
  return list;
}

std::vector<FoundConstant> constants_in(const Json& list) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto number = [](const Json& j) { return j.is_number() ? j.get<double>() : none; };
  std::vector<FoundConstant> all;
  for (const Json& j : list) {
    FoundConstant c{.name = j.at("name").get<std::string>(), .value = number(j.at("value"))};
    c.relative_error = number(j.value("relative_error", Json()));
    if (const Json i = j.value("interval", Json()); i.is_object()) {
      c.interval = {number(i.at("lower")), number(i.at("upper")), number(i.at("level")),
                    i.at("how").get<std::string>()};
    }
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace cauchy::detail
