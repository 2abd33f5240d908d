#include "server/settings/webhook_secrets.h"

#include "server/settings/secret_file.h"

namespace longshore {

Result<Secrets> webhook_secrets(const Settings& settings) {
  Result<Secrets> secrets = Secrets::parse(settings.list("secrets"));
  if (!secrets) return secrets;
  for (const auto& [name, setting] : settings.secrets()) {
    Result<std::string> text = read_secret_file(setting.file);
    if (!text) return Error{text.error().code, "secrets." + name + ": " + text.error().message};
    Result<Nothing> bound = secrets->bind(name, *text, {.ns = setting.ns, .urls = setting.urls});
    if (!bound) return bound.error();
  }
  return secrets;
}

}  // namespace longshore
