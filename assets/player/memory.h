#pragma once

// Memory of the player's WebAssembly, beyond that of static variables.

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef int i32;
typedef unsigned u32;
#define EXPORT(name) __attribute__((export_name(#name)))

extern u8 __heap_base;

// Returns the first address that can be allocated.
static inline u8* heap_start(void) {
  return (u8*)(((u32)&__heap_base + 63) / 64 * 64);
}
// Allocates memory at `*heap`, which it advances.
static inline u8* allocate(u8** heap, u32 bytes) {
  u8* const start = *heap;
  *heap += (bytes + 63) / 64 * 64;
  const i32 missing = (i32)((u32)*heap - (u32)__builtin_wasm_memory_size(0) * 65536);
  if (missing > 0) __builtin_wasm_memory_grow(0, ((u32)missing + 65535) / 65536);
  return start;
}
