import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import type { Context } from 'mocha'

/** What a server answered. */
export type OtherAnswer = {
  readonly status: number
  readonly text: string
  readonly headers: NodeJS.Dict<string | string[]>
}

/** An address of this machine besides loopback; undefined where it has none. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
}

/**
 * An address from which a client asks a server at 127.0.0.1, to which it is another machine's. Where there is none, the test is
 * skipped, aloud.
 */
export function requireOtherAddress(test: Context): string {
  const address = ownAddress()
  if (address !== undefined) return address
  process.stdout.write('no address besides loopback: a test of clients elsewhere is skipped\n')
  return test.skip()
}

/** Asks `http://127.0.0.1:…` from another address; of events without end, only the head is waited for. */
export function askFrom(
  localAddress: string,
  url: string,
  { method = 'GET', headers = {}, body = '' } = {},
): Promise<OtherAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OtherAnswer>()
  // Of a `DELETE`, Node tells the length of the body only when it is told.
  const about = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const client = request(url, { localAddress, method, headers: { ...about, ...headers } })
  client.on('error', reject)
  client.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve({ status: response.statusCode ?? 0, text: '', headers: response.headers })
  })
  client.on('response', (response) => {
    const { statusCode: status = 0, headers } = response
    if (headers['content-type']?.startsWith('text/event-stream')) {
      response.destroy()
      return resolve({ status, text: '', headers })
    }
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => resolve({ status, text, headers }))
    response.on('error', reject)
  })
  client.end(body)
  return promise
}
