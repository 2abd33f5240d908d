#include "core/net/secret_bindings.h"

#include <algorithm>
#include <utility>

#include "core/text/names.h"

namespace longshore {
namespace {

Error invalid_binding(const std::string& name, const std::string& what) {
  return {Errc::invalid, "secrets." + name + ": " + what};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded_once(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                        hex_digit(text[i + 2]) >= 0;
    plain +=
        escape ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return plain;
}

// Some servers read "..;x" as "..".
bool is_dot_segment(std::string_view segment) {
  const std::string_view name = segment.substr(0, segment.find(';'));
  return name == "." || name == "..";
}

// The path percent-decoded until nothing is left to decode, as a lenient server may read it. None
// if that could be another path: with an escaped slash or a dot segment.
std::optional<std::string> normalized_path(const OutgoingUrl& url) {
  const std::string written = url.target.substr(0, url.target.find('?'));
  std::string path = written;
  for (std::string next = decoded_once(path); next != path; next = decoded_once(path)) {
    path = std::move(next);
  }
  if (std::ranges::count(path, '/') != std::ranges::count(written, '/')) return std::nullopt;
  if (path.find_first_of(std::string_view("\\\0", 2)) != std::string::npos) return std::nullopt;
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);  // the slash
    const std::string_view segment = rest.substr(0, rest.find('/'));
    if (is_dot_segment(segment)) return std::nullopt;
    rest.remove_prefix(segment.size());
  }
  return path;
}

bool is_below(const OutgoingUrl& url, const OutgoingUrl& prefix) {
  if (url.secure != prefix.secure || url.host != prefix.host || url.port != prefix.port) {
    return false;
  }
  const std::optional<std::string> path = normalized_path(url);
  const std::string above = normalized_path(prefix).value_or("");
  if (!path || above.empty() || !path->starts_with(above)) return false;
  return above.ends_with('/') || path->size() == above.size() || (*path)[above.size()] == '/';
}

}  // namespace

Result<Nothing> SecretBindings::add(const std::string& name, const SecretBinding& binding) {
  if (auto fault = secret_name_fault(name)) return invalid_binding(name, *fault);
  if (auto fault = namespace_fault(binding.ns)) return invalid_binding(name, *fault);
  if (binding.urls.empty()) {
    return invalid_binding(name, "urls must list at least one URL prefix");
  }
  Bound bound{.ns = binding.ns, .prefixes = {}};
  for (const std::string& text : binding.urls) {
    Result<OutgoingUrl> url = parse_outgoing_url(text);
    if (!url) return invalid_binding(name, url.error().message);
    if (text.find_first_of("?#") != std::string::npos || !normalized_path(*url)) {
      return invalid_binding(name,
                             "\"" + text + "\" is not a URL prefix: use scheme, host and path");
    }
    bound.prefixes.push_back(std::move(*url));
  }
  if (!bindings_.emplace(name, std::move(bound)).second) {
    return invalid_binding(name, "duplicate secret name");
  }
  return Nothing();
}

bool SecretBindings::covers(std::string_view name, const OutgoingUrl& url) const {
  const auto found = bindings_.find(name);
  return found != bindings_.end() &&
         std::ranges::any_of(found->second.prefixes,
                             [&](const OutgoingUrl& prefix) { return is_below(url, prefix); });
}

std::optional<SecretBindings::Fault> SecretBindings::fault(std::string_view ns,
                                                           const Callback& callback) const {
  if (callback.secret_name.empty()) return std::nullopt;
  const auto found = bindings_.find(callback.secret_name);
  if (found == bindings_.end() || found->second.ns != ns) {
    return Fault{"callback.secretName",
                 "must name a secret of this namespace, configured on the server as "
                 "[secrets.NAME]"};
  }
  const Result<OutgoingUrl> url = parse_outgoing_url(callback.url);
  if (url && covers(callback.secret_name, *url)) return std::nullopt;
  return Fault{"callback.url",
               "must be below a URL prefix of the secret \"" + callback.secret_name + "\""};
}

}  // namespace longshore
