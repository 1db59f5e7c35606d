#include "lab/comparison.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/flag.h"
#include "lab/trial.h"
#include "record/broken_file.h"
#include "scree/error.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr int kLookEvery = 100;       // ms
constexpr double kMemoryShare = 0.9;  // of what is free, for all jobs together

/// Problems, and what looks like one and cannot be opened: reading it will say why.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (!entry.is_regular_file()) continue;
    if (is_problem_file(entry.path().string()) || is_broken_file(entry.path().string()))
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void add_problems(const ProblemName& wish, std::vector<ProblemEntry>& entries) {
  const StoredProblem first = read_problem(wish.path, wish.frame);
  std::vector<int> frames = {first.frame};
  if (wish.frame < 0 && first.frames.size() > 1) frames = first.frames;
  for (const int frame : frames) {
    const bool is_first = frame == first.frame;
    const StoredProblem stored = is_first ? first : read_problem(wish.path, frame);
    const LabResult described = describe(stored, SolverInfo{}, {});
    entries.push_back({wish.path, first.frames.size() > 1 ? frame : -1, described.problem,
                       described.name, described.family, described.law, described.contacts,
                       described.unknowns});
  }
}

/// "Rover" of Rover1039, "Capsules" of Capsules-i100-1090, "box" of box.h5#3.
std::string beginning(const std::string& name) {
  const std::size_t end = name.find_first_of("0123456789-_.# ", 1);
  return name.substr(0, end);
}

/// A file that is named and lies in a folder that is named too counts once.
void drop_repeated(std::vector<ProblemEntry>& entries) {
  std::set<std::pair<std::string, int>> seen;
  std::erase_if(entries, [&](const ProblemEntry& entry) {
    return !seen.emplace(fs::weakly_canonical(entry.path).string(), entry.frame).second;
  });
}

void set_families(std::vector<ProblemEntry>& entries) {
  const bool is_one_folder =
      std::all_of(entries.begin(), entries.end(),
                  [&](const ProblemEntry& entry) { return entry.family == entries[0].family; });
  if (!is_one_folder) return;
  for (ProblemEntry& entry : entries) entry.family = beginning(entry.name);
}

/// What is still to be solved, in order; a problem is read once for all that is done with it.
class Queue {
 public:
  Queue(const std::vector<ProblemEntry>& problems, const ComparisonOptions& options,
        ComparisonEvents& events, Comparison& comparison)
      : problems_(problems), options_(options), events_(events), comparison_(comparison) {}

  struct Task {
    std::shared_ptr<const StoredProblem> stored;
    const ProblemEntry* entry = nullptr;
    std::size_t number = 0;  // in the order of the results
    LabOptions options;
    const SolverInfo* solver = nullptr;
  };
  /// False: nothing is left.
  bool next(Task& task) {
    const std::size_t per_problem = options_.tolerances.size() * options_.solvers.size();
    for (; number_ < problems_.size() * per_problem; number_ += per_problem) {
      const std::size_t problem = number_ / per_problem, rest = number_ % per_problem;
      if (rest == 0 && !read(problems_[problem])) continue;
      task = {stored_, &problems_[problem], number_, options_.lab,
              &solver_named(options_.solvers[rest % options_.solvers.size()])};
      task.options.solve.tolerance = options_.tolerances[rest / options_.solvers.size()];
      const auto extra = options_.solver_options.find(task.solver->name);
      if (extra != options_.solver_options.end()) task.options.solve.extra = extra->second;
      ++number_;
      return true;
    }
    return false;
  }

 private:
  bool read(const ProblemEntry& entry) {
    try {
      stored_ = std::make_shared<const StoredProblem>(read_problem(entry.path, entry.frame));
      return true;
    } catch (const std::exception& error) {
      comparison_.skipped.push_back({entry.problem, error.what()});
      events_.on_skip(comparison_.skipped.back());
      return false;
    }
  }

  const std::vector<ProblemEntry>& problems_;
  const ComparisonOptions& options_;
  ComparisonEvents& events_;
  Comparison& comparison_;
  std::size_t number_ = 0;
  std::shared_ptr<const StoredProblem> stored_;
};

struct Slot {
  Isolation isolation;
  Queue::Task task;
  std::unique_ptr<Trial> trial;  // null: free
};

