import { InvalidRequest } from 'sluice/sdk'
import { MalformedError, parseSdp, sdpAttribute, type SdpAttribute, type SessionDescription } from 'sluice/sdk/media'
import type { TransportDescription } from '../transport/transport-description.ts'
import { directionOf, parseRemoteMedia, type RemoteMedia } from './remote-media.ts'
import { parseTransport } from './transport-attributes.ts'

/** A parsed offer or answer of the peer. */
export type RemoteDescription = {
  /** All medias in their order, those that can't be used among them. */
  readonly medias: readonly RemoteMedia[]
  readonly transport: TransportDescription
  /** The attributes in which the transport may be described: those of medias that all may share it with, then of the session. */
  readonly carriers: readonly (readonly SdpAttribute[])[]
}

/** The longest description, in characters: that of a browser has some 8,000. */
export const DESCRIPTION_MAX_LENGTH = 65_536
/** The most medias of a description. */
export const DESCRIPTION_MAX_MEDIAS = 32

const BUNDLE_ADVICE = 'set the bundle policy "max-bundle"'

/**
 * Parses the description of a peer (RFC 8829 5.8).
 * @throws {InvalidRequest} with the attribute that is wrong or missing
 */
export function parseDescription(text: string): RemoteDescription {
  if (text.length > DESCRIPTION_MAX_LENGTH) {
    throw new InvalidRequest(`a session description has at most ${DESCRIPTION_MAX_LENGTH} characters`)
  }
  try {
    return describe(parseSdp(text))
  } catch (error) {
    if (error instanceof MalformedError) throw new InvalidRequest(`no session description: ${error.message}`)
    throw error
  }
}

function describe(session: SessionDescription): RemoteDescription {
  if (session.media.length > DESCRIPTION_MAX_MEDIAS) {
    throw new InvalidRequest(`a session description has at most ${DESCRIPTION_MAX_MEDIAS} medias`)
  }
  const bundle = bundleOf(session)
  const direction = directionOf(session.attributes) ?? 'sendrecv'
  const medias = session.media.map((media, index) => parseRemoteMedia(media, index, bundle, direction))
  if (new Set(medias.map(({ mid }) => mid)).size < medias.length) throw new InvalidRequest('two medias have one a=mid')
  const used = medias.filter(({ kind, isRejected }) => kind !== undefined && !isRejected)
  if (used.length === 0) throw new InvalidRequest('there is no audio and no video by UDP/TLS/RTP/SAVPF')
  // A media in bundle-only may leave its transport to the first media of the group (RFC 9143 7.1.3).
  const tagged = medias.find(({ mid }) => mid === bundle[0])
  const first = [...used.slice(0, 1), ...(tagged ? [tagged] : [])]
  const sections = [...new Set(first)].map(({ description }) => description.attributes)
  if (!sections.some((section) => sdpAttribute(section, 'rtcp-mux'))) {
    throw new InvalidRequest('a=rtcp-mux is required: RTCP comes on the port of RTP (RFC 9725 4.4.1)')
  }
  const carriers = [...sections, session.attributes]
  return { medias, transport: parseTransport(carriers), carriers }
}

/**
 * The same description with the transport of a media, if it has one of its own: all share the transport of the first media that is agreed
 * on (RFC 9143 7.3).
 * @throws {InvalidRequest} when the transport is malformed
 */
export function withTransportOf(description: RemoteDescription, index: number): RemoteDescription {
  const own = description.medias[index]?.description.attributes ?? []
  return { ...description, transport: parseTransport([...new Set([own, ...description.carriers])]) }
}

/** The names of the medias that share a transport; that of the only media when there is one. */
function bundleOf({ attributes, media }: SessionDescription): string[] {
  const groups = attributes.filter(({ name }) => name === 'group').map(({ value = '' }) => value.split(/\s+/u))
  const bundle = groups.find(([semantics]) => semantics === 'BUNDLE')
  if (bundle !== undefined) return bundle.slice(1)
  const active = media.flatMap(({ port, attributes: own }, index) =>
    port > 0 ? [sdpAttribute(own, 'mid')?.value ?? String(index)] : [],
  )
  if (active.length <= 1) return active
  throw new InvalidRequest(`a=group:BUNDLE is required: all medias share one transport; ${BUNDLE_ADVICE}`)
}
