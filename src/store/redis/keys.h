// How keys are called. All keys of a namespace carry its hash tag, so that one script reaches them
// all on a cluster, too; what belongs to no namespace has a tag of its own. docs/redis.md lists
// them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/id.h"
#include "longshore/job.h"

namespace longshore::redis {

// Percent-encodes everything but A-Z a-z 0-9 . _ : - so that parts of a name stay apart.
std::string word(std::string_view name);
// Nothing for a text that word() does not write.
std::optional<std::string> parse_word(std::string_view text);

// Any id in the text of a UUID; Redis gives back what the store wrote.
std::optional<JobId> parse_uuid(std::string_view text);

// One of the lists in which queued jobs wait.
struct ReadyList {
  std::string queue;
  int priority = 0;
  std::string type;
  friend auto operator<=>(const ReadyList&, const ReadyList&) = default;
};
ReadyList list_of(const Job& job);
// What the index of a queue's lists calls it: "5/mail".
std::string name_of(const ReadyList& list);

class Keys {
 public:
  // Of one namespace.
  Keys(const std::string& prefix, const std::string& ns);
  // Of what belongs to none.
  static Keys shared(const std::string& prefix);
  // Of the registry of job ids, for those of one hour since 1970.
  static Keys ids(const std::string& prefix, std::int64_t hour);

  const std::string& tag() const { return tag_; }  // what is between the braces

  std::string meta() const { return base_ + "meta"; }
  std::string job(const JobId& id) const { return base_ + "job:" + to_text(id); }
  std::string ready(const ReadyList& list) const;
  std::string lists(const std::string& queue) const { return base_ + "lists:" + word(queue); }
  std::string job_key(const std::string& name) const { return base_ + "key:" + name; }
  std::string once(const std::string& name) const { return base_ + "once:" + name; }
  std::string minute(std::int64_t minute) const {
    return base_ + "minute:" + std::to_string(minute);
  }
  std::string error(const std::string& name) const { return base_ + "error:" + name; }
  std::string failed(const std::string& name) const { return base_ + "failed:" + name; }
  // Those of which a namespace has one.
  std::string one(std::string_view name) const { return base_ + std::string(name); }

 private:
  Keys() = default;
  static Keys tagged(const std::string& prefix, std::string tag);
  std::string tag_;
  std::string base_;
};

// Names behind job_key() and once().
std::string job_key_name(const std::string& type, const std::string& key);
std::string once_name(bool platform, const std::string& key);

}  // namespace longshore::redis
