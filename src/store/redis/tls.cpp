#include "store/redis/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>

namespace longshore::redis {
namespace {

std::string last_words() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

bool is_ip(const std::string& host) {
  std::array<unsigned char, 16> bytes;
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool wants_more(SSL* session, int answer) {
  const int reason = SSL_get_error(session, answer);
  return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::make(const Url& url) {
  auto made = std::make_shared<TlsContext>();
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = made->handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const auto unreadable = [&](const char* option) {
    return Error{.code = Errc::invalid, .message = url.shown + ": " + option + ": " + last_words()};
  };
  const bool trusts = url.ca_file.empty()
                          ? SSL_CTX_set_default_verify_paths(context) == 1
                          : SSL_CTX_load_verify_file(context, url.ca_file.c_str()) == 1;
  if (!trusts) return unreadable("ca");
  if (url.certificate_file.empty()) return made;
  if (SSL_CTX_use_certificate_chain_file(context, url.certificate_file.c_str()) != 1) {
    return unreadable("cert");
  }
  if (SSL_CTX_use_PrivateKey_file(context, url.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return unreadable("key");
  }
  return made;
}

TlsSession::TlsSession(const TlsContext& context, const std::string& host)
    : session_(SSL_new(context.handle())) {
  SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(session_.get());
  if (is_ip(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), host.c_str());
  } else {
    SSL_set1_host(session_.get(), host.c_str());
    // The macro of OpenSSL casts the constness away.
    SSL_ctrl(session_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host.c_str()));
  }
}

bool TlsSession::greet() {
  ERR_clear_error();
  const int answer = SSL_do_handshake(session_.get());
  return answer == 1 || wants_more(session_.get(), answer);
}

std::string TlsSession::why() const {
  const long verdict = SSL_get_verify_result(session_.get());
  if (verdict != X509_V_OK) return X509_verify_cert_error_string(verdict);
  return last_words();
}

bool TlsSession::encrypt(std::string_view plain) {
  std::size_t written = 0;
  if (plain.empty()) return true;
  ERR_clear_error();
  return SSL_write_ex(session_.get(), plain.data(), plain.size(), &written) == 1;
}

std::string TlsSession::take_outgoing() {
  BIO* out = SSL_get_wbio(session_.get());
  std::string bytes(BIO_ctrl_pending(out), '\0');
  std::size_t taken = 0;
  if (!bytes.empty()) BIO_read_ex(out, bytes.data(), bytes.size(), &taken);
  bytes.resize(taken);
  return bytes;
}

void TlsSession::feed(std::string_view cipher) {
  std::size_t written = 0;
  BIO_write_ex(SSL_get_rbio(session_.get()), cipher.data(), cipher.size(), &written);
}

bool TlsSession::decrypt(std::string_view cipher, std::string& plain) {
  feed(cipher);
  std::array<char, 16384> buffer;
  while (true) {
    std::size_t count = 0;
    ERR_clear_error();
    const int answer = SSL_read_ex(session_.get(), buffer.data(), buffer.size(), &count);
    if (answer != 1) return wants_more(session_.get(), answer);
    plain.append(buffer.data(), count);
  }
}

}  // namespace longshore::redis
