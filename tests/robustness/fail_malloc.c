// LD_PRELOAD library that makes the Nth allocation fail (FAIL_MALLOC=N). Counts the calls of all threads,
// starting with the first allocation of main(). Writes the stack of the failed call and, at exit, the number
// of calls to the file FAIL_MALLOC_LOG.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// glibc's own allocator, under names that this library does not replace.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long calls;
static long fail_at;  // number of the call that fails; 0 before main() or without FAIL_MALLOC, so none fails
static int log_file = -1;
static _Thread_local int inside;

__attribute__((constructor)) static void begin(void) {
  const char* name = getenv("FAIL_MALLOC_LOG");
  void* warm[2];
  backtrace(warm, 2);  // Load the unwinder now, because loading it allocates.
  if (name) log_file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  unsetenv("LD_PRELOAD");  // Allocations of child processes do not fail.
}

typedef int Main(int, char**, char**);
static Main* program_main;

static int counted_main(int argc, char** argv, char** environment) {
  const char* number = getenv("FAIL_MALLOC");
  atomic_store(&calls, 0);
  fail_at = number ? atol(number) : 0;
  return program_main(argc, argv, environment);
}

// Replaces the function that the program calls first. glibc's version runs the constructors of globals, and
// then main(). Allocations of the constructors must not fail, because their exceptions cannot be caught.
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  program_main = main;
  return ((Start*)dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, argc, argv, init, fini, rtld_fini,
                                                         stack_end);
}

__attribute__((destructor)) static void end(void) {
  char line[64];
  int length = snprintf(line, sizeof line, "calls %ld\n", atomic_load(&calls));
  if (log_file >= 0 && write(log_file, line, (size_t)length) < 0) _exit(1);
}

static int fails(void) {
  if (inside || atomic_fetch_add(&calls, 1) + 1 != fail_at) return 0;
  inside = 1;
  void* stack[64];
  int depth = backtrace(stack, 64);
  if (log_file >= 0) backtrace_symbols_fd(stack, depth, log_file);
  inside = 0;
  errno = ENOMEM;
  return 1;
}

// operator new calls malloc or aligned_alloc and throws if the call fails.
void* malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  void* memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}
