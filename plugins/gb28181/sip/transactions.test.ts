import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { RecordedFlow } from './fixtures/recorded-flow.ts'
import { VirtualTimers } from './fixtures/virtual-timers.ts'
import { SipHeaders } from './headers.ts'
import type { SipRequest, SipResponse } from './message.ts'
import { responseTo } from './requests.ts'
import type { ServerTransaction } from './server-transaction.ts'
import { MAX_TRANSACTIONS, SipTransactions } from './transactions.ts'

function requestOf(method: string, branch = 'z9hG4bK1', more: readonly (readonly [string, string])[] = []): SipRequest {
  const headers = new SipHeaders([
    ['Via', `SIP/2.0/UDP 192.0.2.1:5060;branch=${branch}`],
    ['From', '<sip:a@b>;tag=1'],
    ['To', '<sip:c@d>'],
    ['Call-ID', 'call'],
    ['CSeq', `7 ${method}`],
    ...more,
  ])
  return { kind: 'request', method, uri: 'sip:c@d', headers, body: Buffer.alloc(0) }
}

function answerTo(request: SipRequest, status: number): SipResponse {
  return responseTo(request, { status, toTag: 'x' })
}

describe('transactions of SIP', () => {
  let timers: VirtualTimers
  let transactions: SipTransactions
  let received: ServerTransaction[]
  let acknowledged: number
  beforeEach(() => {
    timers = new VirtualTimers()
    received = []
    acknowledged = 0
    transactions = new SipTransactions({
      timers,
      onRequest: (transaction) => received.push(transaction),
      onAcknowledged: () => (acknowledged += 1),
    })
  })

  /** Sends a request, and notes what comes of it. */
  function send(method: string, flow: RecordedFlow) {
    const events: (number | 'timeout')[] = []
    const request = requestOf(method)
    const transaction = transactions.send(request, flow, {
      onProvisional: ({ status }) => events.push(status),
      onFinal: ({ status }) => events.push(status),
      onTimeout: () => events.push('timeout'),
    })
    return { request, events, transaction }
  }

  /** The times at which something was sent, until `untilMs`. */
  function sendingTimes(flow: RecordedFlow, untilMs: number): number[] {
    const times: number[] = flow.sent.map(() => 0)
    for (let ms = 100; ms <= untilMs; ms += 100) {
      timers.advance(100)
      while (times.length < flow.sent.length) times.push(ms)
    }
    return times
  }

  afterEach(() => {
    timers.advance(300_000)
    expect([transactions.size, timers.size]).to.eql([0, 0])
  })

  describe('of this server', () => {
    it('send again by UDP, ever more seldom, and give up after 32 s', () => {
      const flow = new RecordedFlow()
      const { events } = send('MESSAGE', flow)
      const times = sendingTimes(flow, 40_000)
      expect(times).to.eql([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500])
      expect(events).to.eql(['timeout'])
    })

    it('send an INVITE again until it is heard, at doubled intervals', () => {
      const flow = new RecordedFlow()
      const { events } = send('INVITE', flow)
      expect(sendingTimes(flow, 40_000)).to.eql([0, 500, 1500, 3500, 7500, 15_500, 31_500])
      expect(events).to.eql(['timeout'])
    })

    it('send once by a connection, and give up as well', () => {
      const flow = new RecordedFlow('TCP')
      const { events } = send('MESSAGE', flow)
      expect(sendingTimes(flow, 40_000)).to.eql([0])
      expect(events).to.eql(['timeout'])
    })

    it('go on every 4 s after a provisional answer, and end with the final one, told once', () => {
      const flow = new RecordedFlow()
      const { request, events } = send('MESSAGE', flow)
      transactions.receive(answerTo(request, 100), flow)
      expect(sendingTimes(flow, 5000)).to.eql([0, 500, 4500])
      transactions.receive(answerTo(request, 200), flow)
      transactions.receive(answerTo(request, 200), flow)
      timers.advance(4999)
      expect([transactions.size, flow.sent.length]).to.eql([1, 3])
      timers.advance(1)
      expect([transactions.size, events]).to.eql([0, [100, 200]])
    })

    it('wait for an INVITE that rings as long as it takes', () => {
      const flow = new RecordedFlow()
      const { request, events, transaction } = send('INVITE', flow)
      transactions.receive(answerTo(request, 100), flow)
      timers.advance(100_000)
      expect([flow.sent.length, events]).to.eql([1, [100]])
      transactions.cancel(transaction)
      const cancel = flow.requests.at(-1)!
      expect([cancel.method, cancel.headers.get('Via')]).to.eql(['CANCEL', request.headers.get('Via')])
      expect(cancel.headers.get('CSeq')).to.equal('7 CANCEL')
      transactions.receive(answerTo(cancel, 200), flow)
      transactions.receive(answerTo(request, 487), flow)
      expect(events).to.eql([100, 487])
      expect(flow.requests.at(-1)!.method).to.equal('ACK')
    })

    it('give up an INVITE once the peer is known to have it, and not at all once it has answered', () => {
      const flow = new RecordedFlow()
      const { request, transaction } = send('INVITE', flow)
      transactions.cancel(transaction)
      expect(flow.requests.map(({ method }) => method)).to.eql(['INVITE'])
      transactions.receive(answerTo(request, 100), flow)
      expect(flow.requests.map(({ method }) => method)).to.eql(['INVITE', 'CANCEL'])
      const other = send('INVITE', flow)
      transactions.cancel(other.transaction)
      transactions.receive(answerTo(other.request, 200), flow)
      expect(flow.requests.map(({ method }) => method)).to.eql(['INVITE', 'CANCEL', 'INVITE'])
      expect(other.events).to.eql([200])
    })

    it('wait for an INVITE no longer than 32 s once it was given up', () => {
      const flow = new RecordedFlow()
      const { request, events, transaction } = send('INVITE', flow)
      transactions.receive(answerTo(request, 100), flow)
      transactions.cancel(transaction)
      timers.advance(31_999)
      expect(events).to.eql([100])
      timers.advance(1)
      expect([events.length, transactions.size, timers.size]).to.eql([2, 0, 0])
    })

    it('acknowledge a refused INVITE, each time that the refusal comes', () => {
      const flow = new RecordedFlow()
      const { request, events } = send('INVITE', flow)
      for (let count = 0; count < 3; count++) transactions.receive(answerTo(request, 486), flow)
      const acks = flow.requests.filter(({ method }) => method === 'ACK')
      expect(acks).to.have.length(3)
      expect(acks[0]!.headers.get('To')).to.equal('<sip:c@d>;tag=x')
      expect([acks[0]!.headers.get('CSeq'), acks[0]!.headers.get('Via')]).to.eql(['7 ACK', request.headers.get('Via')])
      expect(events).to.eql([486])
    })

    it('tell each 2xx to an INVITE, so that each is acknowledged, and none that refuses it afterwards', () => {
      const flow = new RecordedFlow()
      const { request, events } = send('INVITE', flow)
      for (const status of [200, 200, 486]) transactions.receive(answerTo(request, status), flow)
      expect(events).to.eql([200, 200])
      timers.advance(32_000)
      transactions.receive(answerTo(request, 200), flow)
      expect(events).to.eql([200, 200])
    })
  })

  describe('of peers', () => {
    it('are told once, and answered again when they come again', () => {
      const flow = new RecordedFlow()
      const request = requestOf('MESSAGE')
      transactions.receive(request, flow)
      transactions.receive(request, flow)
      expect([received.length, flow.sent.length]).to.eql([1, 0])
      received[0]!.respond({ status: 200 })
      received[0]!.respond({ status: 500 })
      transactions.receive(request, flow)
      expect(flow.responses.map(({ status }) => status)).to.eql([200, 200])
      expect(new Set(flow.responses.map(({ headers }) => headers.get('To'))).size).to.equal(1)
      timers.advance(31_999)
      transactions.receive(request, flow)
      expect(flow.sent).to.have.length(3)
    })

    it('are others where the branch, the sender or the method is another', () => {
      const flow = new RecordedFlow()
      for (const [method, branch] of [
        ['MESSAGE', 'z9hG4bK1'],
        ['MESSAGE', 'z9hG4bK2'],
        ['OPTIONS', 'z9hG4bK2'],
      ] as const) {
        transactions.receive(requestOf(method, branch), flow)
      }
      expect(received).to.have.length(3)
    })

    it('of clients without unique branches are known by their other headers', () => {
      const flow = new RecordedFlow()
      transactions.receive(requestOf('MESSAGE', '1'), flow)
      transactions.receive(requestOf('MESSAGE', '1'), flow)
      transactions.receive({ ...requestOf('MESSAGE', '1'), uri: 'sip:other@d' }, flow)
      expect(received).to.have.length(2)
    })

    it('hear at once that an INVITE has come when the answer takes long', () => {
      const flow = new RecordedFlow()
      transactions.receive(requestOf('INVITE'), flow)
      timers.advance(199)
      expect(flow.sent).to.eql([])
      timers.advance(1)
      expect(flow.responses.map(({ status, headers }) => [status, headers.get('To')])).to.eql([[100, '<sip:c@d>']])
    })

    it('get the refusal of an INVITE until they acknowledge it', () => {
      const flow = new RecordedFlow()
      transactions.receive(requestOf('INVITE'), flow)
      received[0]!.respond({ status: 486 })
      expect(sendingTimes(flow, 4000)).to.eql([0, 500, 1500, 3500])
      transactions.receive(requestOf('ACK'), flow)
      expect(sendingTimes(flow, 20_000)).to.have.length(4)
    })

    it('get a 2xx to an INVITE until it is acknowledged, by connections too', () => {
      const flow = new RecordedFlow('TCP')
      transactions.receive(requestOf('INVITE'), flow)
      let isForgotten = false
      received[0]!.onUnacknowledged = () => (isForgotten = true)
      received[0]!.respond({ status: 200 })
      expect(sendingTimes(flow, 4000)).to.eql([0, 500, 1500, 3500])
      transactions.receive(requestOf('ACK', 'z9hG4bK9'), flow)
      expect(acknowledged).to.equal(1)
      received[0]!.acknowledged()
      expect(sendingTimes(flow, 40_000)).to.have.length(4)
      expect(isForgotten).to.equal(false)
    })

    it('are told of an INVITE whose 2xx nobody acknowledges', () => {
      transactions.receive(requestOf('INVITE'), new RecordedFlow())
      let isForgotten = false
      received[0]!.onUnacknowledged = () => (isForgotten = true)
      received[0]!.respond({ status: 200 })
      timers.advance(32_000)
      expect(isForgotten).to.equal(true)
    })

    it('can give up an INVITE, and nothing else', () => {
      const flow = new RecordedFlow()
      transactions.receive(requestOf('INVITE'), flow)
      let isCancelled = false
      received[0]!.onCancel = () => (isCancelled = true)
      transactions.receive(requestOf('CANCEL'), flow)
      transactions.receive(requestOf('CANCEL', 'z9hG4bKother'), flow)
      expect(flow.responses.map(({ status, headers }) => [status, headers.get('CSeq')])).to.eql([
        [200, '7 CANCEL'],
        [487, '7 INVITE'],
        [481, '7 CANCEL'],
      ])
      expect(isCancelled).to.equal(true)
    })

    it('are refused beyond a number that memory bears', () => {
      const flow = new RecordedFlow('TCP')
      for (let count = 0; count <= MAX_TRANSACTIONS; count++)
        transactions.receive(requestOf('MESSAGE', `z9hG4bK${count}`), flow)
      expect(received).to.have.length(MAX_TRANSACTIONS)
      expect(flow.responses.map(({ status, headers }) => [status, headers.get('Retry-After')])).to.eql([[503, '10']])
      transactions.close()
    })

    it('are refused without a Via or a CSeq', () => {
      const flow = new RecordedFlow()
      const without = (name: string) => ({
        ...requestOf('MESSAGE'),
        headers: new SipHeaders([...requestOf('MESSAGE').headers].filter(([other]) => other !== name)),
      })
      expect(() => transactions.receive(without('Via'), flow)).to.throw(MalformedError)
      const answer = { ...answerTo(requestOf('MESSAGE'), 200), headers: new SipHeaders([['Via', 'SIP/2.0/UDP h']]) }
      expect(() => transactions.receive(answer, flow)).to.throw(MalformedError)
    })
  })
})
