// A fake VAAPI driver that "encodes" H.264: a packet contains the start code of a slice and the picture's
// NV12 or P010 samples. libva loads the driver that LIBVA_DRIVER_NAME names from the folder
// LIBVA_DRIVERS_PATH.
#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_enc_h264.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t SliceStart[] = {0, 0, 1, 0x65};

struct Surface {
  std::uint32_t fourcc = VA_FOURCC_NV12;
  std::uint32_t width = 0, height = 0;
  Bytes samples;  ///< rows without padding
};
struct Buffer {
  VABufferType type = VAImageBufferType;
  Bytes bytes;
  VACodedBufferSegment coded{};
};

std::mutex mutex;
VAGenericID last_id = 100;
std::map<VASurfaceID, Surface> surfaces;
std::map<VABufferID, Buffer> buffers;
std::map<VAImageID, VABufferID> images;
VASurfaceID current_surface = 0;
VABufferID coded_buffer = 0;

VAStatus unimplemented() {
  return VA_STATUS_ERROR_UNIMPLEMENTED;
}

std::uint32_t sample_bytes(std::uint32_t fourcc) {
  return fourcc == VA_FOURCC_P010 ? 2 : 1;
}

VAStatus terminate(VADriverContextP) {
  return VA_STATUS_SUCCESS;
}

VAStatus query_profiles(VADriverContextP, VAProfile* profiles, int* count) {
  profiles[0] = VAProfileH264High;
  *count = 1;
  return VA_STATUS_SUCCESS;
}

VAStatus query_entrypoints(VADriverContextP, VAProfile, VAEntrypoint* entrypoints, int* count) {
  entrypoints[0] = VAEntrypointEncSlice;
  *count = 1;
  return VA_STATUS_SUCCESS;
}

VAStatus get_attributes(VADriverContextP, VAProfile, VAEntrypoint, VAConfigAttrib* attributes, int count) {
  for (int i = 0; i < count; ++i) {
    std::uint32_t& value = attributes[i].value;
    switch (attributes[i].type) {
      case VAConfigAttribRTFormat:
        value = VA_RT_FORMAT_YUV420;
        break;
      case VAConfigAttribRateControl:
        value = VA_RC_CQP;
        break;
      case VAConfigAttribEncMaxRefFrames:
        value = 1;
        break;
      case VAConfigAttribEncPackedHeaders:
        value = VA_ENC_PACKED_HEADER_SEQUENCE;
        break;
      default:
        value = VA_ATTRIB_NOT_SUPPORTED;
    }
  }
  return VA_STATUS_SUCCESS;
}

VAStatus create_config(VADriverContextP, VAProfile, VAEntrypoint, VAConfigAttrib*, int, VAConfigID* made) {
  *made = 1;
  return VA_STATUS_SUCCESS;
}

VAStatus destroy_config(VADriverContextP, VAConfigID) {
  return VA_STATUS_SUCCESS;
}

VAStatus query_surface_attributes(VADriverContextP, VAConfigID, VASurfaceAttrib* attributes,
                                  unsigned* count) {
  if (attributes != nullptr) {
    attributes[0] = {.type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_GETTABLE, .value = {}};
    attributes[0].value.type = VAGenericValueTypeInteger;
    attributes[0].value.value.i = VA_FOURCC_NV12;
  }
  *count = 1;
  return VA_STATUS_SUCCESS;
}

VAStatus create_surfaces(VADriverContextP, unsigned rt_format, unsigned width, unsigned height,
                         VASurfaceID* made, unsigned count, VASurfaceAttrib*, unsigned) {
  const std::lock_guard lock(mutex);
  for (unsigned i = 0; i < count; ++i) {
    Surface surface{.width = width, .height = height, .samples = {}};
    if (rt_format == VA_RT_FORMAT_YUV420_10) surface.fourcc = VA_FOURCC_P010;
    surface.samples.resize(std::size_t{width} * height * 3 / 2 * sample_bytes(surface.fourcc));
    made[i] = ++last_id;
    surfaces[made[i]] = std::move(surface);
  }
  return VA_STATUS_SUCCESS;
}

VAStatus destroy_surfaces(VADriverContextP, VASurfaceID* list, int count) {
  const std::lock_guard lock(mutex);
  for (int i = 0; i < count; ++i) surfaces.erase(list[i]);
  return VA_STATUS_SUCCESS;
}

VAStatus sync_surface(VADriverContextP, VASurfaceID) {
  return VA_STATUS_SUCCESS;
}

VAStatus create_context(VADriverContextP, VAConfigID, int, int, int, VASurfaceID*, int, VAContextID* made) {
  *made = 1;
  return VA_STATUS_SUCCESS;
}

VAStatus destroy_context(VADriverContextP, VAContextID) {
  return VA_STATUS_SUCCESS;
}

VABufferID add_buffer(VABufferType type, std::size_t size, const void* content) {
  Buffer buffer{.type = type, .bytes = Bytes(size)};
  if (content != nullptr) std::memcpy(buffer.bytes.data(), content, size);
  buffers[++last_id] = std::move(buffer);
  return last_id;
}

VAStatus create_buffer(VADriverContextP, VAContextID, VABufferType type, unsigned size, unsigned count,
                       void* content, VABufferID* made) {
  const std::lock_guard lock(mutex);
  *made = add_buffer(type, std::size_t{size} * count, content);
  return VA_STATUS_SUCCESS;
}

VAStatus map_buffer(VADriverContextP, VABufferID id, void** mapped) {
  const std::lock_guard lock(mutex);
  Buffer& buffer = buffers.at(id);
  buffer.coded.buf = buffer.bytes.data();
  *mapped = buffer.type == VAEncCodedBufferType ? static_cast<void*>(&buffer.coded) : buffer.bytes.data();
  return VA_STATUS_SUCCESS;
}

