#pragma once

#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include <cauchy/base/error.hpp>

namespace cauchy::cli {

/// What is wrong with the words of a call that could not be read: an unknown command or option, a
/// value that is missing, an option that is given twice, a file that is missing.
[[nodiscard]] Error wrong_words(const CLI::App& app, std::span<const std::string> words);

}  // namespace cauchy::cli
