import type { FastifyInstance } from 'fastify'

/** The path that a supervisor asks for; it has no password to give. */
export const HEALTH_PATH = '/healthz'

/**
 * Adds `/healthz`, 200 while the process serves at all, and `/readyz`, 200 while nothing is missing.
 * @param missing returns the parts that should run, and do not: `plugins` while they are being started, later the names of
 * those that a failure keeps from running, `config` while a part of it is not known, and the reasons that plugins give, such as
 * `storage` while that of recordings can't be used; empty when the server is ready
 */
export function addHealthRoutes(app: FastifyInstance, missing: () => readonly string[]): void {
  app.get(HEALTH_PATH, () => ({ status: 'ok' }))
  app.get('/readyz', (_request, reply) => {
    const names = missing()
    if (names.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', missing: names })
  })
}
