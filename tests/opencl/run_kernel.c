/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the kernel of a GCD through OpenCL and the definition on the CPU, over one scene, and prints
 * both pictures' differing floats. Two launches of the samples, and of the blocks when there are
 * many, as on a GCD. Arguments: the folder of the sources, scene, width, height, samples. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/render.h"
#include "baseline/scenes.h"
#include "kernels/gcd.h"

enum { BLOCKS = 24 };

struct run {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem arrays[4], room, pixels;
};

static void must(int code, const char *call)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", call, code);
	exit(1);
}

/* Exit status 77: there is no device. */
static void open_device(struct run *run)
{
	cl_platform_id platform;
	char name[200] = "";
	int code;

	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
		clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &run->device, NULL) != CL_SUCCESS)
		exit(77);
	clGetDeviceInfo(run->device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	printf("device %s\n", name);
	run->context = clCreateContext(NULL, 1, &run->device, NULL, NULL, &code);
	must(code, "clCreateContext");
	run->queue = clCreateCommandQueue(run->context, run->device, 0, &code);
	must(code, "clCreateCommandQueue");
}

static void build_kernel(struct run *run, const char *sources)
{
	const char *text = "#include \"kernels/kernel_opencl.cl\"\n";
	char options[4096], log[8192] = "";
	cl_program program;
	int code;

	snprintf(options, sizeof(options),
		"-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -I%s", sources);
	program = clCreateProgramWithSource(run->context, 1, &text, NULL, &code);
	must(code, "clCreateProgramWithSource");
	code = clBuildProgram(program, 1, &run->device, options, NULL, NULL);
	if (code != CL_SUCCESS)
		clGetProgramBuildInfo(
			program, run->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
	fputs(log, stderr);
	must(code, "clBuildProgram");
	run->kernel = clCreateKernel(program, GCD_KERNEL, &code);
	must(code, "clCreateKernel");
}

static cl_mem buffer(struct run *run, const void *from, size_t bytes)
{
	cl_mem made;
	int code;

	made = clCreateBuffer(run->context, CL_MEM_READ_WRITE, bytes ? bytes : 256, NULL, &code);
	must(code, "clCreateBuffer");
	if (from && bytes)
		must(clEnqueueWriteBuffer(run->queue, made, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
			"clEnqueueWriteBuffer");
	return made;
}

static void launch(
	struct run *run, const struct kernel_params *params, kernel_u32 tile, kernel_u32 blocks)
{
	size_t all = (size_t)blocks * GCD_BLOCK, group = GCD_BLOCK;
	int i;

	for (i = 0; i < 4; i++)
		must(clSetKernelArg(run->kernel, (cl_uint)i, sizeof(cl_mem), &run->arrays[i]),
			"clSetKernelArg");
	must(clSetKernelArg(run->kernel, 4, sizeof(*params), params), "clSetKernelArg 4");
	must(clSetKernelArg(run->kernel, 5, sizeof(tile), &tile), "clSetKernelArg 5");
	must(clSetKernelArg(run->kernel, 6, sizeof(blocks), &blocks), "clSetKernelArg 6");
	must(clSetKernelArg(run->kernel, 7, sizeof(cl_mem), &run->room), "clSetKernelArg 7");
	must(clSetKernelArg(run->kernel, 8, sizeof(cl_mem), &run->pixels), "clSetKernelArg 8");
	must(clEnqueueNDRangeKernel(run->queue, run->kernel, 1, NULL, &all, &group, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
	must(clFinish(run->queue), "clFinish");
}

static void render(struct run *run, struct baseline_scene *scene,
	const struct render_options *options, struct gcd_pixel *pixels)
{
	struct kernel_scene arrays = baseline_scene_kernel(scene);
	struct kernel_params params = render_params(scene, options);
	kernel_u32 tiles = GCD_TILES(params.width) * GCD_TILES(params.height), tile, half;
	size_t bytes = (size_t)params.width * params.height * sizeof(*pixels);

	memset(pixels, 0xa5, bytes);
	run->arrays[0] = buffer(run, arrays.nodes, scene->node_count * sizeof(*arrays.nodes));
	run->arrays[1] =
		buffer(run, arrays.triangles, scene->triangle_count * sizeof(*arrays.triangles));
	run->arrays[2] =
		buffer(run, arrays.materials, scene->material_count * sizeof(*arrays.materials));
	run->arrays[3] = buffer(run, arrays.lights, scene->light_count * sizeof(*arrays.lights));
	run->room = buffer(run, NULL, (size_t)BLOCKS * GCD_BLOCK * GCD_ROOM * sizeof(kernel_u32));
	run->pixels = buffer(run, pixels, bytes);
	half = options->samples / 2;
	for (tile = 0; tile < tiles; tile += BLOCKS) {
		kernel_u32 blocks = tiles - tile < BLOCKS ? tiles - tile : BLOCKS;

		params.first_sample = 0;
		params.sample_count = half;
		launch(run, &params, tile, blocks);
		params.first_sample = half;
		params.sample_count = options->samples - half;
		launch(run, &params, tile, blocks);
	}
	must(clEnqueueReadBuffer(run->queue, run->pixels, CL_TRUE, 0, bytes, pixels, 0, NULL, NULL),
		"clEnqueueReadBuffer");
}

int main(int argc, char **argv)
{
	const struct baseline_scene_row *row = argc == 6 ? baseline_scene_find(argv[2]) : NULL;
	struct render_options options = { .threads = 2, .path = RENDER_SINGLE };
	struct render_result ours;
	struct baseline_scene scene;
	struct gcd_pixel *theirs;
	struct run run;
	size_t count, i, differ = 0, samples = 0;
	unsigned long long closest = 0, shadow = 0;

	if (!row)
		return 2;
	options.width = (kernel_u32)atoi(argv[3]);
	options.height = (kernel_u32)atoi(argv[4]);
	options.samples = (kernel_u32)atoi(argv[5]);
	options.bounces = row->bounces;
	count = (size_t)options.width * options.height;
	theirs = malloc(count * sizeof(*theirs));
	baseline_scene_make(row, 0, 2, &scene);
	open_device(&run);
	build_kernel(&run, argv[1]);
	render(&run, &scene, &options, theirs);
	if (render_sums(&scene, &options, &ours, NULL) != 0)
		return 1;
	for (i = 0; i < count; i++) {
		differ += memcmp(&theirs[i].sum, ours.pixels + 3 * i, sizeof(theirs[i].sum)) != 0;
		samples += theirs[i].samples == options.samples;
		closest += theirs[i].closest;
		shadow += theirs[i].shadow;
	}
	printf("differ %zu of %zu\nwhole %zu\nclosest %s\nshadow %s\n", differ, count, samples,
		closest == ours.rays_closest ? "same" : "others",
		shadow == ours.rays_shadow ? "same" : "others");
	render_release(&ours);
	baseline_scene_release(&scene);
	free(theirs);
	return 0;
}
