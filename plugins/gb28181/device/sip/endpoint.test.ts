import { expect } from 'chai'
import { HeldTimers } from '../fixtures/held-timers.ts'
import { NoResponse, SipEndpoint, type IncomingRequest } from './endpoint.ts'
import type { SipLink } from './link.ts'
import { headerOf, parseSipMessage, serializeSipMessage, type SipMessage, type SipRequest } from './message.ts'

const SOURCE = { host: '10.0.0.1', port: 5060 }

/** A link that keeps what is sent. */
class KeptLink implements SipLink {
  readonly transport: 'UDP' | 'TCP'
  readonly local = { host: '10.0.0.2', port: 5070 }
  readonly sent: SipMessage[] = []

  constructor(transport: 'UDP' | 'TCP') {
    this.transport = transport
  }

  async open(): Promise<void> {}

  send(bytes: Buffer): void {
    this.sent.push(parseSipMessage(bytes))
  }

  close(): void {}
}

function requestOf(method: string, branch = 'z9hG4bK1'): SipRequest {
  const headers: [string, string][] = [
    ['Via', `SIP/2.0/UDP 10.0.0.1:5060;rport;branch=${branch}`],
    ['From', '<sip:a@b>;tag=1'],
    ['To', '<sip:c@d>'],
    ['Call-ID', 'x'],
    ['CSeq', `1 ${method}`],
  ]
  return { kind: 'request', method, uri: 'sip:c@d', headers, body: Buffer.alloc(0) }
}

describe('the transactions of a device', () => {
  let timers: HeldTimers
  let requests: IncomingRequest[]
  let missing: SipRequest[]

  function endpointOn(transport: 'UDP' | 'TCP' = 'UDP') {
    const link = new KeptLink(transport)
    timers = new HeldTimers()
    requests = []
    missing = []
    const endpoint = new SipEndpoint(link, {
      timers,
      onRequest: (request) => requests.push(request),
      onAckMissing: (request) => missing.push(request),
    })
    const answers: SipMessage[] = []
    const take = (message: SipMessage) =>
      endpoint.take(message, SOURCE, (bytes) => answers.push(parseSipMessage(bytes)))
    return { endpoint, link, answers, take }
  }

  function responseTo(message: SipMessage, status: number): SipMessage {
    return parseSipMessage(serializeSipMessage({ ...message, kind: 'response', status, reason: 'Any' }))
  }

  const send = (endpoint: SipEndpoint) =>
    endpoint.request({ method: 'MESSAGE', uri: 'sip:a@b', headers: [['CSeq', '1 MESSAGE']] })

  it('send a request again over UDP, in growing pauses, and give it up after 32 s', async () => {
    const { endpoint, link } = endpointOn()
    const outcome = send(endpoint).catch((error: unknown) => error)
    const times: number[] = []
    for (let now = 0; now <= 40_000; now += 500) {
      if (link.sent.length > times.length) times.push(timers.now())
      timers.advance(500)
    }
    expect(times).to.eql([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500])
    expect(await outcome).to.be.instanceOf(NoResponse)
    expect(timers.pending).to.equal(0)
  })

  it('send it once over TCP', async () => {
    const { endpoint, link } = endpointOn('TCP')
    const outcome = send(endpoint).catch((error: unknown) => error)
    timers.advance(60_000)
    expect(link.sent).to.have.length(1)
    expect(await outcome).to.be.instanceOf(NoResponse)
  })

  it('end with the final response to the own branch', async () => {
    const { endpoint, link, take } = endpointOn()
    const outcome = send(endpoint)
    const [request] = link.sent
    expect(headerOf(request!, 'Via')).to.match(/^SIP\/2\.0\/UDP 10\.0\.0\.2:5070;rport;branch=z9hG4bK/u)
    take(responseTo(request!, 100))
    take(responseTo(requestOf('MESSAGE', 'z9hG4bKother'), 200))
    expect(timers.pending).to.equal(2)
    take(responseTo(request!, 403))
    expect((await outcome).status).to.equal(403)
    expect(timers.pending).to.equal(0)
  })

  it('fail when the link is closed', async () => {
    const { endpoint } = endpointOn()
    const outcome = send(endpoint).catch((error: unknown) => error)
    endpoint.close()
    expect(await outcome).to.be.instanceOf(NoResponse)
  })

  it('answer where a request came from, and again when it is repeated', () => {
    const { answers, take } = endpointOn()
    take(requestOf('MESSAGE'))
    take(requestOf('MESSAGE'))
    expect([requests.length, answers.length]).to.eql([1, 0])
    requests[0]!.respond(200, { toTag: 'mine' })
    take(requestOf('MESSAGE'))
    expect(requests).to.have.length(1)
    expect(answers).to.have.length(2)
    expect(answers[1]).to.eql(answers[0])
    expect(headerOf(answers[0]!, 'Via')).to.equal(
      'SIP/2.0/UDP 10.0.0.1:5060;rport=5060;branch=z9hG4bK1;received=10.0.0.1',
    )
    expect(headerOf(answers[0]!, 'To')).to.equal('<sip:c@d>;tag=mine')
    timers.advance(32_000)
    take(requestOf('MESSAGE'))
    expect(requests).to.have.length(2)
  })

  it('send the answer to an INVITE until its ACK', () => {
    const { answers, take } = endpointOn()
    take(requestOf('INVITE'))
    requests[0]!.respond(100)
    requests[0]!.respond(200)
    timers.advance(3500)
    expect(answers.map((answer) => answer.kind === 'response' && answer.status)).to.eql([100, 200, 200, 200, 200])
    take({ ...requestOf('ACK', 'z9hG4bK2') })
    timers.advance(60_000)
    expect(answers).to.have.length(5)
    expect(requests.map(({ message }) => message.method)).to.eql(['INVITE', 'ACK'])
    expect(missing).to.eql([])
  })

  it('tell when no ACK comes', () => {
    const { take } = endpointOn('TCP')
    take(requestOf('INVITE'))
    requests[0]!.respond(200)
    timers.advance(32_000)
    expect(missing.map(({ method }) => method)).to.eql(['INVITE'])
    expect(timers.pending).to.equal(0)
  })
})
