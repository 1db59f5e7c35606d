// scree export: recordings for other programs, demos and scenes as scene files.
#include "record/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/text.h"
#include "commands.h"
#include "model/scene_file.h"
#include "options.h"
#include "problem/forms.h"
#include "record/checkpoint.h"
#include "record/problem_file.h"
#include "record/recording.h"
#include "scree/error.h"
#include "view/assets.h"
#include "view/export_html.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string input, output;
  std::vector<std::string> settings;
  RobotArguments robot;
  bool has_surfaces = false, has_joints = false, no_contacts = false, quiet = false;
  std::optional<double> max_size;  // MB
  std::string format;              // of a problem
  std::optional<int> frame, directions;
};

// An option that would have no effect is a mistake, not a detail.
void check_options(const Arguments& arguments, const std::string& ending, FileKind kind) {
  if (kind != FileKind::scene) {
    refuse_settings(arguments.input, parse_overrides("--set", arguments.settings));
    refuse_robot_options(arguments.input, arguments.robot);
  }
  if (arguments.has_surfaces && ending != ".pvd") {
    throw InputError(fmt::format("--surfaces is for .pvd files, got {}", arguments.output));
  }
  if (arguments.has_joints && ending != ".csv") {
    throw InputError(fmt::format("--joints is for .csv files, got {}", arguments.output));
  }
  if ((arguments.max_size || arguments.no_contacts) && ending != ".html") {
    throw InputError(fmt::format("{} is for .html files, got {}",
                                 arguments.max_size ? "--max-size" : "--no-contacts",
                                 arguments.output));
  }
}

/// Contacts as rows of a linear complementarity problem, with the guess that belongs to them.
void make_pyramid(StoredProblem& problem, int directions) {
  if (problem.matrices.W.rows() != problem.matrices.rows()) form_delassus(problem.matrices);
  constexpr int kMostRows = 20000;  // the matrix of an lcp is dense
  if (problem.contact_count() > kMostRows / (directions + 2)) {
    throw InputError(fmt::format(
        "--directions {}: {} contacts make more than {} rows, the most that these formats hold",
        directions, problem.contact_count(), kMostRows));
  }
  const PyramidForm form = pyramid_form(problem.matrices, {Law::pyramid, directions});
  const auto as_rows = [&](std::optional<VecX>& p) {
    if (p) p = form.start(*p, problem.matrices.W * *p + problem.matrices.q);
  };
  as_rows(problem.guess);
  as_rows(problem.solution);
  problem.matrices = form.problem;
  problem.bodies.reset();
}

/// One problem file as another; what the format cannot hold is said by write_problem().
int export_problem(const Arguments& arguments) {
  check_options(arguments, "", FileKind::problem);
  require_writable("OUTPUT", arguments.output, Content::hdf5);
  if (is_same_file(arguments.input, arguments.output)) {
    throw InputError(
        fmt::format("{}: would replace the problem it is made from", arguments.output));
  }
  if (arguments.format.empty()) {
    throw InputError(fmt::format("{}: is a problem; say what it becomes with --format: {}",
                                 arguments.input, join_words(problem_formats())));
  }
  const bool is_rows = arguments.format == "lcp" || arguments.format == "mlcp";
  if (arguments.directions && !is_rows) {
    throw InputError(
        fmt::format("--directions {}: contacts stay what they are in {}; directions "
                    "are for the formats lcp and mlcp",
                    *arguments.directions, arguments.format));
  }
  StoredProblem problem = read_problem(arguments.input, arguments.frame.value_or(-1));
  if (arguments.directions && problem.contact_count() == 0) {
    throw InputError(
        fmt::format("--directions {}: {} has no contacts", *arguments.directions, arguments.input));
  }
  if (arguments.directions) make_pyramid(problem, *arguments.directions);
  write_problem(arguments.output, problem, arguments.format);
  if (!arguments.quiet) {
    fmt::print("{}: {}, {}, {} contacts, {} unknowns\n", arguments.output,
               format_bytes(static_cast<double>(fs::file_size(arguments.output))), arguments.format,
               problem.contact_count(), problem.matrices.rows());
  }
  return kSuccess;
}

Scene scene_in(const Arguments& arguments, FileKind kind) {
  if (kind == FileKind::recording) return Recording(arguments.input).scene();
  if (kind == FileKind::checkpoint) return read_checkpoint(arguments.input).scene;
  return load_scene(arguments.input, parse_overrides("--set", arguments.settings), arguments.robot)
      .scene;
}

/// The list for ParaView is small; the frames it names may fill a disk.
std::string frames_beside(const std::string& list) {
  const fs::path folder = fs::path(list).replace_extension();
  double bytes = 0.0;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    bytes += static_cast<double>(entry.file_size());
    ++files;
  }
  return fmt::format(", and {} files of {} in {}/", files, format_bytes(bytes), folder.string());
}

