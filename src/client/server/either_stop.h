// A stop token that is triggered by either of two others.
#pragma once

#include <stop_token>

namespace longshore {

class EitherStop {
 public:
  EitherStop(const std::stop_token& one, const std::stop_token& other)
      : one_(one, Forward{source_}), other_(other, Forward{source_}) {}

  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Forward {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  std::stop_source source_;
  const std::stop_callback<Forward> one_;
  const std::stop_callback<Forward> other_;
};

}  // namespace longshore
