// One connection to one Redis server, introduced and ready to be asked.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "longshore/error.h"
#include "store/redis/reply.h"
#include "store/redis/resp.h"
#include "store/redis/stream.h"
#include "store/redis/tls.h"
#include "store/redis/url.h"

namespace longshore::redis {

// Used by one thread at a time.
class Link {
 public:
  // Errc::unavailable if nobody answers, Errc::refused if the server does not want us.
  static Result<std::unique_ptr<Link>> open(const Url& url, const Address& address,
                                            const TlsContext* tls);

  // Sends commands as append_command wrote them, and waits for as many replies. Errc::unavailable
  // when the connection breaks: what became of the commands is unknown, and the link is of no
  // further use.
  Result<std::vector<Reply>> converse(std::string_view wire, std::size_t replies,
                                      const std::function<void()>& when_sent = {});
  // One command alone.
  Result<Reply> ask(std::span<const std::string> words);

  // False if the server has hung up meanwhile, which an unused link may tell before it is used.
  bool usable() const { return stream_->quiet(); }

  const Address& address() const { return address_; }
  // Scripts that the server has been given here, by their hash.
  std::unordered_set<std::string>& scripts() { return scripts_; }

  // For whoever only listens.
  Stream& stream() { return *stream_; }
  ReplyReader& reader() { return reader_; }

 private:
  Link(Address address, std::unique_ptr<Stream> stream)
      : address_(std::move(address)), stream_(std::move(stream)) {}
  Result<Nothing> introduce(const Url& url);
  Error lost(const std::string& why) const;

  const Address address_;
  std::unique_ptr<Stream> stream_;
  ReplyReader reader_;
  std::unordered_set<std::string> scripts_;
};

}  // namespace longshore::redis
