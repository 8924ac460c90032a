import type { SipFlow } from '../sip/flow.ts'

/** The two ends of the way of messages: plain data, by which any generation names a connection or a peer by UDP. */
export type FlowEnds = Pick<SipFlow, 'transport' | 'local' | 'remote'>

/** A session whose media comes to the one port of all. */
export type MediaTaker = {
  /** Takes a packet; `from` is the address of its sender, `host:port`. Returns false when it is not the session's. */
  packet(packet: Buffer, from: string): boolean
  /** Bytes of a connection were no packets: some are missing before the next one. */
  lost(from: string): void
  /** A connection has ended. */
  ended(from: string): void
  /** Addresses that its media may come from, where it has another SSRC than the device was told. */
  readonly hosts: ReadonlySet<string>
  /** The address whose media it takes; undefined before some has come. */
  readonly boundTo: string | undefined
  /** Functions that close its connections. */
  readonly connections: Set<() => void>
}

/**
 * What all generations of the plugin share to send and receive. The sockets are the newest one's; calls and media of older
 * ones go on through it. It holds functions, each of which its generation takes out at its end.
 */
export type Switchboard = {
  /** Send a message over the sockets of a generation, the newest first; false where it has no such connection. */
  readonly senders: ((ends: FlowEnds, message: Buffer) => boolean)[]
  /** Takes the messages of a call, by its Call-ID. */
  readonly calls: Map<string, (message: Buffer, ends: FlowEnds) => void>
  /** Takes the answer to a query, by its device and number (`device number`). */
  readonly answers: Map<string, (body: Buffer) => void>
  /** Sessions with media on the one port, by the SSRC that the device was told. */
  readonly media: Map<number, MediaTaker>
  /** Functions that are called when a device tells that a recording is over, by channel (`device/channel`). */
  readonly fileEnds: Map<string, Set<() => void>>
  /** The SSRCs in use, as ten digits. */
  readonly ssrcs: Set<string>
  /** The number of the latest query. */
  serialNumber: number
}

/** Returns the state with which the first generation begins. */
export function newSwitchboard(): Switchboard {
  return {
    senders: [],
    calls: new Map(),
    answers: new Map(),
    media: new Map(),
    fileEnds: new Map(),
    ssrcs: new Set(),
    serialNumber: 0,
  }
}

/** Returns the ends of a flow as plain data. */
export function endsOf({ transport, local, remote }: FlowEnds): FlowEnds {
  return { transport, local, remote }
}

/** A text for the ends of a flow, which no other has. */
export function flowName({ transport, local, remote }: FlowEnds): string {
  return `${transport} ${local.port} ${remote.host} ${remote.port}`
}
