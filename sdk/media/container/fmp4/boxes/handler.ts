import { fullBox, parseFullBox, type Box } from '../box.ts'
import { uint32 } from './fields.ts'

const HANDLERS = { video: 'vide', audio: 'soun' } as const
const RESERVED_SIZE_BYTES = 12

/** `hdlr` (ISO/IEC 14496-12 8.4.3): whether a track has pictures or sound. */
export function serializeHandler(kind: 'video' | 'audio'): Box {
  return fullBox('hdlr', 0, 0, [
    uint32(0),
    Buffer.from(HANDLERS[kind], 'latin1'),
    Buffer.alloc(RESERVED_SIZE_BYTES),
    Buffer.from(`${kind}\0`, 'latin1'),
  ])
}

/** Undefined for a track of anything but pictures and sound. @throws {MalformedError} when it ends early. */
export function parseHandler(body: Buffer): 'video' | 'audio' | undefined {
  const { fields } = parseFullBox(body)
  fields.readUint(4)
  const type = fields.readBytes(4).toString('latin1')
  if (type === HANDLERS.video) return 'video'
  return type === HANDLERS.audio ? 'audio' : undefined
}
