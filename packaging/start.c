// What stands in a bundle's bin/: loads the libraries that the system is to provide where it has them, and
// those of lib/system in place of the ones that it lacks; then the program, lib/NAME.so, NAME being this
// file's own name.
//
// Drivers are loaded into the program, and they bring libraries of their system along: of two C++ runtimes or
// two libxcb in one process only the first is ever used, so that has to be the system's, which its drivers
// were built with. No environment variable says so: those would reach the programs that this one starts.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MostNameBytes = 256, PathBytes = PATH_MAX + MostNameBytes, CannotStart = 3 };

static int fail(const char* what) {
  fprintf(stderr, "glyphreel: this bundle is incomplete or its system too old (it takes glibc 2.36): %s\n",
          what);
  return CannotStart;
}

// Libraries already loaded answer to their name: what is loaded here is what every later library finds.
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
