// The words of Redis's protocol (RESP 2): commands out, replies in.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/redis/reply.h"

struct redisReader;

namespace longshore::redis {

// Adds one command as it goes over the wire.
void append_command(std::string& wire, std::span<const std::string> words);
// The same piece by piece: so many words follow.
void begin_command(std::string& wire, std::size_t words);
void append_word(std::string& wire, std::string_view word);

// Makes replies of bytes as they come. Used by one thread at a time.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // False once the bytes are not what Redis says.
  bool feed(std::string_view bytes);
  // The next whole reply; nothing while some of it is missing. Ask `broken` then.
  std::optional<Reply> next();
  bool broken() const { return broken_; }

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
  bool broken_ = false;
};

}  // namespace longshore::redis
