#include "player/playlist/playlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "media/input/protocols.h"
#include "player/playlist/playlist_file.h"

namespace glyphreel::player {
namespace {

// Maximum number of network playlists that are read in total. Without this limit, a server could generate
// new playlists forever.
constexpr std::size_t MaxNetworkPlaylists = 100;

}  // namespace

Playlist::Playlist(const std::vector<std::string>& inputs, Order order) : order_(order) {
  entries_ = expand(inputs);
}

std::vector<PlaylistEntry> Playlist::expand(const std::vector<std::string>& inputs) {
  ExpandedInputs expanded = expand_inputs(inputs);
  for (Error& problem : expanded.problems) note(std::move(problem));
  order(expanded.entries);
  return std::move(expanded.entries);
}

/// Shuffles new entries if the playlist is shuffled.
void Playlist::order(std::vector<PlaylistEntry>& entries) const {
  if (order_ == Order::Shuffled) std::ranges::shuffle(entries, std::mt19937(std::random_device()()));
}

void Playlist::note(Error problem) {
  ++failures_;
  last_failure_ = problem;
  problems_.push_back(std::move(problem));
}

const PlaylistEntry* Playlist::current() const {
  return position_ < entries_.size() ? &entries_[position_] : nullptr;
}

bool Playlist::next() {
  if (is_at_last()) return false;
  direction_ = Direction::Forward;
  ++position_;
  return true;
}

bool Playlist::previous() {
  if (position_ == 0) return false;
  direction_ = Direction::Backward;
  --position_;
  return true;
}

void Playlist::select(std::size_t position) {
  if (entries_.empty()) return;
  direction_ = position < position_ ? Direction::Backward : Direction::Forward;
  position_ = std::min(position, entries_.size() - 1);
}

void Playlist::advance() {
  direction_ = Direction::Forward;
  if (position_ < entries_.size()) ++position_;
}

void Playlist::skip_current(const Error& reason) {
  if (current() == nullptr) return;
  note(reason);
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position_));
  // When moving backward, continue with the previous entry. At the first entry, continue forward.
  if (direction_ == Direction::Backward && position_ > 0) --position_;
}

bool Playlist::is_network_playlist() const {
  const PlaylistEntry* entry = current();
  if (entry == nullptr || !media::is_web_url(entry->url) || !is_playlist_name(entry->url)) return false;
  return expanded_urls_.size() < MaxNetworkPlaylists &&
         std::find(expanded_urls_.begin(), expanded_urls_.end(), entry->url) == expanded_urls_.end();
}

void Playlist::expand_current(const Result<std::string>& text) {
  CHECK(is_network_playlist(), "the current entry is not an unread network playlist");
  const std::string url = entries_[position_].url;
  expanded_urls_.push_back(
      url);  // each playlist is expanded only once, because two playlists may contain each other
  if (!text) {
    skip_current(text.error());
    return;
  }
  ExpandedInputs expanded = expand_network_playlist(url, *text);
  if (expanded.entries.size() == 1 && expanded.entries.front().url == url) return;  // an HLS stream
  for (Error& problem : expanded.problems) note(std::move(problem));
  order(expanded.entries);
  const auto at = entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position_));
  entries_.insert(at, std::make_move_iterator(expanded.entries.begin()),
                  std::make_move_iterator(expanded.entries.end()));
}

bool Playlist::replace(const std::vector<std::string>& inputs) {
  std::vector<PlaylistEntry> entries = expand(inputs);
  if (entries.empty()) return false;
  entries_ = std::move(entries);
  position_ = 0;
  direction_ = Direction::Forward;
  return true;
}

std::vector<Error> Playlist::take_problems() {
  const bool is_outcome = entries_.empty() && !has_played_ && failures_ == 1;
  std::vector<Error> problems = std::exchange(problems_, {});
  if (is_outcome) problems.clear();
  return problems;
}

std::optional<double> Playlist::still_image_seconds() const {
  if (entries_.size() <= 1) return {};
  return ImageDisplaySeconds;
}

Result<void> Playlist::outcome() const {
  if (has_played_ || failures_ == 0) return {};
  if (failures_ == 1) return *last_failure_;
  return Error{
      ErrorCode::BadInput,
      fmt::format("None of the {} inputs could be played; the messages above give the reasons.", failures_),
      {}};
}

}  // namespace glyphreel::player
