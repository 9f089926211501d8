// What lets the files of this folder compile as GLSL and as C++. The only #ifdef __cplusplus of the folder.
//
// Decisions are made in 32-bit integers alone: they are exact on every conformant device and compiler, floats are not.
// Signed division and signed shifts to the left of negative numbers are avoided for the same reason.
//
// INT, UINT and MASK are one value per cell being mapped: a plain int, uint and bool in GLSL and in the plain C++
// build; one of each per SIMD lane, where C++ maps several cells at once (src/mapping/lanes.h).
#ifdef __cplusplus
// src/mapping/shared_scalar.h and src/mapping/lanes.h define the types, SHARED, IN, select() and the like.
#else
// Whether independent work is written side by side, for processors with several multipliers. The results are the same;
// on lavapipe it took 39 ms where the plain loops take 21 (shape in full colour, 1080p at 240x67 cells).
#define SIDE_BY_SIDE 0
#define INT int
#define UINT uint
#define MASK bool
#define SHARED(type) type
#define IN(type) in type
#define INOUT(type) inout type
#define CONSTANT(type, name, value) const type name = value;

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

// Where the cell being mapped has its samples and the glyph tables.
#define CELL_CONTEXT uint cell_index, uint sample_total, int cell_column, int cell_row
#define CELL_ARGUMENTS cell_index, sample_total, cell_column, cell_row
#define SAMPLE(i) lattice_words[cell_index * sample_total + (i)]
#define SAMPLE_BYTE(i, shift) ((SAMPLE(i) >> (shift)) & 255u)
#define TABLE(i) table_words[(i)]
#define GATHER(i) table_words[(i)]
// Words that lie together in the tables: a pointer where there are such things, which takes no additions to read by.
#define TABLE_ROW(name, at) uint name = (at)
#define ROW_WORD(name, i) table_words[name + (i)]

// The same of two cells beside each other: CELL_ARGUMENTS are the left one's. Beyond the last column `right_step` is 0,
// and the right one is the left one again.
#define PAIR_CONTEXT CELL_CONTEXT, int right_step
#define PAIR_ARGUMENTS CELL_ARGUMENTS, right_step
#define LEFT_ARGUMENTS CELL_ARGUMENTS
#define RIGHT_ARGUMENTS cell_index + uint(right_step), sample_total, cell_column + right_step, cell_row

// The CellAnalysis of the cell so many columns and rows away; the grid's border is repeated beyond it.
#define ANALYSIS_AT(column, row)                                         \
  (2 * (clamp((row), 0, int(parameters.rows) - 1) * int(parameters.columns) + \
        clamp((column), 0, int(parameters.columns) - 1)))
#define SURROUND(dx, dy) analysis_words[ANALYSIS_AT(cell_column + (dx), cell_row + (dy))]
#define EDGE_WORD(dx, dy) analysis_words[ANALYSIS_AT(cell_column + (dx), cell_row + (dy)) + 1]

// A word of the cell's own draft, and of the draft so many columns and rows away: 0 beyond the grid.
#define KEEP_DRAFT(i, word) draft_words[cell_index * DraftWords + (i)] = (word)
#define DRAFT_WORD(i) draft_words[cell_index * DraftWords + (i)]
#define DRAFT_BESIDE(dx, dy, i)                                                                       \
  (cell_column + (dx) < 0 || cell_column + (dx) >= int(parameters.columns) || cell_row + (dy) < 0 || \
           cell_row + (dy) >= int(parameters.rows)                                                    \
       ? 0u                                                                                           \
       : draft_words[uint((cell_row + (dy)) * int(parameters.columns) + cell_column + (dx)) * DraftWords + (i)])

// Of levels.glsl.
#define HISTOGRAM_CONTEXT uint bin_count
#define HISTOGRAM_ARGUMENTS bin_count
#define HISTOGRAM(tone) sum_words[(tone)]

// What stands in the axis table behind the axes.
#define SAMPLE_CONTEXT
#define SAMPLE_ARGUMENTS
#define SAMPLE_TABLE(i) axis_words[(i)]

// Of effect.glsl: the picture's cells, row by row.
#define EFFECT_CONTEXT
#define EFFECT_ARGUMENTS
#define MAPPED_CELL(i) cells[(i)]

/// a.low * b.low + a.high * b.high of two words that hold pairs of signed 16-bit numbers, added to `sum`.
int multiply_add_pairs(int sum, uint a, uint b) {
  return sum + (int(a << 16) >> 16) * (int(b << 16) >> 16) + (int(a) >> 16) * (int(b) >> 16);
}
#endif
