// The launcher in a bundle's bin/. Loads the libraries listed in lib/system/order from the system if it has
// them, and otherwise from lib/system; then runs main() of lib/NAME.so, where NAME is this file's own name.
//
// Drivers are loaded into the program and bring along libraries of their system. Of two C++ runtimes or two
// libxcb in one process only the first is used, so it must be the system's, which its drivers were built
// with. An environment variable such as LD_LIBRARY_PATH would also affect the programs that this one starts.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MostNameBytes = 256, PathBytes = PATH_MAX + MostNameBytes, CannotStart = 3 };

static int fail(const char* what) {
  fprintf(stderr,
          "glyphreel: this bundle is incomplete or the system is too old (glibc 2.36 is needed): %s\n", what);
  return CannotStart;
}

// Later libraries that need one of these names get the one that is loaded here.
static int load_system_libraries(const char* folder) {
  char path[PathBytes];
  snprintf(path, sizeof path, "%s/lib/system/order", folder);
  FILE* order = fopen(path, "r");
  if (order == NULL) return fail(path);
  char name[MostNameBytes];
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
