# Every dependency is a Debian package found on the machine; nothing is downloaded.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)
find_package(OpenBLAS REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY NAMES zstd REQUIRED)
# libzip's own package file asks for programs that Debian packs apart.
find_path(LIBZIP_INCLUDE_DIR zip.h REQUIRED)
find_library(LIBZIP_LIBRARY NAMES zip REQUIRED)
find_path(FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_path(LEMON_INCLUDE_DIR lemon/network_simplex.h REQUIRED)
find_library(LEMON_LIBRARY NAMES lemon REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY NAMES xxhash REQUIRED)
find_path(XGBOOST_INCLUDE_DIR xgboost/c_api.h REQUIRED)
find_library(XGBOOST_LIBRARY NAMES xgboost REQUIRED)

# .h5ad files; without it a sentence says that they cannot be read.
find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
if(CONFLUX_HDF5 AND HDF5_INCLUDE_DIR AND HDF5_LIBRARY)
  set(CONFLUX_HAS_HDF5 ON)
endif()

# .nc files, likewise.
find_path(NETCDF_INCLUDE_DIR netcdf.h)
find_library(NETCDF_LIBRARY NAMES netcdf)
if(CONFLUX_NETCDF AND NETCDF_INCLUDE_DIR AND NETCDF_LIBRARY)
  set(CONFLUX_HAS_NETCDF ON)
endif()

# Several processes that work on one fit, likewise.
if(CONFLUX_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  set(CONFLUX_HAS_MPI ${MPI_CXX_FOUND})
endif()

# OpenBLAS's own package file sets variables only.
add_library(conflux_openblas INTERFACE)
target_include_directories(conflux_openblas SYSTEM INTERFACE
                           $<BUILD_INTERFACE:${OpenBLAS_INCLUDE_DIRS}>)
target_link_libraries(conflux_openblas INTERFACE $<BUILD_INTERFACE:${OpenBLAS_LIBRARIES}>
                                                 $<INSTALL_INTERFACE:openblas>)
