#include "store/sqlite/keys/key_index.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "store/sqlite/file/schema.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore::sqlite {
namespace {

// Small enough that a few hundred keys go through several tiers.
constexpr KeyIndexOptions tiny{.log_max = 20, .fan = 3, .slice_every = 4, .slice_rows = 32};

class KeyIndexTest : public testing::Test {
 protected:
  KeyIndexTest() {
    open();
    EXPECT_TRUE(configure_writer(*database_, path_).ok());
    EXPECT_TRUE(migrate(*database_, path_).ok());
    restart();
  }

  void open() {
    auto opened = Database::open(path_, "", Database::Access::write);
    ASSERT_TRUE(opened.ok());
    database_ = std::move(*opened);
  }
  // As after a crash: nothing is carried over but the file.
  void restart() {
    index_.reset();
    database_.reset();
    open();
    index_ = std::make_unique<KeyIndex>(*database_, tiny);
    index_->load();
    space_ = index_->space("ns", false);
  }
  std::unique_ptr<Database> reader() {
    return std::move(*Database::open(path_, "", Database::Access::read));
  }
  JobId job() { return random_id<JobId>(random_); }
  std::int64_t ask(const std::string& sql) {
    Statement row(*database_, sql);
    RowGuard guard(row);
    return row.step() ? row.integer() : -1;
  }

  Scratch scratch_;
  const std::string path_ = scratch_.file("keys.db");
  SeededRandom random_{5};
  std::unique_ptr<Database> database_;
  std::unique_ptr<KeyIndex> index_;
  KeySpace space_ = 0;
};

TEST_F(KeyIndexTest, LeadsFromAKeyToItsJob) {
  EXPECT_FALSE(index_->find(space_, "k").has_value());
  const JobId id = job();
  index_->put(space_, "k", {.job = id, .body_hash = 7});
  const auto bound = index_->find(space_, "k");
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(bound->job, id);
  EXPECT_EQ(bound->body_hash, 7U);
  index_->erase(space_, "k");
  EXPECT_FALSE(index_->find(space_, "k").has_value());
}

TEST_F(KeyIndexTest, KeepsNamespacesAndThePlatformApart) {
  EXPECT_EQ(index_->space("ns", false), space_);
  EXPECT_NE(index_->space("ns", true), space_);
  EXPECT_NE(index_->space("other", false), space_);
  index_->put(space_, "k", {.job = job()});
  EXPECT_FALSE(index_->find(index_->space("ns", true), "k").has_value());
}

TEST_F(KeyIndexTest, KnowsNoSpaceThatNeverHeldAKey) {
  EXPECT_FALSE(index_->find_space("never", false).has_value());
  const KeySpace space = index_->space("never", false);
  index_->load();
  EXPECT_EQ(index_->find_space("never", false), space);
}

// Puts, forgets, rolls back and restarts at random, and compares with a map; a connection for
// reading and the view must tell the same.
class KeyIndexProperty : public KeyIndexTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  using Model = std::map<std::string, JobId>;

  std::string key() { return "key-" + std::to_string(random_.below(600)); }
  void step(Model& model) {
    const std::string name = key();
    const auto known = model.find(name);
    const auto found = index_->find(space_, name);
    ASSERT_EQ(found.has_value(), known != model.end()) << name;
    if (known == model.end()) {
      const JobId id = job();
      index_->put(space_, name, {.job = id});
      model[name] = id;
    } else {
      ASSERT_EQ(found->job, known->second) << name;
      if (random_.chance(0.4)) {
        index_->erase(space_, name);
        model.erase(known);
      }
    }
    ASSERT_LE(index_->rows_of_last_slice(), 2 * tiny.slice_rows);
  }
  void transact(Model& model) {
    Model tried = model;
    database_->execute("BEGIN IMMEDIATE");
    for (std::uint64_t i = 0; i <= random_.below(40); ++i) step(tried);
    if (random_.chance(0.1)) {
      database_->execute("ROLLBACK");
      index_->load();
      return;
    }
    database_->execute("COMMIT");
    model = std::move(tried);
  }
  void compare(const Model& model, KeyIndex& index) {
    for (int i = 0; i < 600; ++i) {
      const std::string name = "key-" + std::to_string(i);
      const auto known = model.find(name);
      const auto found = index.find(space_, name);
      ASSERT_EQ(found.has_value(), known != model.end()) << name;
      if (found) {
        ASSERT_EQ(found->job, known->second) << name;
      }
    }
    ASSERT_EQ(ask("SELECT count(*) FROM idempotency"), std::ssize(model));
    ASSERT_EQ(ask("SELECT count(*) FROM idempotency GROUP BY space, key HAVING count(*) > 1"), -1);
  }
};

TEST_P(KeyIndexProperty, AnswersLikeAMapThroughMergesRollbacksAndRestarts) {
  random_ = SeededRandom(GetParam());
  auto reading = reader();
  KeyIndex seen(*reading, tiny);
  Model model;
  std::int64_t merges = 0;
  for (int i = 0; i < 300; ++i) {
    transact(model);
    ASSERT_FALSE(HasFatalFailure()) << "transaction " << i;
    if (i % 30 == 29) {
      compare(model, *index_);
      compare(model, seen);
      ASSERT_FALSE(HasFatalFailure()) << "transaction " << i;
    }
    if (random_.chance(0.05)) {
      merges += index_->merges();
      restart();
    }
  }
  EXPECT_FALSE(database_->failed()) << database_->what();
  EXPECT_GE(merges + index_->merges(), 10);
  EXPECT_LT(index_->runs(), 20U);
  // What is forgotten does not add up for ever.
  EXPECT_LT(ask("SELECT count(*) FROM key_entry"), 4000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KeyIndexProperty, testing::Range<std::uint64_t>(1, 13));

TEST_F(KeyIndexTest, ForgetsWhatWasForgottenOnceNothingOlderIsLeft) {
  database_->execute("BEGIN IMMEDIATE");
  for (int round = 0; round < 200; ++round) {
    index_->put(space_, "same", {.job = job()});
    index_->erase(space_, "same");
  }
  database_->execute("COMMIT");
  EXPECT_FALSE(index_->find(space_, "same").has_value());
  EXPECT_LT(ask("SELECT count(*) FROM key_entry"), 10);
}

TEST_F(KeyIndexTest, StoresFiltersThatAReopenedIndexTrusts) {
  std::map<std::string, JobId> all;
  database_->execute("BEGIN IMMEDIATE");
  for (int i = 0; i < 500; ++i) {
    const JobId id = all["k" + std::to_string(i)] = job();
    index_->put(space_, "k" + std::to_string(i), {.job = id});
  }
  database_->execute("COMMIT");
  restart();
  EXPECT_GT(ask("SELECT count(*) FROM key_filter"), 0);
  for (const auto& [name, id] : all) {
    ASSERT_TRUE(index_->find(space_, name).has_value()) << name;
    EXPECT_EQ(index_->find(space_, name)->job, id);
  }
}

}  // namespace
}  // namespace longshore::sqlite
