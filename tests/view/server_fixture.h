// What tests of the viewer's server share: a page of two files, and an owner that remembers what
// clients did.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "view/server.h"
#include "view/test_client.h"

namespace scree::test {

inline std::string gzip(std::string_view text) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

inline const std::string kPage = "<!doctype html><title>Scree</title>";
inline const std::string kScript(300'000, ';');  // longer than any single read or write
inline const std::string kPageGzip = gzip(kPage);
inline const std::string kScriptGzip = gzip(kScript);
inline const std::array<Asset, 3> kAssets = {{
    {"/", "text/html; charset=utf-8", kPageGzip},
    {"/viewer.js", "text/javascript", kScriptGzip},
    {"/damaged.js", "text/javascript", "no gzip"},
}};

/// Remembers events as "open 1", "text 1 hello", "close 1".
class EventLog : public ServerEvents {
 public:
  void on_open(ClientId client) override { note("open " + std::to_string(client)); }
  void on_text(ClientId client, std::string text) override {
    note("text " + std::to_string(client) + " " + text);
    if (text == "throw") throw std::runtime_error("an owner's mistake");
    if (reply) reply(client, text);
  }
  void on_close(ClientId client) override { note("close " + std::to_string(client)); }

  std::vector<std::string> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

  std::size_t count(const std::string& event) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(events_.begin(), events_.end(), event));
  }

  std::size_t open_count() const {
    const std::lock_guard lock(mutex_);
    return opens_;
  }

  ::testing::AssertionResult wait_for(const std::string& event) {
    return wait_until(
        [&] { return std::find(events_.begin(), events_.end(), event) != events_.end(); }, event);
  }
  ::testing::AssertionResult wait_for_opens(std::size_t count) {
    return wait_until([&] { return opens_ >= count; }, "open client");
  }

  std::function<void(ClientId, const std::string&)> reply;  // set before clients connect

 private:
  ::testing::AssertionResult wait_until(const std::function<bool()>& is_so,
                                        const std::string& what) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kTestPatience, is_so)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no " << what;
  }

  void note(std::string event) {
    const std::lock_guard lock(mutex_);
    opens_ += event.starts_with("open") ? 1 : 0;
    events_.push_back(std::move(event));
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
  std::size_t opens_ = 0;
};

inline Message text_message(std::string text) {
  return {.bytes = std::make_shared<const std::string>(std::move(text))};
}

/// A server at any free port that echoes what clients say.
class ServerFixture : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.port = 0;
    events_.reply = [this](ClientId client, const std::string& text) {
      sender_.load()->send(client, text_message("echo " + text));
    };
    server_ = std::make_unique<Server>(options, kAssets, events_);
    server_->start();
    sender_ = server_.get();
    port_ = server_->port();
  }

  /// Asks over a connection of its own.
  Response ask(const std::string& request) { return TestClient(port_).ask(request); }
  Response get(const std::string& target, const std::string& more = "") {
    return ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
  }

  /// A client that is open for both sides: the server's may be so a moment later.
  std::unique_ptr<TestClient> connect() {
    const std::size_t before = events_.open_count();
    auto client = std::make_unique<TestClient>(port_);
    EXPECT_EQ(client->open(port_).status, 101);
    EXPECT_TRUE(events_.wait_for_opens(before + 1));
    return client;
  }

  /// Runs on the server's thread, and waits for it.
  void on_server(const std::function<void()>& work) {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    server_->post([&] {
      work();
      const std::lock_guard lock(mutex);
      is_done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, kTestPatience, [&] { return is_done; }));
  }

  void expect_that_it_serves() {
    EXPECT_EQ(get("/viewer.js").body, kScript);
    const auto client = connect();
    client->write_text("alive");
    EXPECT_EQ(client->read_message().payload, "echo alive");
  }

  EventLog events_;
  std::unique_ptr<Server> server_;
  std::atomic<Server*> sender_ = nullptr;  // server_ is null already while its events still come
  int port_ = 0;
};

}  // namespace scree::test
