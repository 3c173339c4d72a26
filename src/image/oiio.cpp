/* SPDX-License-Identifier: Apache-2.0 */
#include "image/shim.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

extern "C" {
#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
}

#include "image/exr_header.h"
#include "image/layers.h"
#include "image/png_chunks.h"

namespace
{

const uint64_t SAMPLES_MAX = UINT64_C(1) << 28;
const size_t METADATA_MAX = 65536;

/* Only formats whose readers report a missing row; a JPEG reader, say, fills it up and warns. */
struct format {
	const char *plugin;
	unsigned char magic[4];
	int (*check)(FILE *file, const char *path, struct error *err);
};

const struct format FORMATS[] = {
	{ "openexr", { 0x76, 0x2f, 0x31, 0x01 }, exr_check_header },
	{ "png", { 0x89, 'P', 'N', 'G' }, png_check_chunks },
};

struct free_memory {
	void operator()(void *memory) const
	{
		free(memory);
	}
};

struct close_file {
	void operator()(FILE *file) const
	{
		fclose(file);
	}
};

using samples = std::unique_ptr<float, free_memory>;
using open_file = std::unique_ptr<FILE, close_file>;

samples new_samples(uint64_t count)
{
	return samples(static_cast<float *>(xcalloc(static_cast<size_t>(count), sizeof(float))));
}

/* The library's text may hold several lines; the first says what happened. */
int library_error(struct error *err, const char *path, const char *what, const std::string &text)
{
	std::string first = text.substr(0, text.find('\n'));

	return error_set(
		err, "%s: %s: %s", path, what, first.empty() ? "no reason given" : first.c_str());
}

/* A pipe or a device would block or never end, so only a regular file is opened. */
open_file open_regular(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	FILE *file;

	if (fd < 0) {
		error_errno(err, "%s", path);
		return nullptr;
	}
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
		error_set(err, "%s: not a regular file", path);
		close(fd);
		return nullptr;
	}
	file = fdopen(fd, "rb");
	if (!file) {
		error_errno(err, "%s", path);
		close(fd);
	}
	return open_file(file);
}

const struct format *format_of(const char *path, FILE *file, struct error *err)
{
	unsigned char bytes[4] = { 0, 0, 0, 0 };
	size_t got = fread(bytes, 1, sizeof(bytes), file);

	rewind(file);
	for (const auto &format : FORMATS)
		if (got == sizeof(bytes) && memcmp(bytes, format.magic, sizeof(bytes)) == 0)
			return &format;
	if (got < sizeof(bytes))
		error_set(err, "%s: not a picture: only %zu bytes", path, got);
	else
		error_set(err,
			"%s: not an OpenEXR or PNG picture: it begins with %02x %02x %02x %02x",
			path, bytes[0], bytes[1], bytes[2], bytes[3]);
	return nullptr;
}

bool fits(uint64_t width, uint64_t height, uint64_t channels)
{
	return width <= SAMPLES_MAX && height <= SAMPLES_MAX / width &&
	       channels <= SAMPLES_MAX / (width * height);
}

/* Everything that is allocated later is bounded here, from what the header declares. */
int check_shape(const char *path, const OIIO::ImageSpec &spec, int channels, struct error *err)
{
	if (spec.deep)
		return error_set(err, "%s: deep pictures are not read", path);
	if (spec.width < 1 || spec.height < 1 || spec.full_width < 1 || spec.full_height < 1 ||
		spec.depth != 1 || spec.full_depth != 1)
		return error_set(err, "%s: not a two-dimensional picture", path);
	if (channels < 1 || channels > IMAGE_CHANNELS_MAX)
		return error_set(err, "%s: %d channels, at most %d are read", path, channels,
			IMAGE_CHANNELS_MAX);
	if (!fits(spec.width, spec.height, channels) ||
		!fits(spec.full_width, spec.full_height, channels))
		return error_set(err,
			"%s: declares %dx%d (display %dx%d) with %d channels, "
			"more than 2^28 samples",
			path, spec.width, spec.height, spec.full_width, spec.full_height, channels);
	if (spec.tile_width && (spec.tile_width < 1 || spec.tile_height < 1 ||
				       !fits(spec.tile_width, spec.tile_height, spec.nchannels)))
		return error_set(err, "%s: declares tiles of %dx%d", path, spec.tile_width,
			spec.tile_height);
	return 0;
}

