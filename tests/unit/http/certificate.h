// Self-signed certificates for tests of TLS.
#pragma once

#include <filesystem>
#include <string>

#include "http/server.h"

namespace longshore {

// Removes the folder when destroyed.
class CertificateFolder {
 public:
  CertificateFolder();
  ~CertificateFolder();
  CertificateFolder(const CertificateFolder&) = delete;
  CertificateFolder& operator=(const CertificateFolder&) = delete;

  HttpTlsFiles files() const;
  // Replaces the key and the certificate; the new one has this serial number.
  void make(int serial) const;
  // Writes an invalid certificate.
  void spoil() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace longshore
