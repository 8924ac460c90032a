import type { PluginDefinition } from 'sluice/sdk'
import type { Claim, Peers } from '../peers/peers.ts'

/** The claim to run a plugin with `processes: 'one'` in this process. Other plugins need none. */
export class RunClaim {
  readonly #peers: Pick<Peers, 'claim'>
  readonly #onChange: () => void
  #claimed: { readonly name: string; readonly claim: Claim } | undefined

  /** @param onChange called when the answer of `admits` changes */
  constructor(peers: Pick<Peers, 'claim'>, onChange: () => void) {
    this.#peers = peers
    this.#onChange = onChange
  }

  /** True when this process may run the plugin now. The first call makes the process claim the plugin. */
  admits({ name, processes = 'each' }: Pick<PluginDefinition, 'name' | 'processes'>): boolean {
    if (this.#claimed !== undefined && (processes === 'each' || this.#claimed.name !== name)) this.release()
    if (processes === 'each') return true
    this.#claimed ??= { name, claim: this.#peers.claim(name, this.#onChange) }
    return this.#claimed.claim.isHeld
  }

  /** Gives the claim up, so that another process can run the plugin. Idempotent. */
  release(): void {
    const claimed = this.#claimed
    this.#claimed = undefined
    claimed?.claim.release()
  }
}
