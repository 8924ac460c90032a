import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { MalformedError } from 'sluice/sdk/media'
import type { HostPort, SipLinkHandler } from './link.ts'
import { parseSipMessage, type SipMessage } from './message.ts'

/** A socket at a free port of an address. */
export async function boundSocket(host: string): Promise<Socket> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.bind(0, host)
  await once(socket, 'listening')
  // What can't be sent is lost, as anything over UDP may be.
  socket.on('error', () => {})
  return socket
}

/** Reads messages of SIP from a socket; what is none is left out. */
export function readMessages(socket: Socket, onMessage: SipLinkHandler['onMessage']): void {
  socket.on('message', (bytes, { address: host, port }) => {
    const message = messageOf(bytes)
    if (message === undefined) return
    onMessage(message, { host, port }, (answer) => sendTo(socket, answer, { host, port }))
  })
}

/** Sends a datagram; one that can't be sent, as the socket is closed or it is too large, is lost. */
export function sendTo(socket: Socket | undefined, bytes: Buffer, { host, port }: HostPort): void {
  try {
    socket?.send(bytes, port, host, () => {})
  } catch {
    // The socket was closed meanwhile, or a peer has named a port that there is not.
  }
}

function messageOf(bytes: Buffer): SipMessage | undefined {
  try {
    return parseSipMessage(bytes)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return undefined
  }
}
