/* SPDX-License-Identifier: Apache-2.0 */
#include "image/flip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "image/bands.h"
#include "image/planes.h"

#define PI 3.14159265358979323846
/* 0.7 m away from a screen that is 0.7 m and 3840 pixels wide. */
#define PIXELS_PER_DEGREE (0.7 * (3840 / 0.7) * (PI / 180))

/* The constants of section 4 of the paper. */
#define Q_COLOUR 0.7
#define P_C 0.4
#define P_T 0.95
#define FEATURE_WIDTH 0.082
#define Q_FEATURE 0.5

enum { EXPOSURES_MAX = 64 };

struct vector {
	double v[3];
};

/* --- colour spaces --- */

static const double xyz_from_rgb[3][3] = {
	{ 10135552.0 / 24577794, 8788810.0 / 24577794, 4435075.0 / 24577794 },
	{ 2613072.0 / 12288897, 8788810.0 / 12288897, 887015.0 / 12288897 },
	{ 1425312.0 / 73733382, 8788810.0 / 73733382, 70074185.0 / 73733382 },
};

static const double rgb_from_xyz[3][3] = {
	{ 3.241003275, -1.537398934, -0.498615861 },
	{ -0.969224334, 1.875930071, 0.041554224 },
	{ 0.055639423, -0.204011202, 1.057148933 },
};

/* XYZ of white, R = G = B = 1. */
static const double white[3] = { 0.950428545, 1.0, 1.088900371 };

static struct vector times(const double matrix[3][3], struct vector a)
{
	struct vector out;
	int i;

	for (i = 0; i < 3; i++)
		out.v[i] = matrix[i][0] * a.v[0] + matrix[i][1] * a.v[1] + matrix[i][2] * a.v[2];
	return out;
}

/* A linear space with the axes of CIELab. */
static struct vector ycxcz_from_rgb(struct vector rgb)
{
	struct vector xyz = times(xyz_from_rgb, rgb);
	double x = xyz.v[0] / white[0], y = xyz.v[1] / white[1], z = xyz.v[2] / white[2];

	return (struct vector){ { 116 * y - 16, 500 * (x - y), 200 * (y - z) } };
}

static struct vector rgb_from_ycxcz(struct vector a)
{
	double y = (a.v[0] + 16) / 116;
	struct vector xyz = { { (y + a.v[1] / 500) * white[0], y * white[1],
		(y - a.v[2] / 200) * white[2] } };

	return times(rgb_from_xyz, xyz);
}

static double lab_curve(double t)
{
	const double delta = 6.0 / 29;

	return t > delta * delta * delta ? cbrt(t) : t / (3 * delta * delta) + 4.0 / 29;
}

/* CIELab, its colour axes scaled by lightness as R. W. G. Hunt found they are seen. */
static struct vector hunt_lab_from_rgb(struct vector rgb)
{
	struct vector xyz = times(xyz_from_rgb, rgb);
	double x = lab_curve(xyz.v[0] / white[0]), y = lab_curve(xyz.v[1] / white[1]);
	double z = lab_curve(xyz.v[2] / white[2]), light = 116 * y - 16;

	return (struct vector){ { light, 0.01 * light * 500 * (x - y),
		0.01 * light * 200 * (y - z) } };
}

static double hyab(struct vector a, struct vector b)
{
	return fabs(a.v[0] - b.v[0]) + hypot(a.v[1] - b.v[1], a.v[2] - b.v[2]);
}

/* --- kernels --- */

/* Contrast sensitivity as a sum of Gaussians: a * sqrt(pi / b) * exp(-pi^2 / b * degrees^2). */
struct sensitivity {
	double a[2], b[2];
};

static const struct sensitivity sensitivities[3] = {
	{ { 1, 0 }, { 0.0047, 1e-5 } }, /* achromatic */
	{ { 1, 0 }, { 0.0053, 1e-5 } }, /* red to green */
	{ { 34.1, 13.5 }, { 0.04, 0.025 } }, /* blue to yellow */
};

struct kernels {
	struct plane_kernel spatial[3][2]; /* of each opponent channel; the second may be empty */
	struct plane_kernel gaussian, edge, point;
};

/* Two-dimensional weights of a sum of Gaussians are a sum of products: each Gaussian carries the
 * root of its part of the whole. */
