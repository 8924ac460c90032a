import { performance } from 'node:perf_hooks'
import type { UnitSink } from 'sluice/sdk'
import type { RtpReceptionCounts } from 'sluice/sdk/media'
import type { GbContext } from '../plugin-context.ts'
import type { MediaTaker } from '../transport/switchboard.ts'
import { PsIngest } from './ps-ingest.ts'
import { SourceLock } from './source-lock.ts'

/** The most packets that wait for the stream to be published. */
const MAX_WAITING_PACKETS = 4096
const SSRC_OFFSET = 8
const RTP_HEADER_SIZE_BYTES = 12
const NO_COUNTS: RtpReceptionCounts = {
  receivedPackets: 0,
  lostPackets: 0,
  reorderedPackets: 0,
  duplicatePackets: 0,
  brokenPackets: 0,
}

type InletInit = {
  readonly ssrc: number
  readonly isStrict: boolean
  readonly hosts: ReadonlySet<string>
  readonly isDatagram: boolean
  readonly timers: Pick<GbContext, 'setInterval'>
}

/** The packets of one session: those of the device are told from others, and wait until there is a place for their media. */
export class Inlet implements MediaTaker {
  readonly hosts: Set<string>
  readonly connections = new Set<() => void>()
  readonly #init: InletInit
  readonly #ssrcs: Set<number>
  readonly #lock: SourceLock
  readonly #arrived = Promise.withResolvers<void>()
  readonly #disconnected = Promise.withResolvers<void>()
  #waiting: Buffer[] = []
  #ingest: PsIngest | undefined
  #strangePackets = 0
  #isClosed = false

  constructor(init: InletInit) {
    this.#init = init
    this.hosts = new Set(init.hosts)
    this.#ssrcs = new Set([init.ssrc])
    this.#lock = new SourceLock({ ssrcs: this.#ssrcs, isStrict: init.isStrict, hosts: this.hosts })
  }

  /** Resolves when the first packet of the device has come. */
  get arrived(): Promise<void> {
    return this.#arrived.promise
  }

  /** Resolves when the connection of the device has ended. */
  get disconnected(): Promise<void> {
    return this.#disconnected.promise
  }

  get boundTo(): string | undefined {
    return this.#isClosed ? undefined : this.#lock.from
  }

  get counts(): RtpReceptionCounts & { readonly strangePackets: number } {
    return { ...(this.#ingest?.counts ?? NO_COUNTS), strangePackets: this.#strangePackets }
  }

  /** Streams that make no track. */
  get unsupported(): ReadonlySet<string> | undefined {
    return this.#ingest?.unsupported
  }

  /** The SSRC of the device's packets; undefined before one has come. */
  get ssrc(): number | undefined {
    return this.#lock.ssrc
  }

  /** Takes in what the device has answered: its address, and its SSRC where it has chosen another. */
  answered(host: string, ssrc: number | undefined): void {
    this.hosts.add(host)
    if (ssrc !== undefined) this.#ssrcs.add(ssrc)
  }

  packet(packet: Buffer, from: string): boolean {
    if (this.#isClosed || packet.length < RTP_HEADER_SIZE_BYTES) return false
    if (!this.#lock.admits(from, packet.readUInt32BE(SSRC_OFFSET), performance.now())) {
      this.#strangePackets += 1
      return false
    }
    if (this.#ingest !== undefined) this.#ingest.push(packet)
    else {
      if (this.#waiting.length < MAX_WAITING_PACKETS) this.#waiting.push(packet)
      this.#arrived.resolve()
    }
    return true
  }

  lost(from: string): void {
    if (from === this.#lock.from) this.#ingest?.lost()
  }

  ended(from: string): void {
    if (from === this.#lock.from) this.#disconnected.resolve()
  }

  /** Passes the packets that have come, and all later ones, to a sink; `onComplete` as of {@link PsIngest}. */
  deliver(sink: UnitSink, onComplete: () => void): void {
    const ingest = new PsIngest(sink, this.#init.isDatagram, this.#init.timers, onComplete)
    this.#ingest = ingest
    for (const packet of this.#waiting) ingest.push(packet)
    this.#waiting = []
  }

  close(): void {
    this.#isClosed = true
    this.#waiting = []
    this.#ingest?.close()
    for (const close of this.connections) close()
  }
}
