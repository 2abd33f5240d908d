#include "store/postgres/connection/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace longshore::postgres {
namespace {

// What the target does not say. A server that is gone without a word is noticed in seconds.
constexpr int look_every_millis = 100;

constexpr const char* default_names[] = {
    "connect_timeout",      "keepalives_idle",  "keepalives_interval",
    "keepalives_count",     "tcp_user_timeout", "application_name",
    "target_session_attrs", "client_encoding",  "fallback_application_name"};
constexpr const char* default_values[] = {"3",         "5",          "2",    "3",        "10000",
                                          "longshore", "read-write", "UTF8", "longshore"};

std::string first_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text.substr(0, text.find('\n')));
}

StickyError::Kind kind_of(std::string_view state) {
  // 22P02 is how a statement says that what it was to write is no longer what was judged; no other
  // reads a number from text.
  if (state == "40001" || state == "40P01" || state == "23505" || state == "22P02") {
    return StickyError::Kind::again;
  }
  if (state == "55P03") return StickyError::Kind::busy;
  if (state == "25006") return StickyError::Kind::read_only;
  if (state == "53100") return StickyError::Kind::disk_full;
  const bool lost = state.empty() || state.starts_with("08") || state.starts_with("57P") ||
                    state == "57014" || state == "53300" || state == "25P03" || state == "25P04";
  return lost ? StickyError::Kind::lost : StickyError::Kind::other;
}

}  // namespace

Error error_of(const StickyError& trouble, const std::string& shown) {
  const std::string why = shown + ": " + trouble.message;
  switch (trouble.kind) {
    case StickyError::Kind::lost:
    case StickyError::Kind::again:
    case StickyError::Kind::busy:
      return {.code = Errc::unavailable, .message = why};
    case StickyError::Kind::read_only:
      return {.code = Errc::unavailable,
              .message = why + "; waiting for a server that takes writes"};
    case StickyError::Kind::disk_full:
      return {.code = Errc::disk_full, .message = why};
    case StickyError::Kind::other:
      break;
  }
  const bool damaged = trouble.state.starts_with("XX");
  return {.code = damaged ? Errc::corrupt : Errc::refused,
          .message = why + " (" + trouble.state + ")"};
}

Connection::Connection(const Target& target, PGconn* connection)
    : target_(target), connection_(connection) {}

