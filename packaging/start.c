// The launcher in a bundle's bin/. Loads each library listed in lib/system/order from the system, or from
// lib/system if the system lacks it. Then runs main() of lib/NAME.so, where bin/NAME is the launcher's own
// path.
//
// Drivers are loaded into the process and need libraries of the system. If a process loads two versions of a
// library, such as the C++ runtime or libxcb, only the version that is loaded first is used. The system's
// version must be loaded first, because the drivers were built with it. LD_LIBRARY_PATH is no alternative:
// child processes would inherit it.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MaxNameBytes = 256, PathBytes = PATH_MAX + MaxNameBytes, CannotStart = 3 };

static int fail(const char* what) {
  fprintf(
      stderr,
      "glyphreel: The bundle cannot start; unpack it again, or use a system with glibc 2.36 or later (%s).\n",
      what);
  return CannotStart;
}

// Loads the libraries listed in lib/system/order. Libraries that are loaded later and depend on one of them
// use the copy that is loaded here.
static int load_system_libraries(const char* folder) {
  char path[PathBytes];
  snprintf(path, sizeof path, "%s/lib/system/order", folder);
  FILE* order = fopen(path, "r");
  if (order == NULL) return fail(path);
  char name[MaxNameBytes];
  while (fgets(name, sizeof name, order) != NULL) {
    name[strcspn(name, "\n")] = '\0';
    if (dlopen(name, RTLD_LAZY | RTLD_LOCAL) != NULL) continue;
    snprintf(path, sizeof path, "%s/lib/system/%s", folder, name);
    if (dlopen(path, RTLD_LAZY | RTLD_LOCAL) == NULL) {
      fclose(order);
      return fail(dlerror());
    }
  }
  fclose(order);
  return 0;
}

int main(int argc, char** argv) {
  char folder[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  if (length <= 0) return fail("/proc is not mounted");
  folder[length] = '\0';
  char* name = strrchr(folder, '/');
  *name++ = '\0';
  char* bin = strrchr(folder, '/');
  if (bin == NULL) return fail("its bin folder is missing");
  *bin = '\0';

  const int status = load_system_libraries(folder);
  if (status != 0) return status;
  char path[PathBytes];
  snprintf(path, sizeof path, "%s/lib/%s.so", folder, name);
  void* program = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (program == NULL) return fail(dlerror());
  int (*run)(int, char**) = NULL;
  *(void**)&run = dlsym(program, "main");
  if (run == NULL) return fail(dlerror());
  return run(argc, argv);
}
