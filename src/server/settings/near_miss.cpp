#include "server/settings/near_miss.h"

#include <algorithm>
#include <vector>

namespace longshore {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i: the distances between the first i characters of `a` and every prefix of `b`.
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known, std::size_t most) {
  std::optional<std::string_view> found;
  std::size_t least = std::min(most, std::max<std::size_t>(word.size() / 3, 1)) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const auto meant = nearest(word, known);
  return meant ? "; did you mean " + std::string(*meant) + "?" : "";
}

}  // namespace longshore
