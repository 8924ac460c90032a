import { randomNumbers } from '../random-numbers.ts'
import { describeDatagram, SRT_CONTROL, type SrtDatagram } from './srt-datagram.ts'

/** What happens to the datagrams of one direction, of data and of control alike. By default nothing. */
export type LinkPolicy = {
  /** Of the random numbers that decide; the same seed meets the same datagrams. Default 1. */
  readonly seed?: number
  /** Shares of all datagrams, 0–1. */
  readonly dropShare?: number
  readonly duplicateShare?: number
  readonly reorderShare?: number
  /** How much later than it would a datagram comes that is reordered. Default 20. */
  readonly reorderByMs?: number
  /** After a datagram that meets this share, this many are lost in a row. */
  readonly bursts?: { readonly share: number; readonly packetCount: number }
  /** How long each takes, and how much longer it may take besides. Where that differs, order is lost, too. */
  readonly delayMs?: number
  readonly jitterMs?: number
  /** Handshakes meet the same as all others. Otherwise nothing but `isDropped` and the delay happens to them. */
  readonly alsoHandshakes?: boolean
  /** Whether this very datagram is lost, before anything random. */
  readonly isDropped?: (datagram: SrtDatagram) => boolean
}

/** What became of the datagrams of one direction. */
export type LinkCounts = {
  /** That came in, and how many of them were data. */
  readonly came: number
  readonly data: number
  readonly dropped: number
  readonly droppedData: number
  readonly duplicated: number
  /** That went on after one that had come in later. */
  readonly reordered: number
}

type Mutable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] }

const REORDER_BY_MS = 20
const LOST: readonly number[] = []

/** One direction of the way between a client and its server, and what its policy does to what comes along. */
export class BadLink {
  readonly #policy: LinkPolicy
  readonly #client: number
  readonly #counts: Mutable<LinkCounts>
  readonly #random: () => number
  readonly #send: (datagram: Buffer) => void
  readonly #timers = new Set<NodeJS.Timeout>()
  #index = 0
  #lastSent = -1
  #lostInRow = 0

  /** @param counts shared by the links of one direction */
  constructor(policy: LinkPolicy, client: number, counts: Mutable<LinkCounts>, send: (datagram: Buffer) => void) {
    this.#policy = policy
    this.#client = client
    this.#counts = counts
    this.#random = randomNumbers((policy.seed ?? 1) * 31 + client)
    this.#send = send
  }

  /** Takes a datagram; its bytes are kept. */
  push(datagram: Buffer): void {
    const index = this.#index++
    const described = describeDatagram(datagram, { index, client: this.#client })
    const isData = described.controlType === undefined
    this.#counts.came++
    if (isData) this.#counts.data++
    const delaysMs = this.#delaysMs(described)
    if (delaysMs.length === 0) {
      this.#counts.dropped++
      if (isData) this.#counts.droppedData++
    }
    if (delaysMs.length > 1) this.#counts.duplicated++
    for (const delayMs of delaysMs) this.#sendIn(delayMs, datagram, index)
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  /** How long it takes, each time that it is sent on. None: it is lost. */
  #delaysMs(datagram: SrtDatagram): readonly number[] {
    const { dropShare = 0, duplicateShare = 0, reorderShare = 0, bursts, alsoHandshakes = false } = this.#policy
    const { delayMs = 0, jitterMs = 0, reorderByMs = REORDER_BY_MS, isDropped } = this.#policy
    // Of each datagram as many numbers are drawn, so that one decision does not change those that follow.
    const [drawn, burst, jitter, jitterOfCopy] = [this.#random(), this.#random(), this.#random(), this.#random()]
    const isSpared = datagram.controlType === SRT_CONTROL.handshake && !alsoHandshakes
    if (isDropped?.(datagram) === true) return LOST
    const ownMs = delayMs + jitter * jitterMs
    if (isSpared) return [ownMs]
    if (this.#lostInRow > 0) {
      this.#lostInRow--
      return LOST
    }
    if (bursts !== undefined && burst < bursts.share) this.#lostInRow = bursts.packetCount
    if (drawn < dropShare) return LOST
    if (drawn < dropShare + duplicateShare) return [ownMs, delayMs + jitterOfCopy * jitterMs]
    if (drawn < dropShare + duplicateShare + reorderShare) return [ownMs + reorderByMs]
    return [ownMs]
  }

  #sendIn(delayMs: number, datagram: Buffer, index: number): void {
    const send = () => {
      if (index < this.#lastSent) this.#counts.reordered++
      this.#lastSent = Math.max(index, this.#lastSent)
      this.#send(datagram)
    }
    if (delayMs === 0) {
      send()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      send()
    }, delayMs)
    this.#timers.add(timer)
  }
}

/** Counts of a direction where nothing has come yet. */
export function noCounts(): LinkCounts {
  return { came: 0, data: 0, dropped: 0, droppedData: 0, duplicated: 0, reordered: 0 }
}
