import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SocksClientError } from 'socks'
import { DialError } from './dial-error.ts'
import type { Leg } from './http-connect.ts'

const ignore = () => {}

/**
 * Has a proxy lead a connection on to a target by SOCKS5 (RFC 1928); what the target has sent meanwhile can be read from the
 * socket.
 * @param timeoutMs until the proxy has answered
 * @throws {DialError} when the proxy refuses, or speaks no SOCKS; the caller ends the socket
 */
export async function connectBySocks({ socket, host, port, user, signal }: Leg, timeoutMs: number): Promise<void> {
  const { SocksClient } = await import('socks')
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  // The library stops listening to errors before the socket is at its end.
  socket.on('error', ignore)
  try {
    await SocksClient.createConnection({
      command: 'connect',
      existing_socket: socket,
      // Not connected to by the library: the socket is.
      proxy: { type: 5, host: 'proxy', port: 1080, ...(user && { userId: user.name, password: user.password }) },
      destination: { host, port },
      timeout: timeoutMs,
    })
    await keepEarlyBytes(socket)
  } catch (error) {
    // The library's error holds the password; its message does not.
    throw new DialError(`the proxy does not lead there: ${(error as SocksClientError).message}`)
  } finally {
    signal.removeEventListener('abort', stop)
    socket.off('error', ignore)
  }
}

/** What came right behind the answer, the library tells in the next turn to whoever listens: it is put back to be read. */
async function keepEarlyBytes(socket: Socket): Promise<void> {
  const early: Buffer[] = []
  const take = (bytes: Buffer) => void early.push(bytes)
  socket.on('data', take)
  await nextTurn()
  socket.pause().off('data', take)
  if (early.length > 0) socket.unshift(Buffer.concat(early))
  // Neither paused nor flowing, as one that nobody has read from.
  socket.on('readable', ignore).off('readable', ignore)
}
