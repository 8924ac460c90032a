import { Connection } from '../../../plugins/srt/wire/connection.ts'
import { offerKeys } from '../../../plugins/srt/wire/crypto/connection-keys.ts'
import type { Negotiated } from '../../../plugins/srt/wire/handshake/negotiation.ts'
import type { PacketSink } from '../../../plugins/srt/wire/live/packet-sink.ts'
import { serializeControlPacket } from '../../../plugins/srt/wire/packet/control-packet.ts'
import { writeDataHeader, type EncryptionFlag } from '../../../plugins/srt/wire/packet/data-packet.ts'
import { HEADER_BYTES } from '../../../plugins/srt/wire/packet/packet-header.ts'
import { addToSequence } from '../../../plugins/srt/wire/sequence.ts'
import type { UnitBench } from './unit-bench.ts'

const CONNECTIONS = 200
/** Of a frame of 2 Mbit/s. */
const FRAME_PACKETS = 8
const PAYLOAD_BYTES = 1316
const FRAME_US = 40_000
const TICK_US = 5000
/** An acknowledgement's body has so many words (draft-sharabayko-srt-01 3.2.4), and this one is the first. */
const ACKNOWLEDGED_AT = HEADER_BYTES
const NUMBER_AT = 4
const FIRST_SEQUENCE = 1000
const EVEN_KEY: EncryptionFlag = 1
const DEAF: PacketSink = { send: () => {}, sendRun: () => {} }
const KEY_OFFER = { passphrase: 'a bench of units', keyBytes: 16 } as const

const NEGOTIATED: Negotiated = {
  socketId: 1,
  peerSocketId: 2,
  peerVersion: 66817,
  startUs: 0,
  peerStartUs: 0,
  sendSequence: FIRST_SEQUENCE,
  receiveSequence: FIRST_SEQUENCE,
  receiveLatencyMs: 120,
  sendLatencyMs: 120,
  maxPayloadBytes: 1456,
  flowWindowPackets: 8192,
  peerStampsTimes: true,
  peerDropsTooLate: true,
  peerReportsLossPeriodically: true,
  peerHasRetransmitFlag: true,
}

/** What a packet of SRT takes its sender and its receiver, and what an acknowledgement and a look at the time take, without sockets. */
export async function srtBenches(): Promise<UnitBench[]> {
  const benches: UnitBench[] = []
  for (const isEncrypted of [false, true]) {
    const kind = isEncrypted ? 'AES-128' : 'clear'
    benches.push(sendBench(`SRT packets to ${CONNECTIONS}, ${kind}`, await manyConnections(isEncrypted)))
    benches.push(
      receiveBench(`SRT packets from ${CONNECTIONS}, ${kind}`, await manyConnections(isEncrypted), isEncrypted),
    )
  }
  benches.push(acknowledgementBench(await manyConnections(false)))
  benches.push(tickBench(await manyConnections(false)))
  return benches
}

type ManyConnections = { readonly connections: readonly Connection[]; readonly clock: { us: number } }

async function manyConnections(isEncrypted: boolean): Promise<ManyConnections> {
  const clock = { us: 0 }
  const connections: Connection[] = []
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const keys = isEncrypted ? await offerKeys(KEY_OFFER) : undefined
    const events = { received: () => {}, closed: () => {} }
    connections.push(new Connection({ negotiated: NEGOTIATED, keys, sink: DEAF, nowUs: () => clock.us, ...events }))
  }
  return { connections, clock }
}

/** A frame to each, which each acknowledges. */
function sendBench(name: string, { connections, clock }: ManyConnections): UnitBench {
  const frame = Buffer.alloc(FRAME_PACKETS * PAYLOAD_BYTES, 0x47)
  const acknowledge = acknowledgements()
  const run = () => {
    clock.us += FRAME_US
    for (const connection of connections) connection.send(frame)
    const datagram = acknowledge(FRAME_PACKETS)
    for (const connection of connections) connection.receive(datagram)
  }
  return { name, units: CONNECTIONS * FRAME_PACKETS, run }
}

/** A frame from each, whose packets are the same for all, and the times at which one looks what is due. */
function receiveBench(name: string, { connections, clock }: ManyConnections, isEncrypted: boolean): UnitBench {
  let index = 0
  const run = () => {
    const datagrams = Array.from({ length: FRAME_PACKETS }, () => {
      const datagram = Buffer.alloc(HEADER_BYTES + PAYLOAD_BYTES)
      writeDataHeader(datagram, 0, {
        sequence: addToSequence(FIRST_SEQUENCE, index++),
        messageNumber: 1,
        isRetransmitted: false,
        timestamp: clock.us,
        destination: 1,
        keyFlag: isEncrypted ? EVEN_KEY : 0,
      })
      return datagram
    })
    for (const connection of connections) for (const datagram of datagrams) connection.receive(datagram)
    for (let us = 0; us < FRAME_US; us += TICK_US) {
      clock.us += TICK_US
      for (const connection of connections) connection.tick()
    }
  }
  return { name, units: CONNECTIONS * FRAME_PACKETS, run }
}

function acknowledgementBench({ connections }: ManyConnections): UnitBench {
  const acknowledge = acknowledgements()
  const run = () => {
    const datagram = acknowledge(0)
    for (const connection of connections) connection.receive(datagram)
  }
  return { name: `SRT acknowledgements of ${CONNECTIONS}`, units: CONNECTIONS, run }
}

/** Of connections that have sent, and wait for nothing. */
function tickBench({ connections, clock }: ManyConnections): UnitBench {
  const acknowledge = acknowledgements()
  const run = () => {
    clock.us += TICK_US
    for (const connection of connections) connection.tick()
    if (clock.us % 1_000_000 > 0) return
    const datagram = acknowledge(0)
    for (const connection of connections) connection.receive(datagram)
  }
  return { name: `SRT ticks of ${CONNECTIONS}`, units: CONNECTIONS, run }
}

/** Makes one acknowledgement after the other, of so many more packets each. */
function acknowledgements(): (packets: number) => Buffer {
  const datagram = serializeControlPacket({
    kind: 'acknowledgement',
    number: 1,
    timestamp: 0,
    destination: 1,
    acknowledgement: {
      sequence: FIRST_SEQUENCE,
      rttUs: 1e3,
      rttVarianceUs: 100,
      freePackets: 8e3,
      packetsPerSecond: 200,
      linkPacketsPerSecond: 1e4,
      bytesPerSecond: 263200,
    },
  })
  let number = 0
  let sequence = FIRST_SEQUENCE
  return (packets) => {
    number = (number + 1) >>> 0
    sequence = addToSequence(sequence, packets)
    datagram.writeUInt32BE(number, NUMBER_AT)
    datagram.writeUInt32BE(sequence, ACKNOWLEDGED_AT)
    return datagram
  }
}
