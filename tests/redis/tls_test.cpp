// TLS to Redis: verifies the certificate authority and the host name.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "redis/connect.h"
#include "redis/server.h"

namespace longshore::redis_test {
namespace {

using redis::Words;

// Creates PREFIX.pem and PREFIX.key: self-signed, for 127.0.0.1.
void make_certificate(const std::string& prefix) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=redis -addext subjectAltName=IP:127.0.0.1 -keyout " +
      prefix + ".key -out " + prefix + ".pem 2>" + prefix + ".log";
  ASSERT_EQ(std::system(command.c_str()), 0);
}

// Makes the server listen for TLS on a free port; 0 if there is none.
int listen_with_tls(const OwnServers& servers) {
  for (int port = servers.port(0) + 1; port < servers.port(0) + 200; ++port) {
    if (servers.ask({"CONFIG", "SET", "tls-port", std::to_string(port)}).text == "OK") return port;
  }
  return 0;
}

TEST(RedisTls, VerifiesTheServerAndItsName) {
  std::string folder = (std::filesystem::temp_directory_path() / "longshore-tls-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  make_certificate(folder + "/server");
  make_certificate(folder + "/other");
  {
    const OwnServers servers({.settings = {"tls-port=0"}});
    for (const Words& words : {Words{"CONFIG", "SET", "tls-cert-file", folder + "/server.pem",
                                     "tls-key-file", folder + "/server.key", "tls-ca-cert-file",
                                     folder + "/server.pem", "tls-auth-clients", "no"}}) {
      ASSERT_EQ(servers.ask(words).text, "OK");
    }
    const int port = listen_with_tls(servers);
    ASSERT_NE(port, 0);
    const std::string address_suffix = ":" + std::to_string(port) + "?ca=" + folder;
    const auto channel = must_connect("rediss://127.0.0.1" + address_suffix + "/server.pem");
    ASSERT_NE(channel, nullptr);
    const std::string large(1 << 20, 'x');
    const std::vector<Words> echo = {{"ECHO", large}, {"ECHO", "small"}};
    const auto replies = channel->exchange("a", echo, true);
    ASSERT_TRUE(replies.ok()) << replies.error().message;
    EXPECT_EQ((*replies)[0].text, large);
    EXPECT_EQ((*replies)[1].text, "small");
    EXPECT_EQ(must_fail("rediss://127.0.0.1" + address_suffix + "/other.pem").code, Errc::refused);
    EXPECT_EQ(must_fail("rediss://localhost" + address_suffix + "/server.pem").code, Errc::refused);
    EXPECT_EQ(must_fail("rediss://127.0.0.1" + address_suffix + "/none.pem").code, Errc::invalid);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace longshore::redis_test
