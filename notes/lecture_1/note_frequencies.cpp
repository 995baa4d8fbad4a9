#include <cmath>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_note_frequencies(Output& out) {
  const char* names[] = {"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
  std::vector<std::vector<std::string>> rows = {
      {"note", "length", "octave 3", "octave 4 (Hz)", "octave 5", "third overtone of octave 3"}};
  double middle_c = 0, fifth = 0;
  for (int k = 0; k < 12; ++k) {
    const double f = 440 * std::exp2((k - 9) / 12.0);  // of octave 4; A has 440 Hz
    if (k == 0) middle_c = f;
    if (k == 7) fifth = f;
    rows.push_back({names[k], fmt::format("{:.4f}", middle_c / f), fmt::format("{:.2f}", f / 2),
                    fmt::format("{:.2f}", f), fmt::format("{:.2f}", 2 * f),
                    fmt::format("{:.2f}", 3 * f / 2)});
  }
  out.table("notes", rows,
            "from row to row the string gets shorter, from octave to octave n doubles");
  out.check("middle C", middle_c, 261.6256, 1e-4);
  out.check("the tempered fifth over the pure one, 2^(7/12) / (3/2)", fifth / middle_c / 1.5,
            0.998871, 1e-6);
  out.check("the third overtone of C3 over G4", 1.5 * middle_c / fifth, 1.001130, 1e-6);
}

Artefact note_frequencies_entry() {
  return {
      .id = "note-frequencies",
      .kind = Kind::table,
      .lecture = 1,
      .lines = "449-456",
      .title = "Frequencies of musical notes",
      .formula = R"(f_n \propto \sqrt{\lambda_n} = \frac{n\pi}{\ell}, \quad \ell_k = 2^{-k/12})",
      .says =
          "A finger on the fretboard makes the string shorter and the note higher; every "
          "note brings its overtones with it.",
      .truth = "",
      .page = "exact_solutions.md",
      .seconds = 0.1,
      .file = "lecture_1/note_frequencies.cpp",
      .make = make_note_frequencies};
}

}  // namespace cauchy::notes
