#include "view/client.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace scree {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using websocket::close_code;

namespace {

// Bytes. Large messages leave in pieces, so that pings get between them and a slow client's
// progress can be seen.
constexpr std::size_t kPiece = 256 * 1024;

// Bytes that a waiting message is counted for besides its own: millions of empty ones are no small
// queue either.
constexpr std::size_t kMessageCost = 128;

// For the client's half of the closing handshake. It holds a place until then.
constexpr Client::Clock::duration kGoodbye = std::chrono::seconds(2);

Client::Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Client::Clock::duration>(std::chrono::duration<double>(s));
}

}  // namespace

Client::Client(Hub& hub, beast::tcp_stream stream)
    : hub_(hub), id_(hub.next_client++), stream_(std::move(stream)), last_sign_(Clock::now()) {
  beast::get_lowest_layer(stream_).expires_never();  // watch() keeps the time
  stream_.read_message_max(hub.options.max_inbound);
  stream_.auto_fragment(false);
  stream_.set_option(websocket::stream_base::decorator(
      [](websocket::response_type& response) { response.set("Server", "scree"); }));
  stream_.control_callback([this](websocket::frame_type type, beast::string_view) {
    last_sign_ = Clock::now();
    if (type == websocket::frame_type::close) leave();
  });
  hub.clients.emplace(id_, this);
}

Client::~Client() {
  leave();
  hub_.clients.erase(id_);
}

void Client::accept(const Upgrade& upgrade) {
  stream_.async_accept(upgrade,
                       [self = shared_from_this()](ErrorCode error) { self->on_accepted(error); });
}

void Client::on_accepted(ErrorCode error) {
  if (error || hub_.is_stopping) return;
  state_ = State::open;
  last_sign_ = Clock::now();
  ++hub_.open_count;
  guard([this] { hub_.events.on_open(id_); });
  if (state_ == State::open) read_next();
}

void Client::read_next() {
  stream_.async_read(inbound_, [self = shared_from_this()](ErrorCode error, std::size_t) {
    self->on_read(error);
  });
}

void Client::on_read(ErrorCode error) {
  if (state_ != State::open) return;
  if (error) return cut();  // where there is something to say to the client, Beast has said it
  last_sign_ = Clock::now();
  if (!stream_.got_text()) return end(close_code::unknown_data);
  deliver();
}

void Client::deliver() {
  is_read_paused_ = queued_ > hub_.options.read_pause;
  if (is_read_paused_) return;
  guard([this] {
    std::string text = beast::buffers_to_string(inbound_.data());
    inbound_.consume(inbound_.size());
    hub_.events.on_text(id_, std::move(text));
  });
  // The next message is read through the queue of the io_context, behind whatever the other clients
  // have waiting there: a client that floods gets its turn, not theirs.
  if (state_ == State::open) read_next();
}

void Client::send(Message message) {
  if (state_ != State::open || !message.bytes) return;
  const std::size_t cost = message.bytes->size() + kMessageCost;
  // A message of any size goes into an empty queue: the limit is for those who do not read.
  if (!queue_.empty() && queued_ + cost > hub_.options.max_queue) return cut();
  queue_.push_back(std::move(message));
  queued_ += cost;
  if (!is_writing_) write_next();
}

void Client::write_next() {
  const Message& message = queue_.front();
  const std::string_view piece = std::string_view(*message.bytes).substr(written_, kPiece);
  const bool is_last = written_ + piece.size() == message.bytes->size();
  is_writing_ = true;
  stream_.binary(message.is_binary);
  stream_.async_write_some(
      is_last, asio::buffer(piece.data(), piece.size()),
      [self = shared_from_this(), bytes = piece.size(), is_last](ErrorCode error, std::size_t) {
        self->on_written(error, bytes, is_last);
      });
}

void Client::on_written(ErrorCode error, std::size_t bytes, bool is_end_of_message) {
  is_writing_ = false;
  if (error) return cut();
  written_ += bytes;
  queued_ -= bytes;
  if (is_end_of_message) {
    queue_.pop_front();
    written_ = 0;
    queued_ -= kMessageCost;
  }
  if (is_close_started_) return;  // nothing may follow the close frame
  if (!queue_.empty()) {
    write_next();
  } else if (is_close_due_) {
    start_close(close_code::going_away);
  }
  if (!is_read_paused_ || state_ != State::open) return;
  last_sign_ = Clock::now();  // its pongs go unread now, but it reads
  if (queued_ <= hub_.options.read_pause) deliver();
}

void Client::watch(Clock::time_point now) {
  // Beast may be failing the connection, and waits for the client to hang up.
  if (state_ == State::open && !stream_.is_open()) leave();
  const Clock::duration silence = now - last_sign_;
  const Clock::duration limit = patience();
  if (silence > limit) return cut();
  if (state_ == State::open && silence > limit / 2 && !is_pinging_) ping();
}

Client::Clock::duration Client::patience() const {
  if (state_ == State::open) return seconds(hub_.options.idle_seconds);
  const Clock::duration handshake = seconds(hub_.options.handshake_seconds);
  return state_ == State::closing ? std::min(handshake, kGoodbye) : handshake;
}

void Client::ping() {
  is_pinging_ = true;
  stream_.async_ping({}, [self = shared_from_this()](ErrorCode error) {
    self->is_pinging_ = false;
    if (error) self->cut();
  });
}

void Client::say_goodbye() {
  if (state_ == State::handshaking) return cut();
  if (state_ == State::closing) return;
  leave();
  is_close_due_ = true;
  if (queue_.empty()) start_close(close_code::going_away);
}

template <typename Work>
void Client::guard(Work&& work) {
  try {
    work();
  } catch (...) {
    end(close_code::internal_error);
  }
}

void Client::end(close_code code) {
  leave();
  drop_queue();
  start_close(code);
}

void Client::cut() {
  leave();
  drop_queue();
  // Without this the system would keep what it has not sent, and go on trying for minutes.
  ErrorCode ignored;
  beast::tcp_stream& stream = beast::get_lowest_layer(stream_);
  stream.socket().set_option(asio::socket_base::linger(true, 0), ignored);
  stream.close();
}

void Client::leave() {
  if (state_ == State::closing) return;
  const bool was_open = state_ == State::open;
  state_ = State::closing;
  last_sign_ = Clock::now();
  if (!was_open) return;
  --hub_.open_count;
  try {
    hub_.events.on_close(id_);
  } catch (...) {  // the client has ended already, there is nothing more to do to it
  }
}

void Client::drop_queue() {
  const std::size_t kept = is_writing_ ? 1 : 0;  // the socket still reads from it
  while (queue_.size() > kept) {
    queued_ -= queue_.back().bytes->size() + kMessageCost;
    queue_.pop_back();
  }
}

void Client::start_close(close_code code) {
  if (std::exchange(is_close_started_, true)) return;
  stream_.async_close(code, [self = shared_from_this()](ErrorCode) {});
}

}  // namespace scree
