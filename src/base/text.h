// Small text helpers for messages.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace scree {

/// The known word nearest to `word` (edit distance, capitals count as small letters) or the only
/// one that begins with it; empty when none is near.
std::string nearest_word(const std::string& word, std::span<const std::string> known);
/// "a, b and c".
std::string join_words(std::span<const std::string> words);

/// Control characters, which may stand in names of files and bodies, as question marks: a message
/// has one line and does not colour the terminal.
std::string one_line(std::string text);

}  // namespace scree