std::vector<Slot> make_slots(int jobs) {
  // The last core first: systems put their own work on the first one.
  const std::vector<int> cores = usable_cores();
  std::vector<Slot> slots(static_cast<std::size_t>(jobs));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].isolation.core = cores[cores.size() - 1 - i % cores.size()];
    slots[i].isolation.max_memory =
        static_cast<std::size_t>(kMemoryShare * static_cast<double>(free_memory()) / jobs);
  }
  return slots;
}

void wait_for_news(const std::vector<Slot>& slots) {
  std::vector<pollfd> news;
  for (const Slot& slot : slots) {
    if (slot.trial) news.push_back({slot.trial->descriptor(), POLLIN, 0});
  }
  poll(news.data(), news.size(), kLookEvery);
}

}  // namespace

std::vector<ProblemEntry> find_problems(const std::vector<std::string>& paths,
                                        std::vector<SkippedFile>& skipped) {
  std::vector<ProblemEntry> entries;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      add_problems(problem_named(path), entries);
      continue;
    }
    const std::size_t before = entries.size() + skipped.size();
    for (const std::string& file : files_below(path)) {
      try {
        add_problems({file, -1}, entries);
      } catch (const InputError& error) {
        skipped.push_back({file, error.what()});
      }
    }
    if (entries.size() + skipped.size() == before) {
      throw InputError(fmt::format("{}: there are no problem files in this folder", path));
    }
  }
  drop_repeated(entries);
  if (!entries.empty()) set_families(entries);
  return entries;
}

Comparison compare(const std::vector<ProblemEntry>& problems, const ComparisonOptions& options,
                   ComparisonEvents& events) {
  Comparison comparison;
  comparison.problems = problems;
  Queue queue(problems, options, events, comparison);
  std::vector<Slot> slots = make_slots(options.jobs);
  std::map<std::size_t, LabResult> finished;  // by number
  bool has_more = true, is_busy = true;
  while ((has_more || is_busy) && !is_set(options.give_up)) {
    for (Slot& slot : slots) {
      if (slot.trial || !has_more) continue;
      has_more = queue.next(slot.task);
      if (!has_more) break;
      slot.trial = std::make_unique<Trial>(*slot.task.stored, *slot.task.solver, slot.task.options,
                                           slot.isolation);
      events.on_start(slot.trial->subject());
    }
    is_busy = std::any_of(slots.begin(), slots.end(),
                          [](const Slot& slot) { return slot.trial != nullptr; });
    if (!is_busy) break;
    wait_for_news(slots);
    for (Slot& slot : slots) {
      if (!slot.trial || slot.trial->pump()) continue;
      LabResult result = slot.trial->result();
      result.family = slot.task.entry->family;
      slot.trial.reset();
      events.on_result(result);
      finished.emplace(slot.task.number, std::move(result));
    }
    events.on_tick();
  }
  comparison.is_complete = !has_more && !is_busy;
  for (auto& [number, result] : finished) comparison.results.push_back(std::move(result));
  return comparison;
}

ScoreTable score_table(const Comparison& comparison, const std::vector<std::string>& solvers,
                       double tolerance, const std::string& family) {
  std::map<std::string, std::size_t> rows, columns, count;
  for (const LabResult& result : comparison.results) {
    if (result.tolerance == tolerance) ++count[result.problem];
  }
  for (const ProblemEntry& entry : comparison.problems) {
    const bool is_asked = family.empty() || entry.family == family;
    if (is_asked && count[entry.problem] == solvers.size())
      rows.emplace(entry.problem, rows.size());
  }
  for (const std::string& solver : solvers) columns.emplace(solver, columns.size());
  ScoreTable table(rows.size(), columns.size());
  for (const LabResult& result : comparison.results) {
    const auto row = rows.find(result.problem);
    if (result.tolerance != tolerance || row == rows.end()) continue;
    table.at(row->second, columns.at(result.solver)) = {result.is_solved(), result.does_apply(),
                                                        result.cpu_s};
  }
  return table;
}

std::size_t problems_left(const Comparison& comparison, const std::vector<std::string>& solvers,
                          double tolerance) {
  return comparison.problems.size() - score_table(comparison, solvers, tolerance).problems;
}

std::vector<std::string> families(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ProblemEntry& entry : comparison.problems) {
    if (std::find(names.begin(), names.end(), entry.family) == names.end())
      names.push_back(entry.family);
  }
  return names;
}

}  // namespace scree
