/** The time in which the media of an unknown sender is left out, in case that of the right one comes. */
const STRANGER_MS = 1000
/** The silence of the known sender after which another may take its place. */
const SILENCE_MS = 3000

type SourceLockInit = {
  /** The SSRC that the device was told, and that which it has answered. */
  readonly ssrcs: ReadonlySet<number>
  /** True when no other SSRC is taken. */
  readonly isStrict: boolean
  /** Addresses that media is expected from: that of the device's description, and that of its SIP. */
  readonly hosts: ReadonlySet<string>
}

/** Its evidence: 2 for the right SSRC from an expected address, 1 for one of both, 0 for neither. */
type Locked = { readonly from: string; readonly ssrc: number; readonly evidence: number }

/**
 * Decides whose packets are the device's, where anybody can send some to the port. Devices may have another SSRC than they were told, and
 * a network card for media alone, so neither must be right; who comes with neither is taken when nobody else comes. Once one
 * is known, others are left out, but for better evidence and after silence.
 */
export class SourceLock {
  readonly #init: SourceLockInit
  #locked: Locked | undefined
  #heardMs = -Infinity
  #strangerMs: number | undefined

  constructor(init: SourceLockInit) {
    this.#init = init
  }

  /** The SSRC of the known sender; undefined before there is one. */
  get ssrc(): number | undefined {
    return this.#locked?.ssrc
  }

  /** The address of the known sender, `host:port`; undefined before there is one. */
  get from(): string | undefined {
    return this.#locked?.from
  }

  /**
   * Whether a packet is taken.
   * @param from the address of its sender, `host:port`
   * @param nowMs a monotonic clock
   */
  admits(from: string, ssrc: number, nowMs: number): boolean {
    const locked = this.#locked
    if (locked?.from === from && locked.ssrc === ssrc) {
      this.#heardMs = nowMs
      return true
    }
    if (this.#init.isStrict && !this.#init.ssrcs.has(ssrc)) return false
    const evidence = this.#evidenceOf(from, ssrc)
    const isBetter = locked === undefined || evidence > locked.evidence
    // A sender that goes on with another SSRC or port: the same address is evidence enough.
    const isSuccessor = locked !== undefined && evidence >= locked.evidence && nowMs - this.#heardMs > SILENCE_MS
    const isSameSender = locked !== undefined && locked.from === from && evidence >= locked.evidence
    if (!isBetter && !isSuccessor && !isSameSender) return false
    if (evidence === 0 && locked === undefined && !this.#hasWaited(nowMs)) return false
    this.#locked = { from, ssrc, evidence }
    this.#heardMs = nowMs
    return true
  }

  #evidenceOf(from: string, ssrc: number): number {
    const host = from.slice(0, from.lastIndexOf(':'))
    return Number(this.#init.ssrcs.has(ssrc)) + Number(this.#init.hosts.has(host))
  }

  #hasWaited(nowMs: number): boolean {
    this.#strangerMs ??= nowMs
    return nowMs - this.#strangerMs >= STRANGER_MS
  }
}
