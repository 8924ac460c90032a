import type { Socket } from 'node:net'
import { MalformedError } from 'sluice/sdk/media'
import { parseConnectAnswer, serializeConnect } from './connect-answer.ts'
import { DialError } from './dial-error.ts'
import type { ProxyServer } from './proxy-url.ts'

/** Explanations of the common statuses by which a proxy refuses CONNECT. */
const REFUSALS: Readonly<Record<number, string>> = {
  403: 'it forbids this target',
  407: 'it wants a name and password that it knows',
  502: 'it does not reach the target',
  503: 'it does not reach the target',
  504: 'it does not reach the target in time',
}

/** The connection to a proxy, and the target that the proxy shall connect to. */
export type Leg = {
  readonly socket: Socket
  /** The host; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly user: ProxyServer['user']
  readonly signal: AbortSignal
}

/**
 * Connects to a target through an HTTP proxy; bytes that the target has sent meanwhile can be read from the socket.
 * @throws {DialError} when the proxy refuses, or does not speak HTTP; the caller ends the socket
 */
export async function connectByHttp({ socket, host, port, user, signal }: Leg): Promise<void> {
  socket.write(serializeConnect(host, port, user))
  const status = await readStatus(socket, signal)
  if (status < 300) return
  const why = REFUSALS[status]
  throw new DialError(`the proxy answered ${status}${why === undefined ? '' : `: ${why}`}`)
}

async function readStatus(socket: Socket, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let head = Buffer.alloc(0)
  const read = () => {
    const bytes = socket.read() as Buffer | null
    if (bytes === null) return
    head = Buffer.concat([head, bytes])
    try {
      const answer = parseConnectAnswer(head)
      if (answer === null) return
      // The bytes that are put back would raise `readable` again.
      socket.off('readable', read)
      if (head.length > answer.headSizeBytes) socket.unshift(head.subarray(answer.headSizeBytes))
      resolve(answer.status)
    } catch (error) {
      reject(error instanceof MalformedError ? new DialError('the proxy does not speak HTTP') : error)
    }
  }
  const end = () => reject(new DialError('the proxy hung up'))
  const stop = () => reject(new DialError('stopped'))
  signal.addEventListener('abort', stop, { once: true })
  socket.on('readable', read).on('end', end).on('close', end).on('error', reject)
  try {
    if (signal.aborted) stop()
    return await promise
  } finally {
    signal.removeEventListener('abort', stop)
    socket.off('readable', read).off('end', end).off('close', end).off('error', reject)
  }
}
