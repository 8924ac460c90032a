import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
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
    if (!isThisMachine(request.socket)) throw new AdminRefused()
    if (!READING.has(request.method)) await refuseForeignPages(request)
  })
}

/** A hook of routes that tell what no other site may know. */
export async function refuseForeignPages({ headers, socket }: FastifyRequest): Promise<void> {
  if (isForeignPage(headers, socket.localAddress)) throw new ForeignPage()
}

/** Whether a connection comes from this machine: over loopback, or by an address that both ends have. */
export function isThisMachine({ remoteAddress, localAddress }: Partial<Socket>): boolean {
  return remoteAddress !== undefined && (isLoopback(remoteAddress) || remoteAddress === localAddress)
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/u.test(address)
}

/**
 * Whether a browser sends the request for a page that is not of this machine.
 * @param address the one of this machine that the request came to
 */
export function isForeignPage(headers: IncomingHttpHeaders, address = ''): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin !== undefined) return !isLocalName(URL.parse(origin)?.hostname ?? '', address)
  if (host === undefined) return site === 'cross-site'
  // A site may give its name this machine's address, and its pages are then of one origin with the server.
  return site === 'cross-site' || !isLocalName(URL.parse(`http://${host}`)?.hostname ?? '', address)
}

// Nobody from outside can have a name without a dot.
function isLocalName(hostname: string, address: string): boolean {
  const name = hostname.replace(/^\[|\]$/gu, '')
  if (name === os.hostname().toLowerCase() || isLoopback(name)) return true
  if (name !== '' && name === address.replace(/^::ffff:/u, '')) return true
  return /^(?:[^.:]+|.*\.localhost)$/u.test(name)
}
