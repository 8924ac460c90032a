import type { FastifyInstance } from 'fastify'

/** The page at `/`. */
export function registerHome(app: FastifyInstance): void {
  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send('<!doctype html><title>Sluice</title>'),
  )
}
