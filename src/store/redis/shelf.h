// The ready jobs that one batch may claim from: the heads of the lists as they were fetched, and
// those that became eligible in the batch itself.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "longshore/command.h"
#include "store/redis/fetch.h"
#include "store/redis/whereabouts.h"
#include "store/redis/write_back.h"

namespace longshore::redis {

// Used by one batch.
class Shelf {
 public:
  // Whether a job is queued at this place, by what the batch has done so far.
  using IsReady = std::function<bool(const ReadyPlace&)>;
  // Whether a job of this type may be started.
  using IsFree = std::function<bool(const std::string& type)>;
  // Asks for the heads of these lists, and gives them to put().
  using Ask = std::function<void(const Question::Wish&)>;

  Shelf(IsReady is_ready, Ask ask) : is_ready_(std::move(is_ready)), ask_(std::move(ask)) {}

  void put(const Question::Wish& wish, const Answer::Shelf& answer);
  // A job became eligible.
  void enter(const ReadyList& list, const ReadyPlace& place) { entered_.emplace_back(list, place); }

  // Where a look at a queue begins: behind a place, or at the first place of a priority.
  struct Start {
    std::optional<ReadyPlace> after;
    int from = 0;
  };
  // The first job of a queue from there on, of the types the claim takes and that are free. None
  // also where so many elements would have to be passed over that this batch looks no further, and
  // from then on until begin_claim(); who looks after this batch was written sees what is behind.
  std::optional<ReadyPlace> next(const Claim& claim, const std::string& queue, const Start& start,
                                 const IsFree& is_free);
  bool was_cut() const { return cut_; }
  // Whether the answer to this wish ended at stale elements.
  bool ended_early(const Question::Wish& wish) const;
  void begin_claim() { cut_ = false; }

  // Takes off the lists what nobody waits for at their heads any more, and where so many elements
  // were stale that the look ended, those behind live ones, too. `was_ready`: whether an
  // element was somebody's when it was fetched.
  void pop(WriteBack& writes, const IsReady& was_ready) const;

 private:
  struct Name {
    std::string queue;
    std::optional<std::vector<std::string>> types;
    int from = 0;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  struct Row {
    std::vector<std::string> elements;
    std::vector<ReadyPlace> places;  // of the elements, in order
    std::size_t first = 0;           // those before it were taken; a place is never used again
    bool more = false;
    bool full = false;  // what is here of it is less than there is
  };
  struct Known {
    std::int64_t limit = 0;
    bool complete = false;
    bool cut = false;
    std::vector<ReadyList> lists;
  };
  struct Found {
    std::optional<ReadyPlace> place;
    bool certain = true;  // nothing that was not fetched could come before it
  };

  Found look(const Known& known, const std::optional<ReadyPlace>& after, const IsFree& is_free,
             bool believes_full);
  void ask_more(const Claim& claim, const Name& name);
  std::size_t shortened(const ReadyList& list, const Row& row) const;
  std::optional<ReadyPlace> look_in(Row& row, const std::optional<ReadyPlace>& after);
  std::optional<ReadyPlace> look_fresh(const Name& name, const std::optional<ReadyPlace>& after,
                                       const IsFree& is_free);

  IsReady is_ready_;
  Ask ask_;
  std::map<ReadyList, Row> rows_;
  std::map<Name, Known> known_;
  std::vector<std::pair<ReadyList, ReadyPlace>> entered_;  // not yet among the fresh ones
  std::map<ReadyList, std::set<ReadyPlace>> fresh_;
  bool cut_ = false;
};

}  // namespace longshore::redis
