#include "runtime/node/node_identity.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/time/clock.h"
#include "store/memory/store.h"

namespace longshore {
namespace {

// A memory store that claims to be shared.
class SharedBackend final : public Backend, private Store {
 public:
  explicit SharedBackend(std::unique_ptr<Backend> inner)
      : inner_(std::move(inner)), capabilities_(inner_->store().capabilities()) {
    capabilities_.shared = true;
  }

  Store& store() override { return *this; }
  Catalog& catalog() override { return inner_->catalog(); }
  Wakeups& wakeups() override { return inner_->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return inner_->rules(); }

 private:
  Result<Committed> commit(std::span<const Command> commands) override {
    return inner_->store().commit(commands);
  }
  const Capabilities& capabilities() const override { return capabilities_; }

  const std::unique_ptr<Backend> inner_;
  Capabilities capabilities_;
};

class NodeIdentityTest : public ::testing::Test {
 protected:
  NodeIdentityTest() : folder_(::testing::TempDir() + "longshore-node-XXXXXX") {
    // Tests run beside each other, each with the same seed: the system finds a name for each.
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder for the test");
  }
  ~NodeIdentityTest() override { std::filesystem::remove_all(folder_); }

  // Like a starting process: determines its identity and records the start.
  NodeIdentity start(const std::string& name, const std::string& file) {
    NodeIdentity identity = find(name, file);
    commit(StartNode{.node = identity.id, .name = name});
    note_start(identity, backend_.catalog());
    return identity;
  }
  NodeIdentity find(const std::string& name, const std::string& file) {
    const OpenOptions options{.node_name = name, .node_file = file};
    return identify(backend_, random_, options, [this](Duration length) { pass(length); }).value();
  }
  void commit(const Command& command) { ASSERT_TRUE(backend_.store().commit({&command, 1}).ok()); }
  void pass(Duration length) {
    pauses_ += 1;
    clock_.advance(length);
    if (alive_) commit(SeeNode{.node = *alive_, .name = "the other"});
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  SeededRandom random_{3};
  std::string folder_;
  ManualClock clock_{Instant::millis(1'800'000'000'000)};
  MemoryDisk disk_;
  SharedBackend backend_{open_memory(disk_, clock_, Rules()).value()};
  std::optional<NodeId> alive_;  // says so at every look
  int pauses_ = 0;
};

TEST_F(NodeIdentityTest, IsNewForANodeWithoutANameOrAFile) {
  EXPECT_NE(start("", "").id, start("", "").id);
}

TEST_F(NodeIdentityTest, LastsUnderAName) {
  const NodeId first = start("pier-1", "").id;
  EXPECT_NE(start("pier-2", "").id, first);
  clock_.advance(Duration::seconds(7));
  const NodeIdentity again = start("pier-1", "");
  EXPECT_EQ(again.id, first);
  EXPECT_EQ(again.warning, "");
  EXPECT_EQ(pauses_, 0) << "the other has been silent for long enough";
}

TEST_F(NodeIdentityTest, IsTakenOverOnceTheNodeBeforeIsSilent) {
  const NodeId first = start("pier-1", "").id;
  const Instant died = clock_.now();
  EXPECT_EQ(start("pier-1", "").id, first);
  EXPECT_GT(clock_.now() - died, Duration::seconds(6));
  EXPECT_LT(clock_.now() - died, Duration::seconds(7));
}

TEST_F(NodeIdentityTest, IsNeverThatOfANodeThatIsAlive) {
  alive_ = start("pier-1", "").id;
  const NodeIdentity second = start("pier-1", "");
  EXPECT_NE(second.id, *alive_);
  EXPECT_NE(second.warning.find("another live node has the name pier-1"), std::string::npos)
      << second.warning;
}

TEST_F(NodeIdentityTest, LastsInAFile) {
  const NodeId first = start("", file("state/node")).id;
  const NodeIdentity again = start("", file("state/node"));
  EXPECT_EQ(again.id, first);
  EXPECT_EQ(again.warning, "");
  EXPECT_EQ(pauses_, 0) << "nobody holds the file";
  const auto mode = std::filesystem::status(file("state/node")).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(NodeIdentityTest, IsNewWhileAnotherHoldsTheFile) {
  const NodeIdentity first = start("", file("node"));
  const NodeIdentity second = start("", file("node"));
  EXPECT_NE(second.id, first.id);
  EXPECT_NE(second.warning.find("is held by another process"), std::string::npos) << second.warning;
}

TEST_F(NodeIdentityTest, IsNewIfTheFileCannotBeWritten) {
  std::filesystem::create_directories(file("node"));
  EXPECT_NE(start("", file("node")).warning.find("cannot be written"), std::string::npos);
}

TEST_F(NodeIdentityTest, OfANamedNodeIsTakenOverAtOnceIfItsFileProvesTheEndOfTheOneBefore) {
  const NodeId first = start("pier-1", file("node")).id;
  EXPECT_EQ(start("pier-1", file("node")).id, first);
  EXPECT_EQ(pauses_, 0);
}

// The name is alive elsewhere, with another file or none.
TEST_F(NodeIdentityTest, IsNotProvedByTheFileOfAnEarlierRun) {
  start("pier-1", file("node"));
  clock_.advance(Duration::seconds(10));
  alive_ = start("pier-1", file("other")).id;
  const NodeIdentity second = start("pier-1", file("node"));
  EXPECT_NE(second.id, *alive_);
  EXPECT_NE(second.warning, "");
}

TEST_F(NodeIdentityTest, IsNotProvedByACopyOfTheFile) {
  const NodeIdentity first = start("", file("node"));
  std::filesystem::copy_file(file("node"), file("copy"));
  alive_ = first.id;
  const NodeId second = start("", file("copy")).id;
  EXPECT_NE(second, first.id);
  EXPECT_GT(pauses_, 0);
  alive_.reset();
  EXPECT_EQ(start("", file("copy")).id, second) << "and keeps that from now on";
}

TEST_F(NodeIdentityTest, IsNewIfTheFileMakesNoSense) {
  std::filesystem::create_directories(folder_);
  std::ofstream(file("node")) << "longshore-node-1 what 5 nowhere\n";
  const NodeId first = start("", file("node")).id;
  EXPECT_EQ(start("", file("node")).id, first);
}

}  // namespace
}  // namespace longshore
