// The part of `scree bench` that runs scenes and problems with several engines.
#pragma once

#include <string>
#include <vector>

namespace scree::app {

struct SceneBenchArguments {
  std::vector<std::string> names;  // parts; empty: all
  std::string engines;             // with commas; empty: all that are here
  std::string problems;            // folder; empty: data/problems
  std::string html, csv;
  int repeats = 0;  // 0: 3, quick 1
  int threads = 2;  // most, of the part `scaling`
  bool is_quick = false, is_tiny = false, has_large = false, has_peers = true;
  bool json = false, quiet = false;
};

/// Words that may stand for parts.
const std::vector<std::string>& scene_bench_names();
int run_scene_bench(const SceneBenchArguments& arguments);

}  // namespace scree::app
