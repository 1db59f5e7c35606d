// A client for tests of the viewer's server: blocking, on a bare socket, and able to say everything
// a well-behaved client would not. Every wait has a deadline that only a server that hangs meets.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace scree::test {

inline constexpr std::chrono::seconds kTestPatience(30);

struct Response {
  int status = 0;                             // 0: the connection ended without one
  std::map<std::string, std::string> fields;  // names in small letters
  std::string body;
};

struct WireFrame {
  int opcode = -1;  // -1: the connection ended
  bool is_final = true;
  std::string payload;
  /// Of a close frame.
  int close_code() const {
    if (opcode != 8 || payload.size() < 2) return -1;
    return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
  }
};

enum class Mask { on, off };

/// The bytes of a frame as a client sends it.
inline std::string make_frame(int opcode, std::string_view payload, bool is_final = true,
                              Mask mask = Mask::on) {
  std::string bytes(1, static_cast<char>((is_final ? 0x80 : 0) | opcode));
  const int mask_bit = mask == Mask::on ? 0x80 : 0;
  const std::size_t size = payload.size();
  if (size < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<int>(size));
  } else {
    const int length_bytes = size < 65536 ? 2 : 8;
    bytes += static_cast<char>(mask_bit | (length_bytes == 2 ? 126 : 127));
    for (int i = length_bytes - 1; i >= 0; --i) bytes += static_cast<char>(size >> (8 * i));
  }
  if (mask == Mask::off) return bytes.append(payload);
  constexpr std::array<char, 4> kKey = {0x12, 0x34, 0x56, 0x78};
  bytes.append(kKey.data(), kKey.size());
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(payload[i] ^ kKey[i % 4]);
  return bytes;
}

inline std::string upgrade_request(int port, std::string_view target = "/socket",
                                   std::string_view more = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port) +
         "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string(more) + "\r\n";
}

class TestClient {
 public:
  explicit TestClient(int port) : TestClient(port, make_socket()) {}
  /// Connects a socket that the caller has made.
  TestClient(int port, int socket) : socket_(socket) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience = {.tv_sec = kTestPatience.count(), .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close(socket_);
      throw std::runtime_error("cannot connect");
    }
  }
  ~TestClient() { close(socket_); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  static int make_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

  /// False when the server has hung up.
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void finish_writing() { shutdown(socket_, SHUT_WR); }

  /// What a request is answered with.
  Response ask(std::string_view request) {
    write(request);
    return read_response(request.starts_with("HEAD"));
  }

  /// True once the server has hung up.
  bool is_closed() {
    while (fill()) received_.clear();
    return !timed_out_;
  }

  /// Becomes a WebSocket; the server's answer.
  Response open(int port, std::string_view target = "/socket", std::string_view more = "") {
    return ask(upgrade_request(port, target, more));
  }

  bool write_text(std::string_view text) { return write(make_frame(1, text)); }

  /// Reads until that many bytes are there to be taken. False when the server hangs up before.
  bool wait_for_bytes(std::size_t count) {
    while (received_.size() < count) {
      if (!fill()) return false;
    }
    return true;
  }

  WireFrame read_frame() {
    WireFrame frame;
    if (!wait_for_bytes(2)) return {};
    frame.is_final = (byte(0) & 0x80) != 0;
    std::uint64_t size = byte(1) & 0x7f;
    std::size_t start = 2;
    if (size >= 126) {
      start += size == 126 ? 2 : 8;
      if (!wait_for_bytes(start)) return {};
      size = 0;
      for (std::size_t i = 2; i < start; ++i) size = size << 8 | byte(i);
    }
    if (!wait_for_bytes(start + size)) return {};
    frame.opcode = byte(0) & 0x0f;
    frame.payload = received_.substr(start, size);
    received_.erase(0, start + size);
    return frame;
  }

  /// The next message, put together from its frames; pings are answered. Or the close frame.
  WireFrame read_message() {
    WireFrame message;
    while (true) {
      const WireFrame frame = read_frame();
      if (frame.opcode == 9) {
        write(make_frame(10, frame.payload));
        continue;
      }
      if (frame.opcode == 10) continue;
      if (frame.opcode < 0 || frame.opcode == 8) return frame;
      if (frame.opcode != 0) message.opcode = frame.opcode;
      message.payload += frame.payload;
      if (frame.is_final) return message;
    }
  }

  /// The code the server closes with; -1 when it hangs up without.
  int read_close_code() {
    WireFrame frame = read_message();
    while (frame.opcode != 8 && frame.opcode != -1) frame = read_message();
    return frame.close_code();
  }

 private:
  int byte(std::size_t i) const { return static_cast<unsigned char>(received_[i]); }

  bool fill() {
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    timed_out_ = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    EXPECT_FALSE(timed_out_) << "the server neither answers nor hangs up";
    if (count <= 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }

  Response read_response(bool is_head) {
    std::size_t end = received_.find("\r\n\r\n");
    while (end == std::string::npos) {
      if (!fill()) return {};
      end = received_.find("\r\n\r\n");
    }
    Response response = parse_header(received_.substr(0, end + 2));
    received_.erase(0, end + 4);
    if (is_head || !response.fields.contains("content-length")) return response;
    const std::size_t size = std::stoul(response.fields["content-length"]);
    if (!wait_for_bytes(size)) return {};
    response.body = received_.substr(0, size);
    received_.erase(0, size);
    return response;
  }

  static Response parse_header(std::string_view header) {
    Response response;
    response.status = std::stoi(std::string(header.substr(9, 3)));
    header.remove_prefix(header.find("\r\n") + 2);
    while (!header.empty()) {
      const std::string_view line = header.substr(0, header.find("\r\n"));
      header.remove_prefix(line.size() + 2);
      std::string name(line.substr(0, line.find(':')));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      response.fields[name] = line.substr(line.find(':') + 2);
    }
    return response;
  }

  int socket_;
  std::string received_;
  bool timed_out_ = false;
};

}  // namespace scree::test
