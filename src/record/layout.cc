#include "record/layout.h"

#include <fmt/format.h>

#include <bit>

#include "base/version.h"
#include "model/scene_file.h"
#include "scree/error.h"

namespace scree {
namespace {

template <double Residuals::*Field>
double& residual(Receipt& receipt) {
  return receipt.residuals.*Field;
}
template <double Receipt::*Field>
double& number(Receipt& receipt) {
  return receipt.*Field;
}
template <double Receipt::Times::*Field>
double& stage_time(Receipt& receipt) {
  return receipt.ms.*Field;
}
template <int Receipt::*Field>
int& integer(Receipt& receipt) {
  return receipt.*Field;
}
int& worst_contact(Receipt& receipt) { return receipt.residuals.worst_contact; }

constexpr ReceiptNumber kNumbers[] = {
    {"residual", "1", "the residual: rms over blocks, over the reference velocity",
     residual<&Residuals::relative_rms>},
    {"residual_worst", "1", "residual of the worst block, over the reference velocity",
     residual<&Residuals::relative_worst>},
    {"rms", "m/s", "rms residual over blocks", residual<&Residuals::rms>},
    {"worst", "m/s", "residual of the worst block", residual<&Residuals::worst>},
    {"reference_velocity", "m/s", "what relative residuals are divided by",
     residual<&Residuals::reference_velocity>},
    {"normal", "m/s", "worst natural-map residual of a normal row", residual<&Residuals::normal>},
    {"violation", "m/s", "worst approach velocity left", residual<&Residuals::violation>},
    {"complementarity", "1", "sum of |p_n u_n| over the kinetic-energy scale",
     residual<&Residuals::complementarity>},
    {"cone", "1", "worst violation of the friction cone", residual<&Residuals::cone>},
    {"friction_power", "W s", "sum of mu p_n |u_t| + p_t.u_t",
     residual<&Residuals::friction_power>},
    {"friction_direction", "N s", "worst |p_t + mu p_n u_t/|u_t||",
     residual<&Residuals::friction_direction>},
    {"fischer_burmeister", "1", "Fischer-Burmeister merit of the normal rows",
     residual<&Residuals::fischer_burmeister>},
    {"cone_fischer_burmeister", "m/s", "worst Fischer-Burmeister residual on the cone",
     residual<&Residuals::cone_fischer_burmeister>},
    {"siconos", "1", "residual by the definition of Siconos", residual<&Residuals::siconos>},
    {"ccp_rms", "1", "relative rms with the convex relaxation", residual<&Residuals::ccp_rms>},
    {"ncp_rms", "1", "relative rms with the exact law", residual<&Residuals::ncp_rms>},
    {"rows", "m/s", "worst residual of a single row (joints, limits, motors)",
     residual<&Residuals::rows>},
    {"dual_energy", "J", "1/2 p.Wp + q.p", residual<&Residuals::dual_energy>},
    {"gap", "J", "p.(u+s)", residual<&Residuals::gap>},
    {"penetration", "m", "deepest overlap the step started from", number<&Receipt::penetration>},
    {"joint_error", "m", "largest separation in a joint at the end", number<&Receipt::joint_error>},
    {"joint_angle_error", "rad", "largest forbidden turn in a joint at the end",
     number<&Receipt::joint_angle_error>},
    {"kinetic_energy", "J", "at the end of the step", number<&Receipt::kinetic_energy>},
    {"potential_energy", "J", "at the end of the step", number<&Receipt::potential_energy>},
    {"sleep_energy", "J", "kinetic energy of bodies that fell asleep in the step, taken from them",
     number<&Receipt::sleep_energy>},
    {"ms_collide", "ms", "wall-clock time of the stage", stage_time<&Receipt::Times::collide>},
    {"ms_assemble", "ms", "wall-clock time of the stage", stage_time<&Receipt::Times::assemble>},
    {"ms_solve", "ms", "wall-clock time of the stage", stage_time<&Receipt::Times::solve>},
    {"ms_integrate", "ms", "wall-clock time of the stage", stage_time<&Receipt::Times::integrate>},
    {"ms_observe", "ms", "wall-clock time of the stage", stage_time<&Receipt::Times::observe>},
};

constexpr ReceiptInteger kIntegers[] = {
    {"iterations", "1", "of the solver", integer<&Receipt::iterations>},
    {"contacts", "1", "contact points in the problem", integer<&Receipt::contacts>},
    {"substeps", "1", "the step was divided into", integer<&Receipt::substeps>},
    {"sleeping", "1", "bodies asleep at the end", integer<&Receipt::sleeping>},
    {"worst_contact", "1", "index of the contact with the worst residual, -1: none", worst_contact},
};

constexpr StatusCode kStatuses[] = {
    {"converged", SolveStatus::converged},
    {"iteration_limit", SolveStatus::iteration_limit},
    {"time_limit", SolveStatus::time_limit},
    {"stalled", SolveStatus::stalled},
    {"diverged", SolveStatus::diverged},
    {"infeasible", SolveStatus::infeasible},
    {"not_applicable", SolveStatus::not_applicable},
};

void forget_mesh_files(Shape& shape) {
  if (auto* mesh = std::get_if<Mesh>(&shape)) mesh->file.clear();
  if (auto* compound = std::get_if<Compound>(&shape)) {
    for (CompoundPart& part : compound->parts) {
      Shape copy = *part.shape;
      forget_mesh_files(copy);
      part.shape = std::make_shared<const Shape>(std::move(copy));
    }
  }
}

}  // namespace

std::span<const ReceiptNumber> receipt_numbers() { return kNumbers; }
std::span<const ReceiptInteger> receipt_integers() { return kIntegers; }
std::span<const StatusCode> status_codes() { return kStatuses; }

Hdf5Handle status_type() {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT8));
  std::int8_t code = 0;
  for (const StatusCode& status : kStatuses) {
    H5Tenum_insert(type.id(), status.name, &code);
    ++code;
  }
  return type;
}

