import { setTimeout as delay } from 'node:timers/promises'
import { serializeRtpPacket } from 'sluice/sdk/media'
import { waitFor } from '../peers/wait-for.ts'
import { openPortPair, type PortPair } from '../support/rtsp/port-pair.ts'
import { publishRtsp } from '../robustness/support/rtsp-client.ts'
import { ServerProcess } from '../robustness/support/server-process.ts'

/** Nothing is sent while the memory is counted. */
const CONFIG = 'global: { publish: { publishtimeout: 60s } }'
const PACKETS = 30_000
const PACKETS_PER_PICTURE = 2
const PICTURES_PER_GROUP = 25
const TICKS_PER_PICTURE = 3600
const PACKETS_PER_BURST = 50
const IDR = 0x65
const NON_IDR = 0x41
const SIZE_BYTES = 1000
const MIN_LOST_PACKETS = (PACKETS / 20) * 0.9
/** A tenth of what is sent meanwhile. */
const MAX_GROWTH_BYTES = (PACKETS * SIZE_BYTES * 0.75) / 10

/** What is sent of packet `number`: one in twenty is lost, one comes twice, and one after the next. */
function sentAt(number: number): number[] {
  if (number % 20 === 3 || number % 20 === 7) return []
  if (number % 20 === 8) return [number, number - 1]
  return number % 20 === 13 ? [number, number] : [number]
}

function packet(number: number): Buffer {
  const picture = Math.floor(number / PACKETS_PER_PICTURE)
  const payload = Buffer.alloc(SIZE_BYTES, 0xaa)
  payload[0] = picture % PICTURES_PER_GROUP === 0 ? IDR : NON_IDR
  const timestamp = (picture * TICKS_PER_PICTURE) % 2 ** 32
  const marker = number % PACKETS_PER_PICTURE === PACKETS_PER_PICTURE - 1
  const head = { payloadType: 96, marker, sequenceNumber: number % 2 ** 16, timestamp, ssrc: 1, csrcs: [] }
  return serializeRtpPacket({ ...head, payload })
}

describe('a publisher of RTSP whose packets are lost', () => {
  let server: ServerProcess
  let ports: PortPair
  before(async () => {
    server = await ServerProcess.start(CONFIG)
    ports = await openPortPair()
  })

  after(async () => {
    ports.rtp.close()
    ports.rtcp.close()
    await server.stop()
  })

  it('costs no more memory the longer it goes on', async () => {
    const transport = `RTP/AVP;unicast;client_port=${ports.port}-${ports.port + 1}`
    const { probe, agreed } = await publishRtsp(server.ports.rtsp, 'live/lossy', transport)
    const serverPort = Number(/server_port=(\d+)/u.exec(agreed)?.[1])
    const send = async (from: number, to: number) => {
      for (let number = from; number < to; number++) {
        for (const sent of sentAt(number)) ports.rtp.send(packet(sent), serverPort, '127.0.0.1')
        if (number % PACKETS_PER_BURST === 0) await delay(1)
      }
    }
    await send(0, PACKETS / 4)
    const before = await server.holdings()
    await send(PACKETS / 4, PACKETS)
    // The last may not have been read yet.
    const isLossSeen = async () => {
      const { lostPackets } = await server.streamDetails('live/lossy')
      return Number(lostPackets) >= MIN_LOST_PACKETS
    }
    await waitFor(isLossSeen, { what: `${MIN_LOST_PACKETS} packets to be lost` })
    // What was in use a moment ago may not be garbage yet; what stays is a leak.
    const isFlat = async () => (await server.holdings()).heapBytes - before.heapBytes < MAX_GROWTH_BYTES
    await waitFor(isFlat, { what: 'the memory to be what it was', intervalMs: 250 })
    probe.close()
  })
})
