import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { TcpPath } from './packet-path.ts'

/** A connection whose other end reads nothing. */
async function congested(): Promise<Socket> {
  const server = createServer((socket) => {
    socket.pause()
    keep({ close: () => void socket.destroy() })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  keep({ close: () => (socket.destroy(), void server.close()) })
  return socket
}

describe('TcpPath', () => {
  it('drops media that a peer does not take, and still sends checks and reports', async () => {
    const socket = await congested()
    const path = new TcpPath(socket)
    const run = Buffer.alloc(50 * 1200)
    while (path.droppedPackets === 0) path.sendRun(run, 1200)
    const waiting = socket.writableLength
    path.send([Buffer.alloc(100)])
    expect(socket.writableLength).to.equal(waiting + 102)
    expect(path.droppedPackets).to.equal(50)
  })

  it('drops checks and reports, too, where they are many', async () => {
    const socket = await congested()
    const path = new TcpPath(socket)
    for (let index = 0; index < 100_000; index += 1) path.send([Buffer.alloc(1000)])
    expect(path.droppedPackets).to.be.above(90_000)
    expect(socket.writableLength).to.be.below(640 * 1024)
  })
})
