/** A viewer's command to the source of a stream of its own. */
export type ControlCommand =
  | { readonly name: 'pause' | 'resume' }
  | { readonly name: 'seek'; readonly positionMs: number }
  /** 1 is the pace of the recording. */
  | { readonly name: 'setSpeed'; readonly speed: number }

const MAGIC = Buffer.from('cmd')
const OPCODE = { pause: 1, resume: 2, seek: 3, speed: 4, scale: 5 } as const
const BARE_SIZE_BYTES = MAGIC.length + 1
const SIZE_WITH_NUMBER_BYTES = BARE_SIZE_BYTES + 4

/**
 * Parses a control frame (api.md 9): `cmd`, an opcode, and for some a number of 32 bits, most significant byte first. A
 * position is in seconds of the recording, since the Unix epoch where it has a date. Speed and scale, in hundredths, are the same to a
 * source, which sends faster by having its times pass faster.
 * @returns undefined for whatever is no such frame
 */
export function parseControlFrame(bytes: Buffer): ControlCommand | undefined {
  if (bytes.length < BARE_SIZE_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const opcode = bytes[MAGIC.length]
  if (bytes.length === BARE_SIZE_BYTES) {
    if (opcode === OPCODE.pause) return { name: 'pause' }
    return opcode === OPCODE.resume ? { name: 'resume' } : undefined
  }
  if (bytes.length !== SIZE_WITH_NUMBER_BYTES) return undefined
  const number = bytes.readUInt32BE(BARE_SIZE_BYTES)
  if (opcode === OPCODE.seek) return { name: 'seek', positionMs: number * 1000 }
  return opcode === OPCODE.speed || opcode === OPCODE.scale ? { name: 'setSpeed', speed: number / 100 } : undefined
}