float linear_from_srgb(float v)
{
	return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float srgb_from_linear(float v)
{
	return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1.0f / 2.4f) - 0.055f;
}

/* The picture to be read: a run of channels of one part, of which `wanted` are taken. */
struct selection {
	int part = 0;
	OIIO::ImageSpec spec; /* of the part */
	std::string part_name;
	int first = 0, count = 0;
	std::vector<int> wanted; /* counted from `first` */
	int alpha = -1; /* the same */
};

/* Integer samples are stored encoded and not multiplied by alpha. The library would multiply before
 * decoding, which differs between its versions, so it is told to leave both to us. */
int linearise(const char *path, const struct selection &chosen, float *data, struct error *err)
{
	const OIIO::ImageSpec &spec = chosen.spec;
	std::string space = spec.get_string_attribute("oiio:ColorSpace", "sRGB");
	float gamma = spec.get_float_attribute("oiio:Gamma", 0);
	bool srgb = space == "sRGB", linear = space == "Linear" || space == "linear";
	uint64_t pixels = uint64_t(spec.width) * spec.height, i;
	int alpha = chosen.alpha, c;

	if (!srgb && !linear && !(gamma > 0 && gamma < 10))
		return error_set(err, "%s: colour space %.60s is unknown", path, space.c_str());
	for (i = 0; i < pixels; i++, data += chosen.count) {
		float cover = alpha < 0 ? 1 : data[alpha];

		for (c = 0; c < chosen.count; c++) {
			if (c == alpha)
				continue;
			if (srgb)
				data[c] = linear_from_srgb(data[c]);
			else if (!linear)
				data[c] = std::pow(data[c], gamma);
			data[c] *= cover;
		}
	}
	return 0;
}

/* The data window laid into the display window, the wanted channels only: outside it is 0, what
 * sticks out is cut. */
samples to_display(const struct selection &chosen, samples data)
{
	const OIIO::ImageSpec &spec = chosen.spec;
	int64_t left = int64_t(spec.x) - spec.full_x, top = int64_t(spec.y) - spec.full_y;
	int64_t from = left < 0 ? -left : 0, to = spec.width, y, x;
	size_t channels = chosen.wanted.size(), c;

	if (left == 0 && top == 0 && spec.width == spec.full_width &&
		spec.height == spec.full_height && channels == size_t(chosen.count))
		return data;
	samples display = new_samples(uint64_t(spec.full_width) * spec.full_height * channels);
	if (to > spec.full_width - left)
		to = spec.full_width - left;
	for (y = 0; y < spec.height; y++) {
		if (top + y < 0 || top + y >= spec.full_height)
			continue;
		float *out = display.get() + ((top + y) * spec.full_width + left + from) * channels;
		const float *in = data.get() + (y * spec.width + from) * chosen.count;

		for (x = from; x < to; x++, in += chosen.count)
			for (c = 0; c < channels; c++)
				*out++ = in[chosen.wanted[c]];
	}
	return display;
}

/* "name<TAB>value" of what the file says about itself. */
char *metadata_of(const OIIO::ImageSpec &spec)
{
	struct str text = STR_INIT;

	for (const auto &attribute : spec.extra_attribs) {
		std::string value = spec.metadata_val(attribute, false);

		if (text.len > METADATA_MAX ||
			attribute.name().string().compare(0, 5, "oiio:") == 0)
			continue;
		text_add_printable(&text, attribute.name().c_str(), attribute.name().size());
		str_add(&text, "\t");
		text_add_printable(&text, value.c_str(), std::min(value.size(), size_t(200)));
		str_add(&text, "\n");
	}
	return text.len ? str_detach(&text) : nullptr;
}

