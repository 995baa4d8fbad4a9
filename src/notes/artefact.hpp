#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cauchy::notes {

class Output;

enum class Kind : unsigned char { algorithm, listing, recipe, table, figure, exercise };
[[nodiscard]] std::string_view to_string(Kind kind);

/// Something in the lecture notes that a program can make again: an algorithm, a listing, a recipe,
/// a table, a figure, an exercise.
struct Artefact {
  std::string id;  ///< "robin-roots"; unique, of small letters, digits and hyphens
  Kind kind = Kind::figure;
  int lecture = 1;
  std::string lines;         ///< of the notes: "468-494"
  std::string title;         ///< one phrase
  std::string formula = {};  ///< TeX (formula.hpp), one formula per line; may be empty
  std::string says;          ///< what the notes say, in our words
  std::string truth = {};    ///< what is true, where the notes are wrong; empty: they are right
  std::string page = {};     ///< of docs/ about the method: "methods/kansa.md"
  double seconds = 1;        ///< that it takes on one core, about
  std::string file;          ///< that makes it: "lecture_1/robin_roots.cpp"
  void (*make)(Output& out) = nullptr;
};

/// All of them, by lecture and line.
[[nodiscard]] const std::vector<Artefact>& all_artefacts();
///   error    throws Error with the nearest names for an id that there is not
[[nodiscard]] const Artefact& find_artefact(std::string_view id);

/// Those that take less are the fast ones.
inline constexpr double fast_seconds = 5;

}  // namespace cauchy::notes
