import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import { keep } from './lifetime.ts'
import { isUdpPortBound, unreadUdpBytes } from './udp-sockets.ts'

describe('UDP sockets of this machine', () => {
  async function bind(type: 'udp4' | 'udp6'): Promise<Socket> {
    const socket = createSocket(type)
    const listening = once(socket, 'listening')
    socket.bind(0)
    await listening
    return socket
  }

  for (const type of ['udp4', 'udp6'] as const) {
    it(`tell whether they are bound, and what nobody has read: ${type}`, async function () {
      if (process.platform !== 'linux') this.skip()
      const [reader, writer] = [await bind(type), await bind(type)]
      keep({ close: () => void writer.close() })
      const { port } = reader.address()
      expect(isUdpPortBound(port)).to.equal(true)
      expect(unreadUdpBytes(port)).to.equal(0)
      const connected = once(writer, 'connect')
      writer.connect(port)
      await connected
      // It is sent at once, and read when this function waits.
      writer.send('hello')
      expect(unreadUdpBytes(port)).to.be.above(0)
      await once(reader, 'message')
      expect(unreadUdpBytes(port)).to.equal(0)
      reader.close()
      expect(isUdpPortBound(port)).to.equal(false)
    })
  }
})
