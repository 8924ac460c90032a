import type { Logger } from 'pino'
import { Type, Unsupported, type OperationRegistry } from 'sluice/sdk'

/** What ends the server and begins it anew. */
export interface Lifecycle {
  /**
   * Loads the config and the plugins as they are now, and has them take the place of what runs. Resolves before anything
   * is stopped.
   * @throws {ConfigError} when the config is wrong; what runs goes on
   */
  restart(): Promise<void>
  /** Has the server end, and its process with it. Nothing is stopped before this returns. */
  shutdown(): void
}

/** Older clients name the server whose restart they ask for; there is one. */
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
