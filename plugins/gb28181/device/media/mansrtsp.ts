import { MalformedError } from 'sluice/sdk/media'

/** The media type of bodies of MANSRTSP. */
export const MANSRTSP_TYPE = 'Application/MANSRTSP'

/** The most bytes of a body of MANSRTSP. */
const MANSRTSP_MAX_SIZE_BYTES = 16 * 1024

/** An order for a playback, in the body of `INFO` (GB/T 28181-2022 annex B). */
export type PlaybackOrder = {
  readonly verb: 'PLAY' | 'PAUSE' | 'TEARDOWN'
  readonly sequence: string
  readonly scale: number | undefined
  /** The position to go on at, in milliseconds from the beginning; undefined for the present one. */
  readonly seekMs: number | undefined
}

/**
 * Reads an order.
 * @throws {MalformedError} when it is none, or states a range or a scale that is none
 */
export function parsePlaybackOrder(body: Buffer): PlaybackOrder {
  if (body.length > MANSRTSP_MAX_SIZE_BYTES) throw new MalformedError(`an order of ${body.length} bytes`)
  const [first = '', ...lines] = body.toString('utf8').split(/\r?\n/u)
  const [, word] = /^(PLAY|PAUSE|TEARDOWN)\s+(?:\S+\s+)?(?:MANS)?RTSP\/\d/iu.exec(first) ?? []
  const verb = (['PLAY', 'PAUSE', 'TEARDOWN'] as const).find((known) => known === word?.toUpperCase())
  if (verb === undefined) throw new MalformedError('no order of MANSRTSP')
  const fields = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).trim().toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const scale = fields.get('scale')
  if (scale !== undefined && !(Math.abs(Number(scale)) > 0)) throw new MalformedError(`a scale of "${scale}"`)
  return {
    verb,
    sequence: fields.get('cseq') ?? '',
    scale: scale === undefined ? undefined : Number(scale),
    seekMs: seekOf(fields.get('range')),
  }
}

/** Writes the response to an order. */
export function serializePlaybackResponse({ sequence }: PlaybackOrder): Buffer {
  return Buffer.from(`MANSRTSP/1.0 200 OK\r\nCSeq: ${sequence}\r\n\r\n`)
}

function seekOf(range: string | undefined): number | undefined {
  if (range === undefined) return undefined
  const [, from] = /^npt\s*=\s*(now|\d+(?:\.\d+)?)?\s*-/iu.exec(range) ?? []
  if (from === undefined) throw new MalformedError(`a range of "${range}"`)
  return from.toLowerCase() === 'now' ? undefined : Number(from) * 1000
}
