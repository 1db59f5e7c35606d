#include "view/export_html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

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
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

/// JSON that stands inside <script>: nothing in it may look like the end of that element. (The
/// script itself is made so by what builds it.)
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
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

/// Bytes of a page per frame, by packing a few frames from all over the recording.
double bytes_per_frame(const Recording& recording, bool has_contacts) {
  constexpr int kSamples = 8;
  const int stride = std::max(1, recording.frame_count() / kSamples);
  const std::vector<int> frames = frames_of(recording, stride);
  return static_cast<double>(pack_frames(recording, {stride, has_contacts}, frames).size()) /
         static_cast<double>(frames.size());
}

Selection select(const Recording& recording, double room, bool may_have_contacts) {
  const int count = recording.frame_count();
  const double bare = bytes_per_frame(recording, false);
  const double full = may_have_contacts ? bytes_per_frame(recording, true) : bare;
  const auto stride_for = [&](double bytes) {
    return std::max(1, static_cast<int>(std::ceil(count * bytes / room)));
  };
  Selection selection{stride_for(full), may_have_contacts};
  // A few frames with contacts are worth less than many without.
  if (may_have_contacts && selection.stride > 4 && stride_for(bare) * 2 <= selection.stride) {
    selection = {stride_for(bare), false};
  }
  return selection;
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

}  // namespace

HtmlReport export_html(const Recording& recording, const std::string& path,
                       std::span<const Asset> assets, const HtmlOptions& options) {
  const int count = recording.frame_count();
  if (count == 0) throw InputError(fmt::format("{}: has no frames to show", recording.path()));
  const std::size_t fixed = compose(recording, assets, {0}, "").size();
  const double times = 20.0 * count;  // bytes of the frames' times in hello
  const double room = static_cast<double>(options.max_bytes) - static_cast<double>(fixed) - times;
  const double smallest = bytes_per_frame(recording, false);
  if (room < 2.0 * smallest) {
    throw InputError(fmt::format(
        "a page of at most {:.1f} MB cannot hold this recording: the viewer and the scene take "
        "{:.1f} MB, a frame {:.2f} MB; raise --max-size",
        static_cast<double>(options.max_bytes) / 1e6, static_cast<double>(fixed) / 1e6,
        smallest / 1e6));
  }
  Selection selection = select(recording, room, options.has_contacts);
  for (;;) {
    const std::vector<int> frames = frames_of(recording, selection.stride);
    const std::string page =
        compose(recording, assets, frames, pack_frames(recording, selection, frames));
    // The estimate came from a few frames; the page is measured.
    if (page.size() > options.max_bytes && frames.size() > 2) {
      ++selection.stride;
      continue;
    }
    OutputFile file(path);
    file.write(page);
    file.finish();
    return {page.size(), static_cast<int>(frames.size()), count, selection.has_contacts};
  }
}

}  // namespace scree
