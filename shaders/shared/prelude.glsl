// The dialect of this folder: each function is compiled as GLSL for the GPU, as plain C++ for one cell at a
// time (src/mapping/shared/shared_scalar.h), and as C++ for several cells at once, one per SIMD lane
// (src/mapping/kernels/lanes.h). All three must produce the same bits. This file defines every macro of the
// dialect, for C++ and for GLSL; no other file of this folder distinguishes the two languages.
//
// Rules. Decisions use 32-bit integers only, which are exact on every conformant device and compiler; floats
// are not. For the same reason, the operator % is not used on negative numbers. A value that differs from cell to
// cell is an INT, UINT or MASK and cannot be a condition of `if` or `?:`. Use select(), or put if (any_of(mask))
// around work that only some cells need. A value that is the same for all cells, such as a parameter or a loop
// counter, is an int, uint or bool.
//
// Types and declarations
//   INT, UINT, MASK           one int, uint or bool for each cell being mapped; in SIMD code, a vector
//   ENUM(type)                an enumeration of C++, a uint in GLSL
//   SHARED(type) name(...)    a function that returns `type`
//   IN(type), INOUT(type)     a parameter that the function only reads, or also writes; a reference in C++
//   CONSTANT(type, name, value)
//   SIDE_BY_SIDE              whether loops interleave independent work, so that several multipliers are busy. True in
//                             C++ and on GPUs. False on software drivers: on lavapipe, interleaved loops took 39 ms
//                             and plain loops 21 ms (shape in full color, 1080p at 240x67 cells). The results are the
//                             same
//
// Operations: macros in GLSL, functions in C++
//   absolute(x), smaller(a, b), larger(a, b), select(mask, yes, no), both(a, b), either(a, b), any_of(mask)
//   to_int(x), to_uint(x)     x as INT or UINT with the same bits
//   broadcast(x)              an INT from an int
//   divide(a, b)              truncates
//   divide_round(a, b)        rounds to nearest, halves away from zero; |a| + b / 2 < 2^31
//   DIVISOR, divisor(b)       a type, and b as this type: divide_round() divides several numbers by it faster than by b
//   divide_small(a, b)        the same as divide() for |a| and b below 2^24, which is faster on the CPU
//   divide_small_round(a, b)  the same as divide_round() for |a| below 2^20 and b below 2^24
//   multiply_add_pairs(sum, a, b)   sum + a.low * b.low + a.high * b.high, where low and high are signed 16-bit halves
//   multiply_add_bytes(sum, a, b)   sum + the products of the four bytes of a and the four signed bytes of b, each -127
//                             to 127. The products of bytes 0 and 1, added, must fit in 16 bits, and so must those of
//                             bytes 2 and 3. They do if no byte of a exceeds 127
//   highest_bit(x)            the index of the highest bit that is set; x is 1 to 2^24 - 1
//
// The cell being mapped, passed from function to function
//   CELL_CONTEXT, CELL_ARGUMENTS    the parameters that pass the cell in a declaration, the arguments in a call
//   PAIR_CONTEXT, PAIR_ARGUMENTS    the same for two adjacent cells
//   LEFT_ARGUMENTS, RIGHT_ARGUMENTS   the arguments for one cell of a pair; if the right cell is beyond the last
//                             column, its results are ignored
//   SAMPLE(i), SAMPLE_BYTE(i, shift)  the cell's sample i, 0xLLRRGGBB, and the sample's byte at bit `shift`
//   TABLE(i), GATHER(i)       word i of the glyph tables; i is one index for all cells (TABLE) or differs from cell
//                             to cell (GATHER)
//   TABLE_ROW(name, at), ROW_WORD(name, i)   declares `name`, the consecutive table words from `at` on, and reads
//                             the i-th of these words; a pointer in C++, which saves additions
//   SURROUND(dx, dy), MODE_WORD(dx, dy)      CellAnalysis::halves and ::mode_word of the cell `dx` columns and `dy`
//                             rows away; beyond the grid, the words of the nearest cell in the grid
//   REGION_MEAN(i)            word i of the mean luma of regions (clarity.glsl); i differs from cell to cell
//   STORE_DRAFT(i, word), DRAFT_WORD(i)       a word of the cell's draft (draft.glsl)
//   DRAFT_BESIDE(dx, dy, i)   word i of a neighbor's draft; 0 beyond the grid
//
// Other arguments
//   SAMPLE_CONTEXT, SAMPLE_ARGUMENTS   for sample.glsl; SAMPLE_TABLE(i) is word i of the axis and color tables
//   GLOW_CONTEXT              for glow.glsl
//   EFFECT_CONTEXT, EFFECT_ARGUMENTS   for effect.glsl; MAPPED_CELL(i) is mapped cell i, counted row by row

