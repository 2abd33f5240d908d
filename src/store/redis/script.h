// A Lua script that Redis knows by the hash of its text.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace longshore::redis {

// Constant; written once in the program, and shared by all threads.
class Script {
 public:
  Script(std::string name, std::string source);

  const std::string& name() const { return name_; }  // for people
  const std::string& source() const { return source_; }
  const std::string& sha1() const { return sha1_; }  // forty hexadecimal digits

 private:
  std::string name_;
  std::string source_;
  std::string sha1_;
};

// One run of a script. All keys carry the same hash tag. On a cluster the channel adds one more
// key, which never exists, after these: Redis then lets no script touch a slot while it moves,
// where a missing key would end the script halfway. So a script counts on its ARGV, never on #KEYS.
struct ScriptCall {
  const Script* script = nullptr;  // outlives the call
  std::vector<std::string> keys = {};
  std::vector<std::string> args = {};
  // Told when all bytes of the call are on their way, before the answer comes; again if the call is
  // sent again.
  std::function<void()> when_sent = {};
};

}  // namespace longshore::redis
