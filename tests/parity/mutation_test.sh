#!/bin/bash
# mutation_test.sh PROBE SOURCE_DIR COMPILER
#
# Checks that the comparison of cells and pictures notices a changed constant in shaders/shared. For each mutation
# below, builds the kernels from a copy of the sources with the constant changed, and compares their results with those
# of the kernels in mutation_probe. The test fails if the results are the same, or if kernels built from an unchanged
# copy have different results.
# One build takes about 20 s, and the whole test 15 minutes.
set -eu

probe=$1
source_dir=$2
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# packed_*.h are SIMD versions of cell_samples.glsl and draft.glsl, and are mutated as well.
# FILE | OLD TEXT (first occurrence) | NEW TEXT | WHAT MUST CHANGE: cells or bytes
mutations=(
  'color.glsl|+ 0x00800080u;|+ 0x007F0080u;|bytes'
  'color.glsl|broadcast(0)), broadcast(255)|broadcast(0)), broadcast(254)|cells'
  'color.glsl|11966u|11965u|bytes'
  'draw.glsl|510u|509u|bytes'
  'sample.glsl|first + 131072|first + 131071|cells'
  'sample.glsl|sum_shift - 1u|sum_shift - 2u|cells'
  'sample.glsl|(log_light & 15) + 8|(log_light & 15) + 0|cells'
  'sample.glsl|light_14 >> 16|(light_14 - 65536) >> 16|cells'
  'sample.glsl|4304 *|4204 *|cells'
  'sample.glsl|p.saturation + 128|p.saturation + 64|cells'
  '../../src/mapping/kernels/lanes.h|1 + 0x1p-40|1 - 0x1p-40|cells'
  '../../src/mapping/kernels/lanes.h|1 + 0x1p-22F|1 - 0x1p-22F|cells'
  'structs.glsl|CandidateCount, 4u|CandidateCount, 3u|cells'
  'structs.glsl|GlyphGroups, 4u|GlyphGroups, 5u|cells'
  'ranking.glsl|key ^ index_mask|key|cells'
  'structs.glsl|ByteFeatureShift, 9|ByteFeatureShift, 10|cells'
  'structs.glsl|MeanFeatureGain, 3u|MeanFeatureGain, 2u|cells'
  'structs.glsl|FullNoise, 380u|FullNoise, 3000u|cells'
  'structs.glsl|StillDifference, 4u|StillDifference, 5u|cells'
  'structs.glsl|UnseenDifference, 1u|UnseenDifference, 0u|cells'
  'match.glsl|* n * n / 16|* n * n / 15|cells'
  'ranking.glsl|* 32, by) * 2|* 31, by) * 2|cells'
  'fit.glsl|(all >> 1)) - slope|(all >> 2)) - slope|cells'
  'fit.glsl|larger(s.contrast, broadcast(1))|larger(s.contrast, broadcast(60))|cells'
  'fit.glsl|(128 * all|(127 * all|cells'
  'fit.glsl|- total) >> 4|- total) >> 3|cells'
  'fit.glsl|(covariance >> 8)|(covariance >> 9)|cells'
  'fit.glsl|(b.error >> 3)|(b.error >> 2)|cells'
  'fit.glsl|(square >> 2)|(square >> 3)|cells'
  'fit.glsl|s.a * 64|s.a * 63|cells'
  'ink.glsl|0x0036B713u|0x0036B712u|cells'
  'ink.glsl|* 2185u|* 2115u|cells'
  'fit.glsl|* 128,|* 127,|cells'
  'light.glsl|upper_sum >> 5|upper_sum >> 6|cells'
  'light.glsl|(row & 1) * 2 - 3|(row & 1) * 2 - 2|cells'
  'edge.glsl|* 408 >|* 407 >|cells'
  'match.glsl|p.history.stability >> 1|p.history.stability >> 2|cells'
  'match.glsl|explained >> 12|explained >> 10|cells'
  'wide.glsl|(difference * difference) >> 2|(difference * difference) >> 1|cells'
  'wide.glsl|(left - right) >> 4|(left - right) >> 5|cells'
  'wide.glsl|(left.gb + right.gb) >> 1|(left.gb + right.gb) >> 2|cells'
  'wide.glsl|column >> 1|column >> 2|cells'
  'effect.glsl|0x2C1B3C6Du|0x2C1B3C6Fu|cells'
  'effect.glsl|(512 - half_turn)|(511 - half_turn)|cells'
  'effect.glsl|238u : 172u|238u : 171u|cells'
  'effect.glsl|255u - tone|254u - tone|cells'
  'draft_cell.glsl|(score >> 4)|(score >> 2)|cells'
  '../../src/mapping/kernels/packed_drafts.h|(product >> 5)|(product >> 6)|cells'
  '../../src/mapping/kernels/packed_drafts.h|CoverageOne / 2|CoverageOne / 4|cells'
  '../../src/mapping/kernels/packed_drafts.h|BytesOfA = 0xFF0000FF|BytesOfA = 0xFFFFFFFF|cells'
  '../../src/mapping/kernels/packed_drafts.h|(left << 8)|(left << 16)|cells'
  '../../src/mapping/kernels/packed_light.h|(light >> 2) *|(light >> 3) *|cells'
  '../../src/mapping/kernels/packed_light.h|? up : room|? room : up|cells'
  '../../src/mapping/kernels/packed_light.h|std::int16_t{8}|std::int16_t{0}|cells'
  '../../src/mapping/kernels/packed_light.h|blurred[2] << 5|blurred[0] << 5|cells'
  '../../src/mapping/kernels/packed_samples.h|s.r << p.fit.weight_shift|s.r|cells'
  '../../src/mapping/kernels/packed_samples.h|half_of(to.zero)|half_of(to.r)|cells'
  '../../src/mapping/kernels/packed_samples.h|rest > first + 2|rest > first + 3|cells'
)

# build NAME: compiles $work/tree to $work/NAME.so.
build() {
  "$compiler" -std=c++20 -O1 -fPIC -shared -w -Wno-psabi -I "$work/tree/src" \
    "$source_dir/tests/parity/mutated_kernels.cpp" -o "$work/$1.so"
}

# Copies src and shaders into one tree, because the kernels include shaders/shared by relative paths.
fresh_tree() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src" "$work/tree/shaders"
  cp -r "$source_dir/src/base" "$source_dir/src/mapping" "$source_dir/src/render" "$source_dir/src/text" \
    "$work/tree/src/"
  cp -r "$source_dir/shaders/shared" "$work/tree/shaders/"
}

failures=0
fresh_tree
build unchanged
result=$("$probe" "$work/unchanged.so")
echo "unchanged: $result"
if [ "$result" != "cells 0 bytes 0" ]; then
  echo "FAILED: the same sources, built twice, differ"
  failures=1
fi

for index in "${!mutations[@]}"; do
  IFS='|' read -r file from to kind <<<"${mutations[index]}"
  content=$(<"$source_dir/shaders/shared/$file")
  if [[ $content != *"$from"* ]]; then
    echo "FAILED: $file no longer contains '$from': update this list"
    failures=$((failures + 1))
    continue
  fi
  fresh_tree
  printf '%s\n' "${content/"$from"/"$to"}" >"$work/tree/shaders/shared/$file"
  build mutated
  result=$("$probe" "$work/mutated.so")
  read -r _ cells _ bytes <<<"$result"
  echo "$file: '$from' to '$to': $result"
  if [ "${!kind}" -eq 0 ]; then
    echo "FAILED: not detected"
    failures=$((failures + 1))
  fi
done
echo "${#mutations[@]} mutations, $failures failures"
[ "$failures" -eq 0 ]
