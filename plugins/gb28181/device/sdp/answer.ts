import type { MediaOffer } from './offer.ts'

/** The answer of a device to an offer. */
export type AnswerInit = {
  readonly channelId: string
  /** The address and port that media come from, or that the platform connects to. */
  readonly host: string
  /** As it is written: some devices state −1. Undefined to leave it out. */
  readonly port: number | undefined
  /** The value of `y=`; undefined to leave it out. */
  readonly ssrc: string | undefined
  readonly fileSizeBytes: number | undefined
  readonly format: string | undefined
}

const OTHER_SIDE = { active: 'passive', passive: 'active' } as const

/** Writes the answer to an offer (GB/T 28181-2022 annex G). */
export function serializeAnswer(offer: MediaOffer, init: AnswerInit): Buffer {
  const { channelId, host, port, ssrc, fileSizeBytes, format } = init
  const profile = offer.transport === 'udp' ? 'RTP/AVP' : 'TCP/RTP/AVP'
  const lines = [
    'v=0',
    `o=${channelId} 0 0 IN IP4 ${host}`,
    `s=${offer.kind}`,
    `c=IN IP4 ${host}`,
    `t=${offer.start} ${offer.end}`,
    ['m=video', port, profile, offer.payloadType].filter((word) => word !== undefined).join(' '),
    'a=sendonly',
    `a=rtpmap:${offer.payloadType} PS/90000`,
    ...(offer.setup === undefined ? [] : [`a=setup:${OTHER_SIDE[offer.setup]}`, 'a=connection:new']),
    ...(offer.streamNumber === undefined ? [] : [`a=streamnumber:${offer.streamNumber}`]),
    ...(offer.downloadSpeed === undefined ? [] : [`a=downloadspeed:${offer.downloadSpeed}`]),
    ...(fileSizeBytes === undefined ? [] : [`a=filesize:${fileSizeBytes}`]),
    ...(ssrc === undefined ? [] : [`y=${ssrc}`]),
    ...(format === undefined ? [] : [`f=${format}`]),
  ]
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''))
}
