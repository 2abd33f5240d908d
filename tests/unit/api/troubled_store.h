// Wraps a real store: its commits fail with an error that the test chooses, or block until the test
// releases them.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "deadline.h"
#include "longshore/store.h"

namespace longshore {

// Controlled by the test.
class Trouble {
 public:
  // With `meant`, only commits with such a command.
  using Meant = std::function<bool(const Command&)>;
  void fail_with(std::optional<Error> error, Meant meant = {}) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    meant_ = std::move(meant);
    failed_ = false;
  }
  // Blocks until a commit has failed.
  void wait_for_failure() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, test_deadline, [this] { return failed_; })) return;
    throw std::runtime_error("no commit has failed");
  }
  // Called before each commit, on the committing thread.
  using Rule = std::function<std::optional<Error>(std::span<const Command>)>;
  void fail_by(Rule rule) {
    const std::lock_guard lock(mutex_);
    rule_ = std::move(rule);
  }
  void hold(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  // Only commits that record workers are held or fail; two commits run at a time, so that others
  // pass them. REQUIRES: called before the node is created
  void only_sightings() { only_sightings_ = true; }
  bool concerns(std::span<const Command> commands) const {
    if (!only_sightings_) return true;
    return std::ranges::any_of(
        commands, [](const Command& one) { return std::holds_alternative<SeeWorkers>(one); });
  }
  int lanes(int own) const { return only_sightings_ ? 2 : own; }

  // Blocks until a commit is held.
  void wait_for_commit() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, test_deadline, [this] { return waiting_; })) return;
    throw std::runtime_error("no commit has begun");
  }

  // Blocks while held; then the error, if there is one.
  std::optional<Error> pass(std::span<const Command> commands) {
    std::unique_lock lock(mutex_);
    waiting_ = held_;
    changed_.notify_all();
    EXPECT_TRUE(changed_.wait_for(lock, 2 * test_deadline, [this] { return !held_; }))
        << "a commit was held and not released";
    waiting_ = false;
    if (rule_) return rule_(commands);
    if (!error_ || (meant_ && std::ranges::none_of(commands, meant_))) return std::nullopt;
    failed_ = true;
    changed_.notify_all();
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Error> error_;
  Meant meant_;
  bool failed_ = false;
  Rule rule_;
  bool held_ = false;
  bool waiting_ = false;
  bool only_sightings_ = false;
};

class TroubledBackend final : public Backend, private Store {
 public:
  TroubledBackend(std::unique_ptr<Backend> inner, std::shared_ptr<Trouble> trouble)
      : inner_(std::move(inner)),
        trouble_(std::move(trouble)),
        capabilities_(inner_->store().capabilities()) {
    capabilities_.max_concurrent_commits = trouble_->lanes(capabilities_.max_concurrent_commits);
  }

  Store& store() override { return *this; }
  Catalog& catalog() override { return inner_->catalog(); }
  Wakeups& wakeups() override { return inner_->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return inner_->rules(); }

 private:
  Result<Committed> commit(std::span<const Command> commands) override {
    if (trouble_->concerns(commands)) {
      if (auto error = trouble_->pass(commands)) return *error;
    }
    return inner_->store().commit(commands);
  }
  const Capabilities& capabilities() const override { return capabilities_; }

  const std::unique_ptr<Backend> inner_;
  const std::shared_ptr<Trouble> trouble_;  // shared with the test
  Capabilities capabilities_;
};

}  // namespace longshore
