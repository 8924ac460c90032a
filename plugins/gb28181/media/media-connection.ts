import type { Socket } from 'node:net'
import { sessionClient } from 'sluice/sdk'
import { MalformedError, RtpStreamReader } from 'sluice/sdk/media'
import type { MediaHandlers } from './media-port.ts'

/** A connection that brings nothing for this long is closed. */
const IDLE_MS = 60_000

/**
 * Reads packets from a connection.
 * @returns a function that closes it
 */
export function readMedia(socket: Socket, handlers: MediaHandlers): () => void {
  const { ip, port } = sessionClient(socket)
  const from = `${ip}:${port}`
  const reader = new RtpStreamReader({
    onPacket: (packet) => void handlers.packet(packet, from),
    onLost: () => handlers.lost(from),
  })
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('error', () => {})
  socket.on('close', () => handlers.ended(from))
  socket.on('data', (bytes: Buffer) => {
    try {
      reader.push(bytes)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      socket.destroy()
    }
  })
  return () => socket.destroy()
}
