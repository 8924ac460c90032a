import type { FastifyInstance } from 'fastify'
import { SluiceError } from 'sluice/sdk'

class AdminRefused extends SluiceError {
  constructor() {
    super('UNAUTHENTICATED', 401, 'administration is open to this machine only; reach it over localhost')
  }
}

/** Admin operations are for clients on this machine, as long as there is no login (design, Outside faces). */
export function guardAdmin(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ socket }) => {
    if (!isLoopback(socket.remoteAddress ?? '')) throw new AdminRefused()
  })
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/u.test(address)
}
