import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { hasLeft, sendFile, sendStatus, type HttpExchange } from './replies.ts'

const POLICY = { cacheControl: 'public', stallMs: 100, subscriber: undefined }

describe('replies', () => {
  let server: Server
  beforeEach(async () => {
    server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  /** A request as it comes in, from a client that reads when it is told to. */
  async function exchangeOf(method = 'GET') {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    keep({ close: () => void client.destroy() })
    client.on('error', () => {}).pause()
    client.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [request, response] = (await once(server, 'request')) as [HttpExchange['request'], ServerResponse]
    return { client, exchange: { request, response } }
  }

  it('send a file as one, whatever buffers it is in', async () => {
    const { client, exchange } = await exchangeOf()
    const file = { contentType: 'video/mp2t', buffers: [Buffer.from('one'), Buffer.from('two')], sizeBytes: 6 }
    sendFile(exchange, file, POLICY)
    client.resume()
    const [head] = (await once(client, 'data')) as [Buffer]
    expect(head.toString()).to.match(/content-length: 6\r\n(?:.*\r\n)*\r\nonetwo$/u)
    expect(head.toString()).not.to.include('chunked')
  })

  it('cut a client off that does not take what it asked for', async () => {
    const { exchange } = await exchangeOf()
    const sizeBytes = 64 * 1024 * 1024
    sendFile(exchange, { contentType: 'video/mp2t', buffers: [Buffer.alloc(sizeBytes)], sizeBytes }, POLICY)
    await once(exchange.response, 'close')
    expect(exchange.response.writableFinished).to.equal(false)
    expect(hasLeft(exchange)).to.equal(true)
  })

  it('know when a client has left', async () => {
    const { client, exchange } = await exchangeOf()
    expect(hasLeft(exchange)).to.equal(false)
    client.destroy()
    await once(exchange.response, 'close')
    expect(hasLeft(exchange)).to.equal(true)
  })

  it('end one that has begun and can not be completed', async () => {
    const { exchange } = await exchangeOf()
    exchange.response.writeHead(200, { 'content-length': 10 })
    exchange.response.flushHeaders()
    sendStatus(exchange, 503)
    expect(exchange.response.destroyed).to.equal(true)
  })
})
