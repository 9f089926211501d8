// Constants that the shaders share with C++: descriptor bindings, work group sizes, and sizes of buffers.
// Included by src/gpu/device/shader_interface.h, which lists the bindings of each kind of descriptor set.

CONSTANT(uint, FrameBinding, 0u)             // bytes of the source frame
CONSTANT(uint, AxisBinding, 1u)              // SamplePlan::axis_words
CONSTANT(uint, LatticeBinding, 2u)           // samples of all cells, in the order of WORD_OF_CELL
CONSTANT(uint, TableBinding, 3u)             // GlyphTables::words
CONSTANT(uint, CellBinding, 4u)
CONSTANT(uint, MaskBinding, 5u)              // coverage masks of all glyphs, one byte per pixel
CONSTANT(uint, PictureBinding, 6u)           // the drawn picture: 0xFFRRGGBB pixels, or YUV planes
CONSTANT(uint, AnalysisBinding, 7u)          // CellAnalysis of each cell
CONSTANT(uint, HistoryBinding, 8u)           // the previous frame's cells
CONSTANT(uint, StateBinding, 9u)             // FrameState, means of regions, and frame_sums
CONSTANT(uint, DraftBinding, 10u)            // DraftWords words for each cell
CONSTANT(uint, OverlayBinding, 11u)          // OverlayParameters, EffectParameters, then the OverlayCell of each cell
CONSTANT(uint, DrawnBinding, 12u)            // cells to draw: those at CellBinding, or the output of compose_cells.comp
CONSTANT(uint, TextBinding, 13u)             // pixels of the text image over the picture
CONSTANT(uint, SourceBinding, 14u)           // the source frame scaled to the grid's pixels: 0xLLRRGGBB (L: luma)
CONSTANT(uint, FirstUniformBinding, 15u)     // lower numbers are storage buffers; 15 to 17 are uniform buffers
CONSTANT(uint, SampleParametersBinding, 15u)
CONSTANT(uint, MapParametersBinding, 16u)
CONSTANT(uint, DrawParametersBinding, 17u)
CONSTANT(uint, FirstPlaneBinding, 18u)       // the source frame's planes if they are images
CONSTANT(uint, MaxPlanes, 3u)
CONSTANT(uint, BindingCount, 21u)

CONSTANT(uint, SampleGroupWidth, 64u)        // number of cells, all in one row, that a work group samples
CONSTANT(uint, MaxSamplesX, 4u)              // samples across one cell
CONSTANT(uint, MaxSpanWords, 32u)            // maximum words of a source row per invocation of sample_lattice.comp
CONSTANT(uint, MatchGroupSize, 64u)          // cells, or pairs of cells, per work group
CONSTANT(uint, MaxGroupsX, 1024u)            // maximum work groups along x (cell_index.glsl); Vulkan guarantees 65535
CONSTANT(uint, HistogramSize, 256u)          // number of tones
// frame_sums begins with the histogram of the cells' tones. The sums that follow begin at these words:
CONSTANT(uint, MovedSum, 256u)               // the sum of the cells' changes of luma
CONSTANT(uint, RegionSums, 257u)             // for each region, the sum of its cells' luma_of_halves()
CONSTANT(uint, StateWords, 549u)             // words of FrameState (4), means of regions (144) and frame_sums (401)
CONSTANT(uint, PackGroupWidth, 32u)          // blocks (pack_yuv.comp) or quads (draw_picture.comp) per work group
CONSTANT(uint, QuadWidth, 4u)                // pixels of a row that one invocation of draw_picture.comp draws
CONSTANT(uint, PackBlockWidth, 8u)           // width in pixels of a block of pack_yuv.comp: its Cb samples fill a word
CONSTANT(uint, PackBlockHeight, 2u)
