#include "store/redis/parts.h"

#include "store/redis/fields.h"
#include "store/redis/keys.h"

namespace longshore::redis {
namespace {

constexpr std::size_t id_length = 36;

}  // namespace

Words body_call(const std::string& key) {
  return {"HMGET", key, "payload", "tags", "metadata", "request", "trace", "checkpoint"};
}

JobBody read_body(const Reply& reply) {
  JobBody body;
  if (reply.items.size() < 5) return body;
  body.payload = reply.items[0].text;
  body.tags = parse_list(reply.items[1].text);
  body.metadata = reply.items[2].text;
  body.request = reply.items[3].text;
  body.traceparent = reply.items[4].text;
  return body;
}

std::optional<std::string> read_checkpoint(const Reply& reply) {
  if (reply.items.size() < 6 || reply.items[5].is_nil()) return std::nullopt;
  return reply.items[5].text;
}

std::string bound_text(const KeyView& view, std::optional<Instant> gone_after) {
  FieldWriter fields;
  fields.number(static_cast<std::int64_t>(view.body_hash));
  fields.number(static_cast<int>(view.last_status)).instant(gone_after);
  return to_text(view.job) + " " + std::move(fields).take();
}

std::optional<KeyView> parse_bound(std::string_view text) {
  if (text.size() <= id_length) return std::nullopt;
  const auto id = parse_uuid(text.substr(0, id_length));
  FieldReader fields(text.substr(id_length + 1));
  const std::int64_t hash = fields.number();
  const int status = fields.small();
  if (!id || !fields.good()) return std::nullopt;
  return KeyView{.job = *id,
                 .last_status = static_cast<Status>(status),
                 .body_hash = static_cast<std::uint64_t>(hash)};
}

std::optional<Instant> parse_gone_after(std::string_view text) {
  if (text.size() <= id_length) return std::nullopt;
  FieldReader fields(text.substr(id_length + 1));
  fields.number();
  fields.number();
  return fields.optional_instant();
}

}  // namespace longshore::redis
