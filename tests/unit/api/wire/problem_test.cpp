#include "api/wire/problem.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace longshore {
namespace {

// The sections of docs/errors.md by code.
std::map<std::string, std::string> documented_codes() {
  std::ifstream file("docs/errors.md");
  std::map<std::string, std::string> sections;
  std::string code;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) {
      code = line.substr(3);
      sections[code];
    } else if (!code.empty() && !line.empty()) {
      sections[code] += line + ' ';
    }
  }
  return sections;
}

TEST(Problem, HasASectionForEveryCodeAndNoOther) {
  std::map<std::string, std::string> sections = documented_codes();
  for (const ProblemKind& kind : problem_kinds()) {
    const std::string code(to_text(kind.code));
    SCOPED_TRACE(code);
    const std::string opening = std::to_string(kind.status) + ": " + std::string(kind.title) + ". ";
    EXPECT_TRUE(sections[code].starts_with(opening)) << sections[code];
    EXPECT_GT(sections[code].size(), opening.size()) << "the section must say what to do";
    sections.erase(code);
  }
  EXPECT_TRUE(sections.empty()) << sections.begin()->first << " is not a code";
}

TEST(Problem, HasOneRowForEveryCode) {
  const auto last = static_cast<int>(Code::disk_full);
  EXPECT_EQ(problem_kinds().size(), static_cast<std::size_t>(last) + 1);
  for (int i = 0; i <= last; ++i)
    EXPECT_EQ(kind_of(static_cast<Code>(i)).code, static_cast<Code>(i));
}

TEST(Problem, IsWrittenAsRfc9457) {
  Problem problem = invalid_field("jobs[3].priority", "must be from 0 to 9");
  problem.retry_after = 4;
  problem.members = R"("jobId":"x")";
  const HttpResponse response = to_response(problem);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(response.body,
            R"({"type":"urn:longshore:error:INVALID_FIELD","title":"Invalid field",)"
            R"("status":422,"detail":"jobs[3].priority: must be from 0 to 9",)"
            R"("code":"INVALID_FIELD",)"
            R"("errors":[{"field":"jobs[3].priority","detail":"must be from 0 to 9"}],)"
            R"("jobId":"x"})");
  ASSERT_EQ(response.headers.size(), 1U);
  EXPECT_EQ(response.headers[0].name, "Retry-After");
  EXPECT_EQ(response.headers[0].value, "4");
}

TEST(Problem, MapsErrorsToCodes) {
  const std::vector<std::pair<Errc, Code>> cases = {{Errc::unavailable, Code::store_unavailable},
                                                    {Errc::refused, Code::store_unavailable},
                                                    {Errc::overloaded, Code::overloaded},
                                                    {Errc::disk_full, Code::disk_full},
                                                    {Errc::invalid, Code::invalid_field},
                                                    {Errc::not_found, Code::not_found},
                                                    {Errc::corrupt, Code::internal}};
  for (const auto& [errc, code] : cases) {
    SCOPED_TRACE(to_text(errc));
    EXPECT_EQ(to_problem(Error{errc, "why"}).code, code);
  }
}

}  // namespace
}  // namespace longshore
