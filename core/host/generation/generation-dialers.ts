import type { Socket } from 'node:net'
import type { Dialer, DialerOptions, DialTarget } from 'sluice/sdk'
import { PluginError } from '../plugin-error.ts'
import type { GenerationOwner, GenerationParts } from './generation-parts.ts'

/**
 * The connections to other servers that one generation opens. They end with the generation, and its drain does not wait for
 * them.
 */
export class GenerationDialers {
  readonly #owner: GenerationOwner
  readonly #createDialer: GenerationParts['dialer']
  readonly #sockets = new Set<Socket>()
  readonly #ending = new AbortController()

  constructor(owner: GenerationOwner, createDialer: GenerationParts['dialer']) {
    this.#owner = owner
    this.#createDialer = createDialer
  }

  /** @throws {Error} when the generation has ended, or the URL of the proxy is not valid */
  create(proxy: string, options: DialerOptions = {}): Dialer {
    this.#assertOpen()
    const dialer = this.#createDialer(proxy, options)
    return {
      proxied: dialer.proxied,
      connect: (target) => this.#connect(dialer, target),
      checkAddress: (ip) => dialer.checkAddress(ip),
    }
  }

  /** Ends the connections, and aborts those that are being opened. */
  close(): void {
    this.#ending.abort()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #connect(dialer: Dialer, target: DialTarget): Promise<Socket> {
    this.#assertOpen()
    const { signal: ending } = this.#ending
    const signal = target.signal === undefined ? ending : AbortSignal.any([target.signal, ending])
    const socket = await dialer.connect({ ...target, signal })
    if (ending.aborted) socket.destroy()
    this.#assertOpen()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }

  #assertOpen(): void {
    if (this.#ending.signal.aborted) throw new PluginError(`plugin '${this.#owner.plugin}' is unloaded`)
  }
}
