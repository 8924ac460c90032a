import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the system gives to those who ask for any, so that none of these goes to somebody meanwhile. */
const PORTS_FROM = 20_000
const PORTS_TO = 32_000

/** What this process has given out, as nobody may have bound it yet. */
const given = new Set<number>()

/** A TCP port that nothing on this machine has bound, for programs that can't say which one they were given. */
export async function freePort(): Promise<number> {
  const { first } = await freeRange(1, isTcpPortFree)
  return first
}

/** A UDP port that nothing on this machine has bound, and nobody hears. */
export async function freeUdpPort(): Promise<number> {
  const { first } = await freeRange(1, isUdpPortFree)
  return first
}

/** A port that nothing on this machine has bound, neither by TCP nor by UDP. */
export async function freeTcpUdpPort(): Promise<number> {
  const { first } = await freeRange(1, async (port) => (await isTcpPortFree(port)) && (await isUdpPortFree(port)))
  return first
}

/** TCP ports in a row that nothing on this machine has bound. */
export function freeTcpRange(count: number): Promise<PortRange> {
  return freeRange(count, isTcpPortFree)
}

/** UDP ports in a row that nothing on this machine has bound, for those who can't say "any". */
export function freeUdpRange(count: number): Promise<PortRange> {
  return freeRange(count, isUdpPortFree)
}

type PortRange = { readonly first: number; readonly last: number }

async function freeRange(count: number, isFree: (port: number) => Promise<boolean>): Promise<PortRange> {
  for (;;) {
    const first = randomInt(PORTS_FROM, PORTS_TO)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if (ports.some((port) => given.has(port))) continue
    for (const port of ports) given.add(port)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return { first, last: first + count - 1 }
  }
}

async function isTcpPortFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port), 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
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
