#pragma once

/// Annotations for clang's -Wthread-safety: which mutex guards what. They only inform readers for now,
/// since clang does not treat libstdc++'s mutex as a capability; the analysis stays off until
/// GLYPHREEL_THREAD_SAFETY is defined together with a mutex that is one.
#if defined(__clang__) && defined(GLYPHREEL_THREAD_SAFETY)
#define GUARDED_BY(x) __attribute__((guarded_by(x)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#else
#define GUARDED_BY(x)
#define REQUIRES(...)
#define EXCLUDES(...)
#endif
