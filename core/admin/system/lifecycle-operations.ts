import type { Logger } from 'pino'
import { Type, Unsupported, type OperationRegistry } from 'sluice/sdk'

/** Restarts and ends the server. */
export interface Lifecycle {
  /**
   * Loads the config and the plugins as they are now, and replaces the running server. Resolves before anything is stopped.
   * @throws {ConfigError} when the config is wrong; the server goes on then
   */
  restart(): Promise<void>
  /** Ends the server and its process. Nothing is stopped before this returns. */
  shutdown(): void
}

/** Older clients send the id of the server to restart; it is ignored, as there is one. */
const ANY_SERVER = Type.Object({ id: Type.Optional(Type.String()) })

/** `POST /api/restart` and `/api/shutdown` (api.md 3.2). Both answer first. */
export function addLifecycleOperations(
  operations: OperationRegistry,
  log: Logger,
  lifecycle: Lifecycle | undefined,
): void {
  const required = (): Lifecycle => {
    if (lifecycle === undefined) throw new Unsupported('this server is run by another program, which alone can do that')
    return lifecycle
  }

  operations.add({
    method: 'POST',
    path: '/api/restart',
    aliases: ['/api/restart/{id}'],
    summary: 'Restart the server with its config as it is now; 400 where that is wrong',
    params: ANY_SERVER,
    reach: 'all',
    async handle({ user }) {
      const life = required()
      log.info({ user }, 'a restart is asked for')
      await life.restart()
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/shutdown',
    aliases: ['/api/shutdown/{id}'],
    summary: 'End the server',
    params: ANY_SERVER,
    reach: 'all',
    handle({ user }) {
      const life = required()
      log.info({ user }, 'a shutdown is asked for')
      life.shutdown()
    },
  })
}
