#include "client/delivery/replay.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "client/http/outgoing.h"
#include "core/json/json_scan.h"
#include "core/json/json_value.h"

namespace longshore {
namespace {

constexpr std::array<std::string_view, 5> methods = {"GET", "POST", "PUT", "PATCH", "DELETE"};

Error unusable(std::string_view what) {
  return {Errc::invalid, "the job's request cannot be replayed: " + std::string(what)};
}

std::string lowered(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
}

const JsonSlice* find(const std::vector<JsonMember>& members, std::string_view name) {
  for (const JsonMember& member : members) {
    if (is_named(member, name)) return &member.value;
  }
  return nullptr;
}

std::string text_in(const std::vector<JsonMember>& members, std::string_view name) {
  const JsonSlice* slice = find(members, name);
  return slice == nullptr ? "" : json_string(*slice).value_or("");
}

std::vector<std::string> texts_in(const JsonSlice& slice) {
  std::vector<std::string> texts;
  std::vector<JsonSlice> elements;
  if (!scan_array(slice.text, elements)) return texts;
  for (const JsonSlice& element : elements) {
    if (auto text = json_string(element)) texts.push_back(std::move(*text));
  }
  return texts;
}

std::string query_of(const std::vector<JsonMember>& request) {
  std::string query;
  std::vector<JsonSlice> parameters;
  const JsonSlice* listed = find(request, "queryParams");
  if (listed == nullptr || !scan_array(listed->text, parameters)) return query;
  for (const JsonSlice& parameter : parameters) {
    std::vector<JsonMember> members;
    if (!scan_object(parameter.text, members)) continue;
    const JsonSlice* values = find(members, "values");
    if (values == nullptr) continue;
    for (const std::string& value : texts_in(*values)) {
      query += query.empty() ? '?' : '&';
      append_escaped(query, text_in(members, "name"));
      query += '=';
      append_escaped(query, value);
    }
  }
  return query;
}

// Headers that Longshore sets itself.
bool is_ours(std::string_view name) {
  return name == "host" || name == "content-length" || name == "expect" ||
         name == "idempotency-key" || name == "traceparent" || name.starts_with("longshore-") ||
         name.starts_with("webhook-");
}

std::vector<std::pair<std::string, std::string>> headers_of(
    const std::vector<JsonMember>& request) {
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<JsonMember> members;
  const JsonSlice* listed = find(request, "headers");
  if (listed == nullptr || !scan_object(listed->text, members)) return headers;
  for (const JsonMember& member : members) {
    const std::string name = json_name(member);
    if (is_hop_by_hop(name) || is_ours(lowered(name))) continue;
    for (std::string& value : texts_in(member.value)) {
      if (is_header(name, value)) headers.emplace_back(name, std::move(value));
    }
  }
  return headers;
}

// A text body was stored as a JSON string.
std::string body_of(const std::string& payload,
                    const std::vector<std::pair<std::string, std::string>>& headers) {
  std::string type;
  for (const auto& [name, value] : headers) {
    if (lowered(name) == "content-type") type = lowered(value);
  }
  const bool json = type.empty() || type.find("json") != std::string::npos;
  const auto scanned = scan_json(payload);
  if (!scanned || scanned->kind == JsonKind::null) return "";
  if (!json) {
    if (auto text = json_string(*scanned)) return std::move(*text);
  }
  return payload;
}

}  // namespace

bool is_hop_by_hop(std::string_view name) {
  const std::string small = lowered(name);
  return small == "connection" || small == "keep-alive" || small == "te" || small == "trailer" ||
         small == "trailers" || small == "transfer-encoding" || small == "upgrade" ||
         small.starts_with("proxy-");
}

Result<Replayed> replay(const JobBody& body, const OutgoingUrl& base) {
  std::vector<JsonMember> request;
  if (!scan_object(body.request, request)) return unusable("it is not an object");
  Replayed replayed;
  replayed.call.method = text_in(request, "method");
  if (std::ranges::find(methods, replayed.call.method) == methods.end()) {
    return unusable("its method is not GET, POST, PUT, PATCH or DELETE");
  }
  const std::string path = text_in(request, "path");
  if (path.find('?') != std::string::npos || !is_plain_target(path)) {
    return unusable("its path is invalid");
  }
  std::string_view before = std::string_view(base.target).substr(0, base.target.find('?'));
  if (before.ends_with('/')) before.remove_suffix(1);
  replayed.target = std::string(before) + path + query_of(request);
  replayed.call.headers = headers_of(request);
  replayed.call.body = body_of(body.payload, replayed.call.headers);
  return replayed;
}

}  // namespace longshore
