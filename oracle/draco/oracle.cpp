// libdraco as an oracle: encodes, decodes and times keyframe animations on request.
//
// Requests come on stdin, answers go to stdout, both little endian:
//   request  u32 length, then: u8 operation, operands
//   answer   u8 status (0 done, 1 libdraco said no, 2 libdraco crashed), u32 length, bytes (a message unless done)
// Each request runs in a child process of its own, under limits, because some make libdraco crash.
//
//   'E' settings animation            -> stream
//   'D' stream                        -> u64 bytes read, animation as decoded
//   'e' u32 runs, settings animation  -> f64 for each run, nanoseconds
//   'd' u32 runs, stream              -> f64 for each run, nanoseconds
//
//   settings   i32 encoding speed, i32 decoding speed (-1: not set), u8 entropy coding
//   animation  u32 keys, u32 attributes, then for each (timestamps first):
//              u8 data type, u32 components, i32 quantization bits (0: none), i32 prediction scheme (-1: not set),
//              u8 has box, if so: f32 origin for each component, f32 range;  values
//   decoded    u32 keys, u32 attributes, for each: u8 kind, u8 data type, u8 components, u8 normalized, u32 unique id, values

#include <draco/animation/keyframe_animation.h>
#include <draco/animation/keyframe_animation_decoder.h>
#include <draco/animation/keyframe_animation_encoder.h>
#include <draco/compression/config/decoder_options.h>
#include <draco/compression/config/encoder_options.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<char>;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Reader {
 public:
  Reader(const char *data, size_t size) : at_(data), end_(data + size) {}

  template <typename T>
  T get() {
    T value;
    memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }

  const char *take(size_t size) {
    if (static_cast<size_t>(end_ - at_) < size) throw std::runtime_error("request too short");
    const char *taken = at_;
    at_ += size;
    return taken;
  }

  size_t left() const { return end_ - at_; }

 private:
  const char *at_;
  const char *end_;
};

template <typename T>
void put(Bytes *out, T value) {
  const char *bytes = reinterpret_cast<const char *>(&value);
  out->insert(out->end(), bytes, bytes + sizeof(T));
}

struct Job {
  draco::KeyframeAnimation animation;
  draco::EncoderOptions options = draco::EncoderOptions::CreateDefaultOptions();
};

template <typename T>
void add_keyframes(Reader *in, draco::DataType type, uint32_t keys, uint32_t components, Job *job) {
  // std::vector<bool> has no addresses: bools travel as bytes.
  std::vector<T> values(size_t(keys) * components);
  memcpy(values.data(), in->take(values.size() * sizeof(T)), values.size() * sizeof(T));
  if (job->animation.AddKeyframes(type, components, values) < 0) throw Refused("AddKeyframes");
}

void add_values(Reader *in, draco::DataType type, uint32_t keys, uint32_t components, Job *job) {
  using namespace draco;
  switch (type) {
    case DT_INT8: case DT_UINT8: case DT_BOOL: return add_keyframes<uint8_t>(in, type, keys, components, job);
    case DT_INT16: case DT_UINT16: return add_keyframes<uint16_t>(in, type, keys, components, job);
    case DT_INT32: case DT_UINT32: return add_keyframes<uint32_t>(in, type, keys, components, job);
    case DT_INT64: case DT_UINT64: return add_keyframes<uint64_t>(in, type, keys, components, job);
    case DT_FLOAT32: return add_keyframes<float>(in, type, keys, components, job);
    case DT_FLOAT64: return add_keyframes<double>(in, type, keys, components, job);
    default: throw std::runtime_error("data type");
  }
}

void read_attribute(Reader *in, int id, uint32_t keys, Job *job) {
  const auto type = static_cast<draco::DataType>(in->get<uint8_t>());
  const auto components = in->get<uint32_t>();
  const auto bits = in->get<int32_t>();
  const auto prediction = in->get<int32_t>();
  if (bits != 0) job->options.SetAttributeInt(id, "quantization_bits", bits);
  if (prediction != -1) job->options.SetAttributeInt(id, "prediction_scheme", prediction);
  if (in->get<uint8_t>()) {
    std::vector<float> origin(components);
    for (float &value : origin) value = in->get<float>();
    job->options.SetAttributeVector(id, "quantization_origin", static_cast<int>(components), origin.data());
    job->options.SetAttributeFloat(id, "quantization_range", in->get<float>());
  }
  if (id > 0) return add_values(in, type, keys, components, job);
  std::vector<float> times(keys);
  memcpy(times.data(), in->take(keys * sizeof(float)), keys * sizeof(float));
  if (!job->animation.SetTimestamps(times)) throw Refused("SetTimestamps");
}

