import { InvalidRequest } from 'sluice/sdk'
import { MalformedError, parseSdp, sdpAttribute, serializeSdp } from 'sluice/sdk/media'
import type { IceCandidateLine, IceCredentials } from '../transport/transport-description.ts'
import { candidateAttributes, parseCandidates, parseIceCredentials } from './transport-attributes.ts'

/** The content of `application/trickle-ice-sdpfrag` (RFC 8840 9): candidates, and the credentials they belong to. */
export type TrickleFragment = {
  /** The credentials; undefined when it has none. Others than before are those of a restart (RFC 9725 4.3.3). */
  readonly ice: IceCredentials | undefined
  readonly candidates: readonly IceCandidateLine[]
  /** True when no further candidates come. */
  readonly isComplete: boolean
}

/** The media type of fragments. */
export const FRAGMENT_TYPE = 'application/trickle-ice-sdpfrag'
/** The longest fragment, in characters. */
export const FRAGMENT_MAX_LENGTH = 65_536
const FRAGMENT_MAX_MEDIAS = 32

/**
 * Parses a fragment. The candidates of all its medias are taken together, as all share one transport.
 * @throws {InvalidRequest} when it is malformed
 */
export function parseTrickleFragment(text: string): TrickleFragment {
  if (text.length > FRAGMENT_MAX_LENGTH) {
    throw new InvalidRequest(`a fragment has at most ${FRAGMENT_MAX_LENGTH} characters`)
  }
  const { attributes, media } = parseLines(text)
  if (media.length > FRAGMENT_MAX_MEDIAS)
    throw new InvalidRequest(`a fragment has at most ${FRAGMENT_MAX_MEDIAS} medias`)
  const all = [attributes, ...media.map((section) => section.attributes)].flat()
  return {
    ice: parseIceCredentials(sdpAttribute(all, 'ice-ufrag')?.value, sdpAttribute(all, 'ice-pwd')?.value),
    candidates: parseCandidates(all),
    isComplete: sdpAttribute(all, 'end-of-candidates') !== undefined,
  }
}

function parseLines(text: string) {
  try {
    return parseSdp(text)
  } catch (error) {
    if (error instanceof MalformedError) throw new InvalidRequest(`no fragment of SDP: ${error.message}`)
    throw error
  }
}

/** Writes the fragment that answers a restart, or that sends candidates, for the media that stands for all. */
export function serializeTrickleFragment(
  { ice, candidates, isComplete }: TrickleFragment,
  { kind, mid }: { readonly kind: 'audio' | 'video'; readonly mid: string },
): string {
  const credentials = ice && [
    { name: 'ice-ufrag', value: ice.usernameFragment },
    { name: 'ice-pwd', value: ice.password },
  ]
  const attributes = [{ name: 'mid', value: mid }, ...candidateAttributes({ candidates, isComplete })]
  const media = { type: kind, port: 9, protocol: 'UDP/TLS/RTP/SAVPF', formats: ['0'], lines: [], attributes }
  const origin = { username: '-', sessionId: '0', sessionVersion: '0', addressType: 'IP4', address: '0.0.0.0' }
  const session = { origin, name: '-', times: [], lines: [], attributes: credentials ?? [], media: [media] }
  // A fragment is a description without its first lines (RFC 8840 9.2).
  const text = serializeSdp(session)
  return text.slice(text.search(/^[am]=/mu))
}
