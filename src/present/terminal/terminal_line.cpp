#include "present/terminal/terminal_line.h"

#include <algorithm>

namespace glyphreel::present {
namespace {

constexpr double SlackSeconds = 0.08;
constexpr double SilenceSeconds = 1;
constexpr double LostSeconds = 10;
constexpr std::size_t MaxUnproven = 2;  // limit of open queries before the first answer
constexpr int ClearFrames = 12;
constexpr double NewShare = 0.25;  // weight of the last frame in the average `sending_`

}  // namespace

void TerminalLine::query_sent(double now) {
  open_.push_back({now, open_.size() + 1});
}

void TerminalLine::query_answered(double now) {
  if (open_.empty()) return;
  const Query query = open_.front();
  open_.pop_front();
  const double delay = now - query.sent_at;
  quickest_ = answers_ > 0 ? std::min(quickest_, delay) : delay;
  ++answers_;
  const double sending = (delay - quickest_) / static_cast<double>(query.place);
  sending_ = answers_ == 2 ? sending : sending_ + (sending - sending_) * NewShare;
}

bool TerminalLine::is_clear(double now) {
  if (open_.empty() || silent_) return true;
  const double age = now - open_.front().sent_at;
  if (answers_ == 0) {
    if (age > SilenceSeconds) {
      silent_ = true;
      open_.clear();
    }
    return silent_ || open_.size() < MaxUnproven;
  }
  if (age > LostSeconds) open_.clear();
  // The only answer so far is to the query before the first frame, so sending_ is unknown.
  if (answers_ == 1) return open_.empty();
  // The round trips of the frames in flight overlap, so only the frames' transmission times add up.
  const double waiting = static_cast<double>(open_.size()) * sending_;
  return open_.empty() || (age <= quickest_ + SlackSeconds && waiting <= SlackSeconds + quickest_);
}

int ColorTolerance::next(Line line) {
  if (line == Line::Busy) {
    clear_ = 0;
    now_ = std::min(now_ + 1, Max);
  } else if (++clear_ >= ClearFrames) {
    clear_ = 0;
    now_ = std::max(now_ - 1, Min);
  }
  return now_;
}

}  // namespace glyphreel::present
