import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { LossyLink } from './lossy-link.ts'

const HEADERS = { 'content-type': 'application/sdp' }

async function openEnd(): Promise<{ send(bytes: Buffer, port: number): void; port: number; came: string[] }> {
  const socket = createSocket('udp4')
  keep({ close: () => void socket.close() })
  const came: string[] = []
  socket.on('message', (datagram) => void came.push(datagram.subarray(-1).toString()))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { came, port: socket.address().port, send: (bytes, port) => socket.send(bytes, port, '127.0.0.1') }
}

function description(port: number): string {
  const candidate = (transport: string) => `a=candidate:1 1 ${transport} 1 127.0.0.1 ${port} typ host`
  return `v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\n${candidate('tcp')}\r\n${candidate('udp')}\r\n`
}

function portsIn(text: string): number[] {
  return [...text.matchAll(/a=candidate:1 1 udp \d+ 127\.0\.0\.1 (\d+) typ host/gu)].map(([, port]) => Number(port))
}

function rtp(sequenceNumber: number, text: string, type = 96): Buffer {
  const bytes = Buffer.alloc(13)
  bytes[0] = 0x80
  bytes[1] = type
  bytes.writeUInt16BE(sequenceNumber, 2)
  bytes.writeUInt32BE(99, 8)
  bytes.write(text, 12)
  return bytes
}

describe('the lossy link of WebRTC', () => {
  it('puts its ports into offer and answer, and loses SRTP alone', async () => {
    const [client, server] = [await openEnd(), await openEnd()]
    const offers: string[] = []
    const http = createServer((request, response) => {
      request.on('data', (bytes: Buffer) => void offers.push(bytes.toString()))
      request.on('end', () => {
        response.writeHead(201, { location: '/there', etag: '"a"' }).end(description(server.port))
      })
    })
    keep({ close: () => void http.close() })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const link = await LossyLink.start({
      serverPort: (http.address() as AddressInfo).port,
      policies: { toClient: { isDropped: ({ rtcp, sequenceNumber }) => !rtcp && sequenceNumber === 2 } },
    })

    const response = await fetch(link.http('/webrtc/play/live/a?bearer=b'), {
      method: 'POST',
      headers: HEADERS,
      body: description(client.port),
    })
    const [toServer, ...none] = portsIn(await response.text())
    const [toClient] = portsIn(offers.join(''))
    expect(none).to.eql([])
    expect(offers.join('')).not.to.include('tcp')
    expect(response.headers.get('location')).to.equal('/there')
    expect(response.headers.get('etag')).to.equal('"a"')
    expect([client.port, server.port]).not.to.include.oneOf([toServer, toClient])

    client.send(Buffer.from([0, 1, 0x73]), toServer!)
    await waitFor(() => server.came.length === 1, { what: 'the check' })
    for (const [number, text] of ['a', 'b', 'c', 'd'].entries()) server.send(rtp(number, text), toClient!)
    server.send(rtp(2, 'r', 200), toClient!)
    await waitFor(() => client.came.length === 4, { what: 'the packets' })
    expect(client.came).to.eql(['a', 'b', 'd', 'r'])
    expect(link.total('toClient')).to.eql({ came: 4, dropped: 1, duplicated: 0, reordered: 0 })
    expect(link.total('toServer')).to.eql({ came: 0, dropped: 0, duplicated: 0, reordered: 0 })
  })
})
