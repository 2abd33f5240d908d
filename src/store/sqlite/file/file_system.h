// What a store asks of the directory it lives in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/error.h"

namespace longshore::sqlite {

// The name of a file system whose locks and syncs reach over a network, by its magic number from
// statfs; empty for any other.
std::string_view network_file_system(std::int64_t magic);

// Errc::refused for a directory that does not exist or lies on a network file system.
Result<Nothing> check_directory(const std::string& path_of_file);

// Makes the name of a file created in this directory durable.
Result<Nothing> sync_directory(const std::string& path_of_file);

}  // namespace longshore::sqlite
