cmake_minimum_required(VERSION 3.25)
include(${ANNEAL_CMAKE_DIR}/Layers.cmake)
anneal_check_layer(${LAYER} ${LINKS})
