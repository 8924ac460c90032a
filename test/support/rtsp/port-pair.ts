import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

const ATTEMPTS = 100

/** Two sockets on ports that follow each other, the first an even one: for RTP and RTCP (RFC 3550 11). */
export type PortPair = { readonly port: number; readonly rtp: Socket; readonly rtcp: Socket }

/** @throws {Error} when no two such ports are free */
export async function openPortPair(): Promise<PortPair> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = await bind(0)
    const { port } = first!.address()
    const second = port % 2 === 0 ? await bind(port + 1) : undefined
    if (second !== undefined) return { port, rtp: first!, rtcp: second }
    first!.close()
  }
  throw new Error('no two ports for RTP are free')
}

async function bind(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4')
  const listening = once(socket, 'listening')
  socket.bind(port, '127.0.0.1')
  try {
    await listening
    return socket
  } catch (error) {
    socket.close()
    if (port !== 0 && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}
