#include "lab/trial.h"

#include <fmt/format.h>
#include <poll.h>

#include "base/flag.h"
#include "lab/result_text.h"

namespace scree {
namespace {

// The judge and the history need their time too: only what hangs is ended.
constexpr double kPatienceFactor = 2.0, kPatienceSeconds = 5.0;
constexpr int kLookEvery = 100;  // ms

std::string as_line(const LabResult& result) {
  return to_json(result).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

Trial::Trial(const StoredProblem& stored, const SolverInfo& solver, const LabOptions& options,
             const Isolation& isolation)
    : described_(describe(stored, solver, options)),
      patience_(options.solve.time_limit > 0.0
                    ? kPatienceFactor * options.solve.time_limit + kPatienceSeconds
                    : 0.0),
      work_(
          [&](const IsolatedWork::Send& send) {
            const auto report = [&](const LabResult& result) { send(as_line(result)); };
            report(solve_stored(stored, solver, options, report));
          },
          isolation) {}

bool Trial::pump() {
  if (!work_.pump()) return false;
  if (patience_ > 0.0 && work_.seconds_without_news() > patience_ && !is_ended_) {
    is_ended_ = true;
    work_.kill();
  }
  return true;
}

LabResult Trial::result() const {
  LabResult result = described_;
  if (!work_.last_line().empty()) {
    result = result_from_json(nlohmann::ordered_json::parse(work_.last_line()));
    result.problem = described_.problem;  // file names need not be what JSON can hold
    result.name = described_.name;
    result.family = described_.family;
  } else {
    result.time_s = result.cpu_s = work_.seconds();
  }
  if (is_ended_) {
    // With a line there is a result; what hung was the run for the history.
    if (!work_.last_line().empty()) return result;
    result.status = SolveStatus::time_limit;
    result.message = "did not stop at its time limit and was ended";
  } else if (!work_.death().empty()) {
    result.status = SolveStatus::diverged;
    result.message = work_.death();
  }
  return result;
}

LabResult run_trial(const StoredProblem& stored, const SolverInfo& solver,
                    const LabOptions& options, const Isolation& isolation,
                    const std::atomic<bool>* give_up) {
  Trial trial(stored, solver, options, isolation);
  while (trial.pump()) {
    if (is_set(give_up)) {
      LabResult result = trial.subject();
      result.status = SolveStatus::time_limit;
      result.message = "interrupted";
      return result;
    }
    pollfd news{trial.descriptor(), POLLIN, 0};
    poll(&news, 1, kLookEvery);
  }
  return trial.result();
}

}  // namespace scree
