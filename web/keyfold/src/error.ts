// What can go wrong, sorted by who is to blame.

/** Who is to blame. */
export type ErrorCode =
  /** The file breaks a rule of its format. */
  | "malformed"
  /** The file needs something that Keyfold does not do. */
  | "unsupported"
  /** The file asks for more than the limits allow. */
  | "limit"
  /** Bytes outside the file could not be had. */
  | "missing"
  /** An option means nothing. */
  | "usage"
  /** The caller's signal ended the work. */
  | "aborted"
  /** A fault of Keyfold's own. */
  | "internal";

/** The one kind of error that this package throws. */
export class KeyfoldError extends Error {
  override readonly name = "KeyfoldError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Where in the document, as a JSON pointer; empty where it concerns the file as a whole. */
    readonly at: string = "",
    options?: ErrorOptions,
  ) {
    super(at ? `${at}: ${message}` : message, options);
  }
}

/** A broken rule at a place. */
export function malformed(at: string, what: string): KeyfoldError {
  return new KeyfoldError("malformed", what, at);
}

/** Whatever was thrown, as this package's error. */
export function asKeyfoldError(error: unknown): KeyfoldError {
  if (error instanceof KeyfoldError) return error;
  return new KeyfoldError("internal", error instanceof Error ? error.message : String(error), "", { cause: error });
}

/** Throws where the caller has lost interest. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new KeyfoldError("aborted", "the signal ended it", "", { cause: signal.reason });
}
