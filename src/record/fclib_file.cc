#include "record/fclib_file.h"

#include <fmt/format.h>

#include <array>

namespace scree {
namespace {

using Triplet = Eigen::Triplet<double>;

/// A matrix group as its entries. Triplets may repeat a place: the entries add up.
struct MatrixEntries {
  int rows = 0, columns = 0;
  std::vector<Triplet> entries;
};

void add_entry(const ProblemFields& fields, const std::string& group, const char* first,
               MatrixEntries& matrix, int row, int column, double value) {
  if (row < 0 || row >= matrix.rows || column < 0 || column >= matrix.columns) {
    fields.refuse(
        group + "/" + first, fmt::format("entry ({}, {})", row, column),
        fmt::format("must be inside {} x {}, counted from 0", matrix.rows, matrix.columns));
  }
  matrix.entries.emplace_back(row, column, value);
}

/// i is the row and p the column, whatever FCLIB's own header says. nzmax may be larger than nz.
void read_triplets(const ProblemFields& fields, const std::string& group, int count,
                   MatrixEntries& matrix) {
  const std::vector<int> row = fields.integers(group + "/i"),
                         column = fields.integers(group + "/p");
  const VecX value = fields.vector(group + "/x");
  const auto room = std::min({row.size(), column.size(), static_cast<std::size_t>(value.size())});
  if (room < static_cast<std::size_t>(count)) {
    fields.refuse(group + "/nz", count, fmt::format("must be at most the {} entries stored", room));
  }
  for (int k = 0; k < count; ++k) {
    add_entry(fields, group, "i", matrix, row[k], column[k], value[k]);
  }
}

/// Lines are columns (CSC) or rows (CSR); entries inside a line need no order.
void read_compressed(const ProblemFields& fields, const std::string& group, bool by_rows,
                     MatrixEntries& matrix) {
  const int lines = by_rows ? matrix.rows : matrix.columns;
  const std::vector<int> start = fields.integers(group + "/p"),
                         place = fields.integers(group + "/i");
  const VecX value = fields.vector(group + "/x");
  if (start.size() != static_cast<std::size_t>(lines) + 1) {
    fields.refuse(group + "/p", fmt::format("{} entries", start.size()),
                  fmt::format("must have {}", lines + 1));
  }
  const auto room =
      static_cast<int>(std::min(place.size(), static_cast<std::size_t>(value.size())));
  if (start[0] != 0) fields.refuse(group + "/p", start[0], "must begin with 0");
  for (int line = 0; line < lines; ++line) {
    if (start[line + 1] < start[line] || start[line + 1] > room) {
      fields.refuse(group + "/p", start[line + 1],
                    fmt::format("must not fall and stay within the {} entries stored", room));
    }
    for (int k = start[line]; k < start[line + 1]; ++k) {
      add_entry(fields, group, "i", matrix, by_rows ? line : place[k], by_rows ? place[k] : line,
                value[k]);
    }
  }
}

/// The sizes are known from the vectors, so that a false header costs no memory.
MatrixEntries read_matrix(const ProblemFields& fields, const std::string& group, int rows,
                          int columns) {
  if (!fields.has(group)) fields.refuse_missing(group);
  MatrixEntries matrix;
  matrix.rows = fields.integer(group + "/m", 0, fmt::format("must be {}", rows));
  matrix.columns = fields.integer(group + "/n", 0, fmt::format("must be {}", columns));
  if (matrix.rows != rows) {
    fields.refuse(group + "/m", matrix.rows, fmt::format("must be {}", rows));
  }
  if (matrix.columns != columns) {
    fields.refuse(group + "/n", matrix.columns, fmt::format("must be {}", columns));
  }
  const int kind = fields.integer(group + "/nz", -2,
                                  "must be a number of triplets, -1 (by columns) or -2 (by rows)");
  if (kind >= 0) {
    read_triplets(fields, group, kind, matrix);
  } else {
    read_compressed(fields, group, kind == -2, matrix);
  }
  return matrix;
}

void append(std::vector<Triplet>& entries, const MatrixEntries& part, int row, int column,
            bool is_transposed) {
  for (const Triplet& entry : part.entries) {
    const int i = is_transposed ? entry.col() : entry.row();
    const int j = is_transposed ? entry.row() : entry.col();
    entries.emplace_back(row + i, column + j, entry.value());
  }
}

/// Some codes store one triangle of a symmetric mass matrix and do not say so.
void mirror_triangle(MatrixEntries& matrix) {
  bool is_above = false, is_below = false;
  for (const Triplet& entry : matrix.entries) {
    if (entry.value() == 0.0) continue;
    is_above = is_above || entry.col() > entry.row();
    is_below = is_below || entry.col() < entry.row();
  }
  if (is_above == is_below) return;
  const std::size_t count = matrix.entries.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Triplet entry = matrix.entries[k];
    if (entry.row() != entry.col()) {
      matrix.entries.emplace_back(entry.col(), entry.row(), entry.value());
    }
  }
}

/// What local and global problems share: the size of a contact, the coefficients of friction.
struct Contacts {
  int dimension = 3, count = 0;
  VecX friction, rolling_friction;

