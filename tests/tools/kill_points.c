/* LD_PRELOAD library: kills the process at a chosen call that changes a file.
 *
 * GLYPHREEL_KILL_AT=N: kills at the Nth call, counted from 1, of write, pwrite, fsync, fdatasync, ftruncate,
 * rename, renameat2, link, unlink, remove, mkdir or rmdir. A write still writes half of its bytes; other
 * calls have no effect. Writes to standard output and standard error do not count. GLYPHREEL_KILL_LOG: the
 * file to which the number of calls is written at exit. Shells are left alone, so that a script can start the
 * process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long kill_at;
static const char* log_path;

__attribute__((constructor)) static void begin(void) {
  if (strcmp(program_invocation_short_name, "sh") == 0) return;
  const char* number = getenv("GLYPHREEL_KILL_AT");
  kill_at = number != NULL ? atol(number) : 0;
  log_path = getenv("GLYPHREEL_KILL_LOG");
  unsetenv("LD_PRELOAD"); /* child processes are not killed */
}

__attribute__((destructor)) static void end(void) {
  if (log_path == NULL) return;
  FILE* file = fopen(log_path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

static int is_last(void) {
  return atomic_fetch_add(&calls, 1) + 1 == kill_at;
}

static void end_process(void) {
  kill(getpid(), SIGKILL);
  pause();
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

typedef ssize_t Write(int, const void*, size_t);
ssize_t write(int file, const void* bytes, size_t size) {
  Write* const next = NEXT("write", Write*);
  if (file <= STDERR_FILENO || !is_last()) return next(file, bytes, size);
  if (next(file, bytes, size / 2) >= 0) end_process();
  return -1;
}

typedef ssize_t Pwrite(int, const void*, size_t, off64_t);
static ssize_t write_at(const char* name, int file, const void* bytes, size_t size, off64_t offset) {
  Pwrite* const next = NEXT(name, Pwrite*);
  if (!is_last()) return next(file, bytes, size, offset);
  if (next(file, bytes, size / 2, offset) >= 0) end_process();
  return -1;
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return write_at("pwrite", file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return write_at("pwrite64", file, bytes, size, offset);
}

/* Calls that have no effect if the process is killed at them. */
#define WHOLE_CALL(name, parameters, arguments)      \
  int name parameters {                              \
    if (is_last()) end_process();                    \
    return NEXT(#name, int(*) parameters) arguments; \
  }
WHOLE_CALL(fsync, (int file), (file))
WHOLE_CALL(fdatasync, (int file), (file))
WHOLE_CALL(ftruncate, (int file, off_t size), (file, size))
WHOLE_CALL(ftruncate64, (int file, off64_t size), (file, size))
WHOLE_CALL(rename, (const char* from, const char* to), (from, to))
WHOLE_CALL(renameat2, (int from_folder, const char* from, int to_folder, const char* to, unsigned flags),
           (from_folder, from, to_folder, to, flags))
WHOLE_CALL(link, (const char* from, const char* to), (from, to))
WHOLE_CALL(unlink, (const char* path), (path))
WHOLE_CALL(remove, (const char* path), (path))
WHOLE_CALL(mkdir, (const char* path, mode_t mode), (path, mode))
WHOLE_CALL(rmdir, (const char* path), (path))
