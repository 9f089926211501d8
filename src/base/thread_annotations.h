#pragma once

/// Clang's -Wthread-safety attributes; nothing elsewhere. libstdc++'s mutex carries none, so functions that take
/// a std::unique_lock say REQUIRES and the analysis stays advisory for them.
#if defined(__clang__) && defined(GLYPHREEL_THREAD_SAFETY)
#define GUARDED_BY(x) __attribute__((guarded_by(x)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#else
#define GUARDED_BY(x)
#define REQUIRES(...)
#define EXCLUDES(...)
#endif
