import { expect } from 'chai'
import { effectiveConfig } from 'sluice/sdk/testing'
import gb28181 from '../index.ts'
import { newDevice } from '../registry/device.ts'
import { newKeptRegistry, Registry } from '../registry/registry.ts'
import { sipUri, createRequest } from '../sip/user-agent.ts'
import { RecordedFlow } from '../sip/fixtures/recorded-flow.ts'
import { newKeptCredentials } from './credentials.ts'
import { SenderCheck } from './sender-check.ts'

const ID = '34020000001320000001'
const STORE = { device: () => {}, removedDevice: () => {}, channel: () => {}, removedChannel: () => {} }

describe('the sender of a message', () => {
  /** Who is answered what: a device's id, or the status of the refusal. */
  function judged(init: { password?: string; from?: string; host?: string; port?: number; expiresMs?: number }) {
    const { password = 'secret', from = ID, host = '192.0.2.2', port = 5060, expiresMs = Infinity } = init
    const kept = newKeptRegistry()
    const ends = {
      transport: 'UDP',
      local: { host: '192.0.2.1', port: 5060 },
      remote: { host: '192.0.2.2', port: 5060 },
    }
    kept.devices.set(ID, { ...newDevice(ID, 0), isOnline: true, ends: { ...ends, transport: 'UDP' }, expiresMs })
    const ctx = { config: { ...effectiveConfig(gb28181), password } }
    const check = new SenderCheck({ ctx, registry: new Registry(kept, STORE), kept: newKeptCredentials() })
    const flow = Object.assign(new RecordedFlow(), { remote: { host, port } })
    const uri = sipUri('34020000002000000001', '192.0.2.1')
    const of = { from: sipUri(from, '3402000000'), fromTag: '1', to: uri, callId: 'c', cseq: 1, flow }
    const sender = check.senderOf(createRequest({ method: 'MESSAGE', uri, ...of }), flow)
    return 'device' in sender ? sender.device.id : sender.refusal.status
  }

  it('is the device where it comes from the address that has registered, at whichever port', () => {
    expect([judged({}), judged({ port: 40_000 })]).to.eql([ID, ID])
  })

  it('has to know the password where it comes from another address', () => {
    expect(judged({ host: '198.51.100.7' })).to.equal(401)
  })

  it('is taken at its word where there are no passwords', () => {
    expect(judged({ host: '198.51.100.7', password: '' })).to.equal(ID)
  })

  it('is refused where it is not registered, or no longer', () => {
    expect(judged({ from: '34020000001320000002' })).to.equal(403)
    expect(judged({ expiresMs: Date.now() - 1 })).to.equal(403)
  })
})
