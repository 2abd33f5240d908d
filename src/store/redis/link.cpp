#include "store/redis/link.h"

#include <utility>

namespace longshore::redis {

Result<std::unique_ptr<Link>> Link::open(const Url& url, const Address& address,
                                         const TlsContext* tls) {
  auto stream = Stream::open(address, url.timeout, tls);
  if (!stream) return stream.error();
  std::unique_ptr<Link> link(new Link(address, std::move(*stream)));
  const auto welcome = link->introduce(url);
  if (!welcome) return welcome.error();
  return link;
}

Result<Nothing> Link::introduce(const Url& url) {
  std::vector<std::vector<std::string>> greeting;
  if (!url.user.empty() && url.password.empty()) {
    greeting.push_back({"AUTH", url.user, ""});
  } else if (!url.password.empty()) {
    greeting.push_back({"AUTH"});
    if (!url.user.empty()) greeting.back().push_back(url.user);
    greeting.back().push_back(url.password);
  }
  if (url.database != 0) greeting.push_back({"SELECT", std::to_string(url.database)});
  greeting.push_back({"CLIENT", "SETNAME", "longshore"});
  std::string wire;
  for (const auto& words : greeting) append_command(wire, words);
  const auto replies = converse(wire, greeting.size());
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < greeting.size(); ++i) {
    const Reply& reply = (*replies)[i];
    // A user may well be forbidden to name itself; a server that loads says so when it is asked.
    const bool harmless =
        reply.code() == "LOADING" || (reply.code() == "NOPERM" && greeting[i].front() == "CLIENT");
    if (!reply.is_error() || harmless) continue;
    return Error{.code = Errc::refused, .message = to_text(address_) + ": " + reply.text};
  }
  return Nothing{};
}

Error Link::lost(const std::string& why) const {
  return {.code = Errc::unavailable, .message = to_text(address_) + ": " + why};
}

Result<std::vector<Reply>> Link::converse(std::string_view wire, std::size_t replies,
                                          const std::function<void()>& when_sent) {
  if (!stream_->send(wire)) return lost(stream_->why());
  if (when_sent) when_sent();
  std::vector<Reply> answers;
  answers.reserve(replies);
  std::string bytes;
  while (answers.size() < replies) {
    if (auto reply = reader_.next()) {
      answers.push_back(std::move(*reply));
      continue;
    }
    if (reader_.broken()) return lost("it does not speak as Redis does");
    bytes.clear();
    if (!stream_->receive(bytes)) return lost(stream_->why());
    reader_.feed(bytes);
  }
  return answers;
}

Result<Reply> Link::ask(std::span<const std::string> words) {
  std::string wire;
  append_command(wire, words);
  auto replies = converse(wire, 1);
  if (!replies) return replies.error();
  return std::move(replies->front());
}

}  // namespace longshore::redis
