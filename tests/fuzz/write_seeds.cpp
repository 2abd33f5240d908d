// Writes the requests of the hostile table into a folder, a file for each. Usage: FOLDER
#include <filesystem>
#include <fstream>

#include "unit/http/hostile_cases.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const auto& hostile : longshore::read_hostile_cases("tests/unit/http/hostile.txt")) {
    std::ofstream file(folder / std::to_string(number++), std::ios::binary);
    // The first byte says how the fuzzer cuts the rest.
    file << '\x03' << hostile.bytes;
    if (!file.good()) return 1;
  }
  return number > 0 ? 0 : 1;
}
