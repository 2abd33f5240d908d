#include "longshore/testing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "runtime/node/node_service.h"
#include "store/memory/store.h"

namespace longshore::testing {

struct Harbour::Parts {
  HarbourOptions options;
  std::uint64_t opened = 0;  // counts the nodes, so that each generates other ids
  std::shared_ptr<ManualTime> time;
  MemoryDisk disk;
  std::shared_ptr<Node> node;
  std::optional<Longshore> longshore;
};

Harbour::Harbour(HarbourOptions options) : parts_(std::make_unique<Parts>()) {
  parts_->time = std::make_shared<ManualTime>(options.start);
  parts_->options = std::move(options);
  open();
}

Harbour::~Harbour() { parts_->longshore->stop(); }

void Harbour::open() {
  const OpenOptions& options = parts_->options.open;
  const Rules rules = options.rules.value_or(Rules());
  parts_->opened += 1;
  auto random = std::make_unique<SeededRandom>(parts_->options.seed * 1000 + parts_->opened);
  parts_->node = checked(
      Node::make({.time = parts_->time,
                  .random = std::move(random),
                  .backend = checked(open_memory(parts_->disk, parts_->time->wall(), rules)),
                  .rules = rules,
                  .options = options}));
  checked(parts_->node->start());
  parts_->longshore.emplace(std::make_shared<NodeService>(parts_->node));
}

void Harbour::restart() {
  parts_->longshore.reset();
  parts_->node.reset();
  open();
}

Longshore& Harbour::longshore() { return *parts_->longshore; }
Instant Harbour::now() const { return parts_->time->now(); }

void Harbour::advance(Duration by) {
  parts_->time->advance(by);
  for (const Command& sweep : {Command(Reap{}), Command(Due{}), Command(Sweep{})}) {
    while (checked(parts_->node->ask_for<Swept>(sweep)).more) {
    }
  }
}

std::vector<JobRecord> Harbour::jobs(std::string_view type) {
  std::vector<JobRecord> found;
  checked(parts_->node->catalog().each([&](const JobRecord& record) {
    if (record.job.type == type) found.push_back(record);
    return true;
  }));
  return found;
}

std::string Harbour::path(const JobId& id) {
  std::string path;
  for (const Transition& step : checked(client().get(id)).history) {
    if (!path.empty()) path += ' ';
    path += to_text(step.to);
  }
  return path;
}

void Harbour::give_up(const Error& error) {
  std::fprintf(stderr, "longshore/testing.h: %s\n", error.message.c_str());
  std::abort();
}

}  // namespace longshore::testing
