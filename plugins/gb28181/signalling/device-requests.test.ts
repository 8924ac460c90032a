import { expect } from 'chai'
import { effectiveConfig } from 'sluice/sdk/testing'
import { DeviceOffline } from '../errors.ts'
import gb28181 from '../index.ts'
import { newDevice } from '../registry/device.ts'
import { newSwitchboard, type FlowEnds } from '../transport/switchboard.ts'
import { DeviceRequests } from './device-requests.ts'
import { SipAgent } from './sip-agent.ts'

const UDP: FlowEnds = {
  transport: 'UDP',
  local: { host: '192.0.2.1', port: 5060 },
  remote: { host: '192.0.2.2', port: 5062 },
}
const TCP: FlowEnds = { ...UDP, transport: 'TCP' }

describe('requests to devices', () => {
  const ctx = { config: effectiveConfig(gb28181), setTimeout: () => () => {} }
  const device = { ...newDevice('34020000001320000001', 0), isOnline: true, ends: UDP, version: '3.0' as const }

  function requestsBy(dialed: FlowEnds | undefined, hasWay = true) {
    const dials: FlowEnds[] = []
    const way = {
      has: () => hasWay,
      dial(ends: FlowEnds) {
        dials.push(ends)
        return Promise.resolve(dialed)
      },
    }
    const agent = new SipAgent(ctx, newSwitchboard())
    return { dials, requests: new DeviceRequests({ ctx, agent, way }) }
  }

  const message = (sizeBytes: number) => ({
    method: 'MESSAGE',
    target: device.id,
    content: { type: 'text/plain', body: Buffer.alloc(sizeBytes, 'x') },
  })

  it('go by TCP where they are too large for a datagram, and the device takes connections', async () => {
    const { dials, requests } = requestsBy(TCP)
    const small = await requests.create(device, message(500))
    expect([small.flow.transport, dials.length]).to.eql(['UDP', 0])
    const large = await requests.create(device, message(1300))
    expect([large.flow.transport, dials.length]).to.eql(['TCP', 1])
    expect(large.request.headers.get('Via')).to.match(/^SIP\/2\.0\/TCP /u)
    expect(large.request.headers.get('Contact')).to.include('transport=tcp')
  })

  it('go by UDP all the same where it takes none', async () => {
    const { requests } = requestsBy(undefined)
    const { flow, request } = await requests.create(device, message(1300))
    expect(flow.transport).to.equal('UDP')
    expect(request.headers.get('Via')).to.match(/^SIP\/2\.0\/UDP /u)
  })

  it('name the device where it is, its version, and numbers that never run back', async () => {
    const { requests } = requestsBy(undefined)
    const [one, other] = [await requests.create(device, message(1)), await requests.create(device, message(1))]
    expect(one.request.uri).to.equal(`sip:${device.id}@192.0.2.2:5062`)
    expect(one.request.headers.get('X-GB-Ver')).to.equal('3.0')
    expect([one, other].map(({ request }) => request.headers.get('CSeq'))).to.eql(['1 MESSAGE', '2 MESSAGE'])
    expect(one.request.headers.get('Call-ID')).not.to.equal(other.request.headers.get('Call-ID'))
  })

  it('name the address by which a device reaches the server, where it is set for the device', () => {
    const flow = requestsBy(undefined).requests.flowTo({ ...device, sipIp: '203.0.113.1' })
    expect([flow.local, flow.remote]).to.eql([{ host: '203.0.113.1', port: 5060 }, UDP.remote])
  })

  it('are none to a device that is offline, or whose connection is gone', () => {
    expect(() => requestsBy(undefined, false).requests.flowTo(device)).to.throw(DeviceOffline)
    expect(() => requestsBy(undefined).requests.flowTo({ ...device, isOnline: false })).to.throw(DeviceOffline)
  })
})
