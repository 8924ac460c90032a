import type { Logger } from 'pino'
import { errorReply } from 'sluice/sdk/host'
import { processOf } from '../base/process-ids.ts'
import { ADMINISTRATION, type Exchange, type Peers } from '../peers/peers.ts'
import { ADMIN_MOUNTS } from './mount-table.ts'
import { splitMount } from './request-path.ts'
import type { SessionTokens } from './session-tokens.ts'

/** The process that is to answer a request, or a promise of it, and the address that the request came to. */
export type Elsewhere = {
  readonly elsewhere: number | Promise<number | undefined>
  readonly address: string | undefined
}

export type HandedRequestsOptions = {
  readonly log: Logger
  readonly peers: Peers
  readonly tokens: SessionTokens
  /** Returns true when a route of this process has a path. */
  readonly hasRoute: (url: string) => boolean
  /** Answers a request in this process, whatever routes other processes have. */
  readonly take: (exchange: Exchange) => void
  readonly refuse: (exchange: Exchange, statusCode: number, message: string) => void
}

/** Finds the requests that another process is to answer, and hands them on. */
export class HandedRequests {
  readonly #options: HandedRequestsOptions

  constructor(options: HandedRequestsOptions) {
    this.#options = options
  }

  /** True when there are other processes. While there are none, every request is answered here. */
  get hasOthers(): boolean {
    return this.#options.peers.others.length > 0
  }

  /**
   * Finds the process that made the token of a session in an address. Where the address has none, and no route here has the
   * path, it is the process whose route has it, as that of a plugin that only one process runs.
   * @param address the plugin whose own address the request came to, or {@link ADMINISTRATION}
   * @returns undefined where this process is to answer
   */
  find(url: string, address: string | undefined): Elsewhere | undefined {
    const { peers, tokens, hasRoute } = this.#options
    const isAdministered = ADMIN_MOUNTS.has(splitMount(url).mount)
    const id = isAdministered ? undefined : tokens.ownerIn(url)
    if (id !== undefined) {
      const process = processOf(id)
      return peers.others.includes(process) ? { elsewhere: process, address } : undefined
    }
    const isOfPlugin = address !== undefined && address !== ADMINISTRATION
    return isOfPlugin || hasRoute(url) ? undefined : { elsewhere: peers.owner({ path: url }), address }
  }

  /** Lets the other process answer, or this one where none was found. For a process that is away, this one answers 503. */
  async handOn({ elsewhere, address }: Elsewhere, exchange: Exchange): Promise<void> {
    const { log, peers, take, refuse } = this.#options
    const handed = { ...exchange, ...(address !== undefined && { address }) }
    // The socket has no other listener for errors during the search for the process.
    if ('socket' in exchange) exchange.socket.on('error', (err) => log.debug({ reason: err.message }, 'upgrade failed'))
    try {
      const process = await elsewhere
      if (process === undefined || process === peers.node.process) take(handed)
      else await peers.hand(process, handed)
    } catch (error) {
      const { statusCode, headers, body } = errorReply(error)
      log.debug({ reason: body.message }, 'a request could not be handed on')
      if ('response' in exchange) {
        for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value)
      }
      refuse(exchange, statusCode, body.message)
    }
  }
}
