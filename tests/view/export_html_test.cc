#include "view/export_html.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "record/record_fixture.h"
#include "scree/error.h"
#include "view/frame_reader.h"
#include "view/server_fixture.h"

namespace scree {
namespace {

using namespace scree::test;

const std::string kTemplate = gzip(
    "<html><link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\" />"
    "<link rel=\"stylesheet\" href=\"viewer.css\" />"
    "<script type=\"module\" src=\"viewer.js\"></script></html>");
const std::string kStyle = gzip("body{}"), kCode = gzip("start()"), kIcon = gzip("<svg/>");
const std::array<Asset, 4> kPageFiles = {{{"/", "text/html", kTemplate},
                                          {"/viewer.js", "text/javascript", kCode},
                                          {"/viewer.css", "text/css", kStyle},
                                          {"/icon.svg", "image/svg+xml", kIcon}}};

std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t from = text.find(start);
  if (from == std::string::npos) return "";
  return text.substr(from + start.size(), text.find(end, from) - from - start.size());
}

std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    group = group << 6 | static_cast<std::uint32_t>(letters.find(letter));
    if (++count % 4 == 0) {
      for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift);
    }
  }
  if (count % 4 == 3) bytes += {static_cast<char>(group >> 10), static_cast<char>(group >> 2)};
  if (count % 4 == 2) bytes += static_cast<char>(group >> 4);
  return bytes;
}

std::vector<ReadFrame> frames_in(const std::string& page) {
  const std::string packed =
      from_base64(between(page, "<script id=\"scree-frames\" type=\"text/plain\">", "</script>"));
  std::string bytes(100'000'000, '\0');
  uLongf size = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  std::vector<ReadFrame> frames;
  for (std::size_t at = 0; at < size;) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    frames.push_back(read_frame(bytes.substr(at + 8, length)));
    at += 8 + length;
  }
  return frames;
}

TEST(ExportHtml, PageHoldsEverythingItNeeds) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 4, 60);
  const HtmlReport report = export_html(Recording(path), folder.file("a.html"), kPageFiles);
  const std::string page = read_bytes(folder.file("a.html"));
  EXPECT_EQ(report.bytes, page.size());
  EXPECT_EQ(report.frames, 60);
  EXPECT_NE(page.find("<style>body{}</style>"), std::string::npos);
  EXPECT_NE(page.find("<script type=\"module\">start()</script>"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos) << "nothing is fetched";
  EXPECT_EQ(page.find("viewer.css"), std::string::npos);
  const auto hello = nlohmann::json::parse(
      between(page, "<script id=\"scree-hello\" type=\"application/json\">", "</script>"));
  EXPECT_EQ(hello["frames"]["count"], 60);
  const std::vector<ReadFrame> frames = frames_in(page);
  ASSERT_EQ(frames.size(), 60u);
  PoseTable poses;
  for (std::size_t k = 0; k < 60; ++k) {
    poses.apply(frames[k]);
    EXPECT_EQ(frames[k].number, k);
    EXPECT_EQ(poses.position[5],
              static_cast<float>(some_state(4, static_cast<int>(k)).position[2][2]));
    EXPECT_EQ(frames[k].at<double>(4, 8 + 16),
              some_receipt(static_cast<int>(k)).residuals.relative_rms);
  }
}

TEST(ExportHtml, IsThinnedToTheSizeItMayHave) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 50, 400));
  const HtmlReport whole = export_html(recording, folder.file("a.html"), kPageFiles);
  EXPECT_EQ(whole.frames, 400);
  const HtmlOptions options{.max_bytes = whole.bytes / 3};
  const HtmlReport thin = export_html(recording, folder.file("b.html"), kPageFiles, options);
  EXPECT_LE(thin.bytes, options.max_bytes);
  EXPECT_LT(thin.frames, 200);
  EXPECT_GT(thin.frames, 40) << "no more than needed is left out";
  const std::vector<ReadFrame> frames = frames_in(read_bytes(folder.file("b.html")));
  EXPECT_EQ(frames.front().time, 0.0);
  EXPECT_EQ(frames.back().time, 3.99) << "the end is always there";
}

