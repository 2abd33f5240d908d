#include "api/server/ui_page.h"

#include <gtest/gtest.h>

#include "api/server/ui_files.h"

namespace longshore {
namespace {

std::string header(const HttpResponse& response, std::string_view name) {
  return std::string(HttpRequest{.headers = response.headers}.header(name));
}

HttpRequest accepting(std::string coding) {
  return {.headers = {{"Accept-Encoding", std::move(coding)}}};
}

TEST(UiPage, CompressesForClientsThatAcceptGzip) {
  const struct {
    const char* header;
    bool packed;
  } cases[] = {
      {"gzip, deflate, br", true},
      {"br, gzip", true},
      {"gzip;q=0.5", true},
      {"gzip; q=1", true},
      {"", false},
      {"identity", false},
      {"br", false},
      {"gzip;q=0", false},
      {"gzip; q=0.0, br", false},
  };
  for (const auto& c : cases) EXPECT_EQ(takes_gzip(c.header), c.packed) << c.header;
}

TEST(UiPage, LetsBrowsersCacheFilesNamedByTheirContent) {
  ASSERT_GE(ui_files().size(), 3u);
  for (const UiFile& file : ui_files()) {
    SCOPED_TRACE(file.path);
    const std::string path = "/ui/" + std::string(file.path);
    const HttpResponse plain = ui_response(path, {});
    EXPECT_EQ(plain.status, 200);
    EXPECT_EQ(plain.body, file.plain);
    EXPECT_FALSE(file.plain.empty());
    const HttpResponse packed = ui_response(path, accepting("gzip"));
    EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
    EXPECT_TRUE(packed.body.starts_with("\x1f\x8b"));
    const bool is_page = file.path == "index.html";
    EXPECT_EQ(header(packed, "Cache-Control").contains("immutable"), !is_page);
    EXPECT_NE(plain.content_type, "application/octet-stream");
  }
}

TEST(UiPage, ServesExactlyTheFilesOfTheDistFolder) {
  EXPECT_TRUE(ui_response("/ui/", {}).body.contains("<title>Longshore</title>"));
  const HttpResponse moved = ui_response("/ui", {});
  EXPECT_EQ(moved.status, 308);
  EXPECT_EQ(header(moved, "Location"), "ui/");
  EXPECT_EQ(ui_response("/ui/nothing", {}).status, 404);
}

}  // namespace
}  // namespace longshore
