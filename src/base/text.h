// Small text helpers for messages.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace scree {

/// The known word nearest to `word` (edit distance), or empty when none is near.
std::string nearest_word(const std::string& word, std::span<const std::string> known);
/// "a, b and c".
std::string join_words(std::span<const std::string> words);

}  // namespace scree
