#include "app/engine/process_setup.h"
#include "core/export/job_runner.h"
#include "core/train/run_session.h"

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
    anneal::setUpProcess(argv);
    const std::string_view mode = argc == 3 ? argv[1] : "";
    if (mode == "--run")
        return anneal::runFromFolder(argv[2]);
    if (mode == "--job")
        return anneal::runJob(argv[2]);
    std::fputs("usage: anneal-engine --run DIR | --job FILE.json\n", stderr);
    return 2;
}