Hdf5Handle bool_type() {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT8));
  const std::int8_t no = 0, yes = 1;
  H5Tenum_insert(type.id(), "FALSE", &no);
  H5Tenum_insert(type.id(), "TRUE", &yes);
  return type;
}

Hdf5Handle method_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), kMethodLength);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

void write_meta(Hdf5File& file, const std::string& format, std::int64_t version,
                const Provenance& provenance, const std::string& scene_text) {
  const std::string meta = "/meta";
  file.create_group(meta);
  file.set_attribute(meta, "format", format);
  file.set_attribute(meta, "format_version", version);
  file.set_attribute(meta, "program_version", std::string(program_version().number));
  file.set_attribute(meta, "commit", std::string(program_version().commit));
  file.set_attribute(meta, "compiler", std::string(program_version().compiler));
  file.set_attribute(meta, "build", std::string(program_version().build));
  file.set_attribute(meta, "byte_order",
                     std::string(std::endian::native == std::endian::little ? "little" : "big"));
  file.set_attribute(meta, "command", provenance.command);
  file.set_attribute(meta, "solver", provenance.solver);
  file.set_attribute(meta, "law", provenance.law);
  file.set_attribute(meta, "directions", std::int64_t{provenance.directions});
  file.set_attribute(meta, "collision", provenance.collision);
  file.set_attribute(meta, "on_failure", provenance.on_failure);
  file.set_attribute(meta, "step", provenance.step);
  file.set_attribute(meta, "tolerance", provenance.tolerance);
  file.set_attribute(meta, "time_limit", provenance.time_limit);
  file.set_attribute(meta, "max_iterations", std::int64_t{provenance.max_iterations});
  file.set_attribute(meta, "solver_options", provenance.solver_options);
  file.set_attribute(meta, "threads", std::int64_t{provenance.threads});
  file.set_attribute(meta, "scene_hash", text_hash(scene_text));
}

Meta read_meta(const Hdf5File& file, const std::string& format, std::int64_t highest_version) {
  const std::string meta = "/meta";
  if (!file.has_attribute(meta, "format") || !file.has_attribute(meta, "format_version")) {
    throw InputError(
        fmt::format("{}: an HDF5 file, but not a {}: /meta has no format", file.path(), format));
  }
  if (const std::string found = file.text_attribute(meta, "format"); found != format) {
    throw InputError(fmt::format("{}: not a {} but a \"{}\"", file.path(), format, found));
  }
  const std::int64_t version = file.integer_attribute(meta, "format_version");
  if (version < 1 || version > highest_version) {
    throw InputError(fmt::format("{}: {} of format version {}; this program reads versions 1 to {}",
                                 file.path(), format, version, highest_version));
  }
  Meta read;
  read.version = fmt::format("{} ({})", file.text_attribute(meta, "program_version"),
                             file.text_attribute(meta, "commit"));
  Provenance& from = read.provenance;
  from.command = file.text_attribute(meta, "command");
  from.solver = file.text_attribute(meta, "solver");
  from.law = file.text_attribute(meta, "law");
  if (file.has_attribute(meta, "directions"))
    from.directions = static_cast<int>(file.integer_attribute(meta, "directions"));
  from.collision = file.text_attribute(meta, "collision");
  from.on_failure = file.text_attribute(meta, "on_failure");
  from.step = file.number_attribute(meta, "step");
  from.tolerance = file.number_attribute(meta, "tolerance");
  from.time_limit = file.number_attribute(meta, "time_limit");
  from.max_iterations = static_cast<int>(file.integer_attribute(meta, "max_iterations"));
  if (file.has_attribute(meta, "solver_options")) {
    from.solver_options = file.text_attribute(meta, "solver_options");
  }
  from.threads = static_cast<int>(file.integer_attribute(meta, "threads"));
  return read;
}

std::string read_scene_of(const Hdf5File& file) {
  const std::string text = file.read_text("/scene");
  if (text_hash(text) != file.text_attribute("/meta", "scene_hash")) {
    throw InputError(fmt::format("{}: /scene is damaged: its text does not have the hash of /meta",
                                 file.path()));
  }
  return text;
}

bool has_format(const std::string& path, const std::string& format) {
  try {
    const Hdf5File file = Hdf5File::open(path);
    return file.has_attribute("/meta", "format") &&
           file.text_attribute("/meta", "format") == format;
  } catch (const Hdf5Error&) {
    return false;
  }
}

void require_bodies(const std::string& path, const Scene& scene, std::size_t count) {
  if (scene.bodies.size() + 1 == count) return;
  throw InputError(
      fmt::format("{}: the scene to be written must have {} bodies, as the state has, "
                  "got {}",
                  path, count - 1, scene.bodies.size()));
}

std::string scene_text_alone(const Scene& scene) {
  Scene alone = scene;
  for (Body& body : alone.bodies) {
    if (body.shape) forget_mesh_files(*body.shape);
  }
  return write_scene(alone);
}

std::string text_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a, 64 bits
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 1099511628211ull;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace scree
