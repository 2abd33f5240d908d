// An exchange without a connection: the test is the client.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "deadline.h"
#include "http/exchange.h"

namespace longshore {

// What was sent on a stream, and whether it ended.
class TestStream final : public HttpStream {
 public:
  bool send(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    if (gone_) return false;
    text_ += bytes;
    changed_.notify_all();
    return true;
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // Blocks until the text contains this, or the stream has ended.
  std::string wait_for(const std::string& part) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(
        lock, test_deadline, [&] { return ended_ || text_.find(part) != std::string::npos; });
    EXPECT_TRUE(came) << "no " << part << " in " << text_;
    return text_;
  }
  bool wait_for_end() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, test_deadline, [&] { return ended_; });
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
  bool gone_ = false;
};

class TestExchange final : public HttpExchange {
 public:
  explicit TestExchange(HttpRequest request) : HttpExchange(std::move(request)) {}

  void answer(HttpResponse response, std::function<void(bool)> written) override {
    bool reached = false;
    {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(response_ || stream_) << "answered twice";
      response_ = std::move(response);
      reached = !gone_now_ && !breaks_;
      changed_.notify_all();
    }
    if (written) written(reached);
  }

  std::shared_ptr<HttpStream> stream(HttpResponse head, std::size_t) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(response_ || stream_) << "answered twice";
    response_ = std::move(head);
    stream_ = std::make_shared<TestStream>();
    changed_.notify_all();
    return stream_;
  }

  void on_gone(std::function<void()> gone) override {
    bool now = false;
    {
      const std::lock_guard lock(mutex_);
      gone_ = std::move(gone);
      now = gone_now_;
    }
    if (now) call_gone();
  }

  // ---- The client -------------------------------------------------------------------------

  HttpResponse wait() {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, test_deadline, [&] { return response_.has_value(); });
    EXPECT_TRUE(came) << "no answer to " << request().method << ' ' << request().target;
    return response_.value_or(HttpResponse{.status = 0});
  }
  bool answered() {
    const std::lock_guard lock(mutex_);
    return response_.has_value();
  }
  std::shared_ptr<TestStream> sent_stream() {
    const std::lock_guard lock(mutex_);
    return stream_;
  }

  // Disconnects without an answer.
  void hang_up() {
    {
      const std::lock_guard lock(mutex_);
      gone_now_ = true;
      if (stream_) stream_->leave();
    }
    call_gone();
  }
  // The connection will break while the answer is written.
  void break_while_writing() {
    const std::lock_guard lock(mutex_);
    breaks_ = true;
  }

 private:
  void call_gone() {
    std::function<void()> gone;
    {
      const std::lock_guard lock(mutex_);
      gone = std::exchange(gone_, {});
    }
    if (gone) gone();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HttpResponse> response_;
  std::shared_ptr<TestStream> stream_;
  std::function<void()> gone_;
  bool gone_now_ = false;
  bool breaks_ = false;
};

}  // namespace longshore
