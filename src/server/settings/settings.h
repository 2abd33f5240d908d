// The value and source of every option. Flags override the environment, which overrides
// longshore.toml, which overrides the default.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/endpoints/endpoint.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/policy.h"
#include "longshore/time.h"
#include "server/settings/option.h"

namespace longshore {

struct Setting {
  const Option* option = nullptr;
  std::vector<std::string> values;  // one, except for a list
  std::string source;               // "default", "--listen", "LONGSHORE_LISTEN", "longshore.toml:3"
};

// Settings of one queue or job type in longshore.toml.
struct NamedPolicy {
  PolicyLayer layer;
  std::optional<int> max_running;
  std::optional<Duration> keep_success, keep_canceled, keep_dead;
};

// The handler of one job type in longshore.toml: a program or a URL. Defaults come from the
// options.
struct HandlerSetting {
  std::string program;
  std::string url;
  bool replay = false;      // sends the request that created the job
  std::string secret_name;  // signs requests
  int concurrency = 0;      // 0: no limit besides the worker's
  std::optional<std::int64_t> memory_bytes, cpu_seconds, output_bytes, open_files, processes,
      file_bytes;
  std::string user;                        // of the program
  std::vector<std::string> passed;         // names of variables inherited from the worker
  std::map<std::string, std::string> env;  // additional variables
};

// One webhook secret in longshore.toml. All three members are set.
struct SecretSetting {
  std::string file;  // that contains it
  std::string ns;
  std::vector<std::string> urls;
};

// The validated content of a file.
struct FileSettings {
  struct Entry {
    std::vector<std::string> values;
    int line = 0;
  };
  std::string name;  // name of the file
  std::map<const Option*, Entry> entries;
  std::map<std::string, NamedPolicy> queues;
  std::map<std::string, NamedPolicy> types;
  std::map<std::string, HandlerSetting> handlers;
  std::map<std::string, SecretSetting> secrets;
  std::vector<Endpoint> endpoints;
};

// Errc::invalid with the file, the line and advice.
Result<FileSettings> parse_settings_file(std::string_view text, std::string name);

class Settings {
 public:
  struct Sources {
    std::map<const Option*, std::vector<std::string>> flags;
    std::vector<std::string> environment;  // "NAME=value"
    FileSettings file;
  };
  // Errc::invalid with the flag or variable and advice. Unknown variables that begin with
  // LONGSHORE_ are ignored, unless they look like a misspelled option.
  static Result<Settings> from(Sources sources);

  // REQUIRES: the option exists and has that kind.
  std::string text(std::string_view option) const;
  const std::vector<std::string>& list(std::string_view option) const;
  bool boolean(std::string_view option) const;
  std::int64_t natural(std::string_view option) const;
  double fraction(std::string_view option) const;
  Duration duration(std::string_view option) const;

  const std::vector<Setting>& all() const { return all_; }  // in the order of the table
  const std::map<std::string, NamedPolicy>& queues() const { return queues_; }
  const std::map<std::string, NamedPolicy>& types() const { return types_; }
  const std::map<std::string, HandlerSetting>& handlers() const { return handlers_; }
  const std::map<std::string, SecretSetting>& secrets() const { return secrets_; }
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }

 private:
  const Setting& setting(std::string_view option) const;

  std::vector<Setting> all_;
  std::map<std::string, NamedPolicy> queues_;
  std::map<std::string, NamedPolicy> types_;
  std::map<std::string, HandlerSetting> handlers_;
  std::map<std::string, SecretSetting> secrets_;
  std::vector<Endpoint> endpoints_;
};

// Reads `path`, or if it is empty longshore.toml in the working directory, if that exists.
Result<FileSettings> read_settings_file(const std::string& path);

// The value for display, without secrets.
std::string shown_value(const Setting& setting);

}  // namespace longshore