static void make_spatial(const struct sensitivity *from, struct plane_kernel out[2])
{
	const double widest = 0.04;
	int radius = (int)ceil(3 * sqrt(widest / (2 * PI * PI)) * PIXELS_PER_DEGREE);
	double whole = 0;
	int k, i;

	for (k = 0; k < 2; k++) {
		double sum = 0, height = sqrt(from->a[k] * sqrt(PI / from->b[k]));

		out[k].radius = from->a[k] > 0 ? radius : 0;
		for (i = -out[k].radius; i <= out[k].radius; i++) {
			double degrees = i / PIXELS_PER_DEGREE;

			sum += out[k].weights[i + out[k].radius] =
				height * exp(-PI * PI / from->b[k] * degrees * degrees);
		}
		whole += sum * sum;
	}
	for (k = 0; k < 2; k++)
		for (i = 0; i <= 2 * out[k].radius; i++)
			out[k].weights[i] /= sqrt(whole);
}

/* Positive weights of sum 1, negative of sum -1. */
static void balance(struct plane_kernel *kernel)
{
	double positive = 0, negative = 0;
	int i;

	for (i = 0; i <= 2 * kernel->radius; i++)
		*(kernel->weights[i] > 0 ? &positive : &negative) += kernel->weights[i];
	for (i = 0; i <= 2 * kernel->radius; i++)
		kernel->weights[i] /= kernel->weights[i] > 0 ? positive : -negative;
}

static void make_features(struct kernels *kernels)
{
	double sigma = 0.5 * FEATURE_WIDTH * PIXELS_PER_DEGREE;
	int radius = (int)ceil(3 * sigma), i;

	plane_gaussian(sigma, radius, &kernels->gaussian);
	kernels->edge.radius = kernels->point.radius = radius;
	for (i = -radius; i <= radius; i++) {
		double g = exp(-i * i / (2 * sigma * sigma));

		kernels->edge.weights[i + radius] = -i * g;
		kernels->point.weights[i + radius] = (i * i / (sigma * sigma) - 1) * g;
	}
	balance(&kernels->edge);
	balance(&kernels->point);
}

static void make_kernels(struct kernels *kernels)
{
	int c;

	memset(kernels, 0, sizeof(*kernels));
	for (c = 0; c < 3; c++)
		make_spatial(&sensitivities[c], kernels->spatial[c]);
	make_features(kernels);
}

/* --- one picture --- */

/* How it is seen: colours through the eye's blur, and the strength of edges and points. */
struct seen {
	float *lab[3]; /* Hunt-adjusted */
	float *edges, *points;
};

typedef struct vector tone_fn(struct vector linear, double exposure);

struct view {
	const struct image *image;
	int from[3];
	tone_fn *tone;
	double exposure;
	float *opponent[3];
};

