// The ready jobs that one transaction may claim from: those it locked in the tables, in the order
// of the queue, and those that became eligible in the transaction itself.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "longshore/command.h"
#include "store/postgres/connection/connection.h"
#include "store/postgres/plan/optimistic_claim.h"
#include "store/postgres/write/config.h"
#include "store/postgres/write/placement.h"

namespace longshore::postgres {

class PostgresTransaction;

// Used by one transaction. Jobs that another transaction holds are passed over, never waited for.
class ReadyCandidates {
 public:
  ReadyCandidates(PostgresTransaction& work, Connection& connection)
      : work_(work), connection_(connection) {}

  // Lines up one statement for each queue that these claims visit, but for queues and types that
  // are paused or limited, of which the claims may be able to take nothing; `read` takes the
  // answers from `first` on, and says where they end.
  void enqueue_statement(std::span<const Command> commands, const Config& config);
  std::size_t read(std::vector<RowSet>& answers, std::size_t first);

  // Jobs that a statement has found and started (outright.h) become what these claims find, and
  // nothing else is: they are judged as if they stood here still.
  void put(const OptimisticClaim& served, RowSet rows);

  // The first job behind `after` in a queue, of the types the claim takes, but for those in `full`.
  std::optional<ReadyPlace> next(const Claim& claim, const std::string& queue,
                                 const std::optional<ReadyPlace>& after,
                                 const std::vector<std::string>& full);

  // A job became eligible.
  void enter(const Scoped& queue, const ReadyPlace& place) {
    Fresh& fresh = fresh_[queue];
    fresh.places.push_back(place);
    fresh.sorted = false;
  }

 private:
  // A queue, and the types that are wanted of it; none: any but those in `full`. In order.
  struct Wish {
    Scoped queue;
    std::optional<std::vector<std::string>> types;
    std::vector<std::string> full;
    bool passes_over = false;  // jobs between those it takes, so that they need not be read
    bool takes(const std::string& type) const;
    friend auto operator<=>(const Wish&, const Wish&) = default;
  };
  // The last place that was seen, whoever holds the job: the next look begins behind it.
  struct Seen {
    int rank = -1;
    std::int64_t step = 0;
    friend auto operator<=>(const Seen&, const Seen&) = default;
  };
  struct Row {
    std::vector<ReadyPlace> places;  // in order
    std::size_t first = 0;           // those before it were taken; a place is never used again
    Seen seen;
    bool exhausted = false;
  };

  // Most transactions bring jobs in and never ask for them.
  struct Fresh {
    std::vector<ReadyPlace> places;
    bool sorted = false;
  };

  using Rows = std::map<Wish, Row>;

  static Wish wish_of(const Claim& claim, const std::string& queue,
                      const std::vector<std::string>& full);
  // What the claim wants of a queue, and the row for it.
  Rows::value_type& row_for(const Claim& claim, const std::string& queue,
                            const std::vector<std::string>& full);
  void enqueue_more(const Wish& wish, const Row& row, std::int64_t limit);
  void read_more(const Wish& wish, Row& row, RowSet rows, std::int64_t limit);
  bool is_ready(const ReadyPlace& place);
  std::optional<ReadyPlace> next_locked(const Wish& wish, Row& row,
                                        const std::optional<ReadyPlace>& after);
  std::optional<ReadyPlace> next_fresh(const Wish& wish, const std::optional<ReadyPlace>& after);

  PostgresTransaction& work_;
  Connection& connection_;
  Rows rows_;
  Rows::value_type* last_ = nullptr;  // of those: most claims of a batch want the same
  std::optional<std::vector<std::string>> last_types_;  // as its claim named them
  std::vector<std::string> last_full_;
  std::int64_t wanted_ = 0;  // by all claims together
  std::vector<std::pair<Wish, std::int64_t>> asked_;
  std::map<Scoped, Fresh> fresh_;
};

}  // namespace longshore::postgres
