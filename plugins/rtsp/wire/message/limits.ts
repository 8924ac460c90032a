/** The limit of start line and headers together: many times the size of a request with a signed address and its digest. */
export const MAX_HEAD_SIZE_BYTES = 16 * 1024

/** Real peers use fewer than twenty. */
export const MAX_HEADERS = 64

/** Session descriptions with the keys or parameter sets of many tracks come to 70 KB. */
export const MAX_BODY_SIZE_BYTES = 128 * 1024

/** The limit of stray bytes between two messages or frames: as many as a frame has when its header was lost. */
export const MAX_STRAY_BYTES = 64 * 1024
