import { InvalidRequest } from 'sluice/sdk'
import { quoted } from '../config/expectation.ts'

/** What clients that send numbers mean by them: the first has the address tell. */
const NUMBERED = ['', 'rtmp', 'rtsp', 'srt', 'webrtc', 'hls', 'flv', 'mp4', 'gb28181', 'h264', 'h265']

/** Types are names of plugins; the longest there may be. */
const TYPE = /^[a-z][a-z0-9-]{0,63}$/u
const DIGITS = /^\d+$/u

const BY_SCHEME: Readonly<Record<string, string>> = {
  'rtmp:': 'rtmp',
  'rtmps:': 'rtmp',
  'rtsp:': 'rtsp',
  'rtsps:': 'rtsp',
  'srt:': 'srt',
  'whep:': 'webrtc',
  'wheps:': 'webrtc',
  'whip:': 'webrtc',
  'whips:': 'webrtc',
}
const ENDING = /\.(m3u8|flv|mp4)$/iu
const BY_ENDING: Readonly<Record<string, string>> = { m3u8: 'hls', flv: 'flv', mp4: 'mp4' }
/** A device and one of its channels. */
const GB28181 = /^\d{20}\/\d{20}$/u

/**
 * A type as clients write it, by its name or its number; empty where the address is to tell.
 * @throws {InvalidRequest} when there is no such type
 */
export function readType(written: string | number): string {
  const text = String(written).trim().toLowerCase()
  if (text === '' || TYPE.test(text)) return text
  const named = DIGITS.test(text) ? NUMBERED[Number(text)] : undefined
  if (named !== undefined) return named
  throw new InvalidRequest(
    `type: expected the name of a protocol or a number from 0 to ${NUMBERED.length - 1}, found ${quoted(text)}`,
  )
}

/** The type that an address tells (config.md 7); undefined where it tells none. */
export function typeOf(url: string): string | undefined {
  if (GB28181.test(url)) return 'gb28181'
  const parsed = URL.parse(url)
  const byScheme = BY_SCHEME[parsed?.protocol ?? '']
  if (byScheme !== undefined) return byScheme
  const path = parsed?.pathname ?? url
  if (path.split('/').some((part) => part === 'whep' || part === 'whip')) return 'webrtc'
  return BY_ENDING[ENDING.exec(path)?.[1]?.toLowerCase() ?? '']
}
