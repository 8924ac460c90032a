import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Dialer } from '../stream/dialer.ts'
import { HttpBytes } from './http-bytes.ts'
import { SourceRequests } from './source-requests.ts'

const dial: Dialer = {
  proxied: false,
  async connect({ host, port }) {
    const socket = connect({ host, port })
    await once(socket, 'connect')
    return socket
  },
  checkAddress() {},
}

const FILE = Buffer.from('0123456789')

describe('HttpBytes', () => {
  let server: Server
  let stop: AbortController
  let asked: number
  /** Answers what comes after the first request. */
  let answer: (response: ServerResponse) => void

  beforeEach(async () => {
    stop = new AbortController()
    asked = 0
    server = createServer((_, response) => (asked++ === 0 ? give(response, '0-0') : answer(response)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterEach(() => {
    stop.abort()
    server.closeAllConnections()
    server.close()
  })

  function give(response: ServerResponse, span: string, sizeBytes = FILE.length): void {
    const [first, last] = span.split('-').map(Number)
    response.writeHead(206, { 'content-range': `bytes ${span}/${sizeBytes}` }).end(FILE.subarray(first, last! + 1))
  }

  async function read(): Promise<string> {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.mp4`
    const bytes = await HttpBytes.open(new SourceRequests({ url, header: {}, dial }, stop.signal))
    if (!(bytes instanceof HttpBytes)) return 'no parts'
    return bytes.read(2, 4).then(String, ({ message }: Error) => message)
  }

  it('asks again where the server hangs up, or fails', async () => {
    answer = (response) => {
      if (asked === 2) response.destroy()
      else if (asked === 3) response.writeHead(503).end()
      else give(response, '2-5')
    }
    expect([await read(), asked]).to.eql(['2345', 4])
  })

  it('asks no more than thrice', async () => {
    answer = (response) => response.destroy()
    expect(await read()).to.match(/^can't fetch http:/u)
    expect(asked).to.equal(4)
  })

  for (const [what, said, message] of [
    ['there is no such file any more', (response: ServerResponse) => response.writeHead(404).end(), /answered 404/u],
    [
      'it is another file',
      (response: ServerResponse) => give(response, '2-5', 11),
      /the file on the server has changed/u,
    ],
  ] as const) {
    it(`does not ask again where the server says that ${what}`, async () => {
      answer = said
      expect(await read()).to.match(message)
      expect(asked).to.equal(2)
    })
  }
})
