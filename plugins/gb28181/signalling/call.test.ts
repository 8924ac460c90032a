import { expect } from 'chai'
import { effectiveConfig } from 'sluice/sdk/testing'
import gb28181 from '../index.ts'
import { newDevice } from '../registry/device.ts'
import type { GbDescription } from '../sdp/session-description.ts'
import { VirtualTimers } from '../sip/fixtures/virtual-timers.ts'
import { parseSipDatagram, type SipMessage, type SipRequest } from '../sip/message.ts'
import { responseTo } from '../sip/requests.ts'
import { newSwitchboard, type FlowEnds } from '../transport/switchboard.ts'
import { Call } from './call.ts'
import { DeviceRequests } from './device-requests.ts'
import { SipAgent } from './sip-agent.ts'

const ENDS: FlowEnds = {
  transport: 'TCP',
  local: { host: '192.0.2.1', port: 5060 },
  remote: { host: '192.0.2.2', port: 5060 },
}
const OFFER: GbDescription = {
  owner: '34020000002000000001',
  name: 'Play',
  address: '192.0.2.1',
  uri: undefined,
  startSeconds: 0,
  stopSeconds: 0,
  media: { kind: 'video', port: 10_000, isTcp: false, formats: [], direction: 'recvonly', setup: undefined },
  streamNumber: undefined,
  downloadSpeed: undefined,
  fileSizeBytes: undefined,
  ssrc: '0200000001',
  codecs: undefined,
}
const ANSWER = 'v=0\r\nc=IN IP4 192.0.2.2\r\nm=video 9 RTP/AVP 96\r\n'

describe('Call', () => {
  let sent: SipMessage[]
  let agent: SipAgent
  let requests: DeviceRequests
  const timers = new VirtualTimers()
  const ctx = {
    config: effectiveConfig(gb28181),
    setTimeout: (callback: () => void, delayMs = 0) => timers.after(delayMs, callback),
    hold: () => () => {},
  }

  beforeEach(() => {
    sent = []
    const board = newSwitchboard()
    board.senders.push((_ends, message) => sent.push(parseSipDatagram(message)) > 0)
    agent = new SipAgent(ctx, board)
    const way = { has: () => true, dial: () => Promise.resolve(undefined) }
    requests = new DeviceRequests({ ctx, agent, way })
  })

  function place() {
    const device = { ...newDevice('34020000001320000001', 0), isOnline: true, ends: ENDS }
    const init = { ctx, agent, requests, device, channelId: '34020000001310000001', subject: '', offer: OFFER }
    const { signal } = new AbortController()
    return Call.place({ ...init, timeoutMs: 15_000, signal, onMessage: () => {} })
  }

  async function invite(): Promise<SipRequest> {
    // It is sent when the way to the device is known.
    while (sent.length === 0) await Promise.resolve()
    return sent[0] as SipRequest
  }

  it('is over when the device ends it right behind its answer', async () => {
    const calling = place()
    const request = await invite()
    const flow = agent.flow(ENDS)
    agent.receive(responseTo(request, { status: 200, toTag: 'device', body: Buffer.from(ANSWER) }), flow)
    agent.receive({ ...request, method: 'BYE', headers: request.headers.with('CSeq', '1 BYE') }, flow)
    expect(await (await calling).ended).to.equal('the device has ended it')
    expect(sent.map((message) => (message.kind === 'request' ? message.method : message.status))).to.eql([
      'INVITE',
      'ACK',
      200,
    ])
    expect(agent.calls).to.equal(0)
  })

  it('is over at once, and tells the device as often as it takes', async () => {
    const calling = place()
    const request = await invite()
    const flow = agent.flow(ENDS)
    agent.receive(responseTo(request, { status: 200, toTag: 'device', body: Buffer.from(ANSWER) }), flow)
    const call = await calling
    call.end()
    call.end()
    const byes = sent.filter((message) => message.kind === 'request' && message.method === 'BYE')
    expect(byes).to.have.length(1)
    expect(agent.calls).to.equal(1)
    agent.receive(responseTo(byes[0] as SipRequest, { status: 200 }), flow)
    await Promise.resolve()
    await Promise.resolve()
    expect(agent.calls).to.equal(0)
  })

  it('is none where the answer describes no media: the device is told', async () => {
    const calling = place()
    const request = await invite()
    agent.receive(responseTo(request, { status: 200, toTag: 'device' }), agent.flow(ENDS))
    const fault: unknown = await calling.catch((error: unknown) => error)
    expect(fault).to.have.property('code', 'DEVICE_REFUSED')
    expect(sent.map((message) => message.kind === 'request' && message.method)).to.eql(['INVITE', 'ACK', 'BYE'])
  })
})
