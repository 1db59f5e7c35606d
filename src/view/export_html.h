// A recording as one page that needs no server: the viewer with the frames inside.
#pragma once

#include <span>
#include <string>

#include "record/recording.h"
#include "view/server.h"

namespace scree {

struct HtmlOptions {
  std::size_t max_bytes = 50'000'000;  // of the page
  bool has_contacts = true;
};

struct HtmlReport {
  std::size_t bytes = 0;
  int frames = 0;       // in the page
  int frame_count = 0;  // in the recording
  bool has_contacts = true;
};

/// Writes the page; `assets` are the files of the viewer. When it would be larger than allowed,
/// contacts are left out first if they take the larger part, then frames: every second, every third
/// and so on; the last frame is always there. Throws InputError when even two frames are too large,
/// EnvironmentError when it cannot be written or when `assets` are not the page it knows.
HtmlReport export_html(const Recording& recording, const std::string& path,
                       std::span<const Asset> assets, const HtmlOptions& options = {});

}  // namespace scree
