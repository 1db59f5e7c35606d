// HTTP and WebSocket for the viewer: serves the page, keeps clients, and holds every limit that
// keeps a client from harming the program. Knows nothing of what the messages mean.
//
// It has one thread of its own. Nothing a client does reaches any other thread except through
// ServerEvents, and send() never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace scree {

/// A file of the page, held in the program.
struct Asset {
  std::string_view path;  // as asked for: "/viewer.js"; "/" is the page itself
  std::string_view type;  // MIME type
  std::string_view gzip;  // its bytes, compressed
};

using ClientId = std::uint64_t;  // never used twice

struct Message {
  std::shared_ptr<const std::string> bytes;
  bool is_binary = false;
};

/// What clients do. All are called on the server's thread and must not block.
class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  virtual void on_open(ClientId client) = 0;
  virtual void on_text(ClientId client, std::string text) = 0;
  virtual void on_close(ClientId client) = 0;  // also when the server ends
};

struct ServerOptions {
  std::string address = "127.0.0.1";    // any other than a loopback address needs a token
  int port = 8765;                      // the next 99 are tried when it is taken; 0: any free
  std::string token = {};               // empty: none is asked for
  std::size_t max_clients = 64;         // more are turned away with 503
  std::size_t max_inbound = 64 * 1024;  // bytes of a message from a client; longer ends it
  std::size_t max_queue = 64 << 20;     // bytes waiting for a client; more ends it
  std::size_t read_pause = 8 << 20;     // bytes waiting above which nothing is read from it
  double handshake_seconds = 10.0;      // until a connection must have asked for something
  double idle_seconds = 60.0;           // without a sign of life; pings are sent after half of it
};

class Server {
 public:
  /// Listens; those who connect wait for start(). Throws InputError (an address that is none, a
  /// public address without a token), EnvironmentError (no free port). The bytes behind the assets
  /// must outlive the server.
  Server(const ServerOptions& options, std::span<const Asset> assets, ServerEvents& events);
  /// Ends all clients, calling on_close for each. Waits at most 0.2 s for those who take their
  /// time to say goodbye or to read what was sent. Events come until it returns, so they must not
  /// reach the server through a pointer that is cleared first, as unique_ptr::reset() does. Not
  /// from the server's thread.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Starts its thread; from here on `events` are called.
  void start();
  int port() const;
  /// What to open in a browser, with the token.
  std::string link() const;
  /// Clients that are open. Any thread.
  int client_count() const;
  /// Queues a message; unknown and closed clients are passed over. Any thread.
  void send(ClientId client, Message message);
  /// Bytes that have not left for the client's socket yet, with 128 more for each message. Server's
  /// thread only.
  std::size_t queued(ClientId client) const;
  /// Calls `work` on the server's thread, soon. Any thread.
  void post(std::function<void()> work);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// 128 random bits from the system as 32 hexadecimal digits.
std::string random_token();

}  // namespace scree
