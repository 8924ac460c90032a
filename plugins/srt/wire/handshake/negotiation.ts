import { type ExtensionMessage, TERMS_FLAG } from '../packet/extension-message.ts'
import type { HandshakePacket } from '../packet/handshake-packet.ts'
import { HEADER_BYTES } from '../packet/packet-header.ts'

/** What one end asks for. */
export type LocalTerms = {
  /** How long this end holds what it receives, at least. */
  receiveLatencyMs: number
  /** How long the peer shall hold what this end sends, at least. */
  sendLatencyMs: number
  /** Largest IP packet; 1,500 by default. */
  mtuBytes?: number
  /** Packets that this end takes before they are acknowledged; 8,192 by default. */
  flowWindowPackets?: number
}

/** What a handshake ends in. */
export type Negotiated = {
  socketId: number
  peerSocketId: number
  /** SRT version of the peer: 0x010501 is 1.5.1. */
  peerVersion: number
  /** The first sequence number of what this end sends. */
  sendSequence: number
  /** The first sequence number of what the peer sends. */
  receiveSequence: number
  /** This end's clock at its time stamp 0. */
  startUs: number
  /** This end's clock at the peer's time stamp 0, as the arrival of its handshake says. */
  peerStartUs: number
  receiveLatencyMs: number
  sendLatencyMs: number
  /** What the peer sends is to be delivered by its time stamps. */
  peerStampsTimes: boolean
  peerDropsTooLate: boolean
  peerReportsLossPeriodically: boolean
  /** The peer knows bit R of data packets, which marks what is sent again. */
  peerHasRetransmitFlag: boolean
  /** The most a packet carries: the smaller MTU without IP, UDP and SRT header; 1,456 for 1,500. */
  maxPayloadBytes: number
  /** The most packets in flight: the smaller window of the two ends. */
  flowWindowPackets: number
}

/** The SRT version that this implementation behaves as. */
const OWN_VERSION = 0x01_05_01

const OWN_FLAGS =
  TERMS_FLAG.sendsTimes |
  TERMS_FLAG.deliversByTimes |
  TERMS_FLAG.encrypts |
  TERMS_FLAG.dropsTooLate |
  TERMS_FLAG.reportsLossPeriodically |
  TERMS_FLAG.hasRetransmitFlag

const DEFAULT_MTU_BYTES = 1500
const DEFAULT_FLOW_WINDOW_PACKETS = 8192
const IP_AND_UDP_BYTES = 28

/** One packet of MPEG-TS has to fit, or there is nothing to send. */
const MIN_MTU_BYTES = IP_AND_UDP_BYTES + HEADER_BYTES + 188

/** Less than this many packets in flight is no stream; libsrt has the same bound. */
const MIN_FLOW_WINDOW_PACKETS = 32

/** Size and window that this end writes into its handshakes. */
export function ownLimits(terms: LocalTerms): Pick<HandshakePacket, 'mtuBytes' | 'flowWindowPackets'> {
  return {
    mtuBytes: terms.mtuBytes ?? DEFAULT_MTU_BYTES,
    flowWindowPackets: terms.flowWindowPackets ?? DEFAULT_FLOW_WINDOW_PACKETS,
  }
}

/** Whether the limits of the peer leave room for a stream. */
export function hasRoom({ mtuBytes, flowWindowPackets }: HandshakePacket): boolean {
  return mtuBytes >= MIN_MTU_BYTES && flowWindowPackets >= MIN_FLOW_WINDOW_PACKETS
}

/** What an initiator asks for. */
export function offer({ receiveLatencyMs, sendLatencyMs }: LocalTerms): ExtensionMessage {
  return { version: OWN_VERSION, flags: OWN_FLAGS, receiveLatencyMs, sendLatencyMs }
}

/** What a responder answers: of its own latencies and those asked for, the longer ones. */
export function answer(request: ExtensionMessage, terms: LocalTerms): ExtensionMessage {
  return offer({
    receiveLatencyMs: Math.max(terms.receiveLatencyMs, request.sendLatencyMs),
    sendLatencyMs: Math.max(terms.sendLatencyMs, request.receiveLatencyMs),
  })
}

/** What both handshakes and the latencies of this end come to. */
export function conclude(init: {
  socketId: number
  sequence: number
  startUs: number
  terms: LocalTerms
  latencies: Pick<Negotiated, 'receiveLatencyMs' | 'sendLatencyMs'>
  peer: HandshakePacket
  peerMessage: ExtensionMessage
  /** This end's clock when the peer's message arrived, less the message's time stamp. */
  peerStartUs: number
}): Negotiated {
  const { peer, peerMessage, latencies } = init
  const own = ownLimits(init.terms)
  const has = (flag: number): boolean => (peerMessage.flags & flag) !== 0
  return {
    socketId: init.socketId,
    peerSocketId: peer.socketId,
    peerVersion: peerMessage.version,
    sendSequence: init.sequence,
    receiveSequence: peer.sequence,
    startUs: init.startUs,
    peerStartUs: init.peerStartUs,
    receiveLatencyMs: latencies.receiveLatencyMs,
    sendLatencyMs: latencies.sendLatencyMs,
    peerStampsTimes: has(TERMS_FLAG.sendsTimes),
    peerDropsTooLate: has(TERMS_FLAG.dropsTooLate),
    peerReportsLossPeriodically: has(TERMS_FLAG.reportsLossPeriodically),
    peerHasRetransmitFlag: has(TERMS_FLAG.hasRetransmitFlag),
    maxPayloadBytes: Math.min(own.mtuBytes, peer.mtuBytes) - IP_AND_UDP_BYTES - HEADER_BYTES,
    flowWindowPackets: Math.min(own.flowWindowPackets, peer.flowWindowPackets),
  }
}
