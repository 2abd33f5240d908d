#include "server/settings/secret_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "worker/program/descriptor.h"

namespace longshore {
namespace {

constexpr std::size_t secret_bytes_max = 64 * 1024;

Error refused(const std::string& path, const std::string& why) {
  return {Errc::refused, "the secret file " + path + " " + why};
}

std::string trimmed(const std::string& text) {
  constexpr const char* space = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

}  // namespace

Result<std::string> read_secret_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
    return refused(path, std::string("cannot be read: ") + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return refused(path, "is not a regular file");
  // Checked on the descriptor, so that the file cannot be replaced in between.
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return refused(path, "can be read by other users; run: chmod 600 " + path);
  }
  std::string text(secret_bytes_max + 1, '\0');
  const ssize_t got = ::read(file.number(), text.data(), text.size());
  if (got < 0) return refused(path, std::string("cannot be read: ") + std::strerror(errno));
  text.resize(static_cast<std::size_t>(got));
  std::string secret = trimmed(text);
  if (secret.empty()) return refused(path, "is empty");
  if (text.size() > secret_bytes_max) return refused(path, "is larger than 64 KiB");
  return secret;
}

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
