import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Dialer, DialTarget } from '../stream/dialer.ts'

/** Connects without a proxy, to whatever address: for tests of what pulls and pushes. */
export const directDialer: Dialer = { proxied: false, connect: connectDirectly, checkAddress() {} }

async function connectDirectly({ host, port, tls, signal }: DialTarget): Promise<Socket> {
  const socket =
    tls === undefined
      ? connectTcp({ host, port, noDelay: true })
      : connectTls({
          host,
          port,
          rejectUnauthorized: tls.verifyCertificate,
          ...(isIP(host) === 0 && { servername: host }),
          ...(tls.alpn && { ALPNProtocols: [...tls.alpn] }),
        })
  try {
    await once(socket, tls === undefined ? 'connect' : 'secureConnect', signal === undefined ? {} : { signal })
    return socket
  } catch (error) {
    socket.on('error', () => {}).destroy()
    const reason = error instanceof Error ? error.message : 'failed'
    throw new Error(`can't connect to ${host}:${port}: ${reason}`, { cause: error })
  }
}
