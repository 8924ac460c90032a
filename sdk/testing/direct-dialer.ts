import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Dialer } from '../stream/dialer.ts'

/** Connects without a proxy, to whatever address: for tests of what pulls and pushes. */
export const directDialer: Dialer = {
  proxied: false,
  async connect({ host, port, tls, signal }) {
    const socket = tls
      ? connectTls({ host, port, rejectUnauthorized: tls.verifyCertificate, ALPNProtocols: [...(tls.alpn ?? [])] })
      : connectTcp({ host, port })
    try {
      await once(socket, tls ? 'secureConnect' : 'connect', signal && { signal })
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  },
  checkAddress() {},
}
