#include "view/request_check.h"

#include <gtest/gtest.h>

namespace scree {
namespace {

const RequestRule kLoopback = {.is_loopback = true, .own_names = {"workbench"}, .token = ""};
const RequestRule kPublic = {.is_loopback = false, .own_names = {"workbench"}, .token = "secret"};

TEST(RequestCheck, LoopbackIsKnownByItsOwnNamesAtAnyPort) {
  for (const char* host : {"localhost", "LocalHost:8765", "127.0.0.1", "127.0.0.1:1",
                           "127.0.0.2:80", "[::1]", "[::1]:65535", "[0:0:0:0:0:0:0:1]:80"}) {
    EXPECT_TRUE(is_own_host(host, kLoopback)) << host;
    EXPECT_TRUE(is_own_host(host, kPublic)) << host;
  }
}

TEST(RequestCheck, NamesOfOthersAreRefusedEverywhere) {
  for (const char* host : {"",
                           ":80",
                           "evil.example",
                           "evil.example:8765",
                           "localhost.evil.example",
                           "127.0.0.1.evil.example",
                           "127.1",
                           "0x7f000001",
                           "2130706433",
                           "localhost:",
                           "localhost:80:80",
                           "localhost:8a",
                           "localhost:123456",
                           "user@localhost",
                           "localhost/",
                           "localhost ",
                           "[::1",
                           "::1",
                           "[::1]80",
                           "[]",
                           "[localhost]",
                           "[::1%lo]",
                           "localhost.",
                           "workbench.evil.example"}) {
    EXPECT_FALSE(is_own_host(host, kLoopback)) << host;
    EXPECT_FALSE(is_own_host(host, kPublic)) << host;
  }
}

TEST(RequestCheck, OtherAddressesAndTheMachinesNameAreForPublicServersOnly) {
  for (const char* host : {"192.168.1.7", "192.168.1.7:8765", "[fe80::1]:80", "0.0.0.0:80",
                           "workbench", "WORKBENCH:8765"}) {
    EXPECT_FALSE(is_own_host(host, kLoopback)) << host;
    EXPECT_TRUE(is_own_host(host, kPublic)) << host;
  }
}

TEST(RequestCheck, OnlyTheServersOwnPageIsOfItsOrigin) {
  EXPECT_TRUE(is_same_origin("http://localhost:8765", "localhost:8765"));
  EXPECT_TRUE(is_same_origin("https://workbench", "workbench"));
  EXPECT_TRUE(is_same_origin("http://[::1]:80", "[::1]:80"));
  EXPECT_TRUE(is_same_origin("HTTP://LOCALHOST:1", "localhost:1"));
  for (const char* origin :
       {"", "null", "http", "http:", "http://", "localhost:8765", "//localhost:8765",
        "http://localhost:8766", "http://localhost", "http://127.0.0.1:8765",
        "ftp://localhost:8765", "file://", "http://localhost:8765/", "http://evil.example",
        "http://localhost:8765.evil.example"}) {
    EXPECT_FALSE(is_same_origin(origin, "localhost:8765")) << origin;
  }
  EXPECT_FALSE(is_same_origin("http://", ""));
  EXPECT_FALSE(is_same_origin("null", "null"));
}

TEST(RequestCheck, TheTokenIsFoundAmongOtherParts) {
  EXPECT_TRUE(has_token("/?token=secret", "secret"));
  EXPECT_TRUE(has_token("/?a=1&token=secret&b", "secret"));
  EXPECT_TRUE(has_token("/?token=s%65cret", "secret"));
  for (const char* target :
       {"/", "/?", "/?token", "/?token=", "/?token=secre", "/?token=secrets",
        "/?token=secretsecret", "/?Token=secret", "/?atoken=secret", "/token=secret",
        "/?token=x&token=secret", "/?token=secret%", "/?&&&", "/?token=secret%00"}) {
    EXPECT_FALSE(has_token(target, "secret")) << target;
  }
}

TEST(RequestCheck, AnyTokenComesThroughALink) {
  std::string token;
  for (int c = 1; c < 256; ++c) token += static_cast<char>(c);
  EXPECT_TRUE(has_token("/?token=" + percent_encode(token), token));
  EXPECT_EQ(percent_encode("a-Z.0_~ &%\xff"), "a-Z.0_~%20%26%25%FF");
}

TEST(RequestCheck, GzipIsSentToThoseWhoTakeIt) {
  for (const char* field :
       {"gzip", "GZIP", "br, gzip", "deflate , gzip;q=0.5", "*", "x-gzip", "gzip;q=1"}) {
    EXPECT_TRUE(accepts_gzip(field)) << field;
  }
  for (const char* field : {"", "identity", "br", "gzip;q=0", "gzip; q=0.0", "gzip;q=0, *", "*;q=0",
                            "gzipped", ",,;;"}) {
    EXPECT_FALSE(accepts_gzip(field)) << field;
  }
}

int status_of(const RequestFacts& request, const RequestRule& rule) {
  const auto refusal = refuse_request(request, rule);
  return refusal ? refusal->status : 200;
}

TEST(RequestCheck, TheFirstThingWrongIsSaid) {
  const RequestFacts good = {
      .method = "GET", .target = "/", .host_count = 1, .host = "localhost", .origin = ""};
  EXPECT_EQ(status_of(good, kLoopback), 200);

  RequestFacts request = good;
  request.host_count = 2;
  EXPECT_EQ(status_of(request, kLoopback), 400);
  request = good;
  request.host = "evil.example";
  EXPECT_EQ(status_of(request, kLoopback), 403);
  request = good;
  request.origin_count = 2;
  request.origin = "http://localhost";
  EXPECT_EQ(status_of(request, kLoopback), 403);
  request.origin_count = 1;
  EXPECT_EQ(status_of(request, kLoopback), 200);
  request = good;
  request.method = "POST";
  EXPECT_EQ(status_of(request, kLoopback), 405);
  request = good;
  request.target = "http://localhost/";
  EXPECT_EQ(status_of(request, kLoopback), 400);
}

TEST(RequestCheck, TheTokenIsNeededWhereThereIsSomethingToSee) {
  RequestFacts request = {
      .method = "GET", .target = "/", .host_count = 1, .host = "localhost", .origin = ""};
  EXPECT_EQ(status_of(request, kPublic), 403);
  request.target = "/socket?token=wrong";
  EXPECT_EQ(status_of(request, kPublic), 403);
  request.target = "/socket?token=secret";
  EXPECT_EQ(status_of(request, kPublic), 200);
  request.target = "/viewer.js";
  EXPECT_EQ(status_of(request, kPublic), 200);
}

}  // namespace
}  // namespace scree
