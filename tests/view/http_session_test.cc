#include "view/http_session.h"

#include <gtest/gtest.h>

#include <thread>

#include "view/server_fixture.h"

namespace scree {

using namespace test;
namespace {

using HttpTest = ServerFixture;

TEST_F(HttpTest, ThePageComesCompressedToThoseWhoTakeIt) {
  start();
  const Response page = get("/", "Accept-Encoding: gzip, br\r\n");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, kPageGzip);
  EXPECT_EQ(page.fields.at("content-encoding"), "gzip");
  EXPECT_EQ(page.fields.at("content-type"), "text/html; charset=utf-8");
}

TEST_F(HttpTest, ThePageComesPlainToTheOthers) {
  start();
  for (int i = 0; i < 2; ++i) {  // the second time from what is kept
    const Response script = get("/viewer.js?any=thing");
    EXPECT_EQ(script.status, 200);
    EXPECT_EQ(script.body, kScript);
    EXPECT_FALSE(script.fields.contains("content-encoding"));
  }
  EXPECT_EQ(get("/damaged.js").status, 500);
}

TEST_F(HttpTest, EveryAnswerKeepsThePageToItself) {
  start();
  for (const char* target : {"/", "/nothing"}) {
    const Response answer = get(target);
    EXPECT_EQ(answer.fields.at("cache-control"), "no-store");
    EXPECT_EQ(answer.fields.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.fields.at("referrer-policy"), "no-referrer");
    EXPECT_EQ(answer.fields.at("cross-origin-resource-policy"), "same-origin");
    const std::string policy = answer.fields.at("content-security-policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self';")) << policy;
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
  }
  EXPECT_NE(get("/")
                .fields.at("content-security-policy")
                .find("connect-src 'self' ws://localhost wss://localhost;"),
            std::string::npos);
}

