#include "store/redis/sightings.h"

#include "store/redis/fields.h"

namespace longshore::redis {

std::string node_text(const NodeView& view) {
  FieldWriter fields;
  fields.text(view.name).instant(view.started_at).instant(view.seen_at);
  return std::move(fields).take();
}

NodeView parse_node(const NodeId& node, std::string_view text) {
  FieldReader fields(text);
  NodeView view{.node = node, .name = {}, .started_at = {}, .seen_at = {}};
  if (text.empty()) return view;
  view.name = fields.text();
  view.started_at = fields.instant();
  view.seen_at = fields.instant();
  return view;
}

std::string worker_text(const WorkerView& view) {
  const WorkerInfo& info = view.info;
  FieldWriter fields;
  fields.id(info.node).text(list_text(info.queues)).text(list_text(info.types));
  fields.number(info.slots).text(info.host).text(info.version).instant(view.seen_at);
  return std::move(fields).take();
}

WorkerView parse_worker(const std::string& ns, const std::string& worker, std::string_view text) {
  FieldReader fields(text);
  WorkerView view;
  view.info.ns = ns;
  view.info.worker = worker;
  view.info.node = fields.optional_id<NodeId>();
  view.info.queues = parse_list(fields.text());
  view.info.types = parse_list(fields.text());
  view.info.slots = fields.small();
  view.info.host = fields.text();
  view.info.version = fields.text();
  view.seen_at = fields.instant();
  return view;
}

std::string minute_field(const MinuteRow& row) {
  FieldWriter fields;
  fields.id(row.node).text(row.queue).text(row.type);
  return std::move(fields).take();
}

std::string minute_text(const MinuteRow& row) {
  FieldWriter fields;
  for (const std::int64_t count : {row.enqueued, row.started, row.succeeded, row.failed, row.dead,
                                   row.canceled, row.wait_millis, row.run_millis}) {
    fields.number(count);
  }
  return std::move(fields).take();
}

MinuteRow parse_minute(Instant minute, const std::string& ns, std::string_view field,
                       std::string_view text) {
  FieldReader names(field);
  FieldReader counts(text);
  MinuteRow row{.minute = minute, .node = {}, .ns = ns, .queue = {}, .type = {}};
  row.node = names.id<NodeId>();
  row.queue = names.text();
  row.type = names.text();
  for (std::int64_t* count : {&row.enqueued, &row.started, &row.succeeded, &row.failed, &row.dead,
                              &row.canceled, &row.wait_millis, &row.run_millis}) {
    *count = counts.number();
  }
  return row;
}

}  // namespace longshore::redis
