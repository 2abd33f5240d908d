#include "store/redis/deed.h"

namespace longshore::redis {

Line& Line::parts(std::initializer_list<Part> parts) {
  items_.list(parts.size());
  for (const Part& part : parts) {
    if (part.number == 0) {
      items_.text(part.text);
    } else {
      items_.number(part.number);
    }
  }
  ++count_;
  return *this;
}

void Deed::expect(const std::optional<std::string>& answer, const Line& command) {
  guards_.list(command.count() + 1);
  if (answer) {
    guards_.text(*answer);
  } else {
    guards_.boolean(false);
  }
  guards_.append(command.items());
  ++guard_count_;
}

void Deed::expect_list(std::span<const std::string> answer, const Line& command) {
  guards_.list(command.count() + 1).list(answer.size());
  for (const std::string& item : answer) guards_.text(item);
  guards_.append(command.items());
  ++guard_count_;
}

void Deed::expect_absent(const std::string& key) {
  absent_.text(key);
  ++absent_count_;
}

void Deed::expect_version(const std::string& key, std::int64_t v) {
  versions_.text(key).text(v == 0 ? "" : std::to_string(v));
  version_count_ += 2;
}

void Deed::write(const Line& command) {
  writes_.list(command.count()).append(command.items());
  ++write_count_;
}

void Deed::pack_into(Pack& pack, std::int64_t numbers, std::span<const std::string> bodies) const {
  pack.list(guard_count_).append(guards_);
  pack.list(absent_count_).append(absent_).list(version_count_).append(versions_);
  pack.list(write_count_).append(writes_);
  pack.number(numbers).list(bodies.size());
  for (const std::string& key : bodies) pack.text(key);
}

}  // namespace longshore::redis
