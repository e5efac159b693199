/* Makes one call of the system fail, for tests: preloaded, with FAIL_CALL=name:n:errno, the n-th
 * call of that name on a file fails (counted from 1); calls on anything but files and folders do
 * not count. FAIL_REST=1 makes all later ones of that name fail, too. Without FAIL_CALL, or with n
 * = 0, nothing fails. The number of calls is appended to the file FAIL_COUNT when the program ends.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char name_to_fail[32];
static long place = -1;
static int error_number = EIO;
static int rest;
static long calls;

static void setup(void) {
  if (place >= 0) return;
  place = 0;
  const char* text = getenv("FAIL_CALL");
  if (text != NULL) sscanf(text, "%31[^:]:%ld:%d", name_to_fail, &place, &error_number);
  rest = getenv("FAIL_REST") != NULL;
}

__attribute__((destructor)) static void count(void) {
  const char* file = getenv("FAIL_COUNT");
  char line[32];
  if (file == NULL) return;
  int (*open_it)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  const int out = open_it(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  ssize_t (*write_it)(int, const void*, size_t) =
      (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  const int size = snprintf(line, sizeof line, "%ld\n", calls);
  if (out >= 0 && write_it(out, line, (size_t)size) != size) _exit(99);
}

static int is_file(int fd) {
  struct stat status;
  const int before = errno;
  const int found = fstat(fd, &status);
  errno = before;
  return found == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

/* Files of the system are none of ours. */
static int is_of_user(const char* path) {
  return path != NULL && strncmp(path, "/usr/", 5) != 0 && strncmp(path, "/lib", 4) != 0 &&
         strncmp(path, "/etc/", 5) != 0 && strncmp(path, "/sys/", 5) != 0 &&
         (strncmp(path, "/proc/", 6) != 0 || strncmp(path, "/proc/self/fd/", 14) == 0);
}

static int fails(const char* name) {
  setup();
  if (strcmp(name, name_to_fail) != 0) return 0;
  ++calls;
  if (place == 0 || (rest ? calls < place : calls != place)) return 0;
  errno = error_number;
  return 1;
}

#define REAL(function)                      \
  static __typeof__(function)* real = NULL; \
  if (real == NULL) real = (__typeof__(function)*)dlsym(RTLD_NEXT, #function)

#define TRANSFER(function, name, parameters, arguments) \
  ssize_t function parameters {                         \
    REAL(function);                                     \
    if (is_file(fd) && fails(name)) return -1;          \
    return real arguments;                              \
  }

TRANSFER(read, "read", (int fd, void* to, size_t size), (fd, to, size))
TRANSFER(pread, "pread", (int fd, void* to, size_t size, off_t at), (fd, to, size, at))
TRANSFER(pread64, "pread", (int fd, void* to, size_t size, off64_t at), (fd, to, size, at))
TRANSFER(write, "write", (int fd, const void* from, size_t size), (fd, from, size))
TRANSFER(pwrite, "pwrite", (int fd, const void* from, size_t size, off_t at), (fd, from, size, at))
TRANSFER(pwrite64, "pwrite", (int fd, const void* from, size_t size, off64_t at),
         (fd, from, size, at))

/* The C library's streams do not call the functions above. */
size_t fread(void* to, size_t size, size_t count, FILE* file) {
  REAL(fread);
  if (is_file(fileno(file)) && fails("fread")) return 0;
  return real(to, size, count, file);
}

size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  REAL(fwrite);
  if (is_file(fileno(file)) && fails("fwrite")) return 0;
  return real(from, size, count, file);
}

int fflush(FILE* file) {
  REAL(fflush);
  if (file != NULL && is_file(fileno(file)) && fails("fflush")) return EOF;
  return real(file);
}

FILE* tmpfile(void) {
  REAL(tmpfile);
  return fails("tmpfile") ? NULL : real();
}

FILE* tmpfile64(void) {
  REAL(tmpfile64);
  return fails("tmpfile") ? NULL : real();
}

int fsync(int fd) {
  REAL(fsync);
  return fails("fsync") ? -1 : real(fd);
}

int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  return fails("ftruncate") ? -1 : real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  return fails("ftruncate") ? -1 : real(fd, size);
}

/* A descriptor is gone even where closing it has failed. */
int close(int fd) {
  REAL(close);
  if (!is_file(fd) || !fails("close")) return real(fd);
  const int error = errno;
  real(fd);
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  REAL(rename);
  return fails("rename") ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  REAL(linkat);
  return fails("linkat") ? -1 : real(from_folder, from, to_folder, to, flags);
}

#define OPENING(function)                              \
  int function(const char* path, int flags, ...) {     \
    REAL(function);                                    \
    va_list rest_of_words;                             \
    va_start(rest_of_words, flags);                    \
    const mode_t mode = va_arg(rest_of_words, mode_t); \
    va_end(rest_of_words);                             \
    if (is_of_user(path) && fails("open")) return -1;  \
    return real(path, flags, mode);                    \
  }

OPENING(open)
OPENING(open64)

FILE* fopen(const char* path, const char* mode) {
  REAL(fopen);
  return is_of_user(path) && fails("fopen") ? NULL : real(path, mode);
}
