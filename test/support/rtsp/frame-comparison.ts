import type { PeerFrame } from '../../peers/rtsp.ts'
import { slicesOf, splitAtStartCodes } from './coded-picture.ts'
import type { KnownSource, SourceFrame } from '../known-source.ts'

/** How far the time of a frame may lie from the one that it has in the source, after the shift of its track. */
const TOLERANCE_MS = 1
/** A correction that leads back takes as long, as times don't run back; on a busy machine it may be a second. */
const CORRECTION_MS = 2000
const PCMA_BYTES_PER_MS = 8

export type ComparisonOptions = {
  /** The player came when the stream ran: it may begin with any frame. */
  readonly late?: boolean
  /** Frames may be missing in between: packets were lost. Those that come are still whole, and in order. */
  readonly gaps?: boolean
  /** How much may be missing at the end of each track, in milliseconds. Default 0. */
  readonly missingAtEndMs?: number
  /** The last frame of each track may be cut, and is taken for missing then. */
  readonly cutAtEnd?: boolean
  /**
   * How many times the shift of a track may change: when a sender report comes that puts it in step with the other. Default 0.
   */
  readonly corrections?: number
  /** How far audio may be shifted against video, compared with the source. Not looked at by default. */
  readonly audioShiftMs?: number
}

/** What came of one track. */
export type ComparedTrack = {
  /** Frames; of G.711 packets, however they are cut. */
  readonly received: number
  /** Missing before the first, in between, and after the last: frames, of G.711 bytes. */
  readonly missing: { readonly before: number; readonly between: number; readonly after: number }
  /** What its times are shifted by in the end, compared with the source. */
  readonly shiftMs: number
}

type Kind = PeerFrame['kind']
/** A received frame by its place in the source, in frames or, of G.711, in bytes. */
type PlacedFrame = { readonly start: number; readonly end: number; readonly sourceMs: number }
type Place = (frame: PeerFrame, expected: number) => PlacedFrame | undefined
type SourceTrack = {
  readonly length: number
  readonly unit: string
  readonly durationMs: number
  readonly place: Place
}

/**
 * Compares what a peer got with the source: every frame, in order, once, with the same bytes, and with the same times up
 * to a shift of each track. Returns what came.
 * @throws {Error} that says the first difference
 */
export function compareFrames(
  source: KnownSource,
  received: readonly PeerFrame[],
  options: ComparisonOptions = {},
): Record<Kind, ComparedTrack> {
  const compare = (kind: Kind) => {
    const frames = received.filter((frame) => frame.kind === kind)
    return compareTrack(kind, sourceTrack(source, kind), frames, options)
  }
  const result = { video: compare('video'), audio: compare('audio') }
  const shiftMs = result.audio.shiftMs - result.video.shiftMs
  if (options.audioShiftMs !== undefined && Math.abs(shiftMs) > options.audioShiftMs) {
    throw new Error(`audio is shifted by ${shiftMs.toFixed(1)} ms against video, and ${options.audioShiftMs} may be`)
  }
  return result
}

