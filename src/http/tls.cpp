#include "http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace longshore::wire {
namespace {

// OpenSSL's description of the latest failure on this thread.
std::string reason() {
  char text[256];
  const unsigned long code = ERR_peek_last_error();
  ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return code == 0 ? "unknown" : text;
}

Error unusable(const std::string& file) {
  return {Errc::invalid, "TLS: " + file + " cannot be used: " + reason()};
}

void set_options(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // TLS 1.2 only with authenticated encryption and forward secrecy.
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Saves the record buffers of idle connections; a retried write may use another buffer.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // No session cache: sessions are not used for authentication. Tickets still resume.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void TlsContext::Free::operator()(ssl_st* session) const { SSL_free(session); }

Result<std::shared_ptr<TlsContext>> TlsContext::load(const std::string& certificate_file,
                                                     const std::string& key_file) {
  ERR_clear_error();
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return Error{Errc::invalid, "TLS cannot be used: " + reason()};
  std::shared_ptr<TlsContext> loaded(new TlsContext(context));
  set_options(context);
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return unusable(certificate_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return unusable(key_file);
  }
  return loaded;
}

TlsContext::Session TlsContext::accept(int socket) const {
  Session session(SSL_new(context_.get()));
  if (session == nullptr || SSL_set_fd(session.get(), socket) != 1) return nullptr;
  SSL_set_accept_state(session.get());
  return session;
}

}  // namespace longshore::wire
