import {
  MalformedError,
  parseSdp,
  rtpFormatProblem,
  rtpFormatsOf,
  sdpAttribute,
  type RtpFormat,
  type SessionDescription,
} from 'sluice/sdk/media'
import { parseRange, type Range } from '../wire/range.ts'
import { controlUrl } from '../wire/url.ts'
import { RtspClientError } from './client-error.ts'
import type { RtspClient } from './rtsp-client.ts'

/** What a server has at an address, as DESCRIBE says it. */
export type SourceOffer = {
  /** The address of the whole, for PLAY. */
  readonly url: string
  readonly medias: readonly { readonly url: string; readonly format: RtpFormat }[]
  /** What can't be taken, for the log. */
  readonly leftOut: readonly string[]
  /** The length of a recording in milliseconds; undefined for a live source. */
  readonly durationMs: number | undefined
}

/**
 * Asks a server what it has.
 * @throws {RtspClientError} when it refuses, or has nothing that can be taken
 */
export async function askForSource(client: RtspClient): Promise<SourceOffer> {
  const { headers, body } = await client.request('DESCRIBE', client.uri, { Accept: 'application/sdp' })
  const base = headers.get('content-base') ?? headers.get('content-location') ?? client.uri
  const { media: described, attributes } = parsedDescription(body)
  const medias: { url: string; format: RtpFormat }[] = []
  const leftOut: string[] = []
  for (const media of described) {
    // The way back to the source, as its loudspeaker.
    if (sdpAttribute(media.attributes, 'sendonly') !== undefined) continue
    const formats = rtpFormatsOf(media)
    const format = formats.find((one) => rtpFormatProblem(one) === undefined)
    const control = sdpAttribute(media.attributes, 'control')?.value ?? ''
    if (format === undefined) leftOut.push(formats[0]?.encodingName ?? media.type)
    else medias.push({ url: controlUrl(base, control), format })
  }
  if (medias.length === 0) throw new RtspClientError(`the source has nothing that can be taken (${leftOut.join(', ')})`)
  const control = sdpAttribute(attributes, 'control')?.value ?? '*'
  return {
    url: controlUrl(base, control),
    medias,
    leftOut,
    durationMs: durationOf(sdpAttribute(attributes, 'range')?.value),
  }
}

/** @throws {RtspClientError} when it is none */
export function parsedDescription(body: Buffer): SessionDescription {
  try {
    return parseSdp(body.toString())
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtspClientError(`the source's description is malformed: ${error.message}`, { cause: error })
  }
}

/** The length of a recording by its range, `npt=0-12.5`. */
function durationOf(text: string | undefined): number | undefined {
  const range = text === undefined ? undefined : parsedRange(text)
  return range?.unit === 'npt' && typeof range.endMs === 'number' ? range.endMs : undefined
}

/** A range that makes no sense is none: cameras write what they like. */
function parsedRange(text: string): Range | undefined {
  try {
    return parseRange(text) ?? undefined
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}
