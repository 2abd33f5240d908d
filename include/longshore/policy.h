// Policy in layers: job field > job type > queue > profile > default. A layer sets only some
// fields.
#pragma once

#include <optional>

#include "longshore/job.h"
#include "longshore/time.h"

namespace longshore {

struct BackoffLayer {
  std::optional<Backoff::Kind> kind = {};
  std::optional<Duration> base = {};
  std::optional<Duration> max = {};
  std::optional<double> jitter = {};
};

struct PolicyLayer {
  std::optional<int> max_retries = {};
  std::optional<Duration> timeout = {};
  BackoffLayer backoff = {};
};

}  // namespace longshore