void read_job(Reader *in, Job *job) {
  const auto encoding_speed = in->get<int32_t>();
  const auto decoding_speed = in->get<int32_t>();
  if (encoding_speed >= 0) job->options.SetGlobalInt("encoding_speed", encoding_speed);
  if (decoding_speed >= 0) job->options.SetGlobalInt("decoding_speed", decoding_speed);
  if (!in->get<uint8_t>()) job->options.SetGlobalBool("use_built_in_attribute_compression", false);
  const auto keys = in->get<uint32_t>();
  const auto attributes = in->get<uint32_t>();
  for (uint32_t id = 0; id < attributes; ++id) read_attribute(in, id, keys, job);
}

void encode(const Job &job, draco::EncoderBuffer *out) {
  draco::KeyframeAnimationEncoder encoder;
  const draco::Status status = encoder.EncodeKeyframeAnimation(job.animation, job.options, out);
  if (!status.ok()) throw Refused(status.error_msg_string());
}

int64_t decode(const char *data, size_t size, draco::KeyframeAnimation *animation) {
  draco::DecoderBuffer buffer;
  buffer.Init(data, size);
  draco::DecoderOptions options;
  draco::KeyframeAnimationDecoder decoder;
  const draco::Status status = decoder.Decode(options, &buffer, animation);
  if (!status.ok()) throw Refused(status.error_msg_string());
  return buffer.decoded_size();
}

void put_decoded(const draco::KeyframeAnimation &animation, Bytes *out) {
  put<uint32_t>(out, animation.num_points());
  put<uint32_t>(out, animation.num_attributes());
  for (int i = 0; i < animation.num_attributes(); ++i) {
    const draco::PointAttribute *attribute = animation.attribute(i);
    put<uint8_t>(out, attribute->attribute_type());
    put<uint8_t>(out, attribute->data_type());
    put<uint8_t>(out, attribute->num_components());
    put<uint8_t>(out, attribute->normalized());
    put<uint32_t>(out, attribute->unique_id());
    Bytes value(attribute->byte_stride());
    for (draco::PointIndex point(0); point < animation.num_points(); ++point) {
      attribute->GetMappedValue(point, value.data());
      out->insert(out->end(), value.begin(), value.end());
    }
  }
}

Bytes timed(uint32_t runs, const std::function<void()> &work) {
  Bytes out;
  for (uint32_t run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    put<double>(&out, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return out;
}

Bytes answer(Reader in) {
  const char operation = in.get<char>();
  const uint32_t runs = operation == 'e' || operation == 'd' ? in.get<uint32_t>() : 0;
  if (operation == 'D' || operation == 'd') {
    const size_t size = in.left();
    const char *stream = in.take(size);
    if (operation == 'd') {
      return timed(runs, [&] { draco::KeyframeAnimation animation; decode(stream, size, &animation); });
    }
    draco::KeyframeAnimation animation;
    Bytes out;
    put<uint64_t>(&out, decode(stream, size, &animation));
    put_decoded(animation, &out);
    return out;
  }
  Job job;
  read_job(&in, &job);
  if (operation == 'e') {
    return timed(runs, [&] { draco::EncoderBuffer buffer; encode(job, &buffer); });
  }
  draco::EncoderBuffer buffer;
  encode(job, &buffer);
  return Bytes(buffer.data(), buffer.data() + buffer.size());
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(resource, &both);
}

void write_all(int file, const char *data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, data, size);
    if (written <= 0) _exit(3);
    data += written;
    size -= written;
  }
}

// What the child does: status and bytes go through the pipe.
void serve(const Bytes &request, int pipe) {
  limit(RLIMIT_AS, 6ull << 30);
  limit(RLIMIT_CPU, 60);
  limit(RLIMIT_CORE, 0);
  char status = 0;
  Bytes reply;
  try {
    reply = answer(Reader(request.data(), request.size()));
  } catch (const Refused &refused) {
    status = 1;
    const std::string what = refused.what();
    reply.assign(what.begin(), what.end());
  }
  write_all(pipe, &status, 1);
  write_all(pipe, reply.data(), reply.size());
  _exit(0);
}

Bytes in_a_child(const Bytes &request) {
  int ends[2];
  if (pipe(ends) != 0) _exit(3);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    serve(request, ends[1]);
  }
  close(ends[1]);
  Bytes said;
  char part[1 << 16];
  for (ssize_t count; (count = read(ends[0], part, sizeof part)) > 0;) said.insert(said.end(), part, part + count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  const std::string what = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit";
  said.assign(1, 2);
  said.insert(said.end(), what.begin(), what.end());
  return said;
}

int main() {
  uint32_t length;
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    Bytes request(length);
    if (fread(request.data(), 1, length, stdin) != length) return 1;
    const Bytes said = in_a_child(request);
    const uint32_t rest = said.size() - 1;
    fwrite(said.data(), 1, 1, stdout);
    fwrite(&rest, sizeof rest, 1, stdout);
    fwrite(said.data() + 1, 1, rest, stdout);
    fflush(stdout);
  }
}
