// A fake VAAPI driver that does not decode. Its surfaces are memfds with NV12 or P010 data, which the test
// writes and the program imports. libva loads the driver that LIBVA_DRIVER_NAME names from the folder
// LIBVA_DRIVERS_PATH.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_drmcommon.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

namespace {

struct Surface {
  int memory = -1;
  std::uint32_t fourcc = VA_FOURCC_NV12;
  std::uint32_t width = 0, height = 0, pitch = 0, size = 0;
  std::uint32_t chroma = 0;  ///< offset of the first chroma row in bytes
  int syncs_since_export = 0;
};

std::mutex mutex;
std::map<VASurfaceID, Surface> surfaces;
VASurfaceID last_surface = 100;
std::atomic<int> syncs = 0;
std::atomic<int> exports = 0;
std::atomic<int> unsynced_exports = 0;
std::atomic<bool> is_broken = false;
std::atomic<unsigned> linear_requests = 0;

VAStatus unimplemented() {
  return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus terminate(VADriverContextP) {
  return VA_STATUS_SUCCESS;
}

VAStatus query_image_formats(VADriverContextP, VAImageFormat* formats, int* count) {
  formats[0] = {.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12};
  formats[1] = {.fourcc = VA_FOURCC_P010, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 24};
  *count = 2;
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
    attributes[0] = {
        .type = VASurfaceAttribDRMFormatModifiers, .flags = VA_SURFACE_ATTRIB_SETTABLE, .value = {}};
  }
  *count = 1;
  return VA_STATUS_SUCCESS;
}

/// Whether the list of modifiers among `attributes` has the linear modifier, 0.
bool requests_linear(const VASurfaceAttrib* attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i].type != VASurfaceAttribDRMFormatModifiers) continue;
    const auto* list = static_cast<const VADRMFormatModifierList*>(attributes[i].value.value.p);
    return std::find(list->modifiers, list->modifiers + list->num_modifiers, 0) !=
           list->modifiers + list->num_modifiers;
  }
  return false;
}

VAStatus create_surfaces(VADriverContextP, unsigned rt_format, unsigned width, unsigned height,
                         VASurfaceID* made, unsigned count, VASurfaceAttrib* attributes,
                         unsigned attribute_count) {
  const std::lock_guard lock(mutex);
  if (requests_linear(attributes, attribute_count)) linear_requests += count;
  for (unsigned i = 0; i < count; ++i) {
    Surface surface;
    const bool is_ten_bit = rt_format == VA_RT_FORMAT_YUV420_10;
    surface.fourcc = is_ten_bit ? VA_FOURCC_P010 : VA_FOURCC_NV12;
    surface.width = width;
    surface.height = height;
    surface.pitch = (width * (is_ten_bit ? 2 : 1) + 63) / 64 * 64 + 64;
    const std::uint32_t rows = (height + 31) / 32 * 32;
    surface.chroma = surface.pitch * rows;
    surface.size = (surface.chroma + surface.pitch * rows / 2 + 4095) / 4096 * 4096;
    surface.memory = memfd_create("surface", MFD_CLOEXEC);
    if (surface.memory < 0 || ftruncate(surface.memory, surface.size) != 0)
      return VA_STATUS_ERROR_ALLOCATION_FAILED;
    made[i] = ++last_surface;
    surfaces[made[i]] = surface;
  }
  return VA_STATUS_SUCCESS;
}

VAStatus destroy_surfaces(VADriverContextP, VASurfaceID* list, int count) {
  const std::lock_guard lock(mutex);
  for (int i = 0; i < count; ++i) {
    close(surfaces[list[i]].memory);
    surfaces.erase(list[i]);
  }
  return VA_STATUS_SUCCESS;
}

VAStatus sync_surface(VADriverContextP, VASurfaceID id) {
  if (is_broken) return VA_STATUS_ERROR_DECODING_ERROR;
  const std::lock_guard lock(mutex);
  ++surfaces[id].syncs_since_export;
  ++syncs;
  return VA_STATUS_SUCCESS;
}

VAStatus export_surface(VADriverContextP, VASurfaceID id, std::uint32_t, std::uint32_t flags,
                        void* described) {
  const std::lock_guard lock(mutex);
  if ((flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS) == 0) return VA_STATUS_ERROR_INVALID_PARAMETER;
  Surface& surface = surfaces[id];
  ++exports;
  if (surface.syncs_since_export == 0) ++unsynced_exports;
  surface.syncs_since_export = 0;
  const bool is_ten_bit = surface.fourcc == VA_FOURCC_P010;
  auto* descriptor = static_cast<VADRMPRIMESurfaceDescriptor*>(described);
  *descriptor = {};
  descriptor->fourcc = surface.fourcc;
  descriptor->width = surface.width;
  descriptor->height = surface.height;
  descriptor->num_objects = 1;
  descriptor->objects[0].fd = fcntl(surface.memory, F_DUPFD_CLOEXEC, 0);
  descriptor->objects[0].size = surface.size;
  descriptor->objects[0].drm_format_modifier = 0;
  descriptor->num_layers = 2;
  for (int layer = 0; layer < 2; ++layer) {
    descriptor->layers[layer].num_planes = 1;
    descriptor->layers[layer].pitch[0] = surface.pitch;
  }
  descriptor->layers[0].drm_format =
      is_ten_bit ? VA_FOURCC('R', '1', '6', ' ') : VA_FOURCC('R', '8', ' ', ' ');
  descriptor->layers[1].drm_format =
      is_ten_bit ? VA_FOURCC('G', 'R', '3', '2') : VA_FOURCC('G', 'R', '8', '8');
  descriptor->layers[1].offset[0] = surface.chroma;
  return VA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

/// Returns a surface's memfd, and through the pointers its pitch, the offset of its chroma and its size.
int pretend_va_memory(VASurfaceID id, std::uint32_t* pitch, std::uint32_t* chroma, std::uint32_t* size) {
  const std::lock_guard lock(mutex);
  const Surface& surface = surfaces[id];
  *pitch = surface.pitch;
  *chroma = surface.chroma;
  *size = surface.size;
  return surface.memory;
}
int pretend_va_syncs() {
  return syncs;
}
int pretend_va_exports() {
  return exports;
}
/// Returns the number of exports of surfaces that had not been synced since their previous export.
int pretend_va_unsynced_exports() {
  return unsynced_exports;
}
/// Returns how many surfaces were requested with a list that contains the linear modifier.
int pretend_va_linear_requests() {
  return static_cast<int>(linear_requests);
}
int pretend_va_surfaces() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(surfaces.size());
}
/// If `broken`, makes all later syncs fail, as after a GPU reset.
void pretend_va_break(bool broken) {
  is_broken = broken;
}

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
  table->vaQueryImageFormats = query_image_formats;
  table->vaCreateConfig = create_config;
  table->vaDestroyConfig = destroy_config;
  table->vaQuerySurfaceAttributes = query_surface_attributes;
  table->vaCreateSurfaces2 = create_surfaces;
  table->vaDestroySurfaces = destroy_surfaces;
  table->vaSyncSurface = sync_surface;
  table->vaExportSurfaceHandle = export_surface;
  return VA_STATUS_SUCCESS;
}

}  // extern "C"
