import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Below the ports that the system gives to those who ask for any, so that none of these goes to somebody meanwhile. */
const RANGES_FROM = 20_000
const RANGES_TO = 32_000

/** A port of the loopback address that is free at the moment, for programs that can't say which one they were given. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A UDP port of the loopback address that is free at the moment, and nobody hears. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

/** UDP ports in a row that nothing on this machine has bound, for those who can't say "any". */
export async function freeUdpRange(count: number): Promise<{ readonly first: number; readonly last: number }> {
  for (;;) {
    const first = randomInt(RANGES_FROM, RANGES_TO)
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isUdpPortFree(first + index)))
    if (free.every(Boolean)) return { first, last: first + count - 1 }
  }
}

/** Whether nothing on this machine has bound a UDP port on all its IPv4 addresses. */
export async function isUdpPortFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    const listening = once(socket, 'listening')
    socket.bind(port)
    await listening
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}
