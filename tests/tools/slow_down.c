/* LD_PRELOAD library: increases a program's CPU time by a chosen percentage.

   GLYPHREEL_SLOW_DOWN=3 means 3 %. Each time the program wakes threads (which it does for each frame that it
   maps) or receives a decoded frame, the calling thread spins for that percentage of the CPU time that the
   process has used since the last spin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void slow_down(void) {
  static _Atomic int64_t last; /* CPU time of the process at the end of the last spin, in ns */
  static atomic_flag spinning = ATOMIC_FLAG_INIT;
  const char* percent = getenv("GLYPHREEL_SLOW_DOWN");
  if (percent == NULL || atomic_flag_test_and_set(&spinning)) return;
  const int64_t used = now(CLOCK_PROCESS_CPUTIME_ID) - last;
  const int64_t most = 100000000; /* 100 ms, so that the first spin is short after a long startup */
  const int64_t wanted = (int64_t)((double)(used < most ? used : most) * atof(percent) / 100);
  const int64_t start = now(CLOCK_THREAD_CPUTIME_ID);
  while (now(CLOCK_THREAD_CPUTIME_ID) - start < wanted) {
  }
  last = now(CLOCK_PROCESS_CPUTIME_ID);
  atomic_flag_clear(&spinning);
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  typedef int Broadcast(pthread_cond_t*);
  static _Atomic(Broadcast*) original;
  if (original == NULL) original = (Broadcast*)dlsym(RTLD_NEXT, "pthread_cond_broadcast");
  slow_down();
  return original(condition);
}

struct AVCodecContext;
struct AVFrame;
int avcodec_receive_frame(struct AVCodecContext* codec, struct AVFrame* frame) {
  typedef int Receive(struct AVCodecContext*, struct AVFrame*);
  static _Atomic(Receive*) original;
  if (original == NULL) original = (Receive*)dlsym(RTLD_NEXT, "avcodec_receive_frame");
  const int result = original(codec, frame);
  if (result == 0) slow_down();
  return result;
}
