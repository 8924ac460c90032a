import { type ExtensionMessage, TERMS_FLAG } from '../packet/extension-message.ts'
import type { HandshakePacket } from '../packet/handshake-packet.ts'
import { HEADER_BYTES } from '../packet/packet-header.ts'

/** The terms that one end asks for. */
export type LocalTerms = {
  /** The minimum latency with which this end delivers the peer's packets, in milliseconds. */
  receiveLatencyMs: number
  /** The minimum latency with which the peer shall deliver this end's packets, in milliseconds. */
  sendLatencyMs: number
  /** Largest IP packet; 1,500 by default. */
  mtuBytes?: number
  /** The packets that may be unacknowledged on their way to this end; 8,192 by default. */
  flowWindowPackets?: number
}

/** The result of a handshake. */
export type Negotiated = {
  socketId: number
  peerSocketId: number
  /** SRT version of the peer: 0x010501 is 1.5.1. */
  peerVersion: number
  /** The sequence number of the first packet that this end sends. */
  sendSequence: number
  /** The sequence number of the first packet that the peer sends. */
  receiveSequence: number
  /** This end's clock at its time stamp 0. */
  startUs: number
  /** This end's clock at the peer's time stamp 0, by the arrival of the peer's handshake. */
  peerStartUs: number
  receiveLatencyMs: number
  sendLatencyMs: number
  /** True when the peer's packets are to be delivered by their time stamps. */
  peerStampsTimes: boolean
  peerDropsTooLate: boolean
  peerReportsLossPeriodically: boolean
  /** True when the peer knows bit R of data packets, which marks packets that are sent again. */
  peerHasRetransmitFlag: boolean
  /** The most bytes of a payload: the smaller MTU without IP, UDP and SRT header; 1,456 for 1,500. */
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

/** The smallest MTU, which has room for one packet of MPEG-TS. */
const MIN_MTU_BYTES = IP_AND_UDP_BYTES + HEADER_BYTES + 188

/** The smallest flow window that suffices for a stream; libsrt has the same bound. */
const MIN_FLOW_WINDOW_PACKETS = 32

/** The MTU and window that this end writes into its handshakes. */
export function ownLimits(terms: LocalTerms): Pick<HandshakePacket, 'mtuBytes' | 'flowWindowPackets'> {
  return {
    mtuBytes: terms.mtuBytes ?? DEFAULT_MTU_BYTES,
    flowWindowPackets: terms.flowWindowPackets ?? DEFAULT_FLOW_WINDOW_PACKETS,
  }
}

/** True when the limits of the peer suffice for a stream. */
export function hasRoom({ mtuBytes, flowWindowPackets }: HandshakePacket): boolean {
  return mtuBytes >= MIN_MTU_BYTES && flowWindowPackets >= MIN_FLOW_WINDOW_PACKETS
}

/** The request of an initiator. */
export function offer({ receiveLatencyMs, sendLatencyMs }: LocalTerms): ExtensionMessage {
  return { version: OWN_VERSION, flags: OWN_FLAGS, receiveLatencyMs, sendLatencyMs }
}

/** The answer of a responder: the longer of its own latencies and those asked for. */
export function answer(request: ExtensionMessage, terms: LocalTerms): ExtensionMessage {
  return offer({
    receiveLatencyMs: Math.max(terms.receiveLatencyMs, request.sendLatencyMs),
    sendLatencyMs: Math.max(terms.sendLatencyMs, request.receiveLatencyMs),
  })
}

/** Combines both handshakes and the latencies of this end. */
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
