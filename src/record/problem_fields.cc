#include "record/problem_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "scree/error.h"

namespace scree {
namespace {

Hdf5File open_file(const std::string& path) {
  try {
    return Hdf5File::open(path);
  } catch (const Hdf5Error& error) {
    throw InputError(one_line(error.what()));
  }
}

}  // namespace

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  if (shape.empty()) return "a single value";
  std::string text;
  for (const std::uint64_t n : shape) text += fmt::format("{}{}", text.empty() ? "" : " x ", n);
  return text;
}

ProblemFields::ProblemFields(const std::string& path) : file_(open_file(path)) {}

void ProblemFields::refuse(const std::string& name, const std::string& value,
                           const std::string& rule) const {
  throw InputError(one_line(fmt::format("{}: {}: {}: {}", file_.path(), name, value, rule)));
}

void ProblemFields::refuse(const std::string& name, double value, const std::string& rule) const {
  refuse(name, fmt::format("{}", value), rule);
}

void ProblemFields::refuse_missing(const std::string& name) const {
  refuse(name, "missing", "the format has it");
}

NumberTable ProblemFields::read(const std::string& name) const {
  if (!has(name)) refuse_missing(name);
  NumberTable table;
  try {
    table.values = file_.read_numbers<double>(name, table.shape);
  } catch (const Hdf5Error& error) {
    const std::string said = error.what();
    const std::string place = file_.path() + ": ";
    refuse(name, "not readable", said.starts_with(place) ? said.substr(place.size()) : said);
  }
  return table;
}

double ProblemFields::single(const std::string& name) const {
  const NumberTable table = read(name);
  if (table.values.size() != 1) refuse(name, shape_text(table.shape), "must hold one value");
  return table.values[0];
}

int ProblemFields::integer(const std::string& name, int least, const std::string& rule) const {
  const double value = single(name);
  const bool fits = value >= least && value <= std::numeric_limits<int>::max();
  if (!fits || value != std::floor(value)) refuse(name, value, rule);
  return static_cast<int>(value);
}

double ProblemFields::number(const std::string& name) const {
  const double value = single(name);
  if (!std::isfinite(value)) refuse(name, value, "must be finite");
  return value;
}

std::vector<int> ProblemFields::integers(const std::string& name) const {
  const NumberTable table = read(name);
  if (table.shape.size() != 1) refuse(name, shape_text(table.shape), "must have one dimension");
  std::vector<int> out;
  out.reserve(table.values.size());
  for (const double value : table.values) {
    if (!(std::abs(value) <= std::numeric_limits<int>::max()) || value != std::floor(value)) {
      refuse(name, value, "must be a whole number of 32 bits");
    }
    out.push_back(static_cast<int>(value));
  }
  return out;
}

VecX ProblemFields::plain_vector(const std::string& name, int size) const {
  const NumberTable table = read(name);
  if (table.shape.size() != 1) refuse(name, shape_text(table.shape), "must have one dimension");
  if (table.values.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    refuse(name, shape_text(table.shape), "must have fewer than 2^31 entries");
  }
  if (size >= 0 && table.values.size() != static_cast<std::size_t>(size)) {
    refuse(name, fmt::format("{} entries", table.values.size()), fmt::format("must have {}", size));
  }
  return Eigen::Map<const VecX>(table.values.data(), static_cast<int>(table.values.size()));
}

VecX ProblemFields::vector(const std::string& name, int size) const {
  VecX values = plain_vector(name, size);
  for (const double value : values) {
    if (!std::isfinite(value)) refuse(name, value, "must be finite");
  }
  return values;
}

VecX ProblemFields::bounds(const std::string& name, int size) const {
  VecX values = plain_vector(name, size);
  for (const double value : values) {
    if (std::isnan(value)) refuse(name, value, "must be a number or infinite");
  }
  return values;
}

