#include "core/record/list_pages.h"

#include <algorithm>
#include <utility>

namespace longshore {

ListPage merged_page(std::span<ListPage> parts, int limit) {
  ListPage page;
  bool more = false;
  for (ListPage& part : parts) {
    more = more || part.next.has_value();
    std::ranges::move(part.jobs, std::back_inserter(page.jobs));
  }
  std::ranges::sort(page.jobs,
                    [](const JobSummary& a, const JobSummary& b) { return b.job.id < a.job.id; });
  if (std::ssize(page.jobs) > limit) {
    page.jobs.resize(static_cast<std::size_t>(limit));
    more = true;
  }
  if (more) page.next = page.jobs.back().job.id;
  return page;
}

}  // namespace longshore
