# KLU and what it stands on, from SuiteSparse, and METIS. Defines the imported target KLU::KLU.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES)
set(klu_required KLU_INCLUDE_DIR)
foreach(lib klu btf amd camd colamd suitesparseconfig metis)
  find_library(KLU_${lib}_LIBRARY ${lib})
  list(APPEND KLU_LIBRARIES ${KLU_${lib}_LIBRARY})
  list(APPEND klu_required KLU_${lib}_LIBRARY)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS ${klu_required})
mark_as_advanced(${klu_required})
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}")
endif()
