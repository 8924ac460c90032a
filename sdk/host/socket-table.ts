import type { Duplex } from 'node:stream'
import type { Access } from '../plugin/operations.ts'
import { parseQuery } from '../stream/stream-path.ts'
import type { RoutedRequest } from '../http/request.ts'
import type { AnySocket } from './any-operation.ts'
import { InputReader } from './input-reader.ts'
import { ANONYMOUS } from './serve-operation.ts'
import { matchPath, partsOf, type PathPart, type Spelling } from './spelling.ts'

/** A WebSocket that a path has. */
export type SocketRoute = {
  readonly access: Access
  /**
   * Reads the request, and hands it on.
   * @throws {InvalidRequest} when a parameter is missing or wrong
   */
  open(request: RoutedRequest, socket: Duplex, head: Buffer): Promise<void>
}

type Entry = {
  readonly operation: AnySocket
  readonly url: string
  readonly parts: readonly PathPart[]
  readonly reader: InputReader
}

/** The WebSockets of the administration that an app has. */
export class SocketTable {
  #entries: readonly Entry[] = []

  /** @throws {Error} when the path has one already */
  add(operation: AnySocket, { path, url }: Spelling): void {
    const { params, query } = operation
    if (this.has(url)) throw new Error(`there is already a WebSocket at ${path}`)
    const parts = partsOf(path, params)
    const entry = { operation, url, parts, reader: new InputReader({ params, query }) }
    // When two routes match a path, the one with fewer parameters wins.
    this.#entries = [...this.#entries, entry].toSorted((one, other) => parameterCount(one) - parameterCount(other))
  }

  /** @param url a path as fastify takes it */
  has(url: string): boolean {
    return this.#entries.some((entry) => shapeOf(entry.url) === shapeOf(url))
  }

  /** @param url path and query */
  find(url: string): SocketRoute | undefined {
    const [path = '', query = ''] = url.split('?', 2)
    for (const { operation, parts, reader } of this.#entries) {
      const params = matchPath(parts, path)
      if (params === undefined) continue
      return {
        access: socketAccessOf(operation),
        open: async (request, socket, head) => {
          const input = reader.read({ params, query: parseQuery(query), body: undefined })
          await operation.open({ ...input, user: request.user ?? ANONYMOUS, request, socket, head })
        },
      }
    }
    return undefined
  }
}

/** Returns the access that a WebSocket needs: its own, else `admin`. */
export function socketAccessOf({ access = 'admin' }: AnySocket): Access {
  return access
}

/** A pattern without the names of its parameters. */
function shapeOf(url: string): string {
  return url.replaceAll(/:\w+/gu, ':')
}

function parameterCount({ parts }: Entry): number {
  return parts.filter((part) => 'parameter' in part).length
}
