import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { newCallId, SipDialog } from './dialog.ts'
import { RecordedFlow } from './fixtures/recorded-flow.ts'
import { SipHeaders } from './headers.ts'
import type { SipRequest, SipResponse } from './message.ts'
import { responseTo } from './requests.ts'

const PLATFORM = 'sip:34020000002000000001@3402000000'
const CHANNEL = 'sip:34020000001320000001@192.0.2.2:5060'
const NO_BODY = Buffer.alloc(0)

type Fields = readonly (readonly [name: string, value: string])[]

/** A request from one to the other, with fields that take the place of those of the same name. */
function requestOf(method: string, from: string, to: string, more: Fields = []): SipRequest {
  const headers = more.reduce(
    (fields, [name, value]) => fields.with(name, value),
    new SipHeaders([
      ['Via', 'SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1'],
      ['From', from],
      ['To', to],
      ['Call-ID', 'call'],
      ['CSeq', `7 ${method}`],
    ]),
  )
  return { kind: 'request', method, uri: CHANNEL, headers, body: NO_BODY }
}

const INVITE = requestOf('INVITE', `<${PLATFORM}>;tag=ours`, `<${CHANNEL}>`)

function answerWith(headers: Fields = [], toTag: string | undefined = 'theirs'): SipResponse {
  return responseTo(INVITE, { status: 200, headers, ...(toTag === '' ? {} : { toTag }) })
}

/** What tells a request from others. */
function routing({ method, uri, headers }: SipRequest): unknown {
  const named = ['From', 'To', 'Call-ID', 'CSeq'].map((name) => headers.get(name))
  return [method, uri, ...named, headers.all('Route')]
}

describe('dialogs of SIP', () => {
  const flow = new RecordedFlow()

  it('that this server began go on with its names, to the contact of the peer', () => {
    const dialog = SipDialog.ofAnswer(INVITE, answerWith([['Contact', '<sip:c@198.51.100.7:5062>']]))
    const from = `<${PLATFORM}>;tag=ours`
    const to = `<${CHANNEL}>;tag=theirs`
    const target = 'sip:c@198.51.100.7:5062'
    expect(routing(dialog.acknowledge(flow))).to.eql(['ACK', target, from, to, 'call', '7 ACK', []])
    expect(routing(dialog.request('INFO', flow))).to.eql(['INFO', target, from, to, 'call', '8 INFO', []])
    expect(routing(dialog.request('BYE', flow))).to.eql(['BYE', target, from, to, 'call', '9 BYE', []])
  })

  it('that a peer began go on with the names the other way round, and numbers of their own', () => {
    const request = requestOf('SUBSCRIBE', `<${CHANNEL}>;tag=theirs`, `<${PLATFORM}>`, [['Contact', 'sip:c@h;x=1']])
    const dialog = SipDialog.ofRequest(request, 'ours')
    const [from, to] = [`<${PLATFORM}>;tag=ours`, `<${CHANNEL}>;tag=theirs`]
    expect(routing(dialog.request('NOTIFY', flow))).to.eql(['NOTIFY', 'sip:c@h', from, to, 'call', '1 NOTIFY', []])
  })

  for (const [name, contact] of [
    ['no contact', []],
    ['a contact that is none', [['Contact', '<tel:123>']]],
    ['a contact without an end', [['Contact', '<sip:c@h']]],
  ] as const) {
    it(`reach a peer with ${name} where it was reached`, () => {
      expect(SipDialog.ofAnswer(INVITE, answerWith(contact)).state.target).to.equal(CHANNEL)
    })
  }

  it('pass the proxies of the way, in the order of the side that begins', () => {
    const routes = [
      ['Record-Route', '<sip:p1;lr>, <sip:p2;lr>'],
      ['Record-Route', '<sip:p3;lr>'],
    ] as const
    const began = SipDialog.ofAnswer(INVITE, answerWith(routes))
    expect(began.request('BYE', flow).headers.all('Route')).to.eql(['<sip:p3;lr>', '<sip:p2;lr>', '<sip:p1;lr>'])
    const request = requestOf('INVITE', `<${CHANNEL}>;tag=theirs`, `<${PLATFORM}>`)
    const headers = new SipHeaders([...request.headers, ...routes])
    const answered = SipDialog.ofRequest({ ...request, headers }, 'ours')
    expect(answered.request('BYE', flow).headers.all('Route')).to.eql(['<sip:p1;lr>', '<sip:p2;lr>', '<sip:p3;lr>'])
  })

  it('bear devices that leave their tag out', () => {
    const dialog = SipDialog.ofAnswer(INVITE, answerWith([], ''))
    expect(dialog.request('BYE', flow).headers.get('To')).to.equal(`<${CHANNEL}>`)
    expect(dialog.owns(requestOf('BYE', `<${CHANNEL}>;tag=any`, `<${PLATFORM}>;tag=ours`))).to.equal(true)
  })

  for (const [name, from, to, fields, isOwned] of [
    ['both tags', ';tag=theirs', ';tag=ours', [], true],
    ['no tags', '', '', [], true],
    ['another tag of the peer', ';tag=other', ';tag=ours', [], false],
    ['another tag of this server', ';tag=theirs', ';tag=other', [], false],
    ['another call', ';tag=theirs', ';tag=ours', [['Call-ID', 'other']], false],
  ] as const) {
    it(`know requests with ${name}: ${isOwned ? 'theirs' : 'not theirs'}`, () => {
      const dialog = SipDialog.ofAnswer(INVITE, answerWith())
      expect(dialog.owns(requestOf('BYE', `<${CHANNEL}>${from}`, `<${PLATFORM}>${to}`, fields))).to.equal(isOwned)
    })
  }

  it('outlive the plugin as plain data', () => {
    const dialog = SipDialog.ofAnswer(INVITE, answerWith([['Record-Route', '<sip:p1;lr>']]))
    dialog.request('INFO', flow)
    const restored = SipDialog.restore(JSON.parse(JSON.stringify(dialog.state)))
    expect(restored.state).to.eql(dialog.state)
    expect(routing(restored.request('BYE', flow))).to.eql(routing(dialog.request('BYE', flow)))
  })

  it('carry headers and bodies', () => {
    const dialog = SipDialog.ofAnswer(INVITE, answerWith())
    const content = { type: 'Application/MANSRTSP', body: Buffer.from('PLAY') }
    const { headers, body } = dialog.request('INFO', flow, { headers: [['X-GB-ver', '3.0']], content })
    expect([headers.get('X-GB-ver'), headers.get('Content-Type'), body.toString()]).to.eql([
      '3.0',
      'Application/MANSRTSP',
      'PLAY',
    ])
    expect(dialog.acknowledge(flow, content).body.toString()).to.equal('PLAY')
  })

  it('are refused where From, To or a kept URI is none', () => {
    const broken = requestOf('INVITE', 'none', `<${PLATFORM}>`)
    expect(() => SipDialog.ofRequest(broken, 'ours')).to.throw(MalformedError)
    expect(() => SipDialog.ofAnswer(broken, answerWith())).to.throw(MalformedError)
    const { state } = SipDialog.ofAnswer(INVITE, answerWith())
    expect(() => SipDialog.restore({ ...state, target: 'none' })).to.throw(MalformedError)
  })

  it('have names of calls that no other has', () => {
    const names = Array.from({ length: 100 }, () => newCallId(flow))
    expect(new Set(names).size).to.equal(100)
    expect(names[0]).to.match(/^[\da-f]+@192\.0\.2\.1$/u)
  })
})
