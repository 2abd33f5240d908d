// What every option is set to, and by whom: a flag wins over the environment, the environment over
// longshore.toml, the file over the default.
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
  std::vector<std::string> values;  // one, except of a list
  std::string source;               // "default", "--listen", "LONGSHORE_LISTEN", "longshore.toml:3"
};

// What longshore.toml says about one queue or one job type.
struct NamedPolicy {
  PolicyLayer layer;
  std::optional<int> max_running;
  std::optional<Duration> keep_success, keep_canceled, keep_dead;
};

// What longshore.toml says about the handler of one job type: a program or a URL. What it leaves
// open, the options say.
struct HandlerSetting {
  std::string program;
  std::string url;
  bool replay = false;      // sends the request that the job was made from
  std::string secret_name;  // signs what is sent
  int concurrency = 0;      // 0: as many as the worker can
  std::optional<std::int64_t> memory_bytes, cpu_seconds, output_bytes, open_files, processes,
      file_bytes;
  std::string user;                        // that the program runs as
  std::vector<std::string> passed;         // names of variables that it gets from the worker
  std::map<std::string, std::string> env;  // variables of its own
};

// What longshore.toml says about one webhook secret. All three are given.
struct SecretSetting {
  std::string file;  // that holds it
  std::string ns;
  std::vector<std::string> urls;
};

// What a file says, checked.
struct FileSettings {
  struct Entry {
    std::vector<std::string> values;
    int line = 0;
  };
  std::string name;  // of the file
  std::map<const Option*, Entry> entries;
  std::map<std::string, NamedPolicy> queues;
  std::map<std::string, NamedPolicy> types;
  std::map<std::string, HandlerSetting> handlers;
  std::map<std::string, SecretSetting> secrets;
  std::vector<Endpoint> endpoints;
};

// Errc::invalid with the file, the line and what to do.
Result<FileSettings> parse_settings_file(std::string_view text, std::string name);

class Settings {
 public:
  struct Sources {
    std::map<const Option*, std::vector<std::string>> flags;
    std::vector<std::string> environment;  // "NAME=value"
    FileSettings file;
  };
  // Errc::invalid with the flag or variable and what to do. Variables that begin with LONGSHORE_
  // and are no option are passed over, unless they are a slip of one that is.
  static Result<Settings> from(Sources sources);

  // REQUIRES: there is such an option, and it is of that kind.
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

// Reads `path`, or if it is empty longshore.toml in the working directory, which need not exist.
Result<FileSettings> read_settings_file(const std::string& path);

// The value as people may see it.
std::string shown_value(const Setting& setting);

}  // namespace longshore
