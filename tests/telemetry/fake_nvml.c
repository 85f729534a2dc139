// Two GPUs: the first gives everything, the second refuses power, clock and utilisation as old cards do.
#include <stdio.h>
#include <string.h>

static int devices[2];
static int isFirst(void* device) { return device == &devices[0]; }

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 2, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index > 1)
        return 2;
    *device = &devices[index];
    return 0;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
    snprintf(name, length, "%s", isFirst(device) ? "NVIDIA H100 80GB HBM3" : "Old card");
    return 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
    snprintf(uuid, length, "GPU-%d", isFirst(device) ? 1 : 2);
    return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
    rates[0] = 97;
    rates[1] = 40;
    return isFirst(device) ? 0 : 3;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
    (void)device;
    memory[0] = 80ull << 30;
    memory[1] = 49ull << 30;
    memory[2] = 31ull << 30;
    return 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) { return *milliwatts = 612000, isFirst(device) ? 0 : 3; }
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
    return *milliwatts = 700000, isFirst(device) ? 0 : 3;
}
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* celsius) {
    (void)device;
    return *celsius = 71, sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void* device, unsigned type, unsigned* megahertz) {
    return *megahertz = 1755, isFirst(device) && type == 1 ? 0 : 3;
}
