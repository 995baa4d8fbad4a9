#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cauchy::notes {

/// Markdown (with tables) as HTML; headings get the ids that links to them use on GitHub.
[[nodiscard]] std::string markdown_to_html(std::string_view text);

/// A name that a public header declares, with its contract.
struct Contract {
  std::string declaration;  ///< up to its body; of a struct with its members
  std::string comment;      ///< the lines above it, without their slashes
};
/// In the order of the header: classes and functions that have a comment of three slashes.
[[nodiscard]] std::vector<Contract> contracts_of(std::string_view header);

/// Writes the pages of README.md, CONTRIBUTING.md and docs/ as a site that works from files, with a
/// reference of the public headers, tables of everything that files can name, and a search.
///   root     of the repository
///   notes    where the executable notes are, seen from the site; empty: no link
///   returns  the number of pages
///   error    throws Error when a page cannot be read or written
std::size_t write_docs(const std::filesystem::path& root, const std::filesystem::path& folder,
                       const std::string& notes);

}  // namespace cauchy::notes
