import { Type, type AccessUnit, type Static, type Track } from 'sluice/sdk'
import { h264NaluType, h265NaluType, MalformedError, rescale } from 'sluice/sdk/media'

/** The most NAL units of a frame whose types are listed. */
const MAX_NALU_TYPES = 32
/** The bytes of a frame of other codecs that are shown. */
const SHOWN_BYTES = 16

/** `TrackFrame` of the API (api.md 3.3): one access unit. */
export const TrackFrame = Type.Object({
  sequence: Type.Integer({ description: 'Counts the units of the track from 1' }),
  timestamp: Type.Integer({ description: 'Time of decoding in the stream, in milliseconds' }),
  writeTime: Type.String({ format: 'date-time' }),
  keyFrame: Type.Boolean(),
  wrap: Type.Array(
    Type.Object({
      timestamp: Type.Integer({ description: 'Time of presentation, in milliseconds' }),
      size: Type.Integer({ description: 'Bytes' }),
      data: Type.String({
        description: 'Types of the NAL units of H.264 and H.265, else the first bytes in hexadecimal',
      }),
    }),
    { description: 'The unit as it came in' },
  ),
})
export type TrackFrame = Static<typeof TrackFrame>

/** A unit of a stream, with its number and its arrival. */
export type CountedUnit = {
  readonly unit: AccessUnit
  readonly sequence: number
  /** The time of arrival, in Unix milliseconds. */
  readonly writeMs: number
}

/** The time of decoding of a unit, in milliseconds of the stream. */
export function decodingMs({ dts, track }: AccessUnit): number {
  return rescale(dts, track.timescale, 1000)
}

export function frameView({ unit, sequence, writeMs }: CountedUnit): TrackFrame {
  const { pts, track, keyframe, sizeBytes } = unit
  const timestamp = Math.round(rescale(pts, track.timescale, 1000))
  return {
    sequence,
    timestamp: Math.round(decodingMs(unit)),
    writeTime: new Date(writeMs).toISOString(),
    keyFrame: keyframe,
    wrap: [{ timestamp, size: sizeBytes, data: contentOf(unit) }],
  }
}

function naluTypeOf(codec: Track['codec']): ((nalu: Buffer) => number) | undefined {
  if (codec === 'h264') return h264NaluType
  return codec === 'h265' ? h265NaluType : undefined
}

function contentOf(unit: AccessUnit): string {
  const typeOf = naluTypeOf(unit.track.codec)
  if (typeOf === undefined) return unit.data.toString('hex', 0, SHOWN_BYTES)
  try {
    return unit.nalus.slice(0, MAX_NALU_TYPES).map(typeOf).join(' ')
  } catch (error) {
    if (error instanceof MalformedError) return ''
    throw error
  }
}
