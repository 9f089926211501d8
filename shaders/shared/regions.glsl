// The regions of the grid: at most RegionsX x RegionsY regions of `columns` x `rows` cells. clarity.glsl
// needs their mean luma. Requires structs.glsl.

// Returns the mean luma of CellAnalysis::halves, 4 = one code value.
SHARED(UINT) luma_of_halves(UINT halves) { return ((halves & 0xFFFFu) + (halves >> 16)) >> 3; }

// Returns the index of a cell's region among the sums and means of regions.
SHARED(uint) region_at(IN(MapParameters) p, uint column, uint row) {
  return row / p.regions.rows * RegionsX + column / p.regions.columns;
}

// Returns the number of regions that `cells` columns or rows are divided into. `size`: columns or rows of a region.
SHARED(uint) region_count(uint cells, uint size) { return (cells + size - 1u) / size; }

// Returns the number of columns or rows of a region. `region`: the region's index along the same axis. The last region
// may be smaller than `size`.
SHARED(uint) region_extent(uint cells, uint size, uint region) {
  uint first = region * size;
  uint left = cells > first ? cells - first : 0u;
  return left < size ? left : size;
}

// Returns the mean of a region from the sum of luma_of_halves() over its cells. `index`: region_at().
SHARED(uint) region_mean(IN(MapParameters) p, uint index, uint sum) {
  uint cells = region_extent(p.columns, p.regions.columns, index % RegionsX) *
               region_extent(p.rows, p.regions.rows, index / RegionsX);
  return cells > 0u ? sum / cells : 0u;
}
