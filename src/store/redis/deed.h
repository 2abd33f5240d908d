// What one run of the apply script is to check and to write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/id.h"
#include "store/redis/pack.h"

namespace longshore::redis {

// A command in the making. Numbers are those that the script gives out, counted from 1.
class Line {
 public:
  // Redis's own commands are written in capitals, the script's in small letters.
  explicit Line(std::string_view command) : plain_(command.front() < 'a') { text(command); }

  Line& text(std::string_view text) {
    items_.text(text);
    ++count_;
    return *this;
  }
  Line& id(const JobId& id) {
    items_.id(id);
    ++count_;
    return *this;
  }
  // One argument of several parts.
  struct Part {
    std::string text = {};
    std::int64_t number = 0;  // 0: the text
  };
  Line& parts(std::initializer_list<Part> parts);

  std::size_t count() const { return count_; }
  const Pack& items() const { return items_; }
  bool plain() const { return plain_; }  // a command of Redis's, and nothing to be put together

 private:
  Pack items_;
  std::size_t count_ = 0;
  bool plain_ = true;
};

// Further fields of a HASH, and their values.
class Fields {
 public:
  void put(std::string_view name, std::string_view value) {
    items_.text(name).text(value);
    words_ += 2;
  }
  std::size_t words() const { return words_; }
  void pack_into(Pack& pack) const {
    pack.number(static_cast<std::int64_t>(words_)).append(items_);
  }
  friend bool operator==(const Fields&, const Fields&) = default;

 private:
  Pack items_;
  std::size_t words_ = 0;
};

// The sorted sets that a job goes to, with its score there, and that it leaves.
class Moves {
 public:
  void add(std::string_view set, std::string_view score) {
    items_.text(set).text(score);
    ++count_;
  }
  void remove(std::string_view set) {
    items_.text(set).boolean(false);
    ++count_;
  }
  std::size_t items() const { return 2 * count_; }
  void pack_into(Pack& pack) const {
    pack.number(static_cast<std::int64_t>(count_)).append(items_);
  }
  friend bool operator==(const Moves&, const Moves&) = default;

 private:
  Pack items_;
  std::size_t count_ = 0;
};

// A job that is to be there, and was not. Number and order are new ones; an order of 0 is none, and
// a negative one the opposite of a new number.
struct NewHash {
  JobId id;
  std::int64_t number = 0;
  std::int64_t order = 0;
  std::int64_t list = 0;  // which of those that Deed::list() named; 0: none
  std::string life, given;
  std::string_view payload;
  Fields more = {};
};
// A job that is to be changed, if it still has this version.
struct ChangedHash {
  JobId id;
  std::int64_t v = 0;
  bool wants_payload = false;  // the script is to answer it
  std::string_view lines;      // that the history goes on with
  std::int64_t number = 0;     // as it is
  std::int64_t order = 0;      // a new one, as above; 0: as it is
  std::string life;
  Fields more = {};
  Moves moves = {};
  std::optional<RequestId> claim = {};  // that takes it, or lets go of it
  bool is_claimed = false;
};

class Deed {
 public:
  // The command must answer this text, or nothing.
  void expect(const std::optional<std::string>& answer, const Line& command);
  // The command must answer this list.
  void expect_list(std::span<const std::string> answer, const Line& command);
  // There must be no such key.
  void expect_absent(const std::string& key);
  // The job under this key must be there, as this run wrote it.
  void expect_version(const std::string& key, std::int64_t v);
  void make(NewHash&& job);
  // A list to whose end new jobs go, and nothing else does. What NewHash calls it.
  std::int64_t list(const std::string& key);
  void change(ChangedHash&& job);
  void write(const Line& command);
  // An element of a ready list; the order is a new one, or the text of one.
  struct Push {
    JobId job;
    std::int64_t step = 0;  // 0: the order as it is
    std::int64_t order = 0;
  };
  // Behind everything else. `command`: to which end.
  void push(std::string_view command, const std::string& list, std::span<const Push> elements);

  bool writes() const {
    return write_count_ + push_count_ > 0 || made_.first.has_value() || changed_.first.has_value();
  }
  // The script's argument, but for the times. Once, when all is said.
  void pack_into(Pack& pack, std::int64_t numbers, std::span<const std::string> bodies);

 private:
  Pack guards_;
  std::size_t guard_count_ = 0;
  Pack absent_;
  std::size_t absent_count_ = 0;
  Pack versions_;
  std::size_t version_count_ = 0;  // of items: two for each job
  // Flat lists; the counts are those of their items. Of jobs that come one after the other and have
  // all but a few items in common, those are written once, before the rest.
  template <class Job>
  struct Runs {
    Pack whole;
    std::size_t count = 0;
    std::optional<Job> first;  // of the run that is not among the whole ones yet
    std::int64_t length = 0;
    Pack rest;
  };
  static void end(Runs<NewHash>& runs);
  static void end(Runs<ChangedHash>& runs);
  Runs<NewHash> made_;
  std::vector<std::string> lists_;
  Runs<ChangedHash> changed_;
  Pack writes_;
  std::size_t write_count_ = 0;
  Pack pushes_;
  std::size_t push_count_ = 0;
};

}  // namespace longshore::redis
