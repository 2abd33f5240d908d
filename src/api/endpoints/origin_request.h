// The HTTP request that a job was made from, as a producer may hand it over for its worker.
#pragma once

#include <string>
#include <string_view>

#include "api/wire/fields.h"

namespace longshore {

// The member as it came, once it is proved to be what it must be; empty if it is absent. Faults
// are left in `fields`.
std::string read_origin_request(Fields& fields, std::string_view name);

}  // namespace longshore
