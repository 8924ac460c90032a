import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { keep } from '../peers/lifetime.ts'

/** A proxy of HTTP that reaches nothing. */
export type DeadEndProxy = {
  readonly url: string
  /** How often it was asked for each host. */
  readonly dials: ReadonlyMap<string, number>
}

/** Starts a proxy that reaches nothing, and goes when the test is over. */
export async function startDeadEndProxy(): Promise<DeadEndProxy> {
  const dials = new Map<string, number>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      const [, host = ''] = /^CONNECT (\S+):\d+ /u.exec(bytes.toString('latin1')) ?? []
      dials.set(host, (dials.get(host) ?? 0) + 1)
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
  })
  keep({ close: () => void server.close() })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, dials }
}
