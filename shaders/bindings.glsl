// Numbers that the stages and the C++ side agree on: descriptor bindings of the one set that all stages share,
// identifiers of specialisation constants, and sizes of work groups. Included by src/gpu/shader_interface.h.

CONSTANT(uint, FrameBinding, 0u)             // bytes of the source frame
CONSTANT(uint, AxisBinding, 1u)              // SamplePlan::axis_words
CONSTANT(uint, LatticeBinding, 2u)           // samples, cell after cell
CONSTANT(uint, TableBinding, 3u)             // GlyphTables::words
CONSTANT(uint, CellBinding, 4u)
CONSTANT(uint, MaskBinding, 5u)              // coverage masks of all glyphs, one byte a pixel
CONSTANT(uint, PictureBinding, 6u)           // the packed picture
CONSTANT(uint, SampleParametersBinding, 7u)
CONSTANT(uint, MapParametersBinding, 8u)
CONSTANT(uint, DrawParametersBinding, 9u)
CONSTANT(uint, AnalysisBinding, 10u)         // CellAnalysis of each cell
CONSTANT(uint, HistoryBinding, 11u)          // the cells of the frame before
CONSTANT(uint, StateBinding, 12u)            // FrameState, and behind it what is summed over a frame's cells
CONSTANT(uint, DraftBinding, 13u)            // DraftWords for each cell
CONSTANT(uint, OverlayBinding, 14u)          // OverlayParameters, and behind them the OverlayCell of each cell
CONSTANT(uint, DrawnBinding, 15u)            // the cells that are drawn: CellBinding's, or with text over them
CONSTANT(uint, FirstPlaneBinding, 16u)       // images: the source frame's planes, where it is no buffer
CONSTANT(uint, BufferBindingCount, 16u)
CONSTANT(uint, MaxPlanes, 3u)
CONSTANT(uint, BindingCount, 19u)

CONSTANT(uint, SampleGroupWidth, 64u)        // cells along a row
CONSTANT(uint, MaxSamplesX, 4u)              // samples across one cell
CONSTANT(uint, MaxReachWords, 6u)            // of a row that an invocation of sample_lattice.comp reads as words
CONSTANT(uint, MatchGroupSize, 64u)          // cells
CONSTANT(uint, HistogramSize, 256u)          // numbers of cells by tone; what moved is the sum behind them
CONSTANT(uint, StateWords, 261u)             // FrameState, the histogram, what moved
CONSTANT(uint, PackGroupWidth, 32u)          // blocks along a row of blocks
CONSTANT(uint, PackBlockWidth, 8u)           // pixels that one invocation packs: four bytes of chroma
CONSTANT(uint, PackBlockHeight, 2u)