TEST_F(HttpTest, HeadGetsTheLengthAlone) {
  start();
  TestClient client(port_);
  const Response head = client.ask("HEAD /viewer.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.fields.at("content-length"), std::to_string(kScript.size()));
  // The connection goes on right behind the header.
  EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").body, kPage);
}

TEST_F(HttpTest, RequestsInOnePacketAreAnsweredInOrder) {
  start();
  TestClient client(port_);
  client.write(
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /no HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.ask("").status, 200);
  EXPECT_EQ(client.ask("").status, 404);
}

TEST_F(HttpTest, AConnectionEndsWhenTheClientWantsIt) {
  start();
  TestClient client(port_);
  EXPECT_EQ(client.ask("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n").body, kPage);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpTest, NoSpellingOfAPathLeadsOut) {
  start();
  for (const char* target :
       {"/../..", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//",
        "//etc/passwd", "/./", "/viewer.js/", "/viewer.js/..", "/viewer.js%00", "/VIEWER.JS",
        "/\\..\\..", "/socket/", "/etc/passwd", "/#", "/;", "/viewer.js#x"}) {
    EXPECT_EQ(get(target).status, 404) << target;
  }
  for (const char* target :
       {"http://localhost/", "http://evil.example/", "../..", "*", "localhost:80", "file:///etc"}) {
    EXPECT_EQ(get(target).status, 400) << target;
  }
  EXPECT_EQ(get(std::string("/\0", 2)).status, 400);
  EXPECT_EQ(get("/ /").status, 400);
  EXPECT_EQ(get("/" + std::string(3000, 'a')).status, 414);
  EXPECT_EQ(get("/" + std::string(30'000, 'a')).status, 431);
}

TEST_F(HttpTest, NothingCanBeSentToIt) {
  start();
  for (const char* method :
       {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "X"}) {
    const Response answer = ask(std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.fields.at("allow"), "GET, HEAD") << method;
  }
  // The body is not waited for, and the answer survives one that comes nevertheless.
  const std::string start_of_post = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(ask(start_of_post + "Content-Length: 5\r\n\r\n").status, 413);
  EXPECT_EQ(
      ask(start_of_post + "Content-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'x')).status,
      413);
  EXPECT_EQ(ask(start_of_post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n").status,
            413);
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n")
                .status,
            400);
}

TEST_F(HttpTest, ForeignHostsAreRefused) {
  start();
  const auto status = [&](const std::string& fields) {
    return ask("GET / HTTP/1.1\r\n" + fields + "\r\n").status;
  };
  EXPECT_EQ(status("Host: 127.0.0.1:1234\r\n"), 200);
  EXPECT_EQ(status("Host: [::1]\r\n"), 200);
  EXPECT_EQ(status("Host: evil.example\r\n"), 403);
  EXPECT_EQ(status("Host: 192.168.0.1\r\n"), 403);
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status("Host:\r\n"), 403);
  EXPECT_EQ(status("Host: localhost\r\nHost: localhost\r\n"), 400);
}

TEST_F(HttpTest, ForeignPagesAreRefused) {
  start();
  EXPECT_EQ(get("/", "Origin: http://localhost\r\n").status, 200);
  for (const std::string origin : {"null", "http://evil.example", "http://localhost:1", ""}) {
    const std::string field = "Origin: " + origin + "\r\n";
    EXPECT_EQ(get("/", field).status, 403) << origin;
    EXPECT_EQ(TestClient(port_).open(port_, "/socket", field).status, 403) << origin;
  }
  const std::string own = "Origin: http://localhost:" + std::to_string(port_) + "\r\n";
  EXPECT_EQ(TestClient(port_).open(port_, "/socket", own).status, 101);
  EXPECT_EQ(TestClient(port_).open(port_, "/socket", own + own).status, 403);
}

TEST_F(HttpTest, TheTokenOpensThePageAndTheSocket) {
  start({.token = "top secret"});
  EXPECT_EQ(get("/?token=top%20secret").status, 200);
  EXPECT_EQ(TestClient(port_).open(port_, "/socket?token=top%20secret").status, 101);
  EXPECT_EQ(get("/viewer.js").status, 200);
  for (const char* query : {"", "?token=", "?token=top%20secre", "?token=top%20secrets"}) {
    const Response answer = get(std::string("/") + query);
    EXPECT_EQ(answer.status, 403) << query;
    EXPECT_NE(answer.body.find("link printed by the program"), std::string::npos) << answer.body;
    EXPECT_EQ(TestClient(port_).open(port_, std::string("/socket") + query).status, 403) << query;
  }
}

TEST_F(HttpTest, SocketsAreAtOnePlaceOnly) {
  start();
  EXPECT_EQ(TestClient(port_).open(port_, "/").status, 404);
  EXPECT_EQ(TestClient(port_).open(port_, "/socket/").status, 404);
  EXPECT_EQ(get("/socket").status, 426);
  // Without a key, or with frames that do not wait for the answer.
  EXPECT_EQ(get("/socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n").status, 400);
  EXPECT_EQ(TestClient(port_).ask(upgrade_request(port_) + make_frame(1, "early")).status, 400);
  EXPECT_TRUE(events_.events().empty());
}

TEST_F(HttpTest, AFloodOfHeaderFieldsIsCutShort) {
  start();
  TestClient client(port_);
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n");
  const std::string fields(64 * 1024, 'x');
  bool is_open = true;
  // A write fails once the server has read some MB of them for the sake of politeness.
  for (int i = 0; i < 10'000 && is_open; ++i) is_open = client.write("X: " + fields + "\r\n");
  EXPECT_FALSE(is_open);
  EXPECT_EQ(get("/", "X: " + std::string(9000, 'x') + "\r\n").status, 431);
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(HttpTest, NonsenseIsAnsweredAndTheConnectionEnds) {
  start();
  for (const char* bytes :
       {"\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/3.0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02", "GET / HTTP/1.1\n\n"}) {
    TestClient client(port_);
    client.write(bytes);
    client.finish_writing();
    EXPECT_EQ(client.ask("").status, 400) << bytes;
    EXPECT_TRUE(client.is_closed()) << bytes;
  }
}

TEST_F(HttpTest, WhoAsksForNothingIsHungUpOn) {
  start({.handshake_seconds = 0.5});
  TestClient silent(port_);
  EXPECT_TRUE(silent.is_closed());
  TestClient idle(port_);
  EXPECT_EQ(idle.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_TRUE(idle.is_closed());
}

// A byte now and then does not buy more time: the limit is on the whole request.
TEST_F(HttpTest, WhoDribblesIsHungUpOn) {
  start({.handshake_seconds = 0.2});
  TestClient client(port_);
  const auto start_time = std::chrono::steady_clock::now();
  bool is_open = client.write("GET / HTTP/1.1\r\nX: ");
  while (is_open && std::chrono::steady_clock::now() - start_time < kTestPatience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    is_open = client.write("x");
  }
  EXPECT_FALSE(is_open);
}

// 4 for each of 2 clients: the ninth connection costs the first one its place.
TEST_F(HttpTest, TheOldestOfTooManyConnectionsGoes) {
  start({.max_clients = 2});
  std::vector<std::unique_ptr<TestClient>> idle;
  for (int i = 0; i < 8; ++i) idle.push_back(std::make_unique<TestClient>(port_));
  EXPECT_EQ(get("/").status, 200);
  EXPECT_TRUE(idle.front()->is_closed());
  EXPECT_EQ(idle.back()->ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
}

}  // namespace
}  // namespace scree
