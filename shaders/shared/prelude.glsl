// Lets the files of this folder compile both as GLSL and as C++. This is the folder's only #ifdef
// __cplusplus.
//
// Decisions use 32-bit integers only: they are exact on every conformant device and compiler, floats are
// not. Signed division and left shifts of negative numbers are avoided for the same reason.
//
// INT, UINT and MASK hold one value per cell being mapped: a plain int, uint and bool in GLSL and in the
// plain C++ build, one per SIMD lane where C++ maps several cells at once (src/mapping/kernels/lanes.h).
#ifdef __cplusplus
// src/mapping/shared/shared_scalar.h and src/mapping/kernels/lanes.h define the types, SHARED, IN, select()
// and so on.
#else
// Whether independent work is interleaved, for CPUs with several multipliers. The results are the same. On
// lavapipe it took 39 ms, the plain loops 21 (shape in full color, 1080p at 240x67 cells).
#define SIDE_BY_SIDE 0
#define INT int
#define UINT uint
#define MASK bool
#define SHARED(type) type
#define IN(type) in type
#define INOUT(type) inout type
#define CONSTANT(type, name, value) const type name = value;
#define ENUM(type) uint

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
#define broadcast(x) int(x)

// How the cell being mapped reaches its samples and the glyph tables.
#define CELL_CONTEXT uint cell_index, uint sample_total, int cell_column, int cell_row
#define CELL_ARGUMENTS cell_index, sample_total, cell_column, cell_row
#define SAMPLE(i) lattice_words[cell_index * sample_total + (i)]
#define SAMPLE_BYTE(i, shift) ((SAMPLE(i) >> (shift)) & 255u)
#define TABLE(i) table_words[(i)]
#define GATHER(i) table_words[(i)]
// A row of consecutive table words. In C++ it is a pointer, which saves an addition per read.
#define TABLE_ROW(name, at) uint name = (at)
#define ROW_WORD(name, i) table_words[name + (i)]

// The same for two adjacent cells: CELL_ARGUMENTS are the left one's. Beyond the last column `right_step`
// is 0, and the right cell is the left one again.
#define PAIR_CONTEXT CELL_CONTEXT, int right_step
#define PAIR_ARGUMENTS CELL_ARGUMENTS, right_step
#define LEFT_ARGUMENTS CELL_ARGUMENTS
#define RIGHT_ARGUMENTS cell_index + uint(right_step), sample_total, cell_column + right_step, cell_row

// The CellAnalysis of the cell `dx` columns and `dy` rows away.
#define ANALYSIS_AT(column, row)                                         \
  (2 * (clamp((row), 0, int(parameters.rows) - 1) * int(parameters.columns) + \
        clamp((column), 0, int(parameters.columns) - 1)))
#define SURROUND(dx, dy) analysis_words[ANALYSIS_AT(cell_column + (dx), cell_row + (dy))]
#define MODE_WORD(dx, dy) analysis_words[ANALYSIS_AT(cell_column + (dx), cell_row + (dy)) + 1]

// A word of the cell's own draft, and of the draft `dx` columns and `dy` rows away: 0 beyond the grid.
#define KEEP_DRAFT(i, word) draft_words[cell_index * DraftWords + (i)] = (word)
#define DRAFT_WORD(i) draft_words[cell_index * DraftWords + (i)]
#define DRAFT_BESIDE(dx, dy, i)                                                                       \
  (cell_column + (dx) < 0 || cell_column + (dx) >= int(parameters.columns) || cell_row + (dy) < 0 || \
           cell_row + (dy) >= int(parameters.rows)                                                    \
       ? 0u                                                                                           \
       : draft_words[uint((cell_row + (dy)) * int(parameters.columns) + cell_column + (dx)) * DraftWords + (i)])

// For levels.glsl.
#define HISTOGRAM_CONTEXT uint bin_count
#define HISTOGRAM_ARGUMENTS bin_count
#define HISTOGRAM(tone) sum_words[(tone)]

// The tables that follow the axes in the axis table.
#define SAMPLE_CONTEXT
#define SAMPLE_ARGUMENTS
#define SAMPLE_TABLE(i) axis_words[(i)]

// For effect.glsl: the picture's cells, row by row.
#define EFFECT_CONTEXT
#define EFFECT_ARGUMENTS
#define MAPPED_CELL(i) cells[(i)]

/// Returns sum + a.low * b.low + a.high * b.high for two words that hold pairs of signed 16-bit numbers.
int multiply_add_pairs(int sum, uint a, uint b) {
  return sum + (int(a << 16) >> 16) * (int(b << 16) >> 16) + (int(a) >> 16) * (int(b) >> 16);
}
#endif
