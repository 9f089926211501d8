// The functions of draft.glsl for lanes whose samples and drafts are packed as packed_samples.h describes.
// store_residuals(), neighbor_errors() and with_residuals() compute exactly the same results as the functions
// in draft.glsl.
// Part of lanes.h, whose restrictions apply.
//
// The words of a block's drafts correspond to the block's lattice words. Word 4k + c of a lane's draft has
// the residuals of channel c of samples 4k to 4k + 3, a signed byte each (the words of luma are unused).
// Where cells are four samples across, only the residuals at the cell's border are stored: pairs of rows
// between the first and the last row share the word of the pair's first row (border_bytes()). Words
// MaxSamples and MaxSamples + 1 are the lane's candidates, and word DraftMeanError is its mean error. The
// left and right neighbors are other lanes, or lanes of adjacent blocks. The neighbors above and below have
// their drafts draft_pitch words away.

/// Returns the residual() of two samples in each lane.
SHARED(Pairs) residual_pairs(Pairs samples_of, Pairs coverage, Int foreground, Int background) {
  const auto both_of = [](Int code) { return reinterpret_cast<SignedPairs>(pack_pair(code, code)); };
  const SignedPairs background_of = both_of(background);
  const SignedPairs product =
      (both_of(foreground) - background_of) * reinterpret_cast<SignedPairs>(coverage) +
      static_cast<std::int16_t>(CoverageOne / 2);
  return reinterpret_cast<Pairs>(
      (reinterpret_cast<SignedPairs>(samples_of) - background_of - (product >> 5)) >> 1);
}

/// Returns `from_a` where the mask's bits are set, otherwise `from_b`.
SHARED(Uint) select_bits(std::uint32_t mask, Uint from_a, Uint from_b) {
  return (from_a & mask) | (from_b & ~mask);
}
SHARED(Uint) swap_halves(Uint words) {
  return (words << 16) | (words >> 16);
}

// Of two rows of four samples, a and b, the word of border bytes has the first and the last sample of each:
// from its lowest byte on, the first sample of a, the last of b, the first of b, and the last of a.
inline constexpr std::uint32_t BytesOfA = 0xFF0000FF;
SHARED(Uint) border_bytes(Uint a, Uint b) {
  return select_bits(BytesOfA, a, swap_halves(b));
}

/// Whether the residuals of words k and k + 1 share a word of border bytes, at word k.
SHARED(bool) starts_row_pair(IN(MapParameters) p, std::uint32_t k) {
  return p.samples_x == 4 && k % 2 == 1 && k + 2 < words_of(p);
}

/// Returns the residuals of four samples of one channel, a signed byte each.
SHARED(Uint) residual_bytes(Uint codes, Uint coverage, Int foreground, Int background) {
  const Uint even = to_words(residual_pairs(even_bytes(codes), even_bytes(coverage), foreground, background));
  const Uint odd = to_words(residual_pairs(odd_bytes(codes), odd_bytes(coverage), foreground, background));
  return select_bits(0x00FF00FF, even, odd << 8);
}

/// Stores residuals so that word 4k + c has channel c of samples 4k to 4k + 3, as the lattice stores samples,
/// or the border bytes of these samples and of the next four.
SHARED(void)
store_residuals(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, Int glyph, Uint foreground,
                Uint background) {
  Uint coverage[SampleWords];
  load_rows(tables + p.fit.coverage_at, glyph, coverage);
  for (std::uint32_t c = 0; c < 3; ++c) {
    const Int foreground_code = to_int((foreground >> (8 * c)) & 255u);
    const Int background_code = to_int((background >> (8 * c)) & 255u);
    for (std::uint32_t k = 0; k < words_of(p); ++k) {
      if (k > 0 && starts_row_pair(p, k - 1)) continue;
      Uint codes = cell.channel[c][k];
      Uint covered = coverage[k];
      if (starts_row_pair(p, k)) {
        codes = border_bytes(codes, cell.channel[c][k + 1]);
        covered = border_bytes(covered, coverage[k + 1]);
      }
      STORE_DRAFT(4 * k + c, residual_bytes(codes, covered, foreground_code, background_code));
    }
  }
}

/// Returns word `i` of the draft of each lane's left neighbor: DRAFT_BESIDE(-1, 0, i).
/// draft_right(), draft_above() and draft_below() do the same for the other neighbors.
SHARED(Uint) draft_left(const AnalysisView& analysis, std::uint32_t i) {
  const std::uint32_t* word = analysis.drafts + i * LaneCount;
  return every<LaneCount - 1, 1>(load(word - DraftWords * LaneCount), load(word));
}
SHARED(Uint) draft_right(const AnalysisView& analysis, std::uint32_t i) {
  const std::uint32_t* word = analysis.drafts + i * LaneCount;
  return every<1, 1>(load(word), load(word + DraftWords * LaneCount));
}
SHARED(Uint) draft_above(const AnalysisView& analysis, std::uint32_t i) {
  return load(analysis.drafts - analysis.draft_pitch + i * LaneCount);
}
SHARED(Uint) draft_below(const AnalysisView& analysis, std::uint32_t i) {
  return load(analysis.drafts + analysis.draft_pitch + i * LaneCount);
}

struct Residuals {
  Int r, g, b;
};