/// 400 frames of 300 bodies, of which one moves from frame to frame, each in its turn.
std::string write_quiet_recording(const std::string& path) {
  const Scene scene = some_scene(300);
  const Model model = some_model(scene);
  Recorder recorder(path, scene, model, some_provenance());
  State state = some_state(300, 0);
  for (int step = 0; step < 400; ++step) {
    state.step = step;
    state.time = 0.01 * step;
    state.position[static_cast<std::size_t>(1 + step % 300)] += Vec3(0.1, 0.2, 0.3);
    recorder.write(model, state, some_receipt(step), {});
  }
  recorder.close();
  return path;
}

// Frames from far apart differ in many bodies, neighbours in one.
TEST(ExportHtml, FramesThatChangeLittleAreNotLeftOut) {
  const TestFolder folder;
  const Recording recording(write_quiet_recording(folder.file("a.h5")));
  const HtmlReport whole = export_html(recording, folder.file("a.html"), kPageFiles);
  EXPECT_EQ(whole.frames, 400);
  const HtmlReport same =
      export_html(recording, folder.file("b.html"), kPageFiles, {.max_bytes = whole.bytes * 5 / 4});
  EXPECT_EQ(same.frames, 400);
  const HtmlReport half =
      export_html(recording, folder.file("c.html"), kPageFiles, {.max_bytes = whole.bytes * 3 / 5});
  EXPECT_LE(half.bytes, whole.bytes * 3 / 5);
  EXPECT_GE(half.frames, 100);
}

// Two frames with their contacts are too much, two without are not.
TEST(ExportHtml, IsNeverLargerThanAllowed) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 300, 3));
  const HtmlReport bare =
      export_html(recording, folder.file("a.html"), kPageFiles, {.has_contacts = false});
  const HtmlReport whole = export_html(recording, folder.file("b.html"), kPageFiles);
  ASSERT_GT(whole.bytes, bare.bytes + 10);
  for (std::size_t most = bare.bytes * 3 / 4; most < whole.bytes; most += bare.bytes / 40) {
    try {
      const HtmlReport report =
          export_html(recording, folder.file("c.html"), kPageFiles, {.max_bytes = most});
      EXPECT_LE(report.bytes, most);
    } catch (const InputError&) {
      EXPECT_LT(most, bare.bytes);
    }
  }
}

TEST(ExportHtml, APageWithoutAPlaceForItIsAnError) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 4, 5));
  const std::string other = gzip("<html><script src=\"viewer.mjs\"></script></html>");
  std::array<Asset, 4> files = kPageFiles;
  files[0].gzip = other;
  EXPECT_THROW(export_html(recording, folder.file("a.html"), files), EnvironmentError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.html")));
}

TEST(ExportHtml, WhatCannotFitIsSaid) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 50, 20));
  EXPECT_THROW(export_html(recording, folder.file("a.html"), kPageFiles, {.max_bytes = 2000}),
               InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.html")));
}

// A name may close the element it stands in.
TEST(ExportHtml, NamesCannotBreakOutOfTheirElement) {
  const TestFolder folder;
  Scene scene = some_scene(2);
  scene.name = "</script><script>alert(1)</script><!--";
  const Model model = some_model(scene);
  {
    Recorder recorder(folder.file("a.h5"), scene, model, some_provenance());
    write_frame(recorder, model, 0);
  }
  export_html(Recording(folder.file("a.h5")), folder.file("a.html"), kPageFiles);
  const std::string page = read_bytes(folder.file("a.html"));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const auto hello = nlohmann::json::parse(
      between(page, "<script id=\"scree-hello\" type=\"application/json\">", "</script>"));
  EXPECT_EQ(hello["scene"]["name"], scene.name);
}

}  // namespace
}  // namespace scree
