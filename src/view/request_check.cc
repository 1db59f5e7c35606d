#include "view/request_check.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>

namespace scree {
namespace {

constexpr std::size_t kMaxTarget = 2048;  // bytes; ours have fewer than 100

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes what is before `separator`, or all, off the front of `rest`.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

/// "name:port" without the port; nothing when what follows the name is no port.
std::optional<std::string_view> name_of(std::string_view host) {
  const bool is_bracketed = host.starts_with('[');
  const std::size_t name_end = is_bracketed ? host.find(']') : host.find(':');
  if (name_end == std::string_view::npos) {
    return is_bracketed ? std::nullopt : std::optional(host);
  }
  const std::size_t length = name_end + (is_bracketed ? 1 : 0);
  const std::string_view name = host.substr(0, length);
  std::string_view port = host.substr(length);
  if (port.empty()) return name;
  if (port.front() != ':') return std::nullopt;
  port.remove_prefix(1);
  const bool is_port =
      !port.empty() && port.size() <= 5 &&
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_port ? std::optional(name) : std::nullopt;
}

enum class Literal { none, loopback, other };

/// Only the full forms count, as a browser writes them: no "127.1", no names.
Literal literal_of(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) {
    in6_addr v6;
    const std::string text(name.substr(1, name.size() - 2));
    if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return Literal::none;
    return IN6_IS_ADDR_LOOPBACK(&v6) ? Literal::loopback : Literal::other;
  }
  in_addr v4;
  if (inet_pton(AF_INET, std::string(name).c_str(), &v4) != 1) return Literal::none;
  return (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET ? Literal::loopback : Literal::other;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = to_lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) {
      decoded += text[i];
    } else {
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

/// Looks at every byte of the guess whatever the first ones are, so that the time taken tells
/// nothing about how far a guess is right.
bool is_same_secret(std::string_view guess, std::string_view secret) {
  unsigned difference = guess.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < guess.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(guess[i]) ^ static_cast<unsigned char>(expected);
  }
  volatile const unsigned result = difference;  // else the compiler may leave the loop early
  return result == 0;
}

bool needs_token(std::string_view path) { return path == kPagePath || path == kSocketPath; }

/// "gzip;q=0" means: anything but gzip.
bool is_refused_coding(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = trim(take_until(parameters, ';'));
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    return parameter.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

}  // namespace

std::optional<Refusal> refuse_request(const RequestFacts& request, const RequestRule& rule) {
  if (request.host_count != 1) return Refusal{400, "A request needs one header field 'Host'.\n"};
  if (!is_own_host(request.host, rule)) {
    return Refusal{403,
                   "This server does not go by that name. Use the link printed by the program.\n"};
  }
  const bool is_foreign =
      request.origin_count > 1 ||
      (request.origin_count == 1 && !is_same_origin(request.origin, request.host));
  if (is_foreign) return Refusal{403, "Other pages may not use this server.\n"};
  if (request.method != "GET" && request.method != "HEAD") {
    return Refusal{405, "Only GET and HEAD are answered.\n"};
  }
  if (request.target.size() > kMaxTarget) return Refusal{414, "The address is too long.\n"};
  if (!request.target.starts_with('/')) return Refusal{400, "The address must begin with '/'.\n"};
  if (needs_token(path_of(request.target)) && !rule.token.empty() &&
      !has_token(request.target, rule.token)) {
    return Refusal{403, "The token is missing or wrong. Use the link printed by the program.\n"};
  }
  return std::nullopt;
}

bool is_own_host(std::string_view host, const RequestRule& rule) {
  const std::optional<std::string_view> name = name_of(host);
  if (!name) return false;
  if (is_same_word(*name, "localhost")) return true;
  // An address in the link is never looked up, so nobody can have bent it to point here.
  const Literal literal = literal_of(*name);
  if (literal != Literal::none) return literal == Literal::loopback || !rule.is_loopback;
  if (rule.is_loopback) return false;
  return std::any_of(rule.own_names.begin(), rule.own_names.end(),
                     [&](const std::string& own) { return is_same_word(own, *name); });
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  const std::string_view scheme = origin.substr(0, std::min(origin.find("://"), origin.size()));
  if (!is_same_word(scheme, "http") && !is_same_word(scheme, "https")) return false;
  // "http" alone has no host, and no request has an empty one.
  return origin.size() > scheme.size() && !host.empty() &&
         is_same_word(origin.substr(scheme.size() + 3), host);
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

bool has_token(std::string_view target, std::string_view token) {
  std::string_view query = target.substr(path_of(target).size());
  if (!query.empty()) query.remove_prefix(1);
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    if (take_until(value, '=') == "token") return is_same_secret(percent_decode(value), token);
  }
  return false;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const char small = to_lower(c);
    const bool is_plain = (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~").find(c) != std::string_view::npos;
    if (is_plain) {
      encoded += c;
    } else {
      const auto byte = static_cast<std::uint8_t>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool accepts_any = false;
  while (!accept_encoding.empty()) {
    std::string_view parameters = take_until(accept_encoding, ',');
    const std::string_view coding = trim(take_until(parameters, ';'));
    const bool is_refused = is_refused_coding(parameters);
    if (is_same_word(coding, "gzip") || is_same_word(coding, "x-gzip")) return !is_refused;
    if (coding == "*") accepts_any = !is_refused;
  }
  return accepts_any;
}

}  // namespace scree
