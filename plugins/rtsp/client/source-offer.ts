import {
  MalformedError,
  parseSdp,
  sdpAttribute,
  tryParse,
  type RtpFormat,
  type SessionDescription,
} from 'sluice/sdk/media'
import { receivableFormat } from '../media/receivable-format.ts'
import { parseRange } from '../wire/range.ts'
import { RtspClientError } from './client-error.ts'
import { DescribedUrls } from './described-urls.ts'
import type { RtspClient } from './rtsp-client.ts'
import { sourceMedias } from './source-medias.ts'

/** The most medias that an error names. */
const MAX_SHOWN = 8

/** The description of a source, from the answer to DESCRIBE. */
export type SourceOffer = {
  /** The address of the whole presentation, for PLAY. */
  readonly url: string
  readonly medias: readonly { readonly url: string; readonly format: RtpFormat }[]
  /** The medias that can't be received, each with its reason, for the log. */
  readonly leftOut: readonly string[]
  /** The length of a recording in milliseconds; undefined for a live source. */
  readonly durationMs: number | undefined
}

/**
 * Asks a server for the description of its stream.
 * @throws {RtspClientError} when the server refuses, or has no media that can be received
 */
export async function askForSource(client: RtspClient): Promise<SourceOffer> {
  const { headers, body } = await client.request('DESCRIBE', client.uri, { Accept: 'application/sdp' })
  const description = parsedDescription(body)
  const urls = new DescribedUrls(headers, description, client.uri)
  const medias: { url: string; format: RtpFormat }[] = []
  const leftOut: string[] = []
  for (const media of sourceMedias(description)) {
    const { format, problem } = receivableFormat(media)
    if (format === undefined) leftOut.push(problem)
    else medias.push({ url: urls.ofMedia(media), format })
  }
  if (medias.length === 0) {
    const offered = leftOut.length === 0 ? 'no media' : leftOut.slice(0, MAX_SHOWN).join('; ')
    throw new RtspClientError(`the source offers nothing that can be taken: ${offered}`)
  }
  const durationMs = durationOf(sdpAttribute(description.attributes, 'range')?.value)
  return { url: urls.whole, medias, leftOut, durationMs }
}

/** @throws {RtspClientError} when it is malformed */
export function parsedDescription(body: Buffer): SessionDescription {
  try {
    return parseSdp(body.toString())
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtspClientError(`the source's description is malformed: ${error.message}`, { cause: error })
  }
}

/** Returns the length of a recording in milliseconds by its range, such as `npt=0-12.5`; undefined for a live source. */
function durationOf(text: string | undefined): number | undefined {
  // A malformed range counts as none: cameras write all kinds of them.
  const range = tryParse(parseRange, text)
  return range?.unit === 'npt' && typeof range.endMs === 'number' ? range.endMs : undefined
}
