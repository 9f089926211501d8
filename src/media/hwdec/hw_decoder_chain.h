#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "media/hwdec/hw_decode_backend.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/hwdec/hw_decoder.h"

namespace glyphreel::media {

/// A Source's hardware decoding status, kept when the Source replaces its decoder. Thread-safety: any thread.
class HwDecodeReport {
 public:
  void set_decoder(std::string name) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    status_.decoder = std::move(name);
  }
  /// Records a fallback. Returns false if the same fallback was recorded before.
  bool add_fallback(std::string from, std::string reason) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (const HwDecodeStatus::Fallback& known : status_.fallbacks) {
      if (known.from == from && known.reason == reason) return false;
    }
    status_.fallbacks.push_back({std::move(from), std::move(reason)});
    return true;
  }
  [[nodiscard]] HwDecodeStatus status() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  mutable Mutex mutex_;
  HwDecodeStatus status_ GUARDED_BY(mutex_);
};

/// The hardware decoders that may decode a stream. They are tried one after another until one works.
/// Thread-safety: one thread at a time.
class HwDecoderChain {
 public:
  struct Options {
    HwDecodeChoice choice = HwDecodeChoice::No;
    const DeferredHwDecode* hardware = nullptr;  ///< see SourceOptions; may be null
    HwDecodeBackend* backend = nullptr;          ///< set only by tests; null: make_hw_decode_backend()
    bool supports_interlaced = true;             ///< whether the caller can use interlaced frames
    HwDecodeReport* report = nullptr;            ///< may be null
  };
  /// `parameters` must outlive the HwDecoderChain.
  HwDecoderChain(const Options& options, const AVCodecParameters& parameters, AVRational time_base)
      : options_(options),
        parameters_(parameters),
        time_base_(time_base),
        is_planned_(options.choice == HwDecodeChoice::No) {}

  ~HwDecoderChain();
  HwDecoderChain(const HwDecoderChain&) = delete;
  HwDecoderChain& operator=(const HwDecoderChain&) = delete;

  /// Whether the decoders to try are known: plan() was called, or hardware decoding was not requested.
  [[nodiscard]] bool is_planned() const { return is_planned_; }
  [[nodiscard]] bool can_plan() const {
    return !is_planned_ && (options_.hardware == nullptr || options_.hardware->context());
  }
  /// Chooses the decoders to try. `fits`: whether hardware can decode this kind of stream. If no decoder is
  /// suitable, returns false and, if the user requested an API by name, reports why that API is not used.
  [[nodiscard]] bool plan(bool fits);

  /// Returns the hardware decoder in use; null if the CPU decodes.
  [[nodiscard]] HwDecoder* current() const { return current_.get(); }
  /// Replaces the current decoder with the next one that can be opened, if any, and logs each fallback.
  /// `has_frames`: whether frames were already returned; if so, users notice the change, so the fallback is
  /// logged as a warning. `consequence`: a sentence to append to the log message; may be empty.
  void advance(bool has_frames, std::string_view consequence);
  /// Returns true if `frame` is interlaced but Options::supports_interlaced is false. In that case, abandons
  /// all hardware decoders; the caller must then call advance().
  [[nodiscard]] bool refuses(const AVFrame& frame);

 private:
  [[nodiscard]] RequestMode mode() const {
    return options_.choice == HwDecodeChoice::Auto ? RequestMode::AnyApi : RequestMode::NamedApi;
  }
  void report_no_candidate(bool is_interlaced) const;
  void report_fallback(HwDecodeApi from, const std::string& reason, const std::string& next,
                       bool is_visible) const;

  const Options options_;
  const AVCodecParameters& parameters_;
  const AVRational time_base_;
  bool is_planned_;
  std::unique_ptr<HwDecodeBackend> own_backend_;
  HwDecodeBackend* backend_ = nullptr;
  std::vector<HwDecodeApi> candidates_;  ///< the decoders not yet tried; the last element is tried first
  std::unique_ptr<HwDecoder> current_;
};

}  // namespace glyphreel::media
