// Which requests the viewer's server answers. Any page in the user's browser can send requests to
// this machine, so what a request says of itself is checked before anything else is looked at.
// Functions of text alone: no sockets, no state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

inline constexpr std::string_view kPagePath = "/";
inline constexpr std::string_view kSocketPath = "/socket";

/// What the server was told about who may ask.
struct RequestRule {
  bool is_loopback = true;             // bound to an address only this machine can reach
  std::vector<std::string> own_names;  // of this machine; heeded when it can be reached from others
  std::string token;                   // empty: none is asked for
};

/// What a request says of itself. Views into it.
struct RequestFacts {
  std::string_view method;
  std::string_view target;
  std::size_t host_count = 0;  // header fields `Host`
  std::string_view host;
  std::size_t origin_count = 0;  // header fields `Origin`
  std::string_view origin;
};

struct Refusal {
  int status;             // of HTTP
  std::string_view text;  // for the person who sees it
};

/// Why the request gets no answer, or nothing. Whether there is something at its path is not asked.
std::optional<Refusal> refuse_request(const RequestFacts& request, const RequestRule& rule);

/// Against DNS rebinding, where a foreign name is made to point to this machine: `host` ("name",
/// "name:port", "[::1]:port") must be an address or a name that only the user can have meant.
/// Any port goes, because ssh -L forwards from another one.
bool is_own_host(std::string_view host, const RequestRule& rule);

/// `origin` ("http://host:port") is the server itself, asked for as `host`. "null" never is.
bool is_same_origin(std::string_view origin, std::string_view host);

/// The target without its query.
std::string_view path_of(std::string_view target);

/// The target's query has `token=` with this token. Takes as long for a near miss as for a far one.
bool has_token(std::string_view target, std::string_view token);

/// As part of a query: everything but letters, digits and -._~ as %XX.
std::string percent_encode(std::string_view text);

/// What the header field `Accept-Encoding` says about gzip.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace scree
