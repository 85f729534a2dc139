# Compiler flags, the compiler cache and the fast linker.
add_library(anneal_flags INTERFACE)
target_compile_options(anneal_flags INTERFACE -Wall -Wextra
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>) # gcc 12 warns of its own std::string (PR 105651)
target_compile_definitions(anneal_flags INTERFACE QT_NO_KEYWORDS ANNEAL_VERSION="${PROJECT_VERSION}")

find_program(CCACHE ccache)
if(CCACHE)
    # A clone in another folder, and a precompiled header, still hit the cache.
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    target_compile_options(anneal_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
find_program(MOLD mold)
if(MOLD)
    add_link_options(-fuse-ld=mold)
endif()
