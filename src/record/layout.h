// What stands where in a recording; the writer and the reader share these tables,
// docs/recording-format.md explains them.
#pragma once

#include <array>
#include <span>
#include <string>

#include "record/hdf5_file.h"
#include "record/recorder.h"
#include "scree/receipt.h"

namespace scree {

constexpr std::int64_t kRecordingVersion = 1;  // raised when an older reader would misread the file
constexpr std::int64_t kCheckpointVersion = 1;
constexpr const char* kRecordingFormat = "scree recording";
constexpr const char* kCheckpointFormat = "scree checkpoint";

/// A number of the receipt, one per frame, at /solver/<name>.
struct ReceiptNumber {
  const char* name;
  const char* units;
  const char* description;
  double& (*of)(Receipt&);
};
struct ReceiptInteger {
  const char* name;
  const char* units;
  const char* description;
  int& (*of)(Receipt&);
};
std::span<const ReceiptNumber> receipt_numbers();
std::span<const ReceiptInteger> receipt_integers();

/// Names of the solve statuses in the file, by code; the code is the file's own, not the program's
/// enumeration.
struct StatusCode {
  const char* name;
  SolveStatus status;
};
std::span<const StatusCode> status_codes();
/// HDF5 enumeration of them, on 8-bit integers.
Hdf5Handle status_type();
/// h5py's own enumeration for truth values (FALSE, TRUE on 8-bit integers), so that NumPy shows
/// bools.
Hdf5Handle bool_type();

constexpr std::size_t kMethodLength =
    48;  // bytes of a solver's name in /solver/method, padded with zeros
Hdf5Handle method_type();

/// Attributes of /meta. `format` tells recordings from checkpoints.
void write_meta(Hdf5File& file, const std::string& format, std::int64_t version,
                const Provenance& provenance, const std::string& scene_text);
struct Meta {
  Provenance provenance;
  std::string version;  // of the program, with its commit
};
/// Throws InputError: not a file of this format, or of a newer version.
Meta read_meta(const Hdf5File& file, const std::string& format, std::int64_t highest_version);
/// The text in /scene, compared with its hash. Throws InputError when they differ.
std::string read_scene_of(const Hdf5File& file);
/// False too when the file cannot be opened.
bool has_format(const std::string& path, const std::string& format);

/// `count`: of the bodies there are, the world included. Throws InputError where the scene has others,
/// as one does whose bodies a World has forgotten: the file could not be read again.
void require_bodies(const std::string& path, const Scene& scene, std::size_t count);
/// The scene as text that needs no other file: meshes are written in place.
std::string scene_text_alone(const Scene& scene);
/// 16 hexadecimal digits, FNV-1a of the text.
std::string text_hash(const std::string& text);

}  // namespace scree
