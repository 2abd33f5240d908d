#include "store/redis/resp.h"

#include <hiredis/hiredis.h>

#include <utility>

namespace longshore::redis {
namespace {

// Puts a finished value where the reader's task says: into its array, or into a reply of its own,
// which the reader frees if the rest never comes.
Reply* place(const redisReadTask* task, Reply value) {
  if (task->parent == nullptr) return new Reply(std::move(value));
  auto* array = static_cast<Reply*>(task->parent->obj);
  Reply& slot = array->items[static_cast<std::size_t>(task->idx)];
  slot = std::move(value);
  return &slot;
}

void* create_string(const redisReadTask* task, char* text, std::size_t length) {
  const bool bad = task->type == REDIS_REPLY_ERROR;
  return place(task, {.kind = bad ? Reply::Kind::error : Reply::Kind::text,
                      .text = std::string(text, length)});
}

void* create_array(const redisReadTask* task, int length) {
  Reply array{.kind = Reply::Kind::array};
  array.items.resize(static_cast<std::size_t>(length));
  return place(task, std::move(array));
}

void* create_integer(const redisReadTask* task, long long value) {
  return place(task, {.kind = Reply::Kind::integer, .integer = value});
}

void* create_nil(const redisReadTask* task) { return place(task, Reply()); }

void free_object(void* reply) { delete static_cast<Reply*>(reply); }

redisReplyObjectFunctions functions = {.createString = create_string,
                                       .createArray = create_array,
                                       .createInteger = create_integer,
                                       .createNil = create_nil,
                                       .freeObject = free_object};

}  // namespace

void append_command(std::string& wire, std::span<const std::string> words) {
  begin_command(wire, words.size());
  for (const std::string& word : words) append_word(wire, word);
}

void begin_command(std::string& wire, std::size_t words) {
  wire += '*';
  wire += std::to_string(words);
  wire += "\r\n";
}

void append_word(std::string& wire, std::string_view word) {
  wire += '$';
  wire += std::to_string(word.size());
  wire += "\r\n";
  wire += word;
  wire += "\r\n";
}

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(&functions)) {}
ReplyReader::~ReplyReader() = default;

bool ReplyReader::feed(std::string_view bytes) {
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) broken_ = true;
  return !broken_;
}

std::optional<Reply> ReplyReader::next() {
  void* whole = nullptr;
  if (broken_ || redisReaderGetReply(reader_.get(), &whole) != REDIS_OK) {
    broken_ = true;
    return std::nullopt;
  }
  if (whole == nullptr) return std::nullopt;
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(whole));
  return std::move(*reply);
}

}  // namespace longshore::redis
