import { readFileSync } from 'node:fs'

/** Whether a program of this machine has a UDP port, looked up without binding it. True on other systems than Linux. */
export function isUdpPortBound(port: number): boolean {
  return process.platform !== 'linux' || unreadBytes(port).length > 0
}

/**
 * How many bytes lie at a UDP port of this machine that its program has not read yet. It does not tell on other systems than
 * Linux: 0.
 */
export function unreadUdpBytes(port: number): number {
  return process.platform === 'linux' ? unreadBytes(port).reduce((sum, bytes) => sum + bytes, 0) : 0
}

/** Of each socket at a port. */
function unreadBytes(port: number): number[] {
  const sockets = ['/proc/net/udp', '/proc/net/udp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1))
  const own = sockets.map((line) => line.trim().split(/\s+/u)).filter(([, local]) => portOf(local) === port)
  return own.map(([, , , , queues = '']) => Number.parseInt(queues.split(':')[1] ?? '0', 16))
}

function portOf(address = ''): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)
}
