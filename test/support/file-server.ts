import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { once } from 'node:events'
import { keep } from '../peers/lifetime.ts'

type SeenRequest = { readonly url: string; readonly headers: IncomingHttpHeaders }

/** A plain HTTP server over a folder, with troubles on demand. It goes with the test that started it, at the latest. */
export class FileServer {
  readonly requests: SeenRequest[] = []
  /** Hangs up on everybody, as a server that is gone. */
  down = false
  /** Paths, without query, that are answered with 404. */
  readonly missing = new Set<string>()
  /** Paths that lead elsewhere. */
  readonly redirects = new Map<string, string>()
  /** Tells whether it asks for name and password (Basic), whichever they are. */
  asksForUser = false
  /** Whether parts of files are given to those who ask for them. */
  ranges = false
  readonly #folder: string
  readonly #server: Server
  readonly #letGo: () => void

  private constructor(folder: string) {
    this.#folder = folder
    this.#server = createServer((request, response) => {
      const url = request.url ?? '/'
      const [name = ''] = url.split('?')
      this.requests.push({ url, headers: request.headers })
      if (this.down) {
        request.socket.destroy()
        return
      }
      const location = this.redirects.get(name)
      const isUnknown = this.asksForUser && request.headers.authorization === undefined
      if (isUnknown) response.writeHead(401, { 'www-authenticate': 'Basic realm="files"' }).end()
      else if (location !== undefined) response.writeHead(302, { location }).end()
      else if (this.missing.has(name)) response.writeHead(404).end()
      else
        readFile(path.join(this.#folder, path.normalize(name))).then(
          (bytes) => this.#answer(bytes, request.headers.range, response),
          () => response.writeHead(404).end(),
        )
    })
    this.#letGo = keep(this)
  }

  static async start(folder: string): Promise<FileServer> {
    const server = new FileServer(folder)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  /** @param user `name:password@`, or nothing */
  url(name: string, user = ''): string {
    return `http://${user}127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`
  }

  #answer(bytes: Buffer, range: string | undefined, response: ServerResponse): void {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/u.exec(range ?? '') ?? []
    if (!this.ranges || first === undefined)
      return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    const part = bytes.subarray(Number(first), Number(last) + 1)
    const contentRange = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`
    response.writeHead(206, { 'content-range': contentRange, 'content-length': part.length }).end(part)
  }

  close(): void {
    this.#letGo()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
