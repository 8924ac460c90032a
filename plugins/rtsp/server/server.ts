import { performance } from 'node:perf_hooks'
import type { RtspContext } from '../plugin-context.ts'
import { RtspFormats } from '../media/from-stream.ts'
import { ServerAuthenticator } from './authenticator.ts'
import { MulticastGroups } from './multicast-groups.ts'
import { ServerConnection } from './server-connection.ts'
import type { Accepted, RtspServerContext } from './server-context.ts'
import type { RtspSession } from './session.ts'
import { Tunnels } from './tunnels.ts'

/** The time between searches for silent sessions. */
const SWEEP_INTERVAL_MS = 1000

/** The server's side of RTSP (RFC 2326): its connections, and its sessions, which may outlive those. */
export class RtspServer implements RtspServerContext {
  readonly ctx: RtspContext
  readonly formats = new RtspFormats()
  readonly authenticator: ServerAuthenticator
  readonly multicast: MulticastGroups
  readonly #tunnels: Tunnels
  readonly #connections = new Set<ServerConnection>()
  readonly #sessions = new Map<string, RtspSession>()

  constructor(ctx: RtspContext) {
    this.ctx = ctx
    this.authenticator = new ServerAuthenticator(() => ctx.config, ctx.streams)
    this.multicast = new MulticastGroups({ ctx, formats: this.formats })
    this.#tunnels = new Tunnels(ctx, (accepted) => this.accept(accepted))
    ctx.setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS)
    ctx.onDispose(() => this.#close('the plugin is stopping'))
  }

  accept(accepted: Accepted): void {
    const connection = new ServerConnection(this, accepted, (request, half) => this.#tunnels.take(request, half))
    this.#connections.add(connection)
    accepted.stream.once('close', () => this.#connections.delete(connection))
  }

  began(session: RtspSession): void {
    this.#sessions.set(session.id, session)
  }

  ended(session: RtspSession): void {
    this.#sessions.delete(session.id)
  }

  find(id: string): RtspSession | undefined {
    return this.#sessions.get(id)
  }

  #sweep(): void {
    const oldestMs = performance.now() - this.ctx.config.sessiontimeout
    for (const session of this.#sessions.values()) {
      const mayBeGone = session.outlivesConnection || !session.isStarted
      if (mayBeGone && session.seenMs < oldestMs) session.close('the client gives no sign of life')
    }
  }

  #close(reason: string): void {
    for (const session of this.#sessions.values()) session.close(reason)
    for (const connection of this.#connections) connection.close(reason)
  }
}
