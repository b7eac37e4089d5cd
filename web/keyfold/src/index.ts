// `keyfold`: any glTF file whose animations Keyfold packed as plain core glTF, for any loader.

export { KeyfoldError } from "./error.js";
export type { ErrorCode } from "./error.js";
export { inspect, isPacked } from "./inspect.js";
export type { AnimationSummary, Inspection, TrackSummary } from "./inspect.js";
export { unpack } from "./unpack.js";
export type { Limits, Options } from "./unpack.js";