SHARED(Residuals) add_residual(Residuals sum, Uint word) {
  return {sum.r + (to_int(word << 8) >> 24), sum.g + (to_int(word << 16) >> 24),
          sum.b + (to_int(word << 24) >> 24)};
}

SHARED(Residuals) neighbor_errors(CELL_CONTEXT) {
  Residuals sum{};
  sum = add_residual(sum, draft_left(analysis, DraftMeanError));
  sum = add_residual(sum, draft_right(analysis, DraftMeanError));
  sum = add_residual(sum, draft_above(analysis, DraftMeanError));
  return add_residual(sum, draft_below(analysis, DraftMeanError));
}

SHARED(SignedPairs) clamp_pairs(SignedPairs codes) {
  codes = codes < 0 ? SignedPairs{} : codes;
  return codes > 255 ? SignedPairs{} + 255 : codes;
}

/// Adds the residuals of neighboring cells to the four samples in `word` and clamps the results to 0 to 255.
/// `beside`: residuals of the left and the right neighbor.
SHARED(Uint) add_residuals(Uint word, Uint beside, Uint above, Uint below) {
  const SignedPairs even = reinterpret_cast<SignedPairs>(even_bytes(word)) + even_signed(beside) +
                           even_signed(above) + even_signed(below);
  const SignedPairs odd = reinterpret_cast<SignedPairs>(odd_bytes(word)) + odd_signed(beside) +
                          odd_signed(above) + odd_signed(below);
  return reinterpret_cast<Uint>(clamp_pairs(even)) | (reinterpret_cast<Uint>(clamp_pairs(odd)) << 8);
}

/// Implements with_residuals() for cells with any number of samples across.
SHARED(CellSamples) with_each_residual(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  CellSamples wanted{};
  const std::uint32_t across = p.samples_x;
  const std::uint32_t last_row = p.sample_count - across;
  for (std::uint32_t c = 0; c < 3; ++c) {
    for (std::uint32_t i = 0; i < p.sample_count; ++i) {
      const auto word_of = [c](std::uint32_t sample) { return sample / 4 * 4 + c; };
      const auto byte_of = [](Uint word, std::uint32_t sample) {
        return to_int(word << (24 - sample % 4 * 8)) >> 24;
      };
      Int sum = to_int((cell.channel[c][i / 4] >> (i % 4 * 8)) & 255u);
      const std::uint32_t x = i % across;
      const std::uint32_t first = i - x;
      const std::uint32_t last = first + across - 1;
      if (x == 0) sum += byte_of(draft_left(analysis, word_of(last)), last);
      if (x == across - 1) sum += byte_of(draft_right(analysis, word_of(first)), first);
      if (i < across) sum += byte_of(draft_above(analysis, word_of(i + last_row)), i + last_row);
      if (i >= last_row) sum += byte_of(draft_below(analysis, word_of(i - last_row)), i - last_row);
      wanted.channel[c][i / 4] |= to_uint(clamp_8(sum)) << (i % 4 * 8);
    }
  }
  return wanted;
}

/// Returns unsigned bytes plus signed bytes, clamped to 0 to 255.
SHARED(Uint) add_to_codes(Uint codes, Uint residuals) {
#if defined(__SSE2__)
  const Uint sum = reinterpret_cast<Uint>(SIMD(adds_epi8)(reinterpret_cast<Register>(codes ^ 0x80808080u),
                                                          reinterpret_cast<Register>(residuals)));
  return sum ^ 0x80808080u;
#else
  return add_residuals(codes, residuals, Uint{}, Uint{});
#endif
}

/// Returns the border bytes of the residuals across the left and the right border, from the neighbors' border
/// bytes.
SHARED(Uint) across_borders(Uint left, Uint right) {
  return select_bits(0x00FF00FF, (left << 8) | (left >> 24), (right >> 8) | (right << 24));
}

SHARED(CellSamples) with_residuals(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  if (p.samples_x != 4) return with_each_residual(CELL_ARGUMENTS, p, cell);
  CellSamples wanted = cell;
  const std::uint32_t last = words_of(p) - 1;
#pragma GCC unroll 3
  for (std::uint32_t c = 0; c < 3; ++c) {
    Uint* const channel = wanted.channel[c];
    // Not for pairs of rows: the residuals of the left and the right neighbor in row k.
    const auto beside = [&](std::uint32_t k) {
      return (draft_left(analysis, 4 * k + c) >> 24) | (draft_right(analysis, 4 * k + c) << 24);
    };
    const Uint above = draft_above(analysis, 4 * last + c);
    const Uint below = draft_below(analysis, c);
    if (last == 0) {
      channel[0] = add_residuals(channel[0], beside(0), above, below);
      continue;
    }
    channel[0] = add_residuals(channel[0], beside(0), above, Uint{});
    channel[last] = add_residuals(channel[last], beside(last), Uint{}, below);
    for (std::uint32_t k = 1; k < last; k += 2) {
      if (!starts_row_pair(p, k)) {
        channel[k] = add_to_codes(channel[k], beside(k));
        continue;
      }
      const Uint residuals =
          across_borders(draft_left(analysis, 4 * k + c), draft_right(analysis, 4 * k + c));
      const Uint sums = add_to_codes(border_bytes(channel[k], channel[k + 1]), residuals);
      channel[k] = select_bits(BytesOfA, sums, channel[k]);
      channel[k + 1] = select_bits(BytesOfA, swap_halves(sums), channel[k + 1]);
    }
  }
  return wanted;
}
