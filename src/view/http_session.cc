#include "view/http_session.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "view/client.h"

namespace scree {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr std::uint32_t kMaxHeader = 8 * 1024;  // bytes
constexpr std::size_t kMaxBuffer = 2 * kMaxHeader;
constexpr std::chrono::seconds kReplyTime(120);  // a page of some MB over a slow ssh tunnel
constexpr std::chrono::seconds kLingerTime(2);
constexpr std::size_t kLingerBytes = 4 << 20;
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }
beast::string_view view(std::string_view text) { return {text.data(), text.size()}; }

RequestFacts facts_of(const http::request<http::empty_body>& request) {
  return {.method = view(request.method_string()),
          .target = view(request.target()),
          .host_count = request.count(http::field::host),
          .host = view(request[http::field::host]),
          .origin_count = request.count(http::field::origin),
          .origin = view(request[http::field::origin])};
}

/// What to say to bytes that are no request; nothing when nobody is there to hear it.
std::optional<Refusal> refusal_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Refusal{431, "The request's header is too long.\n"};
  }
  if (error == http::error::body_limit) return Refusal{413, "A request may not have a body.\n"};
  if (error == http::error::end_of_stream) return std::nullopt;
  if (error.category() == http::make_error_code(http::error::bad_method).category()) {
    return Refusal{400, "That was no HTTP request.\n"};
  }
  return std::nullopt;
}

/// `host` has been checked, so it cannot smuggle anything into the policy. It is named because
/// 'self' does not cover WebSockets in every browser.
std::string content_policy(std::string_view host) {
  const std::string sockets = host.empty() ? "" : fmt::format(" ws://{0} wss://{0}", host);
  return fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      "media-src blob:; connect-src 'self'{}; frame-ancestors 'none'; base-uri 'none'; "
      "form-action 'none'",
      sockets);
}

}  // namespace

HttpSession::HttpSession(Hub& hub, tcp::socket socket)
    : hub_(hub),
      place_(hub.sessions.insert(hub.sessions.end(), this)),
      stream_(std::move(socket)),
      buffer_(kMaxBuffer) {}

HttpSession::~HttpSession() {
  if (is_listed_) hub_.sessions.erase(place_);
}

void HttpSession::cut() {
  if (std::exchange(is_listed_, false)) hub_.sessions.erase(place_);
  stream_.close();
}

void HttpSession::read_request() {
  parser_.emplace();
  parser_->header_limit(kMaxHeader);
  parser_->body_limit(0);
  // For the whole header, not for each byte of it: a client that dribbles gains nothing.
  stream_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(hub_.options.handshake_seconds)));
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_request(error); });
}

void HttpSession::on_request(ErrorCode error) {
  if (error) {
    if (const auto refusal = refusal_of(error)) refuse_and_close(*refusal);
    return;
  }
  if (!parser_->is_done()) return refuse_and_close({413, "A request may not have a body.\n"});
  answer(parser_->get());
}

void HttpSession::answer(const Request& request) {
  if (const auto refusal = refuse_request(facts_of(request), hub_.rule)) {
    return refuse(request, *refusal);
  }
  const std::string_view path = path_of(view(request.target()));
  const bool is_upgrade = beast::websocket::is_upgrade(request);
  if (path == kSocketPath) {
    if (!is_upgrade) return refuse(request, {426, "This is for WebSockets.\n"});
    return become_client(request);
  }
  const Asset* asset = is_upgrade ? nullptr : hub_.assets.find(path);
  if (asset == nullptr) return refuse(request, {404, "There is nothing here.\n"});
  answer_with(*asset, request);
}

void HttpSession::answer_with(const Asset& asset, const Request& request) {
  const bool is_gzip = accepts_gzip(view(request[http::field::accept_encoding]));
  std::string_view body = asset.gzip;
  try {
    if (!is_gzip) body = hub_.assets.inflate(asset);
  } catch (const std::exception&) {
    return refuse(request, {500, "The file is damaged.\n"});
  }
  prepare(200, asset.type, body, request.method() == http::verb::get);
  if (is_gzip) response_.set(http::field::content_encoding, "gzip");
  response_.set("Content-Security-Policy", content_policy(view(request[http::field::host])));
  response_.version(request.version());
  response_.keep_alive(request.keep_alive());
  write();
}

void HttpSession::become_client(const Request& request) {
  if (hub_.clients.size() >= hub_.options.max_clients) {
    return refuse(request, {503, "Too many clients are connected. Close one and try again.\n"});
  }
  // A client must wait for the answer before it sends frames; what came before it would be lost.
  if (buffer_.size() > 0) return refuse_and_close({400, "A WebSocket must wait for the answer.\n"});
  std::make_shared<Client>(hub_, std::move(stream_))->accept(request);
}

void HttpSession::refuse(const Request& request, const Refusal& refusal) {
  prepare(refusal.status, kPlainText, refusal.text, request.method() != http::verb::head);
  if (refusal.status == 405) response_.set(http::field::allow, "GET, HEAD");
  if (refusal.status == 426) response_.set(http::field::upgrade, "websocket");
  response_.version(request.version());
  response_.keep_alive(request.keep_alive());
  write();
}

void HttpSession::refuse_and_close(const Refusal& refusal) {
  prepare(refusal.status, kPlainText, refusal.text, true);
  response_.keep_alive(false);
  write();
}

void HttpSession::prepare(int status, std::string_view type, std::string_view body, bool has_body) {
  response_ = Response(static_cast<http::status>(status), 11);
  response_.set(http::field::content_type, view(type));
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  response_.set("Referrer-Policy", "no-referrer");
  response_.set("Cross-Origin-Resource-Policy", "same-origin");
  response_.set("Content-Security-Policy", content_policy(""));
  response_.content_length(body.size());
  if (has_body) response_.body() = {body.data(), body.size()};
}

void HttpSession::write() {
  stream_.expires_after(kReplyTime);
  http::async_write(stream_, response_, [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (error) return;
    if (self->response_.keep_alive()) return self->read_request();
    self->linger();
  });
}

// Closing a socket with unread bytes resets the connection, and the client might lose the answer
// with it. So what it still sends is read and forgotten, for a short while.
void HttpSession::linger() {
  ErrorCode ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kLingerTime);
  discard();
}

void HttpSession::discard() {
  stream_.async_read_some(asio::buffer(discarded_),
                          [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
                            self->discarded_bytes_ += bytes;
                            if (!error && self->discarded_bytes_ < kLingerBytes) self->discard();
                          });
}

}  // namespace scree
