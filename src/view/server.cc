#include "view/server.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "scree/error.h"
#include "view/client.h"
#include "view/http_session.h"
#include "view/hub.h"
#include "view/listen.h"

namespace scree {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

using Milliseconds = std::chrono::milliseconds;

// When the program is out of file descriptors, accepting fails at once, and would again.
constexpr Milliseconds kAcceptPause(100);

// How long the destructor waits for clients to take their leave, and how often it looks.
constexpr Milliseconds kGrace(200);
constexpr Milliseconds kGraceTick(5);

// Connections that are no WebSocket, per WebSocket: browsers open about six for a page.
constexpr std::size_t kSessionsPerClient = 4;

// Bytes the system takes from us and has not sent yet. More would only hide from queued() how far
// behind a client is.
constexpr int kUnsentInSystem = 256 * 1024;

void tune(tcp::socket& socket) {
  ErrorCode ignored;
  close_on_exec(socket.native_handle());
  socket.set_option(tcp::no_delay(true), ignored);
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentInSystem,
             sizeof kUnsentInSystem);
}

asio::ip::address checked_address(const ServerOptions& options) {
  const asio::ip::address address = parse_address(options.address);
  if (!address.is_loopback() && options.token.empty()) {
    throw InputError(fmt::format("address {} can be reached from other machines and needs a token",
                                 address.to_string()));
  }
  return address;
}

/// Signals are for the program's own threads: a handler here would run in the midst of a client.
std::thread start_without_signals(std::function<void()> work) {
  // Put back also when there can be no more threads, or Ctrl-C would be lost with the viewer.
  struct Mask {
    Mask() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Mask() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before;
  } mask;
  return std::thread(std::move(work));
}

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& options, std::span<const Asset> assets, ServerEvents& events);

  void run();
  void accept_next();
  void on_accept(ErrorCode error, tcp::socket socket);
  void admit(tcp::socket socket);
  void watch_clients();
  void begin_stop();
  void stop_when_quiet(Milliseconds waited);

  const asio::ip::address address;
  Hub hub;  // before io: connections that die with io strike themselves off its lists
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  tcp::acceptor acceptor;
  const int port;
  asio::steady_timer accept_timer{io};
  asio::steady_timer watch_timer{io};
  asio::steady_timer stop_timer{io};
  std::thread thread;
};

Server::Parts::Parts(const ServerOptions& options, std::span<const Asset> assets,
                     ServerEvents& events)
    : address(checked_address(options)),
      hub{.options = options,
          .rule = {.is_loopback = address.is_loopback(),
                   .own_names = own_host_names(),
                   .token = options.token},
          .assets = AssetStore(assets),
          .events = events},
      acceptor(listen_at(io, address, options.port)),
      port(acceptor.local_endpoint().port()) {}

void Server::Parts::run() {
  while (true) {
    try {
      io.run();
      return;
    } catch (...) {  // from work that was posted, or no memory; the others must not suffer for it
    }
  }
}

void Server::Parts::accept_next() {
  acceptor.async_accept(
      io, [this](ErrorCode error, tcp::socket socket) { on_accept(error, std::move(socket)); });
}

void Server::Parts::on_accept(ErrorCode error, tcp::socket socket) {
  if (hub.is_stopping) return;
  if (!error) {
    admit(std::move(socket));
    return accept_next();
  }
  accept_timer.expires_after(kAcceptPause);
  accept_timer.async_wait([this](ErrorCode) {
    if (!hub.is_stopping) accept_next();
  });
}

void Server::Parts::admit(tcp::socket socket) {
  tune(socket);
  // Those who connect and ask for nothing must not keep out those who do: the oldest goes.
  const std::size_t limit = kSessionsPerClient * std::max<std::size_t>(1, hub.options.max_clients);
  if (hub.sessions.size() >= limit) hub.sessions.front()->cut();
  try {
    std::make_shared<HttpSession>(hub, std::move(socket))->read_request();
  } catch (...) {  // no memory for this one, perhaps for the next
  }
}

void Server::Parts::watch_clients() {
  const double shortest = std::min(hub.options.idle_seconds, hub.options.handshake_seconds);
  const auto period = Milliseconds(static_cast<int>(1000 * std::clamp(shortest / 4, 0.01, 0.25)));
  watch_timer.expires_after(period);
  watch_timer.async_wait([this](ErrorCode) {
    if (hub.is_stopping) return;
    watch_clients();  // first: what follows may throw
    for (const auto& [id, client] : hub.clients) client->watch(Client::Clock::now());
  });
}

void Server::Parts::begin_stop() {
  hub.is_stopping = true;
  ErrorCode ignored;
  acceptor.close(ignored);
  accept_timer.cancel();
  watch_timer.cancel();
  while (!hub.sessions.empty()) hub.sessions.front()->cut();
  for (const auto& [id, client] : hub.clients) client->say_goodbye();
  stop_when_quiet(Milliseconds(0));
}

void Server::Parts::stop_when_quiet(Milliseconds waited) {
  if (hub.clients.empty() || waited >= kGrace) return io.stop();
  stop_timer.expires_after(kGraceTick);
  stop_timer.async_wait([this, waited](ErrorCode) { stop_when_quiet(waited + kGraceTick); });
}

Server::Server(const ServerOptions& options, std::span<const Asset> assets, ServerEvents& events)
    : parts_(std::make_unique<Parts>(options, assets, events)) {}

void Server::start() {
  parts_->accept_next();
  parts_->watch_clients();
  parts_->thread = start_without_signals([parts = parts_.get()] { parts->run(); });
}

Server::~Server() {
  if (!parts_->thread.joinable()) return;
  asio::post(parts_->io, [parts = parts_.get()] { parts->begin_stop(); });
  parts_->thread.join();
}

int Server::port() const { return parts_->port; }

std::string Server::link() const {
  return make_link(parts_->address, parts_->port, parts_->hub.options.token);
}

int Server::client_count() const { return parts_->hub.open_count; }

void Server::send(ClientId client, Message message) {
  // Posted even from the server's own thread: otherwise on_close could come in the midst of an
  // on_text that sends too much.
  asio::post(parts_->io, [hub = &parts_->hub, client, message = std::move(message)]() mutable {
    const auto found = hub->clients.find(client);
    if (found != hub->clients.end()) found->second->send(std::move(message));
  });
}

std::size_t Server::queued(ClientId client) const {
  const auto found = parts_->hub.clients.find(client);
  return found == parts_->hub.clients.end() ? 0 : found->second->queued();
}

void Server::post(std::function<void()> work) { asio::post(parts_->io, std::move(work)); }

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (count < 0 && errno != EINTR) throw EnvironmentError("the system gives no random numbers");
    if (count > 0) filled += static_cast<std::size_t>(count);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace scree
