#include "store/sqlite/key_index.h"

#include "store/sqlite/schema.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore::sqlite {
namespace {

class KeyIndexTest : public testing::Test {
 protected:
  KeyIndexTest() {
    auto opened = Database::open(scratch_.file("keys.db"), "", Database::Access::write);
    EXPECT_TRUE(opened.ok());
    database_ = std::move(*opened);
    EXPECT_TRUE(migrate(*database_, "keys.db").ok());
    index_ = std::make_unique<KeyIndex>(*database_);
  }

  const JobId job_{.high = 1, .low = 2};
  Scratch scratch_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<KeyIndex> index_;
};

TEST_F(KeyIndexTest, LeadsFromAKeyToItsJob) {
  const KeySpace space = index_->space("ns", false);
  EXPECT_FALSE(index_->find(space, "k").has_value());
  index_->put(space, "k", {.job = job_, .body_hash = 0xFFFFFFFFFFFFFFFF});
  const auto bound = index_->find(space, "k");
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(bound->job, job_);
  EXPECT_EQ(bound->body_hash, 0xFFFFFFFFFFFFFFFF);
  index_->erase(space, "k");
  EXPECT_FALSE(index_->find(space, "k").has_value());
}

TEST_F(KeyIndexTest, KeepsNamespacesAndThePlatformApart) {
  const KeySpace mine = index_->space("ns", false);
  EXPECT_EQ(index_->space("ns", false), mine);
  EXPECT_NE(index_->space("ns", true), mine);
  EXPECT_NE(index_->space("other", false), mine);
  index_->put(mine, "k", {.job = job_});
  EXPECT_FALSE(index_->find(index_->space("ns", true), "k").has_value());
}

TEST_F(KeyIndexTest, KnowsNoSpaceThatNeverHeldAKey) {
  EXPECT_FALSE(index_->find_space("ns", false).has_value());
  const KeySpace space = index_->space("ns", false);
  index_->load();
  EXPECT_EQ(index_->find_space("ns", false), space);
}

}  // namespace
}  // namespace longshore::sqlite
