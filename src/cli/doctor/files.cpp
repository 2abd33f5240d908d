// Checks the permissions of files with secrets, and the certificate.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <ctime>
#include <memory>
#include <set>

#include "cli/doctor/diagnosis.h"

namespace longshore {
namespace {

using Level = Diagnosis::Level;

constexpr std::string_view sqlite = "sqlite:";
constexpr long soon = 14L * 24 * 3600;  // seconds before a certificate expires
constexpr int rsa_bits_min = 2048;

bool is_open_to_others(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

void examine_file(const std::string& path, std::string_view holds, Diagnoses& found) {
  if (path.empty() || !is_open_to_others(path)) return;
  found.push_back({Level::problem, "security",
                   path + " can be read by other users: it contains " + std::string(holds),
                   "chmod 600 " + path});
}

void examine_database(const Settings& settings, Diagnoses& found) {
  const std::string store = settings.text("store");
  if (!store.starts_with(sqlite)) return;
  const std::string path = store.substr(sqlite.size());
  for (const std::string_view end : {"", "-wal", "-shm", "-journal"}) {
    examine_file(path + std::string(end), "all payloads and the hashes of tokens", found);
  }
  examine_file(path + ".key", "the session key of the dashboard, which can sign in as admin",
               found);
}

bool holds_secret(const Setting& setting) {
  if (setting.option->secret) return !setting.values.empty() && !setting.values.front().empty();
  return setting.option->name == "store" &&
         without_password(setting.values.front()) != setting.values.front();
}

// "longshore.toml" of "longshore.toml:3"; empty if the value is not from a file.
std::string file_of(const Setting& setting) {
  const std::string& source = setting.source;
  const std::size_t colon = source.rfind(':');
  if (source.starts_with("--") || colon == std::string::npos) return "";
  return source.substr(0, colon);
}

void examine_configuration(const Settings& settings, Diagnoses& found) {
  std::set<std::string> files;
  for (const Setting& setting : settings.all()) {
    if (holds_secret(setting)) files.insert(file_of(setting));
  }
  for (const std::string& file : files) examine_file(file, "secrets or a password", found);
}

using Certificate = std::unique_ptr<X509, decltype(&::X509_free)>;

Certificate read_certificate(const std::string& path) {
  const std::unique_ptr<BIO, decltype(&::BIO_free)> file(::BIO_new_file(path.c_str(), "r"),
                                                         ::BIO_free);
  if (!file) return {nullptr, ::X509_free};
  return {::PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr), ::X509_free};
}

bool has_weak_key(const X509& certificate) {
  const EVP_PKEY* key = ::X509_get0_pubkey(&certificate);
  return key != nullptr && ::EVP_PKEY_base_id(key) == EVP_PKEY_RSA &&
         ::EVP_PKEY_bits(key) < rsa_bits_min;
}

void examine_certificate(const Settings& settings, Diagnoses& found) {
  const std::string path = settings.text("tls-cert");
  if (path.empty()) return;
  const Certificate certificate = read_certificate(path);
  if (!certificate) {
    found.push_back({Level::problem, "security", path + " is not a valid certificate",
                     "set tls-cert to a PEM certificate chain; `serve` does not start without it"});
    return;
  }
  std::time_t limit = std::time(nullptr) + soon;
  if (::X509_cmp_time(::X509_get0_notAfter(certificate.get()), &limit) < 0) {
    found.push_back({Level::warning, "security",
                     "the certificate in " + path +
                         " has expired or expires within 14 days: clients "
                         "reject an expired certificate",
                     "renew it and send SIGHUP to the server"});
  }
  if (has_weak_key(*certificate)) {
    found.push_back({Level::problem, "security",
                     "the certificate in " + path +
                         " has an RSA key of fewer than 2048 bits, which "
                         "can be broken",
                     "create a P-256 key, or an RSA key of at least 2048 bits"});
  }
}

}  // namespace

void examine_files(const Settings& settings, Diagnoses& found) {
  examine_database(settings, found);
  examine_configuration(settings, found);
  examine_file(settings.text("tls-key"), "the server's private key", found);
  examine_certificate(settings, found);
}

}  // namespace longshore