void describe(const struct selection &chosen, struct image *out)
{
	const OIIO::ImageSpec &spec = chosen.spec;
	const char *name = "";

	memset(out, 0, sizeof(*out));
	out->width = spec.full_width;
	out->height = spec.full_height;
	for (int channel : chosen.wanted) {
		name = spec.channelnames[chosen.first + channel].c_str();
		str_copy(
			out->names[out->channels++], IMAGE_CHANNEL_NAME, layers_channel_name(name));
	}
	layers_layer_name(name, out->layer, sizeof(out->layer));
	str_copy(out->part, sizeof(out->part), chosen.part_name.c_str());
	str_copy(out->format, sizeof(out->format), spec.format.c_str());
	str_copy(out->colorspace, sizeof(out->colorspace),
		spec.get_string_attribute("oiio:ColorSpace").c_str());
	if (chosen.alpha >= 0)
		str_copy(out->alpha, sizeof(out->alpha),
			spec.format.is_floating_point() ? "associated" : "unassociated");
	out->pixel_aspect = spec.get_float_attribute("PixelAspectRatio", 0);
	out->metadata = metadata_of(spec);
}

/* All channels of all parts, for the choice among them. The names live as long as `specs`. */
int list_parts(const char *path, OIIO::ImageInput &input, std::vector<OIIO::ImageSpec> &specs,
	struct error *err)
{
	size_t channels = 0;
	int part;

	for (part = 0; input.seek_subimage(part, 0); part++) {
		specs.push_back(input.spec());
		channels += specs.back().nchannels < 0 ? 0 : specs.back().nchannels;
		if (channels > LAYERS_CHANNELS_MAX)
			return error_set(
				err, "%s: more than %d channels", path, LAYERS_CHANNELS_MAX);
	}
	if (specs.empty())
		return library_error(err, path, "cannot be opened", input.geterror());
	(void)input.geterror(); /* that there is no further part is no error */
	return 0;
}

void select_channels(const bool *wanted, struct selection *chosen)
{
	int last = 0, i;

	chosen->first = -1;
	for (i = 0; i < chosen->spec.nchannels; i++)
		if (wanted[i]) {
			chosen->first = chosen->first < 0 ? i : chosen->first;
			last = i;
		}
	chosen->count = last - chosen->first + 1;
	for (i = chosen->first; i <= last; i++) {
		if (!wanted[i])
			continue;
		chosen->wanted.push_back(i - chosen->first);
		if (strcmp(layers_channel_name(chosen->spec.channelnames[i].c_str()), "A") == 0)
			chosen->alpha = i - chosen->first;
	}
}

int choose(const char *path, OIIO::ImageInput &input, const struct image_choice *choice,
	struct selection *chosen, struct error *err)
{
	std::vector<OIIO::ImageSpec> specs;
	std::vector<std::string> names;
	std::vector<struct layers_channel> channels;
	size_t begin = 0;

	if (list_parts(path, input, specs, err) != 0)
		return -1;
	for (const auto &spec : specs)
		names.push_back(
			specs.size() > 1 ? spec.get_string_attribute("oiio:subimagename") : "");
	for (size_t part = 0; part < specs.size(); part++)
		for (const auto &name : specs[part].channelnames)
			channels.push_back({ name.c_str(), names[part].c_str(), int(part) });
	std::unique_ptr<bool[]> wanted(new bool[channels.size() + 1]());
	if (layers_choose(path, channels.data(), int(channels.size()), choice, wanted.get(), err) !=
		0)
		return -1;
	for (size_t part = 0; part < specs.size(); begin += specs[part++].channelnames.size()) {
		const bool *of = wanted.get() + begin;

		if (std::find(of, of + specs[part].channelnames.size(), true) ==
			of + specs[part].channelnames.size())
			continue;
		chosen->part = int(part);
		chosen->part_name = names[part];
		chosen->spec = specs[part];
		select_channels(of, chosen);
	}
	return 0;
}