#ifdef __cplusplus
// The including namespace defines Int, Uint, Mask, LaneCount, load(), store(), gather() and sample_byte().
// postlude.glsl removes the macros.
#define INT Int
#define UINT Uint
#define MASK Mask
#define DIVISOR Divisor
#define ENUM(type) type
#define SHARED(type) [[maybe_unused, gnu::always_inline]] static inline type
#define IN(type) const type&
#define INOUT(type) type&
#define CONSTANT(type, name, value) inline constexpr type name = value;
#define SIDE_BY_SIDE true

#define CELL_CONTEXT                                                                           \
  [[maybe_unused]] const std::uint32_t *samples, [[maybe_unused]] const std::uint32_t *tables, \
      [[maybe_unused]] const AnalysisView &analysis
#define CELL_ARGUMENTS samples, tables, analysis
#define PAIR_CONTEXT                                                 \
  CELL_CONTEXT, [[maybe_unused]] const std::uint32_t *right_samples, \
      [[maybe_unused]] const AnalysisView &right_analysis
#define PAIR_ARGUMENTS CELL_ARGUMENTS, right_samples, right_analysis
#define LEFT_ARGUMENTS CELL_ARGUMENTS
#define RIGHT_ARGUMENTS right_samples, tables, right_analysis
#define SAMPLE(i) samples[i]
#define SAMPLE_BYTE(i, shift) sample_byte(samples, i, shift)
#define TABLE(i) tables[i]
#define GATHER(i) gather(tables, i)
#define TABLE_ROW(name, at) const std::uint32_t* const name = tables + (at)
#define ROW_WORD(name, i) name[i]
#define SURROUND(dx, dy) load(analysis.halves + (dy) * analysis.pitch + (dx) * analysis.step)
#define MODE_WORD(dx, dy) load(analysis.mode_words + (dy) * analysis.pitch + (dx) * analysis.step)
#define REGION_MEAN(i) gather(analysis.region_means, i)
#define STORE_DRAFT(i, word) store(analysis.drafts + (i) * LaneCount, word)
#define DRAFT_WORD(i) load(analysis.drafts + (i) * LaneCount)
#define DRAFT_BESIDE(dx, dy, i)                                                                  \
  analysis.drafts[(dy) * analysis.draft_pitch + (dx) * static_cast<std::ptrdiff_t>(DraftWords) + \
                  static_cast<std::ptrdiff_t>(i)]

#define SAMPLE_CONTEXT , [[maybe_unused]] const std::uint32_t *axis_words
#define SAMPLE_ARGUMENTS , axis_words
#define SAMPLE_TABLE(i) gather(axis_words, i)
#define EFFECT_CONTEXT , [[maybe_unused]] const Cell *cells, [[maybe_unused]] const std::uint32_t *tables
#define EFFECT_ARGUMENTS , cells, tables
#define MAPPED_CELL(i) cells[i]
#define GLOW_CONTEXT , const std::uint32_t* tables
#else
#extension GL_EXT_scalar_block_layout : require  // allows std430 in uniform blocks
#define INT int
#define UINT uint
#define MASK bool
#define DIVISOR int
#define ENUM(type) uint
#define SHARED(type) type
#define IN(type) in type
#define INOUT(type) inout type
#define CONSTANT(type, name, value) const type name = value;
#define SIDE_BY_SIDE (OnGpu != 0u)