Result<std::unique_ptr<Connection>> Connection::open(const Target& target) {
  std::vector<const char*> names = {"dbname"};
  std::vector<const char*> values = {target.conninfo.c_str()};
  for (std::size_t i = 0; i < std::size(default_names); ++i) {
    // What comes after the URL would win over it, so only what it leaves out is added.
    if (target.conninfo.find(std::string(default_names[i]) + "=") != std::string::npos) continue;
    names.push_back(default_names[i]);
    values.push_back(default_values[i]);
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* raw = PQconnectdbParams(names.data(), values.data(), 1);
  std::unique_ptr<Connection> opened(new Connection(target, raw));
  // What the server says beside its answers is in its own log; a library does not print.
  PQsetNoticeProcessor(
      raw, [](void*, const char*) {}, nullptr);
  const bool good = PQstatus(raw) == CONNECTION_OK && PQsetnonblocking(raw, 1) == 0 &&
                    PQenterPipelineMode(raw) == 1;
  if (good) return opened;
  return Error{.code = Errc::unavailable,
               .message = target.shown + " cannot be reached: " + first_line(PQerrorMessage(raw))};
}

bool Connection::alive() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

bool Connection::stirs() const {
  pollfd wanted{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
  return ::poll(&wanted, 1, 0) != 0;
}

std::string Connection::in_schema(std::string_view text) const {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == '@' && next >= 'a' && next <= 'z') {
      out += target_.schema + ".";
    } else if (text[i] == '@' && next == '\'') {
      out += target_.schema;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::size_t Connection::enqueue_statement(const Sql& sql, Parameters parameters) {
  const std::size_t place = lined_up_.size();
  if (!trouble_) lined_up_.push_back(resolve(sql, std::move(parameters)));
  return place;
}

// Nothing of it was sent: what was to be prepared still has to be.
void Connection::forget_lined_up() {
  for (const LinedUp& statement : std::exchange(lined_up_, {})) {
    if (statement.prepare) statement.known->prepared = false;
  }
}

void Connection::learn_types(const std::vector<std::string>& names) {
  static constexpr Sql number_of_type = {"SELECT to_regtype($1)::oid::bigint"};
  for (const std::string& name : names) {
    Parameters parameters;
    parameters.add(Type::text, target_.schema + "." + name);
    enqueue_statement(number_of_type, std::move(parameters));
  }
  std::vector<RowSet> rows = exchange();
  for (std::size_t i = 0; i < names.size() && !trouble_; ++i) {
    if (rows[i].next()) types_[names[i]] = static_cast<std::uint32_t>(rows[i].integer());
  }
}

Connection::LinedUp Connection::resolve(const Sql& sql, Parameters parameters) {
  for (const auto& [at, name] : parameters.records) {
    set_element_type(*parameters.values[at], types_[name]);
  }
  auto [entry, is_new] = statements_.try_emplace(sql.text);
  Known& known = entry->second;
  if (is_new) {
    known.text = in_schema(sql.text);
    if (target_.prepare) known.name = "longshore_" + std::to_string(++names_given_);
  }
  const bool prepare = target_.prepare && !std::exchange(known.prepared, true);
  return {&known, prepare, std::move(parameters)};
}

bool Connection::send(const LinedUp& statement) {
  if (statement.prepare) {
    const auto& types = statement.parameters.types;
    if (PQsendPrepare(connection_.get(), statement.known->name.c_str(),
                      statement.known->text.c_str(), static_cast<int>(types.size()),
                      types.data()) != 1) {
      return false;
    }
  }
  return send_query(statement);
}

bool Connection::send_query(const LinedUp& statement) {
  const Parameters& parameters = statement.parameters;
  const std::size_t count = parameters.values.size();
  std::vector<const char*> values(count);
  std::vector<int> lengths(count);
  const std::vector<int> formats(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Wire& value = parameters.values[i];
    values[i] = value ? value->data() : nullptr;
    lengths[i] = value ? static_cast<int>(value->size()) : 0;
  }
  const int size = static_cast<int>(count);
  const Known& known = *statement.known;
  if (known.name.empty()) {
    return PQsendQueryParams(connection_.get(), known.text.c_str(), size, parameters.types.data(),
                             values.data(), lengths.data(), formats.data(), 1) == 1;
  }
  return PQsendQueryPrepared(connection_.get(), known.name.c_str(), size, values.data(),
                             lengths.data(), formats.data(), 1) == 1;
}

std::vector<RowSet> Connection::exchange(const std::function<void()>& meanwhile) {
  std::vector<LinedUp> statements = std::exchange(lined_up_, {});
  const std::size_t asked = statements.size();
  const Sql* preceding = trouble_ ? nullptr : std::exchange(preceding_, nullptr);
  if (preceding != nullptr) statements.insert(statements.begin(), resolve(*preceding, {}));
  std::vector<RowSet> answers;
  if (!trouble_ && !statements.empty()) answers = converse(statements, meanwhile);
  if (trouble_) {
    forget_prepared(statements);
    return std::vector<RowSet>(asked);
  }
  if (preceding != nullptr) answers.erase(answers.begin());
  return answers;
}

// What was to be prepared with these may not have been.
void Connection::forget_prepared(const std::vector<LinedUp>& statements) {
  std::erase_if(statements_, [&](const auto& known) {
    return std::ranges::any_of(statements, [&](const LinedUp& statement) {
      return statement.prepare && statement.known == &known.second;
    });
  });
}

std::vector<RowSet> Connection::converse(std::vector<LinedUp>& statements,
                                         const std::function<void()>& meanwhile) {
  std::vector<RowSet> answers;
  bool sent = true;
  for (const LinedUp& statement : statements) sent = sent && send(statement);
  if (!sent || PQpipelineSync(connection_.get()) != 1) return lose(), std::move(answers);
  // libpq has its own copy by now.
  for (LinedUp& statement : statements) statement.parameters = {};
  if (meanwhile) meanwhile();
  for (const LinedUp& statement : statements) {
    if (statement.prepare) receive();
    answers.push_back(receive());
  }
  receive_sync();
  return answers;
}

RowSet Connection::ask(const Sql& sql, Parameters parameters) {
  enqueue_statement(sql, std::move(parameters));
  std::vector<RowSet> answers = exchange();
  return answers.empty() ? RowSet() : std::move(answers.back());
}

// The server then answers the statement with an error.
void Connection::look_whether_to_stop() {
  stopped_ = (*stop_)();
  if (!stopped_) return;
  stop_ = nullptr;
  PGcancel* cancel = PQgetCancel(connection_.get());
  std::array<char, 256> why{};
  if (cancel != nullptr) PQcancel(cancel, why.data(), static_cast<int>(why.size()));
  PQfreeCancel(cancel);
}

// Waits until a result can be taken without blocking, sending meanwhile what is still unsent.
bool Connection::wait_for_answer() {
  PGconn* connection = connection_.get();
  for (;;) {
    const int unsent = PQflush(connection);
    if (unsent < 0) return false;
    if (PQisBusy(connection) == 0) return true;
    pollfd wanted{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
    if (unsent == 1) wanted.events |= POLLOUT;
    const int longest = stop_ == nullptr ? -1 : look_every_millis;
    if (::poll(&wanted, 1, longest) < 0 && errno != EINTR) return false;
    if (stop_ != nullptr) look_whether_to_stop();
    if (PQconsumeInput(connection) != 1) return false;
  }
}

// The result of one statement, and the end that follows it.
RowSet Connection::receive() {
  if (!alive()) return {};
  RowSet answer;
  for (;;) {
    if (!wait_for_answer()) return lose(), RowSet();
    PGresult* result = PQgetResult(connection_.get());
    if (result == nullptr) return answer;
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      answer = RowSet(result);
      continue;
    }
    if (status != PGRES_PIPELINE_ABORTED) note(result);
    PQclear(result);
    if (!alive()) return {};
  }
}

void Connection::receive_sync() {
  if (!alive()) return;
  if (!wait_for_answer()) return lose();
  PGresult* result = PQgetResult(connection_.get());
  const bool synced = result != nullptr && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
  PQclear(result);
  if (!synced) lose();
}

void Connection::note(PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (trouble_) return;
  trouble_ = StickyError{
      .state = state == nullptr ? "" : state,
      .message = message != nullptr ? message : first_line(PQresultErrorMessage(result))};
  trouble_->kind = kind_of(trouble_->state);
}

// A connection in the middle of a conversation is of no more use.
void Connection::lose() {
  const std::string why = first_line(PQerrorMessage(connection_.get()));
  connection_.reset();
  if (!trouble_) trouble_ = StickyError{.message = why.empty() ? "the connection was lost" : why};
  trouble_->kind = StickyError::Kind::lost;
}

void Connection::give_up(StickyError trouble) {
  if (!trouble_) trouble_ = std::move(trouble);
}

void Connection::run_script(const std::string& text) {
  if (trouble_) return;
  PQexitPipelineMode(connection_.get());
  PGresult* result = PQexec(connection_.get(), in_schema(text).c_str());
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) note(result);
  PQclear(result);
  if (!alive() || PQenterPipelineMode(connection_.get()) != 1) lose();
}

}  // namespace longshore::postgres
