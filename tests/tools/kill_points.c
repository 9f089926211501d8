/* LD_PRELOAD library: kills the process at a chosen call that changes a file, or lets such calls fail.
 *
 * GLYPHREEL_KILL_AT=N: kills at the Nth call, counted from 1, of write, pwrite, fsync, fdatasync, ftruncate,
 * rename, renameat2, link, unlink, remove, mkdir or rmdir. A write still writes half of its bytes; other
 * calls have no effect. Writes to standard output and standard error do not count. GLYPHREEL_KILL_LOG: the
 * file to which the number of calls is written at exit. Shells are left alone, so that a script can start the
 * process.
 *
 * GLYPHREEL_FAIL_WITH=ENOSPC: does not kill. Instead, the Nth call and all later ones fail, as on a full
 * disk, except unlink, remove and rmdir. GLYPHREEL_FAIL_WITH=EROFS: from the start, all calls fail, and files
 * outside of /dev cannot be opened for writing, as on a read-only file system. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long kill_at;
static int failure; /* the errno of GLYPHREEL_FAIL_WITH; 0: the process is killed */
static const char* log_path;

__attribute__((constructor)) static void begin(void) {
  if (strcmp(program_invocation_short_name, "sh") == 0) return;
  const char* number = getenv("GLYPHREEL_KILL_AT");
  kill_at = number != NULL ? atol(number) : 0;
  const char* error = getenv("GLYPHREEL_FAIL_WITH");
  if (error != NULL) failure = strcmp(error, "EROFS") == 0 ? EROFS : ENOSPC;
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

/* Whether this call must fail or end the process. */
static int is_chosen(void) {
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (failure == EROFS) return 1;
  return failure == 0 ? number == kill_at : number >= kill_at;
}

/* Lets the call fail, or ends the process. */
static int fail(void) {
  if (failure == 0) {
    kill(getpid(), SIGKILL);
    pause();
  }
  errno = failure;
  return -1;
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))

typedef ssize_t Write(int, const void*, size_t);
ssize_t write(int file, const void* bytes, size_t size) {
  Write* const next = NEXT("write", Write*);
  if (file <= STDERR_FILENO || !is_chosen()) return next(file, bytes, size);
  if (failure == 0 && next(file, bytes, size / 2) < 0) return -1;
  return fail();
}

typedef ssize_t Pwrite(int, const void*, size_t, off64_t);
static ssize_t write_at(const char* name, int file, const void* bytes, size_t size, off64_t offset) {
  Pwrite* const next = NEXT(name, Pwrite*);
  if (!is_chosen()) return next(file, bytes, size, offset);
  if (failure == 0 && next(file, bytes, size / 2, offset) < 0) return -1;
  return fail();
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return write_at("pwrite", file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return write_at("pwrite64", file, bytes, size, offset);
}

static int open_at(const char* name, const char* path, int flags, mode_t mode) {
  const int writes = (flags & (O_ACCMODE | O_CREAT)) != O_RDONLY && strncmp(path, "/dev/", 5) != 0;
  if (failure == EROFS && writes) return fail();
  return NEXT(name, int (*)(const char*, int, ...))(path, flags, mode);
}
#define OPEN(name)                             \
  int name(const char* path, int flags, ...) { \
    va_list rest;                              \
    va_start(rest, flags);                     \
    const mode_t mode = va_arg(rest, mode_t);  \
    va_end(rest);                              \
    return open_at(#name, path, flags, mode);  \
  }
OPEN(open)
OPEN(open64)

/* Overrides a function: a chosen call does nothing but fail(), unless `exempt` is true. */
#define CALL_UNLESS(exempt, name, parameters, arguments) \
  int name parameters {                                  \
    if (is_chosen() && !(exempt)) return fail();         \
    return NEXT(#name, int(*) parameters) arguments;     \
  }
#define WHOLE_CALL(name, parameters, arguments) CALL_UNLESS(0, name, parameters, arguments)
#define REMOVAL(name, parameters, arguments) CALL_UNLESS(failure == ENOSPC, name, parameters, arguments)
WHOLE_CALL(fsync, (int file), (file))
WHOLE_CALL(fdatasync, (int file), (file))
WHOLE_CALL(ftruncate, (int file, off_t size), (file, size))
WHOLE_CALL(ftruncate64, (int file, off64_t size), (file, size))
WHOLE_CALL(rename, (const char* from, const char* to), (from, to))
WHOLE_CALL(renameat2, (int from_folder, const char* from, int to_folder, const char* to, unsigned flags),
           (from_folder, from, to_folder, to, flags))
WHOLE_CALL(link, (const char* from, const char* to), (from, to))
REMOVAL(unlink, (const char* path), (path))
REMOVAL(remove, (const char* path), (path))
WHOLE_CALL(mkdir, (const char* path, mode_t mode), (path, mode))
REMOVAL(rmdir, (const char* path), (path))
