#include "store/postgres/connection/settings.h"

#include <string>
#include <utility>

namespace longshore::postgres {
namespace {

// The plans wanted are known: by index, one row at a time, whatever the statistics say of a young
// table.
constexpr std::pair<const char*, const char*> wanted[] = {
    {"plan_cache_mode", "force_generic_plan"},
    {"enable_seqscan", "off"},
    {"enable_bitmapscan", "off"},
    {"enable_hashjoin", "off"},
    {"enable_mergejoin", "off"},
    {"jit", "off"},
    {"lock_timeout", "5s"},
    {"statement_timeout", "30s"},
    {"idle_in_transaction_session_timeout", "30s"},
};

std::string text_of(const std::string& is_local) {
  std::string text;
  for (const auto& [name, value] : wanted) {
    text += text.empty() ? "SELECT " : ", ";
    text += std::string("set_config('") + name + "', '" + value + "', " + is_local + ")";
  }
  return text;
}

}  // namespace

const Sql& session_settings() {
  static const std::string text = text_of("false");
  static const Sql sql = {text.c_str()};
  return sql;
}

const Sql& transaction_settings() {
  static const std::string text = text_of("true");
  static const Sql sql = {text.c_str()};
  return sql;
}

}  // namespace longshore::postgres
