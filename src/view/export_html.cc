#include "view/export_html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/script_text.h"
#include "record/output_file.h"
#include "scree/error.h"
#include "view/asset_store.h"
#include "view/frame_codec.h"
#include "view/replay_view.h"

namespace scree {
namespace {

/// A zlib stream that takes its input in parts.
class Deflater {
 public:
  Deflater() { deflateInit(&stream_, 6); }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(std::string_view bytes, int flush = Z_NO_FLUSH) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 65536> part;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(part.data());
      stream_.avail_out = static_cast<uInt>(part.size());
      deflate(&stream_, flush);
      packed_.append(part.data(), part.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }
  std::string finish() {
    add({}, Z_FINISH);
    return std::move(packed_);
  }

 private:
  z_stream stream_{};
  std::string packed_;
};

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= left ? kLetters[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

std::string asset(std::span<const Asset> assets, std::string_view path) {
  for (const Asset& a : assets) {
    if (a.path == path) return inflate_gzip(a.gzip);
  }
  throw EnvironmentError(fmt::format("this program was built without the viewer's {}", path));
}

void replace_once(std::string& text, std::string_view what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) {
    throw EnvironmentError(fmt::format(
        "the viewer's page in this program has no {}: it was built from other sources", what));
  }
  text.replace(at, what.size(), with);
}

constexpr double kTimeBytes = 20.0;  // of a frame's time in hello
constexpr double kCaution = 1.05;    // the frames that are left change more from one to the next
constexpr double kWellUsed = 0.9;    // of the room; more is not worth another try

InputError too_small(double most, double fixed, double frame) {
  return InputError(fmt::format(
      "a page of at most {:.1f} MB cannot hold this recording: the viewer and the scene take "
      "{:.1f} MB, a frame {:.2f} MB; raise --max-size",
      most / 1e6, fixed / 1e6, frame / 1e6));
}

struct Selection {
  int stride = 1;
  bool has_contacts = true;
};

std::vector<int> frames_of(const Recording& recording, int stride) {
  std::vector<int> frames;
  for (int i = 0; i < recording.frame_count(); i += stride) frames.push_back(i);
  const int last = recording.frame_count() - 1;
  if (!frames.empty() && frames.back() != last) frames.push_back(last);
  return frames;
}

/// Frames as the page reads them: length, four bytes of nothing, frame.
std::string pack_frames(const Recording& recording, const Selection& selection,
                        const std::vector<int>& frames) {
  const FrameWishes wishes{.has_contacts = selection.has_contacts,
                           .velocities = FrameWishes::Velocities::full};
  const std::vector<int> moving = moving_bodies(recording.scene());
  FrameEncoder encoder;
  Snapshot snapshot;
  Deflater deflater;
  std::uint32_t number = 0;
  for (const int index : frames) {
    const Frame frame = recording.frame(index);
    take_snapshot(frame, moving, recording.provenance().step, wishes, snapshot);
    const auto row = step_row(frame.receipt);
    const RowTable steps{.columns = kStepColumns, .values = {row.begin(), row.end()}};
    const std::string bytes = encoder.encode(snapshot, number++, wishes, steps);
    const std::array<std::uint32_t, 2> head{static_cast<std::uint32_t>(bytes.size()), 0};
    deflater.add({reinterpret_cast<const char*>(head.data()), sizeof head});
    deflater.add(bytes);
  }
  return base64(deflater.finish());
}

/// Bytes of a page per frame, by packing a few runs of neighbours: a frame holds what changed since
/// the one before it, so frames from far apart would say too much.
double bytes_per_frame(const Recording& recording, bool has_contacts) {
  constexpr int kRuns = 4, kRunFrames = 5;
  const int count = recording.frame_count();
  const int spacing = std::max(kRunFrames, count / kRuns);
  std::vector<int> starts, all;
  for (int start = 0; start < count; start += spacing) {
    starts.push_back(start);
    for (int k = start; k < std::min(count, start + kRunFrames); ++k) all.push_back(k);
  }
  const auto size = [&](const std::vector<int>& frames) {
    return static_cast<double>(pack_frames(recording, {1, has_contacts}, frames).size());
  };
  if (all.size() == starts.size()) return size(all) / static_cast<double>(all.size());
  return (size(all) - size(starts)) / static_cast<double>(all.size() - starts.size()) + kTimeBytes;
}

Selection select(const Recording& recording, double room, bool may_have_contacts) {
  const auto stride_for = [&](bool has_contacts) {
    const double bytes = recording.frame_count() * bytes_per_frame(recording, has_contacts);
    return std::max(1, static_cast<int>(std::ceil(bytes / room)));
  };
  const Selection selection{stride_for(may_have_contacts), may_have_contacts};
  if (!may_have_contacts || selection.stride <= 4) return selection;
  // A few frames with contacts are worth less than many without.
  const Selection bare{stride_for(false), false};
  return bare.stride * 2 <= selection.stride ? bare : selection;
}

std::string compose(const Recording& recording, std::span<const Asset> assets,
                    const std::vector<int>& frames, const std::string& packed) {
  std::string page = asset(assets, "/");
  const std::string hello = to_text(describe_recording(recording, frames));
  replace_once(page, R"(<link rel="icon" href="icon.svg" type="image/svg+xml" />)",
               fmt::format(R"(<link rel="icon" href="data:image/svg+xml;base64,{}" />)",
                           base64(asset(assets, "/icon.svg"))));
  replace_once(page, R"(<link rel="stylesheet" href="viewer.css" />)",
               "<style>" + asset(assets, "/viewer.css") + "</style>");
  replace_once(page, R"(<script type="module" src="viewer.js"></script>)",
               "<script id=\"scree-hello\" type=\"application/json\">" + inside_script(hello) +
                   "</script>\n<script id=\"scree-frames\" type=\"text/plain\">" + packed +
                   "</script>\n<script type=\"module\">" + asset(assets, "/viewer.js") +
                   "</script>");
  return page;
}

struct Page {
  std::string text;
  std::size_t frames = 0;
  Selection selection;
};

Page make_page(const Recording& recording, std::span<const Asset> assets,
               const Selection& selection) {
  const std::vector<int> frames = frames_of(recording, selection.stride);
  return {compose(recording, assets, frames, pack_frames(recording, selection, frames)),
          frames.size(), selection};
}

/// The page with as many frames as it can have. `selection` is a guess; a page that is made tells
/// how good it was, so that two or three suffice. `fixed` bytes are without frames.
Page fit_page(const Recording& recording, std::span<const Asset> assets, Selection selection,
              double fixed, double most) {
  int too_dense = 0;  // the stride of a page that was too large
  for (;;) {
    Page page = make_page(recording, assets, selection);
    const double taken = static_cast<double>(page.text.size()) - fixed;
    const double use = taken / (most - fixed);
    if (use <= 1.0) {
      const int denser = std::max(1, static_cast<int>(selection.stride * use));
      if (selection.stride == 1 || use > kWellUsed || denser <= too_dense) return page;
      Page more = make_page(recording, assets, {denser, selection.has_contacts});
      return static_cast<double>(more.text.size()) <= most ? more : page;
    }
    if (page.frames > 2) {
      too_dense = selection.stride;
      selection.stride = static_cast<int>(
          std::min(1e9, std::ceil(std::max(kCaution * selection.stride * use, too_dense + 1.0))));
    } else if (selection.has_contacts) {
      selection = {1, false};
      too_dense = 0;
    } else {
      throw too_small(most, fixed, taken / static_cast<double>(page.frames));
    }
  }
}

}  // namespace

HtmlReport export_html(const Recording& recording, const std::string& path,
                       std::span<const Asset> assets, const HtmlOptions& options) {
  const int count = recording.frame_count();
  if (count == 0) throw InputError(fmt::format("{}: has no frames to show", recording.path()));
  const auto fixed = static_cast<double>(compose(recording, assets, {0}, "").size());
  const auto most = static_cast<double>(options.max_bytes);
  if (most <= fixed) throw too_small(most, fixed, bytes_per_frame(recording, false));
  const Selection guess = select(recording, most - fixed, options.has_contacts);
  const Page page = fit_page(recording, assets, guess, fixed, most);
  OutputFile file(path);
  file.write(page.text);
  file.finish();
  return {page.text.size(), static_cast<int>(page.frames), count, page.selection.has_contacts};
}

}  // namespace scree