  int rows() const { return dimension * count; }
};

VecX read_friction(const ProblemFields& fields, const std::string& name, int count) {
  VecX friction = fields.vector(name, count);
  for (int c = 0; c < count; ++c) {
    if (friction[c] < 0.0) {
      fields.refuse(fmt::format("{}[{}]", name, c), friction[c], "must be 0 or more");
    }
  }
  return friction;
}

/// `size` entries of the contacts' vectors tell how many contacts there are.
Contacts read_contacts(const ProblemFields& fields, const std::string& group, bool is_rolling,
                       const std::string& counted, Eigen::Index size) {
  Contacts contacts;
  const std::string rule = is_rolling ? "must be 5" : "must be 2 or 3";
  contacts.dimension = fields.integer(group + "/spacedim", 2, rule);
  const bool fits = is_rolling ? contacts.dimension == 5 : contacts.dimension <= 3;
  if (!fits) fields.refuse(group + "/spacedim", contacts.dimension, rule);
  if (size % contacts.dimension != 0) {
    fields.refuse(counted, fmt::format("{} entries", size),
                  fmt::format("must be a multiple of spacedim {}", contacts.dimension));
  }
  contacts.count = static_cast<int>(size) / contacts.dimension;
  contacts.friction = read_friction(fields, group + "/vectors/mu", contacts.count);
  if (is_rolling) {
    contacts.rolling_friction = read_friction(fields, group + "/vectors/mu_r", contacts.count);
  }
  return contacts;
}

void make_blocks(const Contacts& contacts, int equations, MatrixProblem& matrices) {
  for (int c = 0; c < contacts.count; ++c) {
    MatrixBlock& block = matrices.blocks.emplace_back();
    block.first = c * contacts.dimension;
    block.size = contacts.dimension;
    block.friction = contacts.friction[c];
    if (contacts.rolling_friction.size() > 0) block.rolling_friction = contacts.rolling_friction[c];
  }
  for (int k = 0; k < equations; ++k) {
    MatrixBlock& block = matrices.blocks.emplace_back();
    block.kind = MatrixBlock::Kind::bounded;
    block.first = contacts.rows() + k;
    block.size = 1;
  }
}

VecX joined(const VecX& first, const VecX& second) {
  VecX all(first.size() + second.size());
  all << first, second;
  return all;
}

SparseRows made(int rows, int columns, const std::vector<Triplet>& entries) {
  SparseRows matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Returns the number of equations.
int read_local(const ProblemFields& fields, const std::string& group, bool is_rolling,
               MatrixProblem& matrices) {
  const VecX q = fields.vector(group + "/vectors/q");
  const Contacts contacts =
      read_contacts(fields, group, is_rolling, group + "/vectors/q", q.size());
  const int m = contacts.rows();
  std::vector<Triplet> entries;
  append(entries, read_matrix(fields, group + "/W", m, m), 0, 0, false);
  VecX s(0);
  if (fields.has(group + "/V") || fields.has(group + "/R")) {
    s = fields.vector(group + "/vectors/s");
    const int p = static_cast<int>(s.size());
    const MatrixEntries V = read_matrix(fields, group + "/V", m, p);
    append(entries, V, 0, m, false);
    append(entries, V, m, 0, true);
    append(entries, read_matrix(fields, group + "/R", p, p), m, m, false);
  }
  matrices.q = joined(q, s);
  matrices.W = made(matrices.rows(), matrices.rows(), entries);
  make_blocks(contacts, static_cast<int>(s.size()), matrices);
  return static_cast<int>(s.size());
}

int read_global(const ProblemFields& fields, const std::string& group, bool is_rolling,
                MatrixProblem& matrices) {
  auto form = std::make_shared<VelocityForm>();
  form->free_impulse = fields.vector(group + "/vectors/f");
  const VecX w = fields.vector(group + "/vectors/w");
  const Contacts contacts =
      read_contacts(fields, group, is_rolling, group + "/vectors/w", w.size());
  const int n = static_cast<int>(form->free_impulse.size()), m = contacts.rows();
  MatrixEntries mass = read_matrix(fields, group + "/M", n, n);
  mirror_triangle(mass);
  form->mass.resize(n, n);
  form->mass.setFromTriplets(mass.entries.begin(), mass.entries.end());

  std::vector<Triplet> entries;
  append(entries, read_matrix(fields, group + "/H", n, m), 0, 0, true);
  VecX b(0);
  if (fields.has(group + "/G")) {
    b = fields.vector(group + "/vectors/b");
    append(entries, read_matrix(fields, group + "/G", n, static_cast<int>(b.size())), m, 0, true);
  }
  form->bias = joined(w, b);
  form->jacobian = made(static_cast<int>(form->bias.size()), n, entries);
  matrices.q = VecX::Zero(form->bias.size());  // of form_delassus()
  matrices.velocity = std::move(form);
  make_blocks(contacts, static_cast<int>(b.size()), matrices);
  return static_cast<int>(b.size());
}

/// r of the contacts, then l of the equations.
std::optional<VecX> read_impulses(const ProblemFields& fields, const std::string& group, int m,
                                  int equations) {
  if (!fields.has(group + "/r")) return std::nullopt;
  const VecX r = fields.vector(group + "/r", m);
  if (equations == 0) return r;
  VecX l = VecX::Zero(equations);
  if (fields.has(group + "/l")) l = fields.vector(group + "/l", equations);
  return joined(r, l);
}

/// What the producing program says about the problem; nothing depends on it but the least velocity
/// of the residual, which Scree adds.
void read_notes(const ProblemFields& fields, const std::string& group, StoredProblem& problem) {
  problem.title = fields.text(group + "/info/title");
  problem.description = fields.text(group + "/info/description");
  problem.degrees_of_freedom = fields.integer_note(group + "/info", "numberOfDegreeOfFreedom");
  if (problem.degrees_of_freedom == 0 && problem.matrices.velocity) {
    problem.degrees_of_freedom = problem.matrices.velocity->mass.rows();
  }
  problem.matrices.least_velocity = fields.number_note(group, "least_velocity");
}

struct Layout {
  const char* group;
  const char* format;
  bool is_global, is_rolling;
};
constexpr std::array<Layout, 4> kLayouts{
    Layout{"/fclib_local", "fclib-local", false, false},
    Layout{"/fclib_global", "fclib-global", true, false},
    Layout{"/fclib_local_rolling", "fclib-local-rolling", false, true},
    Layout{"/fclib_global_rolling", "fclib-global-rolling", true, true}};

}  // namespace

bool is_fclib_file(const Hdf5File& file) {
  for (const Layout& layout : kLayouts) {
    if (file.has(layout.group)) return true;
  }
  return false;
}

void read_fclib(const ProblemFields& fields, StoredProblem& problem) {
  for (const Layout& layout : kLayouts) {
    const std::string group = layout.group;
    if (!fields.has(group)) continue;
    problem.format = layout.format;
    const int equations = layout.is_global
                              ? read_global(fields, group, layout.is_rolling, problem.matrices)
                              : read_local(fields, group, layout.is_rolling, problem.matrices);
    const int m = problem.matrices.rows() - equations;
    read_notes(fields, group, problem);
    problem.solution = read_impulses(fields, "/solution", m, equations);
    problem.guess = read_impulses(fields, "/guesses/1", m, equations);
    return;
  }
}

}  // namespace scree
