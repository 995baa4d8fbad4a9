#include "notes/result.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

#include "files/record_json.hpp"

namespace cauchy::notes {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* result_file = "result.json";

Json number_or_null(double v) { return std::isfinite(v) ? Json(v) : Json(); }
double number_of(const Json& j) { return j.is_number() ? j.get<double>() : std::nan(""); }

Json block_json(const Block& block) {
  return std::visit(
      [](const auto& b) -> Json {
        using B = std::decay_t<decltype(b)>;
        if constexpr (std::is_same_v<B, PictureBlock>) {
          return {{"picture", b.file}, {"caption", b.caption}};
        } else if constexpr (std::is_same_v<B, TableBlock>) {
          return {{"table", b.file}, {"caption", b.caption}, {"rows", b.rows}};
        } else if constexpr (std::is_same_v<B, TextBlock>) {
          return {{"text", b.text}};
        } else {
          return {{"code", b.text}, {"caption", b.caption}};
        }
      },
      block);
}

Block block_of(const Json& j) {
  if (j.contains("picture")) return PictureBlock{j.at("picture"), j.at("caption")};
  if (j.contains("table")) return TableBlock{j.at("table"), j.at("caption"), j.at("rows")};
  if (j.contains("text")) return TextBlock{j.at("text")};
  return CodeBlock{j.at("caption"), j.at("code")};
}

std::string json_text(const Result& r) {
  Json blocks = Json::array(), checks = Json::array();
  for (const Block& b : r.blocks) blocks.push_back(block_json(b));
  for (const Check& c : r.checks) {
    checks.push_back({{"what", c.what},
                      {"value", number_or_null(c.value)},
                      {"expected", number_or_null(c.expected)},
                      {"tolerance", number_or_null(c.tolerance)},
                      {"statement", c.is_statement},
                      {"passed", c.passed()}});
  }
  return Json{{"id", r.id},
              {"version", r.version},
              {"passed", r.passed()},
              {"failure", r.failure},
              {"checks", checks},
              {"blocks", blocks},
              {detail::times_section, detail::times_json(r.seconds)}}
             .dump(1) +
         "\n";
}

}  // namespace

bool Result::passed() const {
  return failure.empty() && !checks.empty() && std::ranges::all_of(checks, &Check::passed);
}

std::optional<Result> make(const Artefact& artefact, const fs::path& folder, int threads,
                           Progress* progress) {
  const fs::path own = folder / artefact.id;
  Output out(own, threads, progress);
  std::error_code ignored;
  fs::remove(own / result_file, ignored);  // it is not finished any more
  Result result{.id = artefact.id, .blocks = {}, .checks = {}, .version = CAUCHY_VERSION};
  const double start = clock_seconds();
  try {
    artefact.make(out);
  } catch (const std::exception& e) {
    result.failure = e.what();
  }
  if (progress != nullptr && progress->stop_requested()) return std::nullopt;
  result.seconds = clock_seconds() - start;
  result.blocks = out.blocks();
  result.checks = out.checks();
  if (result.failure.empty() && result.checks.empty()) result.failure = "nothing was checked";
  write_file_atomically(own / result_file, json_text(result));
  return result;
}

std::optional<Result> load(const Artefact& artefact, const fs::path& folder) {
  const fs::path file = folder / artefact.id / result_file;
  if (!fs::exists(file)) return std::nullopt;
  try {
    const Json j = Json::parse(read_file(file));
    Result r{.id = artefact.id,
             .blocks = {},
             .checks = {},
             .seconds = detail::seconds_of_record(j),
             .failure = j.at("failure"),
             .version = j.at("version")};
    if (r.version != CAUCHY_VERSION) return std::nullopt;
    for (const Json& b : j.at("blocks")) r.blocks.push_back(block_of(b));
    for (const Json& c : j.at("checks")) {
      r.checks.push_back({c.at("what"), number_of(c.at("value")), number_of(c.at("expected")),
                          number_of(c.at("tolerance")), c.at("statement")});
    }
    return r;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // damaged: made again
  }
}

}  // namespace cauchy::notes
