import { randomBytes } from 'node:crypto'
import { PeerAway } from '../peer-away.ts'
import type { Claim, Exchange, Owned, PeerAnswer, PeerCall, Peers, PeerService } from '../peers.ts'

export type MemberOptions = {
  /** Returns true when the member has the publisher of a stream; default none. */
  readonly hasStream?: (streamPath: string) => boolean
}

type Member = MemberOptions & { service?: PeerService; isSilent: boolean }
type MemberClaim = Claim & { readonly process: number; readonly notify: () => void }

/** Joins servers of one program as if they were the processes of one server. Calls and answers are copied on their way. */
export class MemoryBus {
  readonly #tokenKey = randomBytes(32)
  readonly #members = new Map<number, Member>()
  /** The claims by name; the first holds it. */
  readonly #claims = new Map<string, readonly MemberClaim[]>()

  join(process: number, options: MemberOptions = {}): Peers {
    const member: Member = { ...options, isSilent: false }
    this.#members.set(process, member)
    const others = () => [...this.#members.keys()].filter((other) => other !== process && this.#serviceOf(other))
    return {
      node: { id: 'bus', process, processes: 2 },
      tokenKey: this.#tokenKey,
      get others() {
        return others()
      },
      serve: (service) => void (member.service = service),
      ask: (other, call, signal) => this.#ask(other, call, signal),
      owner: async (of) => this.#owner(of, others()),
      hand: (other, exchange) => this.#hand(other, exchange),
      claim: (name, onChange) => this.#claim(process, name, onChange),
    }
  }

  /** Makes the process answer nothing from now on, though it stays a member. */
  silence(process: number): void {
    const member = this.#members.get(process)
    if (member !== undefined) member.isSilent = true
  }

  /** Removes the process; the others take over its claims. */
  leave(process: number): void {
    this.#members.delete(process)
    for (const claim of [...this.#claims.values()].flat()) if (claim.process === process) claim.release()
  }

  /** Gives a claim to another process, as when a lease could not be renewed in time. */
  move(name: string, process: number): void {
    const claims = this.#claims.get(name) ?? []
    this.#order(
      name,
      claims.toSorted((one, other) => Number(other.process === process) - Number(one.process === process)),
    )
  }

  #serviceOf(process: number): PeerService | undefined {
    return this.#members.get(process)?.service
  }

  async #ask(process: number, call: PeerCall, signal: AbortSignal): Promise<PeerAnswer> {
    const service = this.#serviceOf(process)
    if (service === undefined) throw new PeerAway(process)
    if (this.#members.get(process)?.isSilent === true) return new Promise(() => {})
    return structuredClone(await service.answer(structuredClone(call), signal))
  }

  #owner(of: Owned, others: readonly number[]): number | undefined {
    if ('one' in of) return this.#claims.get(of.one)?.[0]?.process
    if ('path' in of) return others.find((process) => this.#serviceOf(process)?.hasRoute(of.path))
    return [...this.#members].find(([, { hasStream }]) => hasStream?.(of.stream))?.[0]
  }

  async #hand(process: number, exchange: Exchange): Promise<void> {
    const service = this.#serviceOf(process)
    if (service === undefined || this.#members.get(process)?.isSilent === true) throw new PeerAway(process)
    service.take(exchange)
  }

  #claim(process: number, name: string, notify: () => void): Claim {
    const holder = () => this.#claims.get(name)?.[0]
    const claim: MemberClaim = {
      process,
      notify,
      get isHeld() {
        return holder() === claim
      },
      release: () => {
        const claims = this.#claims.get(name) ?? []
        this.#order(
          name,
          claims.filter((other) => other !== claim),
        )
      },
    }
    this.#claims.set(name, [...(this.#claims.get(name) ?? []), claim])
    return claim
  }

  #order(name: string, claims: readonly MemberClaim[]): void {
    const before = this.#claims.get(name)?.[0]
    this.#claims.set(name, claims)
    if (before === claims[0]) return
    for (const claim of [before, claims[0]]) if (claim !== undefined) queueMicrotask(claim.notify)
  }
}