VAStatus unmap_buffer(VADriverContextP, VABufferID) {
  return VA_STATUS_SUCCESS;
}

VAStatus destroy_buffer(VADriverContextP, VABufferID id) {
  const std::lock_guard lock(mutex);
  buffers.erase(id);
  return VA_STATUS_SUCCESS;
}

VAStatus begin_picture(VADriverContextP, VAContextID, VASurfaceID surface) {
  const std::lock_guard lock(mutex);
  current_surface = surface;
  return VA_STATUS_SUCCESS;
}

VAStatus render_picture(VADriverContextP, VAContextID, VABufferID* list, int count) {
  const std::lock_guard lock(mutex);
  for (int i = 0; i < count; ++i) {
    const Buffer& buffer = buffers.at(list[i]);
    if (buffer.type != VAEncPictureParameterBufferType) continue;
    VAEncPictureParameterBufferH264 parameters;
    std::memcpy(&parameters, buffer.bytes.data(), sizeof parameters);
    coded_buffer = parameters.coded_buf;
  }
  return VA_STATUS_SUCCESS;
}

VAStatus end_picture(VADriverContextP, VAContextID) {
  const std::lock_guard lock(mutex);
  Buffer& buffer = buffers.at(coded_buffer);
  buffer.bytes.assign(std::begin(SliceStart), std::end(SliceStart));
  const Bytes& samples = surfaces.at(current_surface).samples;
  buffer.bytes.insert(buffer.bytes.end(), samples.begin(), samples.end());
  buffer.coded = {};
  buffer.coded.size = static_cast<unsigned>(buffer.bytes.size());
  return VA_STATUS_SUCCESS;
}

VAStatus query_image_formats(VADriverContextP, VAImageFormat* formats, int* count) {
  formats[0] = {.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12};
  formats[1] = {.fourcc = VA_FOURCC_P010, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 24};
  *count = 2;
  return VA_STATUS_SUCCESS;
}

VAStatus create_image(VADriverContextP, VAImageFormat* format, int width, int height, VAImage* image) {
  const std::lock_guard lock(mutex);
  *image = {};
  image->format = *format;
  image->width = static_cast<std::uint16_t>(width);
  image->height = static_cast<std::uint16_t>(height);
  const std::uint32_t pitch = static_cast<std::uint32_t>(width) * sample_bytes(format->fourcc);
  image->num_planes = 2;
  image->pitches[0] = image->pitches[1] = pitch;
  image->offsets[1] = pitch * static_cast<std::uint32_t>(height);
  image->data_size = image->offsets[1] + image->offsets[1] / 2;
  image->buf = add_buffer(VAImageBufferType, image->data_size, nullptr);
  image->image_id = ++last_id;
  images[image->image_id] = image->buf;
  return VA_STATUS_SUCCESS;
}

VAStatus put_image(VADriverContextP, VASurfaceID surface, VAImageID image, int, int, unsigned, unsigned, int,
                   int, unsigned, unsigned) {
  const std::lock_guard lock(mutex);
  surfaces.at(surface).samples = buffers.at(images.at(image)).bytes;
  return VA_STATUS_SUCCESS;
}

VAStatus destroy_image(VADriverContextP, VAImageID image) {
  const std::lock_guard lock(mutex);
  buffers.erase(images[image]);
  images.erase(image);
  return VA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

// libva searches for an initialization function named after libva's version, then after older versions. libva
// is compatible with drivers for older versions.
VAStatus __vaDriverInit_1_0(VADriverContextP context) {
  context->version_major = VA_MAJOR_VERSION;
  context->version_minor = VA_MINOR_VERSION;
  context->max_profiles = 1;
  context->max_entrypoints = 1;
  context->max_attributes = 1;
  context->max_image_formats = 2;
  context->max_subpic_formats = 1;
  context->max_display_attributes = 1;
  context->str_vendor = "pretended";
  VADriverVTable* table = context->vtable;
  auto* bytes = reinterpret_cast<std::byte*>(table);
  VAStatus (*const none)() = unimplemented;
  for (std::size_t at = 0; at < offsetof(VADriverVTable, reserved); at += sizeof none) {
    std::memcpy(bytes + at, &none, sizeof none);
  }
  table->vaTerminate = terminate;
  table->vaQueryConfigProfiles = query_profiles;
  table->vaQueryConfigEntrypoints = query_entrypoints;
  table->vaGetConfigAttributes = get_attributes;
  table->vaCreateConfig = create_config;
  table->vaDestroyConfig = destroy_config;
  table->vaQuerySurfaceAttributes = query_surface_attributes;
  table->vaCreateSurfaces2 = create_surfaces;
  table->vaDestroySurfaces = destroy_surfaces;
  table->vaSyncSurface = sync_surface;
  table->vaCreateContext = create_context;
  table->vaDestroyContext = destroy_context;
  table->vaCreateBuffer = create_buffer;
  table->vaMapBuffer = map_buffer;
  table->vaUnmapBuffer = unmap_buffer;
  table->vaDestroyBuffer = destroy_buffer;
  table->vaBeginPicture = begin_picture;
  table->vaRenderPicture = render_picture;
  table->vaEndPicture = end_picture;
  table->vaQueryImageFormats = query_image_formats;
  table->vaCreateImage = create_image;
  table->vaPutImage = put_image;
  table->vaDestroyImage = destroy_image;
  return VA_STATUS_SUCCESS;
}

}  // extern "C"