/// The page; returns what was left out to keep it small.
std::string write_page(const Recording& recording, const Arguments& arguments) {
  HtmlOptions options;
  options.has_contacts = !arguments.no_contacts;
  if (arguments.max_size) options.max_bytes = static_cast<std::size_t>(1e6 * *arguments.max_size);
  const HtmlReport report = export_html(recording, arguments.output, viewer_assets(), options);
  std::string text = fmt::format(", {} frames", report.frames);
  if (report.frames < report.frame_count || (options.has_contacts && !report.has_contacts)) {
    text +=
        fmt::format(" of {}{}, to stay below {} (--max-size MB allows more)", report.frame_count,
                    options.has_contacts && !report.has_contacts ? ", without contacts" : "",
                    format_bytes(static_cast<double>(options.max_bytes)));
  }
  return text;
}

int execute_export(const Arguments& arguments) {
  const FileKind kind = kind_of(arguments.input);
  if (kind == FileKind::problem) return export_problem(arguments);
  if (!arguments.format.empty() || arguments.frame || arguments.directions) {
    throw InputError(fmt::format("--format, --frame and --directions are for problem files, got {}",
                                 arguments.input));
  }
  require_writable("OUTPUT", arguments.output, Content::text);
  const std::string ending = fs::path(arguments.output).extension().string();
  check_options(arguments, ending, kind);
  std::string thinning;
  if (ending == ".yaml" || ending == ".yml") {
    write_text(arguments.output, write_scene(scene_in(arguments, kind)));
  } else if (ending == ".csv" || ending == ".pvd" || ending == ".html") {
    if (kind != FileKind::recording) {
      throw InputError(
          fmt::format("{}: {} files are made from recordings; record one with: scree run {}",
                      arguments.input, ending, arguments.input));
    }
    const Recording recording(arguments.input);
    if (ending == ".csv" && arguments.has_joints) {
      export_joints_csv(recording, arguments.output);
    } else if (ending == ".csv") {
      export_csv(recording, arguments.output);
    } else if (ending == ".html") {
      thinning = write_page(recording, arguments);
    } else {
      export_paraview(recording, arguments.output, arguments.has_surfaces);
    }
  } else {
    throw InputError(fmt::format(
        "{}: the ending says the format: .csv, .pvd (ParaView), .html (viewer) or .yaml (scene)",
        arguments.output));
  }
  if (!arguments.quiet) {
    fmt::print("{}: {}{}\n", arguments.output,
               format_bytes(static_cast<double>(fs::file_size(arguments.output))),
               ending == ".pvd" ? frames_beside(arguments.output) : thinning);
  }
  return kSuccess;
}

}  // namespace

void add_export(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = program.add_subcommand(
      "export", "A recording as a page, CSV or for ParaView; a demo as a scene file");
  verb->footer(
      "\nExamples:\n"
      "  scree export wall.h5 wall.csv               one row per frame and body\n"
      "  scree export arm.h5 joints.csv --joints     coordinates and reactions of joints\n"
      "  scree export wall.h5 wall.pvd --surfaces    opens in ParaView\n"
      "  scree export wall.h5 wall.html              one page to send, opens without Scree\n"
      "  scree export wall wall.yaml                 the demo as a scene file to change\n"
      "  scree export robot.urdf robot.yaml          so is a robot");
  verb->add_option("INPUT", arguments->input,
                   "recording; or scene, robot, demo or checkpoint for .yaml")
      ->required()
      ->check(not_empty());
  verb->add_option("OUTPUT", arguments->output,
                   "file to write; its ending says the format: .csv, .pvd, .html or .yaml")
      ->required()
      ->check(not_empty());
  verb->add_option("--set", arguments->settings, "parameter of a scene or demo, name=value")
      ->allow_extra_args(false);
  declare_robot(*verb, arguments->robot);
  verb->add_flag("--joints", arguments->has_joints,
                 ".csv: joints instead of bodies, with coordinates and reactions");
  verb->add_flag("--surfaces", arguments->has_surfaces, ".pvd: body surfaces instead of points");
  verb->add_option("--max-size", arguments->max_size,
                   ".html: size in MB it is thinned to (default: 50)")
      ->transform(number_between(0.001, 4000.0));
  verb->add_flag("--no-contacts", arguments->no_contacts, ".html: leave contacts out");
  verb->add_option("--format", arguments->format,
                   "problem files: what it becomes; scree, fclib-local, fclib-global, lcp, mlcp or "
                   "rpisim")
      ->check(not_empty("a format"));
  verb->add_option("--frame", arguments->frame, "frame of an RPIsim file (default: the first)")
      ->transform(whole_number(0));
  verb->add_option("--directions", arguments->directions,
                   "lcp and mlcp: friction with so many directions")
      ->transform(whole_number(2, 1000));
  verb->add_flag("--quiet", arguments->quiet, "print nothing");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_export(*arguments); }; });
}

}  // namespace scree::app
