/** Start line and headers together: many times what a request with a signed address and its digest takes. */
export const MAX_HEAD_SIZE_BYTES = 16 * 1024

/** Real peers use fewer than twenty. */
export const MAX_HEADERS = 64

/** A session description of a dozen tracks with parameter sets takes a tenth of it. */
export const MAX_BODY_SIZE_BYTES = 64 * 1024
