// A certificate that vouches for nobody, for tests of TLS.
#pragma once

#include <filesystem>
#include <string>

#include "http/server.h"

namespace longshore {

// A folder that is gone with this.
class CertificateFolder {
 public:
  CertificateFolder();
  ~CertificateFolder();
  CertificateFolder(const CertificateFolder&) = delete;
  CertificateFolder& operator=(const CertificateFolder&) = delete;

  HttpTlsFiles files() const;
  // Writes a new key and a new certificate with this serial number over what is there.
  void make(int serial) const;
  // Writes something that is no certificate.
  void spoil() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace longshore
