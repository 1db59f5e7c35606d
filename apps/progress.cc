#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "options.h"

namespace scree::app {
namespace {

constexpr double kTerminalInterval = 0.1;  // s between redraws
constexpr double kPlainInterval = 5.0;     // s between lines in a log
constexpr int kBarWidth = 10;
constexpr std::size_t kNameWidth = 20;  // bytes; leaves room for the numbers on 80 columns

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string format_duration(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600.0)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
  return fmt::format("{:.0f} h {:02.0f} min", std::floor(seconds / 3600),
                     std::fmod(seconds, 3600) / 60);
}

/// At most so many bytes, without half a letter of UTF-8 at the end.
std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  while (width > 0 && (static_cast<unsigned char>(text[width]) & 0xc0u) == 0x80u) --width;
  text.resize(width);
  return text;
}

/// Those that fit, in order. A number cut in the middle would be another number.
std::string join_fitting(const std::vector<std::string>& parts, std::size_t width) {
  std::string line;
  for (const std::string& part : parts) {
    if (line.size() + part.size() > width) break;
    line += part;
  }
  return line;
}

}  // namespace

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string highlighted(const std::string& text) {
  const char* no_color = std::getenv("NO_COLOR");
  if (!is_terminal() || (no_color != nullptr && no_color[0] != '\0')) return text;
  return "\033[33m" + text + "\033[0m";
}

Progress::Progress(std::string scene, std::int64_t steps, double step_size, bool is_quiet)
    : scene_(cut(one_line(std::move(scene)), kNameWidth)),
      steps_(steps),
      step_size_(step_size),
      is_quiet_(is_quiet),
      is_terminal_(is_terminal()),
      start_(Clock::now()),
      last_(start_) {}

std::vector<std::string> Progress::parts(std::int64_t done, const Receipt& receipt,
                                         std::int64_t unconverged, double elapsed) const {
  const double share = steps_ > 0 ? static_cast<double>(done) / static_cast<double>(steps_) : 1.0;
  const double simulated = static_cast<double>(done) * step_size_;
  std::vector<std::string> all = {scene_};
  if (is_terminal_) {
    const int filled = static_cast<int>(share * kBarWidth);
    all.push_back(
        fmt::format(" [{:-<{}}]", std::string(static_cast<std::size_t>(filled), '#'), kBarWidth));
  }
  all.push_back(fmt::format(" {:.0f}%", 100.0 * share));
  all.push_back(fmt::format("  {:.3f} s", receipt.time));
  all.push_back(fmt::format("  {:.2g} x", elapsed > 0.0 ? simulated / elapsed : 0.0));
  all.push_back(fmt::format("  {} contacts", receipt.contacts));
  all.push_back(fmt::format("  residual {:.0e}", receipt.residuals.relative_rms));
  if (unconverged > 0) all.push_back(fmt::format("  {} unconverged", unconverged));
  if (done > 0 && done < steps_) {
    all.push_back("  " + format_duration(elapsed * (1.0 - share) / share) + " left");
  }
  return all;
}

void Progress::update(std::int64_t done, const Receipt& receipt, std::int64_t unconverged) {
  if (is_quiet_) return;
  const Clock::time_point now = Clock::now();
  const double since_last = std::chrono::duration<double>(now - last_).count();
  if (since_last < (is_terminal_ ? kTerminalInterval : kPlainInterval)) return;
  last_ = now;
  const std::vector<std::string> all =
      parts(done, receipt, unconverged, std::chrono::duration<double>(now - start_).count());
  if (!is_terminal_) {
    say(fmt::format("{}", fmt::join(all, "")));
    return;
  }
  const auto width = static_cast<std::size_t>(terminal_width() - 1);  // a wrapped line would stay
  std::fputs(("\r" + join_fitting(all, width) + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  is_line_open_ = true;
}

void Progress::note(const std::string& text) {
  finish();
  say(highlighted(text));
}

void Progress::finish() {
  if (!is_line_open_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  is_line_open_ = false;
}

}  // namespace scree::app