VecX ProblemFields::loose_bounds(const std::string& name, int size) const {
  const NumberTable found = read(name);
  if (found.values.size() != static_cast<std::size_t>(size)) {
    refuse(name, shape_text(found.shape), fmt::format("must have {} entries", size));
  }
  for (const double value : found.values) {
    if (std::isnan(value)) refuse(name, value, "must be a number or infinite");
  }
  return Eigen::Map<const VecX>(found.values.data(), size);
}

void ProblemFields::bound_pairs(const std::string& name, int size, VecX& lower, VecX& upper) const {
  const VecX both = loose_bounds(name, 2 * size);
  const NumberTable found = read(name);
  const bool is_by_rows = found.shape.size() != 2 || found.shape[1] == 2 || found.shape[1] == 1;
  lower.resize(size);
  upper.resize(size);
  for (int i = 0; i < size; ++i) {
    lower[i] = both[is_by_rows ? 2 * i : i];
    upper[i] = both[is_by_rows ? 2 * i + 1 : size + i];
  }
}

NumberTable ProblemFields::table(const std::string& name) const {
  NumberTable table = read(name);
  if (table.shape.size() > 2 || table.shape.empty()) {
    refuse(name, shape_text(table.shape), "must have one or two dimensions");
  }
  for (const double value : table.values) {
    if (!std::isfinite(value)) refuse(name, value, "must be finite");
  }
  return table;
}

std::string ProblemFields::text(const std::string& name) const {
  if (!has(name)) return {};
  try {
    return file_.read_text(name);
  } catch (const Hdf5Error&) {
    return {};  // what people wrote about the problem is no part of it
  }
}

std::int64_t ProblemFields::integer_note(const std::string& object, const std::string& name) const {
  try {
    if (!file_.has_attribute(object, name)) return 0;
    return std::max<std::int64_t>(0, file_.integer_attribute(object, name));
  } catch (const Hdf5Error&) {
    return 0;
  }
}

double ProblemFields::number_note(const std::string& object, const std::string& name) const {
  try {
    if (!file_.has_attribute(object, name)) return 0.0;
    const double value = file_.number_attribute(object, name);
    return std::isfinite(value) && value > 0.0 ? value : 0.0;
  } catch (const Hdf5Error&) {
    return 0.0;
  }
}

std::vector<double> ProblemFields::rows(const std::string& name, std::size_t count,
                                        int columns) const {
  NumberTable found = table(name);
  const bool fits = columns == 1 ? found.shape.size() == 1 && found.shape[0] == count
                                 : found.shape.size() == 2 && found.shape[0] == count &&
                                       found.shape[1] == static_cast<std::uint64_t>(columns);
  if (!fits) {
    refuse(name, shape_text(found.shape),
           columns == 1 ? fmt::format("must have {} entries", count)
                        : fmt::format("must be {} x {}", count, columns));
  }
  return std::move(found.values);
}

std::vector<Vec3> ProblemFields::vectors(const std::string& name, std::size_t count) const {
  const std::vector<double> numbers = rows(name, count, 3);
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < count; ++i) out.emplace_back(numbers.data() + 3 * i);
  return out;
}

std::vector<int> ProblemFields::whole_rows(const std::string& name, std::size_t count, int columns,
                                           int least, int most) const {
  std::vector<int> out;
  for (const double value : rows(name, count, columns)) {
    if (!(value >= least && value <= most) || value != std::floor(value)) {
      refuse(fmt::format("{}[{}]", name, out.size() / static_cast<std::size_t>(columns)), value,
             fmt::format("must be a whole number from {} to {}", least, most));
    }
    out.push_back(static_cast<int>(value));
  }
  return out;
}

std::size_t ProblemFields::row_count(const std::string& name) const {
  const NumberTable found = read(name);
  if (found.shape.empty()) refuse(name, "a single value", "must be an array");
  if (found.values.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 16) {
    refuse(name, shape_text(found.shape), "is larger than this program handles");
  }
  return found.shape[0];
}

}  // namespace scree
