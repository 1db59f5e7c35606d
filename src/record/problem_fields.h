// Fields of a problem file, checked as they are read: each refusal is one line
// `file: path: value: rule`.
#pragma once

#include <string>
#include <vector>

#include "record/hdf5_file.h"
#include "scree/matrix_problem.h"

namespace scree {

/// Numbers with their shape, in the order of the file (C order).
struct NumberTable {
  std::vector<std::uint64_t> shape;  // empty: a single value
  std::vector<double> values;
};

class ProblemFields {
 public:
  /// Throws InputError when the file cannot be opened.
  explicit ProblemFields(const std::string& path);

  const Hdf5File& file() const { return file_; }
  bool has(const std::string& name) const { return file_.has(name); }

  /// All of the following throw InputError. A single value may be a scalar or an array of length 1.
  int integer(const std::string& name, int least, const std::string& rule) const;
  double number(const std::string& name) const;  // finite
  std::vector<int> integers(const std::string& name) const;
  /// Finite numbers in one dimension; a size of -1 takes any.
  VecX vector(const std::string& name, int size = -1) const;
  /// The same, with infinities.
  VecX bounds(const std::string& name, int size) const;
  /// The same, as a row or a column too.
  VecX loose_bounds(const std::string& name, int size) const;
  /// Two columns, or two rows, of bounds.
  void bound_pairs(const std::string& name, int size, VecX& lower, VecX& upper) const;
  /// One or two dimensions, finite.
  NumberTable table(const std::string& name) const;
  /// Empty where there is none, or where it is no text.
  std::string text(const std::string& name) const;
  /// Attributes that may be missing: 0 then, and where they make no sense.
  std::int64_t integer_note(const std::string& object, const std::string& name) const;
  double number_note(const std::string& object, const std::string& name) const;

  /// `count` rows of three finite numbers.
  std::vector<Vec3> vectors(const std::string& name, std::size_t count) const;
  /// `count` rows of `columns` whole numbers from `least` to `most`.
  std::vector<int> whole_rows(const std::string& name, std::size_t count, int columns, int least,
                              int most) const;
  /// `count` rows of `columns` finite numbers.
  std::vector<double> rows(const std::string& name, std::size_t count, int columns) const;
  std::size_t row_count(const std::string& name) const;  // of a table

  [[noreturn]] void refuse(const std::string& name, const std::string& value,
                           const std::string& rule) const;
  [[noreturn]] void refuse(const std::string& name, double value, const std::string& rule) const;
  [[noreturn]] void refuse_missing(const std::string& name) const;

 private:
  NumberTable read(const std::string& name) const;
  VecX plain_vector(const std::string& name, int size) const;
  double single(const std::string& name) const;

  Hdf5File file_;
};

/// "4 x 3".
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace scree
