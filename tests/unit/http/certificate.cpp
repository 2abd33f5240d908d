#include "unit/http/certificate.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "core/assert.h"

namespace longshore {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(FILE* file) const { std::fclose(file); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using File = std::unique_ptr<FILE, Free>;

Certificate sign(EVP_PKEY* key, int serial) {
  Certificate certificate(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* host = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

}  // namespace

CertificateFolder::CertificateFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "longshore-tls-XXXXXX";
  LONGSHORE_ASSERT(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
}

CertificateFolder::~CertificateFolder() { std::filesystem::remove_all(folder_); }

HttpTlsFiles CertificateFolder::files() const {
  return {.certificate = folder_ / "certificate.pem", .key = folder_ / "key.pem"};
}

void CertificateFolder::make(int serial) const {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = sign(key.get(), serial);
  const File key_file(std::fopen(files().key.c_str(), "w"));
  PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  const File certificate_file(std::fopen(files().certificate.c_str(), "w"));
  PEM_write_X509(certificate_file.get(), certificate.get());
}

void CertificateFolder::spoil() const { std::ofstream(files().certificate) << "no certificate\n"; }

}  // namespace longshore
