/** Both sides start with this chunk size (RTMP 1.0 §5.4.1). */
export const DEFAULT_CHUNK_SIZE_BYTES = 128

/** Real peers use fewer than ten; multitrack publishers one a track. */
export const MAX_CHUNK_STREAMS = 64

/** The limit for audio, video and aggregates: all that 24 bits allow, which is the size limit of an access unit. */
export const MAX_MEDIA_MESSAGE_SIZE_BYTES = 0xff_ff_ff

/** The limit for metadata, which may contain a picture. */
export const MAX_MESSAGE_SIZE_BYTES = 1024 * 1024

/** The limit for commands, which are always parsed: many times the size of a `connect` with a signed address. */
export const MAX_COMMAND_SIZE_BYTES = 64 * 1024

/** The most bytes that the unfinished messages of one connection may hold together: two of the largest size. */
export const MAX_PARTIAL_SIZE_BYTES = 32 * 1024 * 1024

/** The same for a peer that has no leave to send media: two of the largest messages that are no media. */
export const MAX_PARTIAL_COMMAND_SIZE_BYTES = 2 * MAX_MESSAGE_SIZE_BYTES
