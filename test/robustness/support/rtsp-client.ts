import { expect } from 'chai'
import { parseRtpPacket, serializeRtpPacket } from 'sluice/sdk/media'
import { RtspProbe } from '../../support/rtsp/rtsp-probe.ts'

/** The Transport of a media in the connection. */
export const INTERLEAVED = 'RTP/AVP/TCP;unicast;interleaved=0-1'
/** A session description of one media. */
export const VIDEO_SDP = sessionDescription([
  'm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n' +
    'a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z2QADazZQUH7ARAAAAMAEAAAAwMg8UKZYA==,aOvjyyLA\r\n',
])

const TICKS_PER_PICTURE = 3600
const SSRC = 0x1234
const IDR = 0x65
const NON_IDR = 0x41
/** Numbers must not look like start codes. */
const FIRST_NUMBER = 0x01_01_01_01

export type RtspPlayOptions = {
  readonly port: number
  /** `app/name`. */
  readonly target: string
  /** Default in the connection. */
  readonly transport?: string
  /** Takes the last packet of each picture, without its header. */
  readonly onPicture: (bytes: Buffer) => void
}

/** Plays the first media of a stream in the connection. */
export async function playRtsp({
  port,
  target,
  transport = INTERLEAVED,
  onPicture,
}: RtspPlayOptions): Promise<RtspProbe> {
  const probe = await RtspProbe.connect({
    port,
    onFrame: ({ channel, data }) => {
      if (channel !== 0) return
      const { marker, payload } = parseRtpPacket(data)
      if (marker) onPicture(payload)
    },
  })
  const url = rtspUrl(port, target)
  await expectDone(probe, 'DESCRIBE', url)
  await expectDone(probe, 'SETUP', `${url}/trackID=0`, { Transport: transport })
  await expectDone(probe, 'PLAY', url)
  return probe
}

/** Publishes one media of H.264; returns the connection, and the Transport that the server has agreed to. */
export async function publishRtsp(
  port: number,
  target: string,
  transport = INTERLEAVED,
): Promise<{ readonly probe: RtspProbe; readonly agreed: string }> {
  const probe = await RtspProbe.connect({ port })
  const url = rtspUrl(port, target)
  await expectDone(probe, 'ANNOUNCE', url, { 'Content-Type': 'application/sdp' }, VIDEO_SDP)
  const { headers } = await probe.request('SETUP', `${url}/trackID=0`, { headers: { Transport: transport } })
  await expectDone(probe, 'RECORD', url)
  return { probe, agreed: headers.get('transport') ?? '' }
}

/** Sends a request that is to be carried out. */
export async function expectDone(
  probe: RtspProbe,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<void> {
  const { startLine } = await probe.request(method, url, { headers, body })
  expect(startLine, method).to.equal('RTSP/1.0 200 OK')
}

export function rtspUrl(port: number, target: string): string {
  return `rtsp://127.0.0.1:${port}/${target}`
}

/** A picture in a packet, which ends with its number; the first one is a keyframe. */
export function picturePacket(number: number): Buffer {
  const payload = Buffer.alloc(100, 0xaa)
  payload[0] = number === 0 ? IDR : NON_IDR
  payload.writeUInt32BE(FIRST_NUMBER + number, payload.length - 4)
  const head = { payloadType: 96, marker: true, sequenceNumber: number, timestamp: number * TICKS_PER_PICTURE }
  return serializeRtpPacket({ ...head, ssrc: SSRC, csrcs: [], payload })
}

/** The number of a picture, by its last packet. */
export function pictureNumber(bytes: Buffer): number {
  return bytes.readUInt32BE(bytes.length - 4) - FIRST_NUMBER
}

/** @param medias as they are written, with their attributes */
export function sessionDescription(medias: readonly string[]): string {
  return ['v=0', 'o=- 0 0 IN IP4 127.0.0.1', 's=-', 't=0 0', medias.join('')].join('\r\n')
}
