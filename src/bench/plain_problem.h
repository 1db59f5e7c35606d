// A friction problem of contacts in space as other programs get it: W by its entries, q and the
// coefficients of friction, in a text file. Like plain_scene.h it needs the standard library only.
//
//   u = W p + q,   contacts in rows (n, t1, t2),   Coulomb's exact law
#pragma once

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace scree::plain {

struct Entry {
  int row = 0, column = 0;
  double value = 0.0;
};

struct Problem {
  int contacts = 0;
  std::vector<Entry> w;             // 1/kg
  std::vector<double> q, friction;  // m/s, 3 per contact; 1 per contact
};

inline void write(const Problem& problem, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  std::fprintf(file, "scree-bench-problem 1\n%d %zu\n", problem.contacts, problem.w.size());
  for (const Entry& e : problem.w) std::fprintf(file, "%d %d %.17g\n", e.row, e.column, e.value);
  for (const double number : problem.q) std::fprintf(file, "%.17g\n", number);
  for (const double number : problem.friction) std::fprintf(file, "%.17g\n", number);
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

inline Problem read_problem(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  int version = 0;
  std::size_t entries = 0;
  Problem problem;
  file >> word >> version >> problem.contacts >> entries;
  if (word != "scree-bench-problem" || version != 1 || problem.contacts < 1)
    throw std::runtime_error(path + " is no problem of scree bench");
  problem.w.resize(entries);
  for (Entry& e : problem.w) file >> e.row >> e.column >> e.value;
  const auto count = static_cast<std::size_t>(problem.contacts);
  problem.q.resize(3 * count);
  problem.friction.resize(count);
  for (double& number : problem.q) file >> number;
  for (double& number : problem.friction) file >> number;
  if (!file) throw std::runtime_error(path + " is incomplete");
  return problem;
}

}  // namespace scree::plain
