#include "notes/artefact.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>  // nearest_name

namespace cauchy::notes {

std::string_view to_string(Kind kind) {
  constexpr std::string_view names[] = {"algorithm", "listing", "recipe",
                                        "table",     "figure",  "exercise"};
  return names[static_cast<std::size_t>(kind)];
}

const Artefact& find_artefact(std::string_view id) {
  const std::vector<Artefact>& all = all_artefacts();
  const auto found = std::ranges::find(all, id, &Artefact::id);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Artefact& a : all) names.push_back(a.id);
  const std::string near = nearest_name(id, names);
  throw Error(fmt::format("the notes have no '{}'", id), "cauchy notes",
              near.empty() ? "cauchy notes list shows all of them"
                           : fmt::format("did you mean '{}'? cauchy notes list shows all", near));
}

}  // namespace cauchy::notes
