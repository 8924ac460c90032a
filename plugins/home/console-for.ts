import type { IncomingMessage } from 'node:http'
import type { ServiceRegistry } from 'sluice/sdk'

/**
 * The address of the administration page for a visitor, relative to the server's root; undefined where there is no such page, or it
 * would not answer this visitor.
 */
export function consoleFor(request: IncomingMessage, services: Pick<ServiceRegistry, 'get'>): string | undefined {
  const mayAdminister = services.get('server')?.mayAdminister(request) ?? false
  return mayAdminister ? services.get('console')?.url.slice(1) : undefined
}
