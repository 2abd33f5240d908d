// Reads the cases of hostile.txt, which documents its format.
#pragma once

#include <string>
#include <vector>

namespace longshore {

struct HostileCase {
  struct Answer {
    int status = 0;
    std::string code;  // of an error
  };

  std::string title;
  std::vector<Answer> answers;
  bool closed = false;            // the connection, afterwards
  std::vector<std::string> seen;  // by the application: "METHOD TARGET BODY"
  std::string bytes;
  bool ends = false;  // the client half closes after the bytes
};

// Aborts if the file is malformed.
std::vector<HostileCase> read_hostile_cases(const std::string& file);

}  // namespace longshore
