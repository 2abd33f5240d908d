#include "store/redis/deed.h"

#include <utility>

#include "core/ids/uuid.h"
#include "longshore/job.h"

namespace longshore::redis {
namespace {

// Items of a run besides its further fields, its moves and its jobs.
constexpr std::size_t new_items = 7;
constexpr std::size_t changed_items = 9;

constexpr std::size_t room_for_rest = 4096;

std::int64_t sign_of(std::int64_t number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

// Whether a job may follow a run of so many that this one began.
bool goes_on(const NewHash& first, std::int64_t length, const NewHash& job) {
  return job.number == first.number + length &&
         job.order == first.order + sign_of(first.order) * length && job.list == first.list &&
         job.life == first.life && job.given == first.given && job.more == first.more;
}
bool goes_on(const ChangedHash& first, const ChangedHash& job) {
  return job.v == first.v && job.wants_payload == first.wants_payload && job.order == 0 &&
         first.order == 0 && job.is_claimed == first.is_claimed &&
         job.claim.has_value() == first.claim.has_value() && job.lines == first.lines &&
         job.moves == first.moves && job.more == first.more;
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
  const bool is_next = made_.first && goes_on(*made_.first, made_.length, job);
  if (!is_next) end(made_);
  ++made_.length;
  made_.rest.id(job.id).text(job.payload);
  if (!is_next) made_.first = std::move(job);
}

void Deed::end(Runs<NewHash>& runs) {
  if (!runs.first) return;
  const NewHash& job = *runs.first;
  runs.whole.number(runs.length).number(job.number).number(job.order).number(job.list);
  runs.whole.text(job.life).text(job.given);
  job.more.pack_into(runs.whole);
  runs.whole.append(runs.rest);
  runs.count += new_items + job.more.words() + 2 * static_cast<std::size_t>(runs.length);
  runs.rest.clear();
  runs.length = 0;
}

std::int64_t Deed::list(const std::string& key) {
  lists_.push_back(key);
  return std::ssize(lists_);
}

void Deed::change(ChangedHash&& job) {
  const bool is_next = changed_.first && goes_on(*changed_.first, job);
  if (!is_next) end(changed_);
  ++changed_.length;
  changed_.rest.id(job.id).text(job.life);
  if (job.claim) changed_.rest.text(to_hex(*job.claim));
  if (!is_next) changed_.first = std::move(job);
}

void Deed::end(Runs<ChangedHash>& runs) {
  if (!runs.first) return;
  const ChangedHash& job = *runs.first;
  runs.whole.number(runs.length).text(std::to_string(job.v)).boolean(job.wants_payload);
  runs.whole.text(job.lines);
  runs.whole.text(job.order == 0 ? "" : std::to_string(job.number)).number(job.order);
  job.more.pack_into(runs.whole);
  job.moves.pack_into(runs.whole);
  runs.whole.number(!job.claim ? 0 : job.is_claimed ? 1 : -1).append(runs.rest);
  runs.count += changed_items + job.more.words() + job.moves.items() +
                (job.claim ? 3 : 2) * static_cast<std::size_t>(runs.length);
  runs.rest.clear();
  runs.length = 0;
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

void Deed::pack_into(Pack& pack, std::int64_t numbers, std::span<const std::string> bodies) {
  end(made_);
  end(changed_);
  pack.reserve(made_.whole.bytes().size() + changed_.whole.bytes().size() + writes_.bytes().size() +
               pushes_.bytes().size() + guards_.bytes().size() + room_for_rest);
  pack.list(guard_count_).append(guards_);
  pack.list(absent_count_).append(absent_).list(version_count_).append(versions_);
  pack.list(made_.count).append(made_.whole).list(lists_.size());
  for (const std::string& key : lists_) pack.text(key);
  pack.list(changed_.count).append(changed_.whole);
  pack.number(history_head_kept).number(history_tail_kept);
  pack.list(write_count_).append(writes_).list(push_count_).append(pushes_);
  pack.number(numbers).list(bodies.size());
  for (const std::string& key : bodies) pack.text(key);
}

}  // namespace longshore::redis
