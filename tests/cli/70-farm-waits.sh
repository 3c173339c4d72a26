#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Slurm whose controller does not answer: what is waited for is said. The commands are stand-ins.
. "$SOURCE/tests/cli/lib.sh"

mkdir bin share
for command in sbatch squeue scontrol scancel; do
    printf '#!/bin/sh\necho slurm-wlm 22.05.8\n' >bin/$command
done
cat >bin/sinfo <<'END'
#!/bin/sh
sleep "$(cat "$(dirname "$0")/seconds")"
echo 'slurm_load_partitions: Unable to contact slurm controller (connect failure)' >&2
exit 1
END
chmod 755 bin/*
PATH=$PWD/bin:$PATH

for seconds in 0 6; do
    echo $seconds >bin/seconds
    run farm -w n1 --share share --blender "$SOURCE/tests/fakes/blender"
    exits 3 "a controller that is gone after $seconds s"
    says '^oamqual: slurm_load_partitions: Unable to contact slurm controller' "  in Slurm's own words"
    is "$(grep -c '^oamqual: Slurm.s sinfo has not answered for 2 s; it is waited for up to 30 s$' err)" $((seconds / 6)) \
        "  told of when it takes long"
done
finish
