import { parseSdp, rtpFormatsOf, sdpAttribute, type MediaDescription, type RtpFormat } from 'sluice/sdk/media'

export type OfferInit = {
  readonly usernameFragment: string
  readonly password: string
  /** Of the certificate, as `a=fingerprint` has it, with SHA-256. */
  readonly fingerprint: string
  /** Of 127.0.0.1. */
  readonly port: number
}

/** What an answer says that a viewer needs. */
export type Answer = {
  readonly usernameFragment: string
  readonly password: string
  /** Whether the server begins the DTLS handshake. */
  readonly isServerActive: boolean
  readonly address: string
  readonly port: number
  readonly format: RtpFormat
}

/** Constrained baseline, main and high, each in the non-interleaved mode (RFC 6184 8.1), and what repeats lost packets of them. */
const PROFILES = ['42e01f', '4d001f', '64001f'] as const
const FIRST_PAYLOAD_TYPE = 102

/** An offer to take H.264 and no sound: what a server spends on sound that must be coded anew is not what is measured. */
export function offerOf({ usernameFragment, password, fingerprint, port }: OfferInit): string {
  const types = PROFILES.map((_, index) => FIRST_PAYLOAD_TYPE + 2 * index)
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    `m=video 9 UDP/TLS/RTP/SAVPF ${types.flatMap((type) => [type, type + 1]).join(' ')}`,
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=recvonly',
    'a=rtcp-mux',
    'a=rtcp-rsize',
    `a=ice-ufrag:${usernameFragment}`,
    `a=ice-pwd:${password}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    'a=setup:actpass',
    ...PROFILES.flatMap((profile, index) => formatLines(FIRST_PAYLOAD_TYPE + 2 * index, profile)),
    `a=candidate:1 1 udp 2130706431 127.0.0.1 ${port} typ host`,
    'a=end-of-candidates',
  ]
  return `${lines.join('\r\n')}\r\n`
}

/** @throws {Error} when the answer does not send H.264 to an address of UDP */
export function readAnswer(text: string): Answer {
  const session = parseSdp(text)
  const media = session.media.find(({ type }) => type === 'video')
  if (media === undefined) throw new Error('the answer has no video')
  const value = (name: string) =>
    sdpAttribute(media.attributes, name)?.value ?? sdpAttribute(session.attributes, name)?.value ?? ''
  const format = rtpFormatsOf(media).find(({ encodingName }) => encodingName === 'H264')
  if (format === undefined) throw new Error('the answer has no H.264')
  return {
    usernameFragment: value('ice-ufrag'),
    password: value('ice-pwd'),
    isServerActive: value('setup') === 'active',
    ...addressOf(media),
    format,
  }
}

function formatLines(type: number, profile: string): string[] {
  return [
    `a=rtpmap:${type} H264/90000`,
    `a=fmtp:${type} level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=${profile}`,
    ...['nack', 'nack pli', 'ccm fir'].map((feedback) => `a=rtcp-fb:${type} ${feedback}`),
    `a=rtpmap:${type + 1} rtx/90000`,
    `a=fmtp:${type + 1} apt=${type}`,
  ]
}

/** Loopback where it is offered, else any other: all are of this machine (RFC 8839 5.1). */
function addressOf({ attributes }: MediaDescription): { readonly address: string; readonly port: number } {
  const candidates = attributes
    .filter(({ name }) => name === 'candidate')
    .map(({ value = '' }) => value.split(' '))
    .filter(([, component, transport, , address]) => {
      return component === '1' && transport?.toLowerCase() === 'udp' && /^[\d.]+$/u.test(address ?? '')
    })
  const chosen = candidates.find(([, , , , address]) => address === '127.0.0.1') ?? candidates[0]
  const [, , , , address = '', port = ''] = chosen ?? []
  if (address === '') throw new Error('the answer has no candidate of UDP and IPv4')
  return { address, port: Number(port) }
}
