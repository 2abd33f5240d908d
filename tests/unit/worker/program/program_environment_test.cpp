#include "worker/program/program_environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace longshore {
namespace {

class ProgramEnvironment : public ::testing::Test {
 protected:
  void set(const char* name, const char* value) {
    ::setenv(name, value, 1);
    set_.emplace_back(name);
  }
  ~ProgramEnvironment() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> set_;
};

TEST_F(ProgramEnvironment, HoldsTheListedVariablesOnly) {
  set("LC_TIME", "C");
  set("TZ", "UTC");
  set("PGPASSWORD", "secret");
  set("REGION", "north");
  const auto variables = program_environment({"REGION"}, {{"MODE", "fast"}, {"TZ", "CET"}});
  EXPECT_EQ(variables.at("LC_TIME"), "C");
  EXPECT_EQ(variables.at("REGION"), "north");
  EXPECT_EQ(variables.at("MODE"), "fast");
  EXPECT_EQ(variables.at("TZ"), "CET") << "declared variables take precedence";
  EXPECT_FALSE(variables.contains("PGPASSWORD"));
}

TEST_F(ProgramEnvironment, MayNotDeclareReservedVariables) {
  EXPECT_EQ(variable_name_fault("REGION"), "");
  for (const char* name : {"", "A=B", "LONGSHORE_TOKEN", "LONGSHORE_JOB_ID"}) {
    EXPECT_NE(variable_name_fault(name), "") << name;
  }
}

}  // namespace
}  // namespace longshore
