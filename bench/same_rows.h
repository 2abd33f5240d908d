// Compares two files: the same number of rows in each table, and in each column the same number of
// values, of the same types and total length.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace longshore::bench {

// Ends the program, naming the first difference. `tables` pairs each table of the one file with
// its counterpart in the other. Returns how many columns were compared.
int expect_same_rows(const std::string& ours, const std::string& reference,
                     const std::vector<std::pair<std::string, std::string>>& tables);

// The first column of the first row.
std::string ask_file(const std::string& path, const std::string& question);

// Every table of the schema that a job without a key may touch, paired with itself.
std::vector<std::pair<std::string, std::string>> tables_of_a_job();

}  // namespace longshore::bench