#define absolute(x) abs(x)
#define smaller(a, b) min((a), (b))
#define larger(a, b) max((a), (b))
#define select(mask, yes, no) ((mask) ? (yes) : (no))
#define any_of(mask) (mask)
#define both(a, b) ((a) && (b))
#define either(a, b) ((a) || (b))
#define to_int(x) int(x)
#define to_uint(x) uint(x)
#define divide(numerator, denominator) ((numerator) / (denominator))
#define divide_small(numerator, denominator) ((numerator) / (denominator))
#define broadcast(x) int(x)
#define divisor(x) (x)
#define divide_small_round(numerator, denominator) divide_round((numerator), (denominator))
int divide_round(int numerator, int denominator) {
  int quotient = (abs(numerator) + (denominator >> 1)) / denominator;
  return numerator < 0 ? -quotient : quotient;
}

int multiply_add_pairs(int sum, uint a, uint b) {
  return sum + (int(a << 16) >> 16) * (int(b << 16) >> 16) + (int(a) >> 16) * (int(b) >> 16);
}

int multiply_add_bytes(int sum, uint a, uint b) {
  return sum + int(a & 255u) * (int(b << 24) >> 24) + int((a >> 8) & 255u) * (int(b << 16) >> 24) +
         int((a >> 16) & 255u) * (int(b << 8) >> 24) + int(a >> 24) * (int(b) >> 24);
}
#define highest_bit(x) findMSB(x)

#define CELL_CONTEXT uint cell_index, uint sample_total, int cell_column, int cell_row
#define CELL_ARGUMENTS cell_index, sample_total, cell_column, cell_row
#define PAIR_CONTEXT CELL_CONTEXT, int right_step
#define PAIR_ARGUMENTS CELL_ARGUMENTS, right_step
#define LEFT_ARGUMENTS CELL_ARGUMENTS
#define RIGHT_ARGUMENTS cell_index + uint(right_step), sample_total, cell_column + right_step, cell_row
// The index of word `i` of the `total` words that a buffer has for each cell. On a GPU, word 0 of all cells comes
// first, so that the invocations of a subgroup access adjacent words. On a CPU, a cell's words are adjacent.
#define WORD_OF_CELL(cell, i, total, cells) (OnGpu != 0u ? (i) * (cells) + (cell) : (cell) * (total) + (i))
#define MAPPED_WORD(cell, i, total) WORD_OF_CELL(cell, i, total, parameters.columns * parameters.rows)
#define SAMPLE(i) lattice_words[MAPPED_WORD(cell_index, (i), sample_total)]
#define SAMPLE_BYTE(i, shift) ((SAMPLE(i) >> (shift)) & 255u)
#define TABLE(i) table_words[(i)]
#define GATHER(i) table_words[(i)]
#define TABLE_ROW(name, at) uint name = (at)
#define ROW_WORD(name, i) table_words[name + (i)]
#define ANALYSIS_AT(column, row)                                              \
  (2 * (clamp((row), 0, int(parameters.rows) - 1) * int(parameters.columns) + \
        clamp((column), 0, int(parameters.columns) - 1)))
#define SURROUND(dx, dy) analysis_words[ANALYSIS_AT(cell_column + (dx), cell_row + (dy))]
#define MODE_WORD(dx, dy) analysis_words[ANALYSIS_AT(cell_column + (dx), cell_row + (dy)) + 1]
#define REGION_MEAN(i) region_means[i]
#define STORE_DRAFT(i, word) draft_words[MAPPED_WORD(cell_index, (i), DraftWords)] = (word)
#define DRAFT_WORD(i) draft_words[MAPPED_WORD(cell_index, (i), DraftWords)]
#define DRAFT_BESIDE(dx, dy, i)                                                                                      \
  (cell_column + (dx) < 0 || cell_column + (dx) >= int(parameters.columns) || cell_row + (dy) < 0 ||                 \
           cell_row + (dy) >= int(parameters.rows)                                                                   \
       ? 0u                                                                                                          \
       : draft_words[MAPPED_WORD(uint((cell_row + (dy)) * int(parameters.columns) + cell_column + (dx)), (i), DraftWords)])

#define SAMPLE_CONTEXT
#define SAMPLE_ARGUMENTS
#define SAMPLE_TABLE(i) axis_words[(i)]
#define EFFECT_CONTEXT
#define EFFECT_ARGUMENTS
#define MAPPED_CELL(i) cells[(i)]
#define GLOW_CONTEXT
#endif
