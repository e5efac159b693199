#ifdef CONFLUX_HAS_HDF5

#include "tables/hdf5_driver.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <string_view>

#include "files/descriptor.h"

// Later versions keep what drivers need elsewhere.
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace conflux::hdf5 {

namespace {

thread_local int failure = 0;

// Returns what the library takes for a failure.
herr_t failed(int error) {
  if (failure == 0) failure = error;
  return -1;
}

struct DriverFile {
  H5FD_t head;  // of the library, which calls it by its first field
  Descriptor file;
  struct stat identity;
  haddr_t allocated;
  haddr_t end;
};

DriverFile& of(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& of(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

H5FD_t* open_it(const char* name, unsigned flags, hid_t, haddr_t) {
  const bool writes = (flags & H5F_ACC_RDWR) != 0;
  auto out = std::make_unique<DriverFile>();
  do {
    out->file = Descriptor(::open(name, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  } while (!out->file.is_open() && errno == EINTR);
  if (!out->file.is_open() || ::fstat(out->file.get(), &out->identity) != 0) {
    failed(errno);
    return nullptr;
  }
  out->end = static_cast<haddr_t>(out->identity.st_size);
  return &out.release()->head;
}

herr_t close_it(H5FD_t* file) {
  const std::unique_ptr<DriverFile> own(&of(file));
  if (const int error = own->file.close()) failed(error);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const struct stat &one = of(a).identity, &other = of(b).identity;
  if (one.st_dev != other.st_dev) return one.st_dev < other.st_dev ? -1 : 1;
  if (one.st_ino != other.st_ino) return one.st_ino < other.st_ino ? -1 : 1;
  return 0;
}

// The answer of the library's driver for plain files, but for a descriptor of its own.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t bytes) {
  of(file).allocated = bytes;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }

// Behind the end are zeros.
herr_t read_from(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* buffer) {
  char* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = ::pread(of(file).file.get(), to, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(errno);
    if (count == 0) {
      std::fill_n(to, size, '\0');
      return 0;
    }
    to += count;
    at += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  return 0;
}

herr_t write_to(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* buffer) {
  DriverFile& own = of(file);
  own.end = std::max(own.end, at + size);
  // After a failed write, further bytes are not written.
  if (failure != 0) return 0;
  const std::string_view bytes(static_cast<const char*>(buffer), size);
  if (const int error = write_all_at(own.file, at, bytes)) failed(error);
  return 0;
}

herr_t cut(H5FD_t* file, hid_t, hbool_t) {
  DriverFile& own = of(file);
  if (own.allocated == own.end) return 0;
  if (::ftruncate(own.file.get(), static_cast<off_t>(own.allocated)) != 0) failed(errno);
  own.end = own.allocated;
  return 0;
}

herr_t lock(H5FD_t* file, hbool_t alone) {
  const int how = (alone != 0 ? LOCK_EX : LOCK_SH) | LOCK_NB;
  // Some file systems know no locks, which is no reason to read nothing.
  return ::flock(of(file).file.get(), how) == 0 || errno != EWOULDBLOCK ? 0 : -1;
}

herr_t unlock(H5FD_t* file) {
  ::flock(of(file).file.get(), LOCK_UN);
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t calls = {};
#if H5_VERSION_GE(1, 13, 0)
    calls.version = H5FD_CLASS_VERSION;
    calls.value = static_cast<H5FD_class_value_t>(400);
#endif
    calls.name = "conflux";
    calls.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    calls.fc_degree = H5F_CLOSE_WEAK;
    calls.open = open_it;
    calls.close = close_it;
    calls.cmp = compare;
    calls.query = query;
    calls.get_eoa = get_allocated;
    calls.set_eoa = set_allocated;
    calls.get_eof = get_end;
    calls.read = read_from;
    calls.write = write_to;
    calls.truncate = cut;
    calls.lock = lock;
    calls.unlock = unlock;
    constexpr H5FD_mem_t kFreeLists[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kFreeLists), std::end(kFreeLists), std::begin(calls.fl_map));
    return H5FDregister(&calls);
  }();
  return id;
}

}  // namespace

void leave_out_cleanup() {
  static const herr_t done = H5dont_atexit();
  static_cast<void>(done);
}

hid_t access_through_driver() {
  const hid_t out = H5Pcreate(H5P_FILE_ACCESS);
  if (out >= 0) H5Pset_driver(out, driver(), nullptr);
  return out;
}

int first_failure() { return failure; }

void forget_failures() { failure = 0; }

}  // namespace conflux::hdf5

#endif  // CONFLUX_HAS_HDF5
