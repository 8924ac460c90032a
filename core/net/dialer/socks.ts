import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SocksClientError } from 'socks'
import { DialError } from './dial-error.ts'
import type { Leg } from './http-connect.ts'

const ignore = () => {}

/**
 * Connects to a target through a SOCKS5 proxy (RFC 1928); bytes that the target has sent meanwhile can be read from the
 * socket.
 * @param timeoutMs the longest time until the proxy has answered
 * @throws {DialError} when the proxy refuses, or does not speak SOCKS; the caller ends the socket
 */
export async function connectBySocks({ socket, host, port, user, signal }: Leg, timeoutMs: number): Promise<void> {
  const { SocksClient } = await import('socks')
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  // The library stops listening to errors before the socket is closed.
  socket.on('error', ignore)
  try {
    await SocksClient.createConnection({
      command: 'connect',
      existing_socket: socket,
      // The library requires an address here, but does not connect to it: the socket is connected.
      proxy: { type: 5, host: 'proxy', port: 1080, ...(user && { userId: user.name, password: user.password }) },
      destination: { host, port },
      timeout: timeoutMs,
    })
    await keepEarlyBytes(socket)
  } catch (error) {
    // The library's error contains the password; its message does not.
    throw new DialError(`the proxy does not lead there: ${(error as SocksClientError).message}`)
  } finally {
    signal.removeEventListener('abort', stop)
    socket.off('error', ignore)
  }
}

/**
 * Puts bytes that came with the answer back into the socket: the library emits them in the next turn, before the caller has
 * a listener.
 */
async function keepEarlyBytes(socket: Socket): Promise<void> {
  const early: Buffer[] = []
  const take = (bytes: Buffer) => void early.push(bytes)
  socket.on('data', take)
  await nextTurn()
  socket.pause().off('data', take)
  if (early.length > 0) socket.unshift(Buffer.concat(early))
  // After this the socket is neither paused nor flowing, like a new one.
  socket.on('readable', ignore).off('readable', ignore)
}
