#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy {

/// message_of, without what stands in `remove` (a folder, say).
template <class Call>
std::string error_of(Call&& call, const std::filesystem::path& remove = {}) {
  std::string text = message_of(std::forward<Call>(call));
  const std::string cut = remove.string();
  for (std::size_t at; !cut.empty() && (at = text.find(cut)) != std::string::npos;) {
    const std::size_t end = at + cut.size();
    text.erase(at, cut.size() + (end < text.size() && text[end] == '/' ? 1 : 0));
  }
  return text;
}

}  // namespace cauchy
