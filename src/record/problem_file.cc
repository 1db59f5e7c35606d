#include "record/problem_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/text.h"
#include "problem/forms.h"
#include "problem/scales.h"
#include "record/body_problem_file.h"
#include "record/fclib_file.h"
#include "record/lcp_file.h"
#include "record/output_file.h"
#include "record/problem_fields.h"
#include "record/rpisim_file.h"
#include "record/rpisim_writer.h"
#include "scree/error.h"

namespace scree {
namespace {

struct Reader {
  bool (*is_of)(const Hdf5File& file);
  void (*read)(const ProblemFields& fields, StoredProblem& problem);
};
const Reader kReaders[] = {{is_fclib_file, read_fclib},
                           {is_lcp_file, read_lcp},
                           {is_body_problem_file, read_body_problem},
                           {is_rpisim_file, read_rpisim}};

/// FCLIB names rolling friction in its group; the contacts tell it.
std::string plain_format(const std::string& format) {
  const std::string suffix = "-rolling";
  const std::string plain =
      format.ends_with(suffix) ? format.substr(0, format.size() - suffix.size()) : format;
  const auto& known = problem_formats();
  if (std::find(known.begin(), known.end(), plain) != known.end()) return plain;
  const std::string nearest = nearest_word(format, known);
  throw InputError(fmt::format("there is no problem format '{}'{} There are {}.", format,
                               nearest.empty() ? "." : "; did you mean " + nearest + "?",
                               join_words(known)));
}

/// Formats of matrices have W where it is theirs to store.
const StoredProblem& with_delassus(const StoredProblem& problem, StoredProblem& room) {
  if (problem.matrices.W.rows() == problem.matrices.rows() || !problem.matrices.velocity) {
    return problem;
  }
  room = problem;
  form_delassus(room.matrices);
  return room;
}

void require_plain(const StoredProblem& problem, const std::string& format) {
  if (format == "lcp" || format == "mlcp") {
    require_lcp(problem, format == "mlcp");
  } else if (format == "scree") {
    require_bodies(problem, format);
  } else if (format == "rpisim") {
    require_rpisim(problem);
  } else {
    require_fclib(problem, format == "fclib-global");
  }
}

void write_plain(Hdf5File& file, const StoredProblem& problem, const std::string& format) {
  if (format == "lcp" || format == "mlcp") {
    write_lcp(file, problem, format == "mlcp");
  } else if (format == "scree") {
    write_body_problem(file, problem);
  } else {
    write_fclib(file, problem, format == "fclib-global");
  }
}

}  // namespace

const std::vector<std::string>& problem_formats() {
  static const std::vector<std::string> formats = {"scree", "fclib-local", "fclib-global",
                                                   "lcp",   "mlcp",        "rpisim"};
  return formats;
}

ProblemName problem_named(const std::string& text) {
  const std::size_t hash = text.rfind('#');
  if (hash == std::string::npos || std::filesystem::exists(text)) return {text, -1};
  int frame = -1;
  const char *first = text.data() + hash + 1, *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, frame);
  if (error != std::errc() || end != last || frame < 0) {
    throw InputError(fmt::format("{}: after # stands the number of a frame", one_line(text)));
  }
  return {text.substr(0, hash), frame};
}

bool is_problem_file(const std::string& path) {
  try {
    const Hdf5File file = Hdf5File::open(path);
    for (const Reader& reader : kReaders) {
      if (reader.is_of(file)) return true;
    }
  } catch (const Hdf5Error&) {
  }
  return false;
}

StoredProblem read_problem(const std::string& path, int frame) {
  const ProblemFields fields(path);
  StoredProblem problem;
  problem.path = path;
  problem.frame = frame;
  try {
    for (const Reader& reader : kReaders) {
      if (!reader.is_of(fields.file())) continue;
      reader.read(fields, problem);
      if (problem.format != "rpisim") {
        if (frame > 0) {
          throw InputError(fmt::format("{}: frame {}: a file of the format {} holds one problem",
                                       one_line(path), frame, problem.format));
        }
        problem.frame = 0;
      }
      if (const std::string complaint =
              scale_complaint(problem.matrices, problem.bodies.has_value());
          !complaint.empty())
        throw InputError(fmt::format("{}: {}", one_line(path), complaint));
      return problem;
    }
  } catch (const Hdf5Error& error) {
    throw InputError(one_line(error.what()));
  }
  throw InputError(one_line(path) +
                   ": not a problem file: it has none of the groups fclib_local, fclib_global, "
                   "fclib_local_rolling, fclib_global_rolling, lcp, mlcp, scree_problem, "
                   "frame000001 ...");
}

void require_holds(const StoredProblem& problem, const std::string& format) {
  const std::string plain = plain_format(format);
  StoredProblem room;
  require_plain(plain == "fclib-global" ? problem : with_delassus(problem, room), plain);
}

void write_problem(const std::string& path, const StoredProblem& problem,
                   const std::string& format) {
  const std::string plain = plain_format(format);
  if (plain == "rpisim") {
    RpisimWriter writer(path);
    writer.add(std::max(0, problem.frame), problem);
    writer.finish();
    return;
  }
  StoredProblem room;
  const StoredProblem& whole = plain == "fclib-global" ? problem : with_delassus(problem, room);
  require_plain(whole, plain);
  TemporaryName temporary(path);
  try {
    Hdf5File file = Hdf5File::create(temporary.name());
    file.set_path(path);
    write_plain(file, whole, plain);
    if (!file.close()) throw Hdf5Error(fmt::format("{}: close: {}", path, hdf5_reason()));
  } catch (const Hdf5Error& error) {
    throw EnvironmentError(error.what());
  }
  temporary.keep_as_final();
}

}  // namespace scree