int read_through(const char *path, OIIO::ImageInput &input, OIIO::Filesystem::IOProxy *proxy,
	const struct image_choice *choice, struct image *out, struct error *err)
{
	OIIO::ImageSpec hints, ignored;
	void *address = proxy;
	struct selection chosen;
	samples data;

	hints.attribute("oiio:UnassociatedAlpha", 1);
	hints.attribute("oiio:ioproxy", OIIO::TypeDesc::PTR, &address);
	if (!input.open(path, ignored, hints))
		return library_error(err, path, "cannot be opened", input.geterror());
	if (choose(path, input, choice, &chosen, err) != 0)
		return -1;
	const OIIO::ImageSpec &spec = chosen.spec;
	if (check_shape(path, spec, chosen.count, err) != 0)
		return -1;
	data = new_samples(uint64_t(spec.width) * spec.height * chosen.count);
	if (!input.read_image(chosen.part, 0, chosen.first, chosen.first + chosen.count,
		    OIIO::TypeFloat, data.get()))
		return library_error(err, path, "damaged or truncated", input.geterror());
	/* Some readers note an error and still return true. */
	if (input.has_error())
		return library_error(err, path, "damaged or truncated", input.geterror());
	if (!spec.format.is_floating_point() && linearise(path, chosen, data.get(), err) != 0)
		return -1;
	data = to_display(chosen, std::move(data));
	describe(chosen, out);
	out->pixels = data.release();
	return 0;
}

/* The input is destroyed before the proxy that it reads from, and the proxy before the file. */
int read_picture(
	const char *path, const struct image_choice *choice, struct image *out, struct error *err)
{
	open_file file = open_regular(path, err);
	const struct format *format = file ? format_of(path, file.get(), err) : nullptr;
	struct image read;

	if (!format || format->check(file.get(), path, err) != 0)
		return -1;
	OIIO::Filesystem::IOFile proxy(file.get(), OIIO::Filesystem::IOProxy::Read);
	auto input = OIIO::ImageInput::create(format->plugin);
	if (!input)
		return library_error(err, path, "no reader", OIIO::geterror());
	if (read_through(path, *input, &proxy, choice, &read, err) != 0)
		return -1;
	*out = read;
	return 0;
}

/* Encodes into memory, so that the file can be written whole or not at all. */
int encode_picture(const char *path, const char *plugin, const OIIO::ImageSpec &base,
	OIIO::TypeDesc type, const void *data, std::vector<unsigned char> &bytes, struct error *err)
{
	OIIO::Filesystem::IOVecOutput memory;
	OIIO::ImageSpec spec = base;
	void *address = &memory;
	auto output = OIIO::ImageOutput::create(plugin);

	if (!output)
		return library_error(err, path, "no writer", OIIO::geterror());
	spec.attribute("oiio:ioproxy", OIIO::TypeDesc::PTR, &address);
	if (!output->open(path, spec) || !output->write_image(type, data) || !output->close())
		return library_error(err, path, "cannot be encoded", output->geterror());
	bytes = memory.buffer();
	return 0;
}

int write_picture(const char *path, const char *plugin, const OIIO::ImageSpec &spec,
	OIIO::TypeDesc type, const void *data, struct error *err)
{
	std::vector<unsigned char> bytes;

	if (encode_picture(path, plugin, spec, type, data, bytes, err) != 0)
		return -1;
	return file_write(path, bytes.data(), bytes.size(), err);
}

