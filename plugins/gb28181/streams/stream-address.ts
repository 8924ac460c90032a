import { InvalidRequest, parseTimeRange } from 'sluice/sdk'
import { GB_ID } from '../registry/device.ts'

/** The channel that a path or an address names. */
export type StreamAddress = {
  readonly deviceId: string
  readonly channelId: string
}

/** A time of recordings, in Unix milliseconds. */
export type PlaybackRange = { readonly startMs: number; readonly endMs: number }

const SCHEME = /^gb28181:\/\//iu
const PLAYBACK = /^gb_\d{1,10}\//u

/** The channel whose live media has a path, `{device}/{channel}`, or whose recordings, `gb_<n>/{device}/{channel}`. */
export function addressOfPath(streamPath: string): (StreamAddress & { readonly isPlayback: boolean }) | undefined {
  const isPlayback = PLAYBACK.test(streamPath)
  const address = idsOf(streamPath.replace(PLAYBACK, ''))
  return address === undefined ? undefined : { ...address, isPlayback }
}

/**
 * Reads an address of a pull, `gb28181://{device}/{channel}` or without its scheme, with or without a query.
 * @throws {InvalidRequest} when it names no channel
 */
export function addressOfUrl(url: string): StreamAddress & { readonly query: URLSearchParams } {
  const [path = '', ...query] = url.replace(SCHEME, '').split('?')
  const address = idsOf(path)
  if (address === undefined) throw new InvalidRequest('the address must be gb28181://{device}/{channel}')
  return { ...address, query: new URLSearchParams(query.join('?')) }
}

/**
 * The time that a query asks for; undefined for live media.
 * @throws {InvalidRequest} when it has no beginning or no end, or they are no times
 */
export function playbackRangeOf(query: Readonly<Record<string, string>>): PlaybackRange | undefined {
  const { start, end, range } = query
  if (start === undefined && end === undefined && range === undefined) return undefined
  const nowMs = Date.now()
  const given = parseTimeRange(
    { ...(start !== undefined && { start }), ...(end !== undefined && { end }), ...(range !== undefined && { range }) },
    nowMs,
  )
  if (given.startMs === undefined) throw new InvalidRequest('start is missing: the time from which to play')
  return { startMs: given.startMs, endMs: given.endMs ?? nowMs }
}

function idsOf(path: string): StreamAddress | undefined {
  const [deviceId = '', channelId = '', ...rest] = path.split('/')
  return rest.length === 0 && GB_ID.test(deviceId) && GB_ID.test(channelId) ? { deviceId, channelId } : undefined
}