function compareTrack(
  kind: Kind,
  source: SourceTrack,
  frames: readonly PeerFrame[],
  { late = false, gaps = false, missingAtEndMs = 0, cutAtEnd = false, corrections = 0 }: ComparisonOptions,
): ComparedTrack {
  const difference = (what: string) => new Error(`${kind}: ${what} (${frames.length} frames came)`)
  const { length, unit } = source
  let first: number | undefined
  let next = 0
  let between = 0
  const shifts = { min: Infinity, max: -Infinity }
  let corrected = 0
  let correctedMs = -Infinity
  for (const [index, frame] of frames.entries()) {
    const name = `frame ${index} at ${frame.ptsMs?.toFixed(1) ?? 'an unknown time'} with ${frame.data.length} bytes`
    const placed = source.place(frame, next)
    if (placed === undefined && cutAtEnd && index === frames.length - 1) break
    if (placed === undefined) throw difference(`${name} is none of the source, where ${unit} ${next} was to come`)
    const { start, end, sourceMs } = placed
    if (start < next) throw difference(`${name} is ${unit} ${start} of the source, after ${next - 1} has come`)
    const mayMiss = gaps || (first === undefined && late)
    if (start > next && !mayMiss) throw difference(`${name} is ${unit} ${start} of the source, ${next} was to come`)
    if (first !== undefined) between += start - next
    first ??= start
    next = end
    // Of a first picture ffmpeg does not know the time, as it can't say by then how many are held back for order.
    if (frame.ptsMs === null && (index > 0 || kind === 'audio')) throw difference(`${name} has none`)
    if (frame.ptsMs === null) continue
    const shiftMs = frame.ptsMs - sourceMs
    const isFirst = shifts.min === Infinity
    const fits = isFirst || (shiftMs <= shifts.min + 2 * TOLERANCE_MS && shiftMs >= shifts.max - 2 * TOLERANCE_MS)
    if (!fits && sourceMs - correctedMs > CORRECTION_MS) {
      if (corrected === corrections) {
        const before = `${shifts.min.toFixed(3)} to ${shifts.max.toFixed(3)} ms before`
        throw difference(`${name} is shifted by ${shiftMs.toFixed(3)} ms, where it was ${before}`)
      }
      corrected += 1
      correctedMs = sourceMs
    }
    if (!fits) Object.assign(shifts, { min: Infinity, max: -Infinity })
    shifts.min = Math.min(shifts.min, shiftMs)
    shifts.max = Math.max(shifts.max, shiftMs)
  }
  if (first === undefined) throw difference('nothing came')
  const after = length - next
  const afterMs = (after * source.durationMs) / length
  if (afterMs > missingAtEndMs) throw difference(`the last ${after} of ${length} are missing, ${afterMs.toFixed(1)} ms`)
  const missing = { before: first, between, after }
  return { received: frames.length, missing, shiftMs: (shifts.min + shifts.max) / 2 }
}

function sourceTrack(source: KnownSource, kind: Kind): SourceTrack {
  const { videoCodec, audioCodec } = source
  if (kind === 'audio' && audioCodec === 'pcma') return ofBytes(source.audio)
  if (kind === 'audio') return ofFrames(source.audio, ({ data }) => data)
  return ofFrames(source.video, ({ data }) => slicesOf(splitAtStartCodes(data), videoCodec))
}

function ofFrames(frames: readonly SourceFrame[], content: (frame: PeerFrame) => Buffer): SourceTrack {
  const times = frames.map(({ ptsMs }) => ptsMs)
  const place: Place = (frame, expected) => {
    const data = content(frame)
    const isSame = (other: SourceFrame | undefined) => other?.data.equals(data) === true
    const start = isSame(frames[expected]) ? expected : frames.findIndex(isSame)
    return start === -1 ? undefined : { start, end: start + 1, sourceMs: frames[start]!.ptsMs }
  }
  return { length: frames.length, unit: 'frame', durationMs: Math.max(...times) - Math.min(...times), place }
}

/** Packets of G.711 are cut anew by who sends them, so it is compared as bytes. */
function ofBytes(frames: readonly SourceFrame[]): SourceTrack {
  const bytes = Buffer.concat(frames.map(({ data }) => data))
  const startMs = frames[0]?.ptsMs ?? 0
  const place: Place = ({ data }, expected) => {
    const follows = bytes.subarray(expected, expected + data.length).equals(data)
    const start = follows ? expected : bytes.indexOf(data)
    if (start === -1) return undefined
    return { start, end: start + data.length, sourceMs: startMs + start / PCMA_BYTES_PER_MS }
  }
  return { length: bytes.length, unit: 'byte', durationMs: bytes.length / PCMA_BYTES_PER_MS, place }
}
