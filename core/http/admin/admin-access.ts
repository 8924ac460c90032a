import type { IncomingHttpHeaders } from 'node:http'
import os from 'node:os'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { SluiceError } from 'sluice/sdk'

class AdminRefused extends SluiceError {
  constructor() {
    super('UNAUTHENTICATED', 401, 'administration is open to this machine only; reach it over localhost')
  }
}

class ForeignPage extends SluiceError {
  constructor() {
    super('PERMISSION_DENIED', 403, 'pages of other sites may neither change nor sign anything here')
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Admin operations are for clients on this machine, as long as there is no login (design, Outside faces). A browser on
 * this machine also acts for pages of other sites: these may read, but change nothing.
 */
export function guardAdmin(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (!isLoopback(request.socket.remoteAddress ?? '')) throw new AdminRefused()
    if (!READING.has(request.method)) await refuseForeignPages(request)
  })
}

/** A hook of routes that tell what no other site may know. */
export async function refuseForeignPages({ headers }: FastifyRequest): Promise<void> {
  if (isForeignPage(headers)) throw new ForeignPage()
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/u.test(address)
}

/** Whether a browser sends the request for a page that is not of this machine. */
export function isForeignPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined) return !isLocalName(URL.parse(origin)?.hostname ?? '')
  // A site may name itself by this machine's address, and its pages are then of one origin with the server.
  return site === 'cross-site' || (host !== undefined && !isLocalName(URL.parse(`http://${host}`)?.hostname ?? ''))
}

// Nobody from outside can have a name without a dot.
function isLocalName(hostname: string): boolean {
  if (hostname === os.hostname().toLowerCase() || isLoopback(hostname.replace(/^\[|\]$/gu, ''))) return true
  return hostname !== '' && /^(?:[^.:[\]]+|.*\.localhost)$/u.test(hostname)
}
