// One connection to PostgreSQL, in pipeline mode: statements are lined up, sent together, and
// answered together. The first failure of a connection's work sticks until it is taken away;
// statements after it are not sent and answer no rows, so that whoever asks a chain of questions
// looks once, at the end.
#pragma once

#include <libpq-fe.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/error.h"
#include "store/postgres/connection/rowset.h"
#include "store/postgres/connection/url.h"
#include "store/postgres/connection/values.h"

namespace longshore::postgres {

// A statement, written once in the program. @name stands for a table of the store's schema.
struct Sql {
  const char* text;
};

// Why a statement was not answered.
struct StickyError {
  enum class Kind {
    lost,       // the connection; what was under way may or may not have happened
    again,      // the transaction met another; the same one may well succeed now
    busy,       // somebody holds for long what the transaction needs; nothing happened
    read_only,  // this server takes no writes
    disk_full,
    other,
  };
  Kind kind = Kind::lost;
  std::string state;  // five characters, or empty
  std::string message;
};

Error error_of(const StickyError& trouble, const std::string& shown);

// Used by one thread at a time.
class Connection {
 public:
  // Errc::unavailable when the server cannot be reached, Errc::refused when it refuses.
  static Result<std::unique_ptr<Connection>> open(const Target& target);

  // Lines a statement up; `exchange` sends it. `sql` must live as long as the program. Where its
  // answer will be.
  std::size_t enqueue_statement(const Sql& sql, Parameters parameters = {});
  std::size_t lined_up() const { return lined_up_.size(); }
  void forget_lined_up();
  // Sends a statement ahead of the next exchange, and drops its answer.
  void precede(const Sql& sql) { preceding_ = &sql; }
  // Looks up the numbers of composite types, for those who send Records. Once, with nothing lined
  // up.
  void learn_types(const std::vector<std::string>& names);
  // The answers to everything lined up since the last exchange, in order. `meanwhile` is done while
  // the server is at work.
  std::vector<RowSet> exchange(const std::function<void()>& meanwhile = {});
  // One statement alone.
  RowSet ask(const Sql& sql, Parameters parameters = {});
  // Any number of statements apart by semicolons, without parameters; answers nothing.
  void run_script(const std::string& text);

  // Until it is told otherwise, whoever waits for an answer asks this a few times a second; what it
  // says cancels the statement. The connection is then of no more use.
  void heed(const ReadStop* stop) { stop_ = stop; }
  const std::optional<Error>& stopped() const { return stopped_; }

  const std::optional<StickyError>& trouble() const { return trouble_; }
  void forget_trouble() { trouble_.reset(); }
  // Makes whoever looks at the end find this, unless something went wrong before.
  void give_up(StickyError trouble);
  // False once the connection is gone for good.
  bool alive() const;
  // Whether the server has said something unasked. One that hung up has.
  bool stirs() const;
  // Replaces @name by the schema's own, and '@' by the schema's name in quotes.
  std::string in_schema(std::string_view text) const;

  PGconn* handle() { return connection_.get(); }
  const Target& target() const { return target_; }

 private:
  explicit Connection(const Target& target, PGconn* connection);

  struct Known {
    std::string name;  // of a prepared statement, or empty
    std::string text;
    bool prepared = false;
  };
  struct LinedUp {
    Known* known = nullptr;
    bool prepare = false;  // before it is asked
    Parameters parameters;
  };

  LinedUp resolve(const Sql& sql, Parameters parameters);
  std::vector<RowSet> converse(std::vector<LinedUp>& statements,
                               const std::function<void()>& meanwhile);
  void forget_prepared(const std::vector<LinedUp>& statements);
  bool send(const LinedUp& statement);
  bool send_query(const LinedUp& statement);
  bool wait_for_answer();
  void look_whether_to_stop();
  RowSet receive();
  void receive_sync();
  void note(PGresult* result);
  void lose();

  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  const Target target_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::vector<LinedUp> lined_up_;
  const Sql* preceding_ = nullptr;
  std::unordered_map<const char*, Known> statements_;
  std::unordered_map<std::string, std::uint32_t> types_;
  int names_given_ = 0;
  std::optional<StickyError> trouble_;
  const ReadStop* stop_ = nullptr;
  std::optional<Error> stopped_;
};

}  // namespace longshore::postgres
