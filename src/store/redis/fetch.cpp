#include "store/redis/fetch.h"

#include "store/redis/fields.h"
#include "store/redis/pack.h"
#include "store/redis/scripts.h"

namespace longshore::redis {
namespace {

void pack_texts(Pack& pack, const std::vector<std::string>& texts) {
  pack.list(texts.size());
  for (const std::string& text : texts) pack.text(text);
}

void pack_wishes(Pack& pack, const std::vector<Question::Wish>& wishes) {
  pack.list(wishes.size());
  for (const Question::Wish& wish : wishes) {
    pack.list(5).text(word(wish.queue));
    if (wish.types) {
      pack.list(wish.types->size());
      for (const std::string& type : *wish.types) pack.text(word(type));
    } else {
      pack.boolean(false);
    }
    pack.number(wish.from).number(wish.limit).boolean(wish.bare);
  }
}

Pack packed(const Question& question) {
  Pack pack;
  pack.list(9);
  if (question.now) {
    pack.number(question.now->count());
  } else {
    pack.boolean(false);
  }
  pack.text(std::to_string(question.config_known));
  pack.list(question.ids.size());
  for (const JobId& id : question.ids) pack.text(to_text(id));
  pack_texts(pack, question.once);
  pack_texts(pack, question.job_keys);
  pack.list(question.claims.size());
  for (const RequestId& claim : question.claims) pack.text(to_hex(claim));
  pack_wishes(pack, question.wishes);
  pack.boolean(question.counts);
  pack.list(2 * question.limits.size());
  for (const auto& [type, most] : question.limits) pack.text(word(type)).number(most);
  return pack;
}

std::vector<std::string> texts_of(const Reply& reply) {
  std::vector<std::string> texts;
  texts.reserve(reply.items.size());
  for (const Reply& item : reply.items) texts.push_back(item.text);
  return texts;
}

Error unreadable(const std::string& what) {
  return {.code = Errc::corrupt, .message = "cannot read " + what + "; did somebody change it?"};
}

Result<Answer::StoredJob> read_job(const Reply& reply, const std::string& ns, const Policy& usual) {
  const auto id = parse_uuid(reply.items[4].text);
  const auto v = parse_integer(reply.items[0].text);
  if (!id || !v) return unreadable("job " + reply.items[4].text);
  const HeadTexts texts{reply.items[1].text, reply.items[2].text, reply.items[3].text};
  auto head = parse_head(*id, ns, texts, usual);
  if (!head) return unreadable("job " + reply.items[4].text);
  return Answer::StoredJob{.v = *v, .head = std::move(*head)};
}

// A name of a list is "5/mail", with the type as word() writes it.
std::optional<ReadyList> read_list(const std::string& queue, std::string_view name) {
  if (name.size() < 3 || name[0] < '0' || name[0] > '9' || name[1] != '/') return std::nullopt;
  auto type = parse_word(name.substr(2));
  if (!type) return std::nullopt;
  return ReadyList{.queue = queue, .priority = name[0] - '0', .type = std::move(*type)};
}

Result<Answer::Shelf> read_shelf(const Reply& reply, const std::string& queue) {
  constexpr std::int64_t has_more = 1, is_full = 2;
  Answer::Shelf shelf{
      .complete = reply.items[0].integer == 1, .cut = reply.items[2].integer == 1, .rows = {}};
  for (const Reply& item : reply.items[1].items) {
    auto list = read_list(queue, item.items[0].text);
    if (!list) return unreadable("the lists of queue " + queue);
    shelf.rows.push_back({.list = std::move(*list),
                          .more = item.items[1].integer == has_more,
                          .full = item.items[1].integer == is_full,
                          .elements = texts_of(item.items[2]),
                          .marks = item.items[3].text});
  }
  return shelf;
}

std::vector<JobId> read_claim(const Reply& reply) {
  constexpr std::size_t claim_length = 33;  // and the colon
  std::vector<JobId> ids;
  for (const Reply& member : reply.items) {
    if (member.text.size() <= claim_length) continue;
    if (const auto id = parse_uuid(member.text.substr(claim_length))) ids.push_back(*id);
  }
  return ids;
}

void read_counts(const Reply& reply, std::map<std::string, std::int64_t>& counts) {
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    counts[reply.items[i].text] = parse_integer(reply.items[i + 1].text).value_or(0);
  }
}

Result<Answer> read_answer(const Reply& reply, const std::string& ns, const Question& question,
                           const Policy& usual) {
  if (reply.items.size() != 11) return unreadable("what the fetch script answered");
  const std::vector<Reply>& items = reply.items;
  Answer answer{.now = Instant::millis(items[0].integer),
                .clock = items[10].integer,
                .seq = items[1].integer,
                .config = parse_integer(items[2].text).value_or(0)};
  if (!items[3].is_nil()) answer.rules = {items[3].items[0].text, items[3].items[1].text};
  for (const Reply& item : items[4].items) {
    auto job = read_job(item, ns, usual);
    if (!job) return job.error();
    answer.jobs.push_back(std::move(*job));
  }
  for (const Reply& item : items[5].items) {
    answer.once.push_back(item.is_nil() ? std::nullopt : std::optional(item.text));
  }
  for (const Reply& item : items[6].items) answer.job_keys.push_back(texts_of(item));
  for (const Reply& item : items[7].items) answer.claims.push_back(read_claim(item));
  for (std::size_t i = 0; i < items[8].items.size(); ++i) {
    auto shelf = read_shelf(items[8].items[i], question.wishes[i].queue);
    if (!shelf) return shelf.error();
    answer.shelves.push_back(std::move(*shelf));
  }
  read_counts(items[9], answer.counts);
  return answer;
}

}  // namespace

Result<Answer> fetch(Channel& channel, const Keys& keys, const std::string& ns,
                     const Question& question, const Policy& usual) {
  const ScriptCall call{
      .script = &fetch_script(), .keys = {keys.meta()}, .args = {packed(question).bytes()}};
  auto reply = channel.run(keys.tag(), call, false);
  if (!reply) return reply.error();
  if (reply->is_error()) return error_of(*reply, channel.url().shown);
  return read_answer(*reply, ns, question, usual);
}

}  // namespace longshore::redis
