import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../peers/lifetime.ts'
import { NetworkNamespace } from './network-namespace.ts'

/** Sends a datagram, then talks by TCP, to the same address and port. */
const CLIENT = `
const [address, port] = process.argv.slice(1)
const socket = require('node:dgram').createSocket('udp4')
socket.send('hello', Number(port), address, (error) => {
  console.log(error ? 'no UDP' : 'UDP')
  socket.close()
  require('node:net').connect(Number(port), address).on('data', (bytes) => console.log(bytes.toString()))
})`

describe('a network without UDP', () => {
  it('lets TCP through, and no datagram', async function () {
    const network = NetworkNamespace.openWithoutUdp(this)
    const server = createServer((socket) => socket.end('TCP'))
    keep({ close: () => void server.close() })
    server.listen(0, network.hostAddress)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    let came = 0
    const socket = createSocket('udp4').on('message', () => came++)
    keep({ close: () => void socket.close() })
    socket.bind(port, network.hostAddress)
    await once(socket, 'listening')
    const client = network.start(process.execPath, ['-e', CLIENT, network.hostAddress, String(port)])
    expect((await client.succeed()).toString()).to.equal('no UDP\nTCP\n')
    expect(came).to.equal(0)
  })
})
