// The steps of `scree run`, with what looks at each: recording, checkpoints, warnings, progress.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "problem_saver.h"
#include "progress.h"
#include "record/recorder.h"
#include "run_arguments.h"
#include "run_report.h"
#include "run_setup.h"
#include "scree/world.h"
#include "view/live_view.h"
#include "world/tunnelling.h"

namespace scree::app {

class RunLoop {
 public:
  /// Builds the world and begins the recording. Throws InputError, EnvironmentError.
  RunLoop(const RunArguments& arguments, RunSetup setup);
  /// Steps until the end, a failure or an interrupt, and closes the files. Throws EnvironmentError
  /// when a file cannot be written.
  void run();
  /// With --view: goes on showing the end until the page is closed or the program interrupted.
  void linger();
  /// What there is to say of the steps made; complete after run().
  const RunReport& report() const { return report_; }

 private:
  using Clock = std::chrono::steady_clock;
  void start_view();
  void forget_scene();
  /// Says why, once; the run goes on.
  void lose_view(const std::string& why);
  /// Calls work(view) if there is one; when that fails, there is none from then on.
  template <class Work>
  void with_view(const Work& work);
  bool wait_for_turn();
  void make_steps();
  void observe(const Receipt& receipt);
  void watch_tunnelling();
  void watch_joints(const Receipt& receipt);
  void watch_convergence(const Receipt& receipt);
  void save_checkpoint(const std::string& path);
  void save_failed_state();
  void finish_report();

  const RunArguments& arguments_;
  RunSetup setup_;
  World world_;
  TunnellingWatch watch_;
  std::vector<Vec3> start_positions_;
  std::vector<char> was_broken_;  // joints, before the step
  bool has_forgotten_ = false;    // the world has no bodies of its scene
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ProblemSaver> saver_;
  std::vector<RecordedContact> contacts_;
  Progress progress_;
  RunReport report_;
  std::unique_ptr<LiveView> view_;
};

}  // namespace scree::app
