import type { PluginDefinition } from 'sluice/sdk'
import type { Claim, Peers } from '../peers/peers.ts'

/** The claim of a plugin with `processes: 'one'` to be run by this process. Other plugins need none. */
export class RunClaim {
  readonly #peers: Pick<Peers, 'claim'>
  readonly #onChange: () => void
  #claimed: { readonly name: string; readonly claim: Claim } | undefined

  /** @param onChange is called when `admits` would say otherwise than before */
  constructor(peers: Pick<Peers, 'claim'>, onChange: () => void) {
    this.#peers = peers
    this.#onChange = onChange
  }

  /** Whether this process may run the plugin now. From the first call on, the process claims it. */
  admits({ name, processes = 'each' }: Pick<PluginDefinition, 'name' | 'processes'>): boolean {
    if (this.#claimed !== undefined && (processes === 'each' || this.#claimed.name !== name)) this.release()
    if (processes === 'each') return true
    this.#claimed ??= { name, claim: this.#peers.claim(name, this.#onChange) }
    return this.#claimed.claim.isHeld
  }

  /** Leaves the plugin to another process. Idempotent. */
  release(): void {
    const claimed = this.#claimed
    this.#claimed = undefined
    claimed?.claim.release()
  }
}
