// The main of a fuzz target without libFuzzer: every seed of its corpus as it is, then mutations of
// them, drawn from one seed, so that a build with sanitizers can judge a change without clang.
//   fuzz_NAME COUNT [CORPUS FOLDER] [DICTIONARY]
#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The words of a dictionary: what stands between the first and the last quote of a line.
std::vector<std::string> read_words(const std::filesystem::path& path) {
  std::vector<std::string> words;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto from = line.find('"'), to = line.rfind('"');
    if (!line.starts_with('#') && from < to) words.push_back(line.substr(from + 1, to - from - 1));
  }
  return words;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
      : seeds_(std::move(seeds)), words_(std::move(words)) {}

  /// The input of a number: a seed after one to four changes.
  std::string operator()(std::uint64_t number) {
    rng_ = cauchy::Rng(1, number);
    std::string s = seeds_[below(seeds_.size())];
    for (std::size_t n = 1 + below(4); n > 0; --n) change(s);
    return s;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(rng_.integer(n)); }
  char any_byte() { return static_cast<char>(below(256)); }

  void change(std::string& s) {
    const std::size_t at = below(s.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < s.size()) s[at] = any_byte();
        break;
      case 1:
        s.insert(at, 1, any_byte());
        break;
      case 2:
        s.erase(at, 1 + below(16));
        break;
      case 3:
        if (!words_.empty()) s.insert(at, words_[below(words_.size())]);
        break;
      case 4:  // a piece of itself somewhere else
        s.insert(at, s.substr(below(s.size() + 1), below(64)));
        break;
      default: {  // the end of another seed
        const std::string& other = seeds_[below(seeds_.size())];
        s = s.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }

  std::vector<std::string> seeds_, words_;
  cauchy::Rng rng_{1};
};

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::uint64_t count = arguments.empty() ? 0 : std::stoull(arguments[0]);
  std::vector<std::string> seeds, words;
  if (arguments.size() > 1 && std::filesystem::is_directory(arguments[1])) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the order of a folder is not the same everywhere
    for (const auto& file : files) seeds.push_back(read_bytes(file));
  }
  if (arguments.size() > 2) words = read_words(arguments[2]);
  for (const std::string& seed : seeds) run(seed);
  if (seeds.empty()) seeds.emplace_back();
  Mutator mutated(seeds, words);
  for (std::uint64_t i = 0; i < count; ++i) run(mutated(i));
  std::printf("%zu seeds, %llu mutations\n", seeds.size(), static_cast<unsigned long long>(count));
}
