import type { FastifyInstance } from 'fastify'

/**
 * Adds `/healthz`, 200 while the process serves at all, and `/readyz`, 200 once nothing is missing.
 * @param missing what the server still waits for, for example plugins that have not started; empty when it is ready
 */
export function addHealthRoutes(app: FastifyInstance, missing: () => readonly string[]): void {
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', (_request, reply) => {
    const names = missing()
    if (names.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'starting', missing: names })
  })
}
