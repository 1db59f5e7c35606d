#include <gtest/gtest.h>

#include <set>

#include "view/live_clients.h"

namespace scree {
namespace {

// Rows of several bodies stand interleaved: thinning must take all of a step or none, or some
// bodies would lose every row.
TEST(RowLog, ThinsByStepsAndLosesNoBody) {
  RowLog<3> log;
  for (int step = 0; step < 500; ++step) {
    for (int body = 0; body < 4; ++body) log.add({double(body), 0.01 * step, 0.0});
  }
  const RowTable table = log.since(0, 100, [](const auto&) { return true; });
  std::set<double> times;
  std::array<int, 4> rows{};
  for (std::size_t i = 0; i < table.values.size(); i += 3) {
    ++rows[static_cast<std::size_t>(table.values[i])];
    times.insert(table.values[i + 1]);
  }
  EXPECT_LE(table.values.size() / 3, 104u);
  EXPECT_EQ(*times.rbegin(), 0.01 * 499);
  for (const int count : rows) EXPECT_EQ(count, static_cast<int>(times.size()));
}

TEST(RowLog, CountsOnlyWhatIsWanted) {
  RowLog<3> log;
  for (int step = 0; step < 500; ++step) {
    for (int body = 0; body < 10; ++body) log.add({double(body), 0.01 * step, 0.0});
  }
  const RowTable table = log.since(0, 1000, [](const auto& row) { return row[0] == 3.0; });
  EXPECT_EQ(table.values.size() / 3, 500u);
}

}  // namespace
}  // namespace scree
