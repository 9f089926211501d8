/* LD_PRELOAD library: makes a chosen call of pthread_create() fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int calls;

/* GLYPHREEL_FAIL_THREAD=N: the Nth call, counted from 1, fails. N+: the Nth call and all later ones fail.
   GLYPHREEL_FAILED_MARK=FILE: a failing call creates this file. */
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const char* chosen = getenv("GLYPHREEL_FAIL_THREAD");
  char* rest = NULL;
  const long first = chosen != NULL ? strtol(chosen, &rest, 10) : 0;
  const int call = atomic_fetch_add(&calls, 1) + 1;
  if (first > 0 && (call == first || (call > first && *rest == '+'))) {
    const char* mark = getenv("GLYPHREEL_FAILED_MARK");
    if (mark != NULL) close(open(mark, O_CREAT | O_WRONLY, 0600));
    return EAGAIN;
  }
  Create* const create = (Create*)dlsym(RTLD_NEXT, "pthread_create");
  return create(thread, attributes, body, argument);
}
