#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "notes/artefact.hpp"

namespace cauchy::notes {

struct SiteOptions {
  std::filesystem::path sources;  ///< folder of the files that make artefacts; empty: not shown
  std::string docs = {};          ///< where the pages of docs/ are, from the site; empty: no links
};

/// Writes the pages about all artefacts that were made in a folder: index.html with small pictures,
/// one page per lecture with formula, what the notes say, what is true, the lines that make it,
/// results, checks and time. What was not made yet is named as such; a check that failed is red.
///   error    throws Error when a page cannot be written
void write_site(const std::vector<Artefact>& artefacts, const std::filesystem::path& folder,
                const SiteOptions& options);

/// The lines of a file that make an artefact: without includes, namespaces and the entry at its
/// end.
[[nodiscard]] std::string shown_source(const std::string& text);

}  // namespace cauchy::notes
