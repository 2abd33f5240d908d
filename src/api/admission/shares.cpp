#include "api/admission/shares.h"

#include <utility>

namespace longshore {
namespace {

struct LimitText {
  std::string_view name;
  std::string_view what;  // is held
  int retry_after;        // seconds
};
constexpr std::array<LimitText, limit_count> texts = {{
    {"limits.requests", "requests in progress", 1},
    {"limits.bytes", "bytes of request bodies in progress", 1},
    {"limits.streams", "open event streams", 5},
    {"limits.polls", "waiting requests", 5},
    {"limits.queues", "queues named by waiting polls", 5},
}};

std::size_t place(Limit limit) { return static_cast<std::size_t>(limit); }

Problem refusal(Limit limit, std::size_t most) {
  const LimitText& text = texts.at(place(limit));
  return {.code = Code::overloaded,
          .detail = std::string(text.name) +
                    ": this token or its namespace has used its share of " + std::to_string(most) +
                    " " + std::string(text.what) + "; the request was not processed. Retry after " +
                    std::to_string(text.retry_after) + " s",
          .retry_after = text.retry_after};
}

}  // namespace

std::string_view name_of(Limit limit) { return texts.at(place(limit)).name; }

Shares::Shares(const LimitOptions& limits)
    : most_{limits.requests, limits.bytes, limits.streams, limits.polls, limits.queues},
      share_(limits.share) {}

// A caller that holds nothing is admitted as long as there is any room: a share may be smaller than
// one request.
bool Shares::has_room(const Caller& caller, const Amount& wanted) const {
  mutex_.assert_held();
  const Usage& usage = usage_.at(place(wanted.limit));
  const std::size_t most = most_.at(place(wanted.limit));
  if (usage.all + wanted.amount > most) return usage.all == 0;
  const auto of_namespace = usage.namespaces.find(caller.ns);
  if (caller.token.empty() || of_namespace == usage.namespaces.end()) return true;
  const OfNamespace& own = of_namespace->second;
  const double namespace_most = share_ * static_cast<double>(most - (usage.all - own.all));
  if (static_cast<double>(own.all + wanted.amount) > namespace_most) return own.all == 0;
  const auto of_token = own.tokens.find(caller.token);
  if (of_token == own.tokens.end() || of_token->second == 0) return true;
  const double token_most =
      share_ * (namespace_most - static_cast<double>(own.all - of_token->second));
  return static_cast<double>(of_token->second + wanted.amount) <= token_most;
}

void Shares::add(const Caller& caller, const Amount& amount) {
  mutex_.assert_held();
  Usage& usage = usage_.at(place(amount.limit));
  usage.all += amount.amount;
  OfNamespace& own = usage.namespaces[caller.ns];
  own.all += amount.amount;
  own.tokens[caller.token] += amount.amount;
}

std::variant<Shares::HoldRef, Problem> Shares::take(const Caller& caller,
                                                    std::vector<Amount> amounts) {
  {
    MutexLock lock(mutex_);
    for (const Amount& wanted : amounts) {
      if (!has_room(caller, wanted)) return refusal(wanted.limit, most_.at(place(wanted.limit)));
    }
    for (const Amount& amount : amounts) add(caller, amount);
  }
  return std::make_shared<Hold>(*this, caller, std::move(amounts));
}

Shares::HoldRef Shares::count(const Caller& caller, std::vector<Amount> amounts) {
  {
    MutexLock lock(mutex_);
    for (const Amount& amount : amounts) add(caller, amount);
  }
  return std::make_shared<Hold>(*this, caller, std::move(amounts));
}

void Shares::give_back(const std::string& ns, const std::string& token,
                       const std::vector<Amount>& amounts) {
  MutexLock lock(mutex_);
  for (const Amount& amount : amounts) {
    Usage& usage = usage_.at(place(amount.limit));
    usage.all -= amount.amount;
    const auto own = usage.namespaces.find(ns);
    own->second.all -= amount.amount;
    const auto of_token = own->second.tokens.find(token);
    of_token->second -= amount.amount;
    if (of_token->second == 0) own->second.tokens.erase(of_token);
    if (own->second.tokens.empty()) usage.namespaces.erase(own);
  }
}

std::size_t Shares::held(Limit limit) const {
  MutexLock lock(mutex_);
  return usage_.at(place(limit)).all;
}

}  // namespace longshore