int channel_index(const struct image *image, const char *name)
{
	int i;

	for (i = 0; i < image->channels; i++)
		if (strcmp(image->names[i], name) == 0)
			return i;
	return -1;
}

unsigned char to_byte(float linear)
{
	/* The negated test turns NaN to black as well. */
	if (!(linear > 0))
		return 0;
	if (linear >= 1)
		return 255;
	return static_cast<unsigned char>(srgb_from_linear(linear) * 255.0f + 0.5f);
}

int encode_png(const char *path, const struct image *image, float exposure,
	std::vector<unsigned char> &png, struct error *err)
{
	int from[3] = { channel_index(image, "R"), channel_index(image, "G"),
		channel_index(image, "B") };
	int shown = from[0] >= 0 && from[1] >= 0 && from[2] >= 0 ? 3 : 1;
	size_t pixels = size_t(image->width) * image->height, i;
	std::vector<unsigned char> bytes(pixels * shown);
	OIIO::ImageSpec spec(image->width, image->height, shown, OIIO::TypeUInt8);
	int c;

	if (shown == 1)
		from[0] = 0;
	for (i = 0; i < pixels; i++)
		for (c = 0; c < shown; c++)
			bytes[i * shown + c] =
				to_byte(image->pixels[i * image->channels + from[c]] * exposure);
	spec.attribute("oiio:ColorSpace", "sRGB");
	return encode_picture(path, "png", spec, OIIO::TypeUInt8, bytes.data(), png, err);
}

int write_png(const char *path, const struct image *image, float exposure, struct error *err)
{
	std::vector<unsigned char> png;

	if (encode_png(path, image, exposure, png, err) != 0)
		return -1;
	return file_write(path, png.data(), png.size(), err);
}

int png_to_memory(const struct image *image, float exposure, unsigned char **bytes, size_t *len,
	struct error *err)
{
	std::vector<unsigned char> png;

	if (encode_png("picture.png", image, exposure, png, err) != 0)
		return -1;
	*bytes = static_cast<unsigned char *>(xmalloc(png.size()));
	memcpy(*bytes, png.data(), png.size());
	*len = png.size();
	return 0;
}

int write_exr(const char *path, const struct image *image, struct error *err)
{
	OIIO::ImageSpec spec(image->width, image->height, image->channels, OIIO::TypeFloat);
	int i;

	for (i = 0; i < image->channels; i++)
		spec.channelnames[i] = image->names[i];
	spec.alpha_channel = channel_index(image, "A");
	spec.attribute("compression", "zip");
	return write_picture(path, "openexr", spec, OIIO::TypeFloat, image->pixels, err);
}

/* No exception may cross into C. */
template <typename Body> int guarded(const char *path, struct error *err, Body body)
{
	try {
		return body();
	} catch (const std::exception &e) {
		return library_error(err, path, "the image library failed", e.what());
	} catch (...) {
		return library_error(err, path, "the image library failed", "");
	}
}

} // namespace

namespace
{

int shim_read(
	const char *path, const struct image_choice *choice, struct image *out, struct error *err)
{
	return guarded(path, err, [&] { return read_picture(path, choice, out, err); });
}

int shim_write_png(const char *path, const struct image *image, float exposure, struct error *err)
{
	return guarded(path, err, [&] { return write_png(path, image, exposure, err); });
}

int shim_encode_png(const struct image *image, float exposure, unsigned char **bytes, size_t *len,
	struct error *err)
{
	return guarded("picture.png", err,
		[&] { return png_to_memory(image, exposure, bytes, len, err); });
}

int shim_write_exr(const char *path, const struct image *image, struct error *err)
{
	return guarded(path, err, [&] { return write_exr(path, image, err); });
}

} // namespace

extern "C" __attribute__((visibility("default"))) const struct image_shim image_shim = {
	shim_read,
	shim_write_png,
	shim_encode_png,
	shim_write_exr,
	"OpenImageIO " OIIO_VERSION_STRING,
};
