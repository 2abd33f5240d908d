// All jobs. Each namespace has its own index; what is next in all of them is next.
#include <algorithm>
#include <deque>
#include <utility>

#include "store/redis/catalog.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t page_length = 200;

// The jobs of one namespace, a page at a time.
class Stream {
 public:
  Stream(const View& view, const std::string& ns) : view_(view), ns_(ns), reader_(view.of(ns)) {}

  // Null at the end.
  Result<const JobRecord*> peek() {
    while (records_.empty() && !ended_) {
      if (const auto read = read_page(); !read) return read.error();
    }
    return records_.empty() ? nullptr : &records_.front();
  }
  void pop() { records_.pop_front(); }

 private:
  Result<Nothing> read_page() {
    auto ids = reader_.ids(last_ ? &*last_ : nullptr, page_length);
    if (!ids) return ids.error();
    ended_ = std::ssize(*ids) < page_length;
    if (!ids->empty()) last_ = ids->back();
    std::vector<Words> calls;
    for (const JobId& id : *ids) calls.push_back({"HGETALL", reader_.keys().job(id)});
    const auto replies = reader_.read(calls);
    if (!replies) return replies.error();
    for (std::size_t i = 0; i < ids->size(); ++i) {
      auto record = read_record(ns_, (*ids)[i], (*replies)[i], view_.usual);
      if (record) records_.push_back(std::move(*record));
    }
    return Nothing{};
  }

  const View& view_;
  const std::string ns_;
  const Reader reader_;
  std::deque<JobRecord> records_;
  std::optional<JobId> last_;
  bool ended_ = false;
};

}  // namespace

Result<Nothing> each(const View& view, const std::function<bool(const JobRecord&)>& visit) {
  const auto names = read_namespaces(view.channel);
  if (!names) return names.error();
  std::deque<Stream> streams;
  for (const std::string& ns : *names) streams.emplace_back(view, ns);
  for (;;) {
    Stream* first = nullptr;
    const JobRecord* next = nullptr;
    for (Stream& stream : streams) {
      const auto record = stream.peek();
      if (!record) return record.error();
      if (*record == nullptr || (next != nullptr && next->job.id < (*record)->job.id)) continue;
      first = &stream;
      next = *record;
    }
    if (first == nullptr || !visit(*next)) return Nothing{};
    first->pop();
  }
}

Result<Nothing> each_of(const View& view, const std::string& ns,
                        const std::function<bool(const JobRecord&)>& visit) {
  Stream stream(view, ns);
  for (;;) {
    const auto record = stream.peek();
    if (!record) return record.error();
    if (*record == nullptr || !visit(**record)) return Nothing{};
    stream.pop();
  }
}

}  // namespace longshore::redis
