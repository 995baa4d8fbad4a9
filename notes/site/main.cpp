// The documentation as a site: cauchy-docs ROOT FOLDER [NOTES], NOTES where the executable notes
// are, seen from the site.
#include <exception>
#include <iostream>

#include "site/docs_site.hpp"

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "cauchy-docs ROOT FOLDER [NOTES]\n";
    return 2;
  }
  const std::size_t pages = cauchy::notes::write_docs(argv[1], argv[2], argc > 3 ? argv[3] : "");
  std::cout << pages << " pages in " << argv[2] << "\n";
} catch (const std::exception& e) {
  std::cerr << "cauchy-docs: " << e.what() << "\n";
  return 2;
}