static double clamped(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

static struct vector clamped_vector(struct vector a)
{
	return (struct vector){ { clamped(a.v[0]), clamped(a.v[1]), clamped(a.v[2]) } };
}

static void opponent_rows(int band, int from, int to, void *data)
{
	struct view *view = data;
	size_t width = (size_t)view->image->width, i, end = (size_t)to * width;
	int c;

	(void)band;
	for (i = (size_t)from * width; i < end; i++) {
		const float *p = view->image->pixels + i * (size_t)view->image->channels;
		struct vector rgb = { { (double)p[view->from[0]], (double)p[view->from[1]],
			(double)p[view->from[2]] } };
		struct vector a = ycxcz_from_rgb(clamped_vector(view->tone(rgb, view->exposure)));

		for (c = 0; c < 3; c++)
			view->opponent[c][i] = (float)a.v[c];
	}
}

static void blur(
	const float *from, int width, int height, const struct plane_kernel kernels[2], float *to)
{
	size_t count = (size_t)width * (size_t)height, i;
	float *second;

	plane_convolve(from, width, height, &kernels[0], &kernels[0], to);
	if (kernels[1].radius == 0)
		return;
	second = plane_new(width, height);
	plane_convolve(from, width, height, &kernels[1], &kernels[1], second);
	for (i = 0; i < count; i++)
		to[i] += second[i];
	free(second);
}

struct planes3 {
	float **planes;
	int width;
};

static void lab_rows(int band, int from, int to, void *data)
{
	struct planes3 *job = data;
	size_t i, end = (size_t)to * (size_t)job->width;
	int c;

	(void)band;
	for (i = (size_t)from * (size_t)job->width; i < end; i++) {
		struct vector a = { { (double)job->planes[0][i], (double)job->planes[1][i],
			(double)job->planes[2][i] } };

		a = hunt_lab_from_rgb(clamped_vector(rgb_from_ycxcz(a)));
		for (c = 0; c < 3; c++)
			job->planes[c][i] = (float)a.v[c];
	}
}

/* Length of the response to `kernel` across and down. */
static float *feature(const float *light, int width, int height, const struct plane_kernel *kernel,
	const struct plane_kernel *gaussian)
{
	size_t count = (size_t)width * (size_t)height, i;
	float *across = plane_new(width, height), *down = plane_new(width, height);

	plane_convolve(light, width, height, kernel, gaussian, across);
	plane_convolve(light, width, height, gaussian, kernel, down);
	for (i = 0; i < count; i++)
		across[i] = hypotf(across[i], down[i]);
	free(down);
	return across;
}

static void see(struct view *view, const struct kernels *kernels, struct seen *out)
{
	int width = view->image->width, height = view->image->height, c;
	size_t count = (size_t)width * (size_t)height, i;

	for (c = 0; c < 3; c++)
		view->opponent[c] = plane_new(width, height);
	bands_run(height, 1, opponent_rows, view);
	for (c = 0; c < 3; c++) {
		out->lab[c] = plane_new(width, height);
		blur(view->opponent[c], width, height, kernels->spatial[c], out->lab[c]);
	}
	bands_run(height, 1, lab_rows, &(struct planes3){ out->lab, width });
	for (i = 0; i < count; i++)
		view->opponent[0][i] = (view->opponent[0][i] + 16) / 116;
	out->edges = feature(view->opponent[0], width, height, &kernels->edge, &kernels->gaussian);
	out->points =
		feature(view->opponent[0], width, height, &kernels->point, &kernels->gaussian);
	for (c = 0; c < 3; c++)
		free(view->opponent[c]);
}

static void seen_release(struct seen *seen)
{
	int c;

	for (c = 0; c < 3; c++)
		free(seen->lab[c]);
	free(seen->edges);
	free(seen->points);
}

/* --- two pictures --- */

static double largest_distance(void)
{
	struct vector green = hunt_lab_from_rgb((struct vector){ { 0, 1, 0 } });
	struct vector blue = hunt_lab_from_rgb((struct vector){ { 0, 0, 1 } });

	return pow(hyab(green, blue), Q_COLOUR);
}

static double colour_error(double distance, double largest)
{
	double d = pow(distance, Q_COLOUR), knee = P_C * largest;

	return d < knee ? P_T / knee * d : P_T + (d - knee) / (largest - knee) * (1 - P_T);
}

struct scoring {
	const struct seen *a, *b;
	int width;
	float *errors; /* the larger of what is there and this is kept */
};

static struct vector lab_at(const struct seen *seen, size_t i)
{
	return (struct vector){ { (double)seen->lab[0][i], (double)seen->lab[1][i],
		(double)seen->lab[2][i] } };
}

static void score_rows(int band, int from, int to, void *data)
{
	struct scoring *job = data;
	size_t i, end = (size_t)to * (size_t)job->width;
	double largest = largest_distance();

	(void)band;
	for (i = (size_t)from * (size_t)job->width; i < end; i++) {
		double edge = fabs((double)job->a->edges[i] - (double)job->b->edges[i]);
		double point = fabs((double)job->a->points[i] - (double)job->b->points[i]);
		double features = pow(fmax(edge, point) / sqrt(2), Q_FEATURE);
		double colour = colour_error(hyab(lab_at(job->a, i), lab_at(job->b, i)), largest);
		double error = pow(colour, 1 - features);

		if (error > (double)job->errors[i])
			job->errors[i] = (float)error;
	}
}

struct pair {
	const struct image *image, *reference;
	int from_image[3], from_reference[3];
	struct kernels kernels;
};

static bool pair_begin(struct pair *pair, const struct image *image, const struct image *reference)
{
	pair->image = image;
	pair->reference = reference;
	if (plane_colours(image, pair->from_image) != 0 ||
		plane_colours(reference, pair->from_reference) != 0)
		return false;
	make_kernels(&pair->kernels);
	return true;
}

static void score(const struct pair *pair, tone_fn *tone, double exposure, float *errors)
{
	struct view a = { .image = pair->image, .tone = tone, .exposure = exposure };
	struct view b = { .image = pair->reference, .tone = tone, .exposure = exposure };
	struct seen seen_a, seen_b;
	struct scoring job = { &seen_a, &seen_b, pair->image->width, errors };

	memcpy(a.from, pair->from_image, sizeof(a.from));
	memcpy(b.from, pair->from_reference, sizeof(b.from));
	see(&a, &pair->kernels, &seen_a);
	see(&b, &pair->kernels, &seen_b);
	bands_run(pair->image->height, 1, score_rows, &job);
	seen_release(&seen_a);
	seen_release(&seen_b);
}

static double mean_of(const float *values, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += (double)values[i];
	return sum / (double)count;
}

static struct vector as_it_is(struct vector linear, double exposure)
{
	(void)exposure;
	return linear;
}

double image_flip(const struct image *image, const struct image *reference)
{
	size_t count = (size_t)image->width * (size_t)image->height;
	struct pair pair;
	float *errors;
	double mean;

	if (!pair_begin(&pair, image, reference))
		return NAN;
	errors = xcalloc(count, sizeof(*errors));
	score(&pair, as_it_is, 0, errors);
	mean = mean_of(errors, count);
	free(errors);
	return mean;
}

/* --- high dynamic range --- */

/* K. Narkowicz's fit of the ACES curve, (a x^2 + b x) / (c x^2 + d x + e), on 0.6 x. */
static const double aces[5] = { 0.36 * 2.51, 0.6 * 0.03, 0.36 * 2.43, 0.6 * 0.59, 0.14 };

static struct vector aces_tone(struct vector linear, double exposure)
{
	struct vector out;
	int i;

	for (i = 0; i < 3; i++) {
		double x = linear.v[i] * exp2(exposure);

		out.v[i] =
			(aces[0] * x * x + aces[1] * x) / (aces[2] * x * x + aces[3] * x + aces[4]);
	}
	return out;
}

/* The value that the curve maps to 0.85. */
static double aces_inverse(void)
{
	const double t = 0.85;
	double a = aces[0] - t * aces[2], b = aces[1] - t * aces[3], c = -t * aces[4];

	return (-b + sqrt(b * b - 4 * a * c)) / (2 * a);
}

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool find_exposures(const struct pair *pair, double exposures[2])
{
	const struct image *reference = pair->reference;
	size_t count = (size_t)reference->width * (size_t)reference->height, i;
	const float *p = reference->pixels;
	const int *from = pair->from_reference;
	float *light = plane_new(reference->width, reference->height);
	double median, most;

	for (i = 0; i < count; i++, p += reference->channels)
		light[i] = 0.2126f * p[from[0]] + 0.7152f * p[from[1]] + 0.0722f * p[from[2]];
	qsort(light, count, sizeof(*light), by_value);
	median = (double)light[count / 2];
	most = (double)light[count - 1];
	free(light);
	if (!(median > 0))
		return false;
	exposures[0] = log2(aces_inverse() / most);
	exposures[1] = log2(aces_inverse() / median);
	return true;
}

double image_hdr_flip(const struct image *image, const struct image *reference, double exposures[2])
{
	size_t pixels = (size_t)image->width * (size_t)image->height;
	struct pair pair;
	float *errors;
	double mean;
	int count, i;

	exposures[0] = exposures[1] = NAN;
	if (!pair_begin(&pair, image, reference) || !find_exposures(&pair, exposures))
		return NAN;
	count = (int)fmin(EXPOSURES_MAX, fmax(2, ceil(exposures[1] - exposures[0])));
	errors = xcalloc(pixels, sizeof(*errors));
	for (i = 0; i < count; i++)
		score(&pair, aces_tone,
			exposures[0] + i * (exposures[1] - exposures[0]) / (count - 1), errors);
	mean = mean_of(errors, pixels);
	free(errors);
	return mean;
}
