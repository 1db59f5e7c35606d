// A page without a picture: speaks docs/viewer-protocol.md with a session, and remembers the scene,
// the poses and the last status.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "view/frame_reader.h"
#include "view/test_client.h"

namespace scree::test {

using Json = nlohmann::json;

inline int port_in(const std::string& link) {
  return std::stoi(link.substr(link.rfind(':', link.find('/', 8)) + 1));
}

class ViewClient {
 public:
  explicit ViewClient(const std::string& link) : socket_(port_in(link)) {
    if (socket_.open(port_in(link)).status != 101) throw std::runtime_error("no WebSocket");
    hello = until([](const Json& m) { return m["type"] == "hello"; });
  }

  void send(const Json& message) { socket_.write_text(message.dump()); }

  /// Reads one message; frames are acknowledged. False: the server hung up.
  bool read() {
    const WireFrame message = socket_.read_message();
    if (message.opcode == 2) {
      frame = read_frame(message.payload);
      moved = poses.apply(frame);
      ++frames;
      if (is_acknowledging) send({{"type", "ack"}, {"sequence", frame.number}});
      return true;
    }
    if (message.opcode != 1) return false;
    texts.push_back(Json::parse(message.payload));
    if (texts.back()["type"] == "status") status = texts.back();
    if (texts.back()["type"] == "hello") hello = texts.back();
    return true;
  }

  /// The first text from now on for which this holds.
  Json until(const std::function<bool(const Json&)>& is_it) {
    for (;;) {
      const std::size_t before = texts.size();
      if (!read()) throw std::runtime_error("the server hung up");
      if (texts.size() > before && is_it(texts.back())) return texts.back();
    }
  }
  Json until_type(const std::string& type) {
    return until([&](const Json& m) { return m["type"] == type; });
  }
  /// Reads until the last frame is such.
  void until_frame(const std::function<bool()>& is_it) {
    for (;;) {
      const int before = frames;
      if (!read()) throw std::runtime_error("the server hung up");
      if (frames > before && is_it()) return;
    }
  }

  Json hello, status;
  std::deque<Json> texts;
  ReadFrame frame;
  PoseTable poses;
  std::uint32_t moved = 0;  // bodies in the last frame
  int frames = 0;
  bool is_acknowledging = true;

 private:
  TestClient socket_;
};

}  // namespace scree::test
