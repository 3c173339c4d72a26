/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/worker_script.h"

/* C11 has no way to include bytes; the assembler has. Paths are from the top of the repository. */
__asm__(".section .rodata\n"
	".global worker_script_begin\n"
	".global worker_script_end\n"
	"worker_script_begin:\n"
	".incbin \"src/blender/worker.py\"\n"
	"worker_script_end:\n"
	".byte 0\n"
	".previous\n");

extern const char worker_script_begin[], worker_script_end[];

const char *worker_script(size_t *len)
{
	*len = (size_t)(worker_script_end - worker_script_begin);
	return worker_script_begin;
}
