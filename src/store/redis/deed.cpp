#include "store/redis/deed.h"

#include "longshore/job.h"

namespace longshore::redis {
namespace {

// Items of a job besides its further fields.
constexpr std::size_t new_items = 9;
constexpr std::size_t changed_items = 8;

constexpr std::size_t room_for_rest = 4096;

// False stands for what was said before.
void pack_unless_same(Pack& pack, std::string& before, std::string&& text) {
  if (before == text) {
    pack.boolean(false);
  } else {
    before = std::move(text);
    pack.text(before);
  }
}

}  // namespace

Line& Line::parts(std::initializer_list<Part> parts) {
  plain_ = false;
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
  versions_.text(key).text(std::to_string(v));
  version_count_ += 2;
}

void Deed::make(NewHash&& job) {
  made_.id(job.id).number(job.number).number(job.order).number(job.list);
  pack_unless_same(made_, life_, std::move(job.life));
  pack_unless_same(made_, given_, std::move(job.given));
  pack_unless_same(made_, history_, std::move(job.history));
  made_.text(job.payload);
  job.more.pack_into(made_);
  made_count_ += new_items + job.more.words();
}

std::int64_t Deed::list(const std::string& key) {
  lists_.push_back(key);
  return std::ssize(lists_);
}

void Deed::change(const ChangedHash& job) {
  changed_.id(job.id);
  pack_unless_same(changed_, v_, std::to_string(job.v));
  changed_.boolean(job.wants_payload);
  pack_unless_same(changed_, lines_, std::string(job.lines));
  changed_.text(job.order == 0 ? "" : std::to_string(job.number)).number(job.order);
  changed_.text(job.life);
  job.more.pack_into(changed_);
  changed_count_ += changed_items + job.more.words();
}

void Deed::write(const Line& command) {
  const auto words = static_cast<std::int64_t>(command.count());
  writes_.number(command.plain() ? words : -words).append(command.items());
  write_count_ += 1 + command.count();
}

void Deed::push(std::string_view command, const std::string& list, std::span<const Push> elements) {
  pushes_.text(command).text(list).number(static_cast<std::int64_t>(2 * elements.size()));
  for (const Push& element : elements) {
    pushes_.id(element.job);
    if (element.step != 0) {
      pushes_.number(element.step);
    } else {
      pushes_.text(std::to_string(element.order));
    }
  }
  push_count_ += 3 + 2 * elements.size();
}

void Deed::pack_into(Pack& pack, std::int64_t numbers, std::span<const std::string> bodies) const {
  pack.reserve(made_.bytes().size() + changed_.bytes().size() + writes_.bytes().size() +
               pushes_.bytes().size() + guards_.bytes().size() + room_for_rest);
  pack.list(guard_count_).append(guards_);
  pack.list(absent_count_).append(absent_).list(version_count_).append(versions_);
  pack.list(made_count_).append(made_).list(lists_.size());
  for (const std::string& key : lists_) pack.text(key);
  pack.list(changed_count_).append(changed_);
  pack.number(history_head_kept).number(history_tail_kept);
  pack.list(write_count_).append(writes_).list(push_count_).append(pushes_);
  pack.number(numbers).list(bodies.size());
  for (const std::string& key : bodies) pack.text(key);
}

}  // namespace longshore::redis
