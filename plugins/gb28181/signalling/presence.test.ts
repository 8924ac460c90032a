import { expect } from 'chai'
import { effectiveConfig } from 'sluice/sdk/testing'
import gb28181 from '../index.ts'
import type { GbContext } from '../plugin-context.ts'
import { newDevice, type Device } from '../registry/device.ts'
import { newKeptRegistry, Registry } from '../registry/registry.ts'
import { watchPresence } from './presence.ts'

const MINUTE_MS = 60_000
const STORE = { device: () => {}, removedDevice: () => {}, channel: () => {}, removedChannel: () => {} }

describe('the presence of devices', () => {
  function lost(changes: Partial<Device>): string[] {
    const kept = newKeptRegistry()
    const nowMs = Date.now()
    const device = { ...newDevice('34020000001320000001', nowMs), isOnline: true, keptAliveMs: nowMs }
    kept.devices.set(device.id, { ...device, expiresMs: nowMs + 3600_000, ...changes })
    const reasons: string[] = []
    const ctx = {
      config: effectiveConfig(gb28181),
      log: { info: (_fields: unknown, text: string) => reasons.push(text) },
      setInterval(look: () => void) {
        look()
        return () => {}
      },
      onDrain: () => {},
    } as unknown as GbContext
    watchPresence(ctx, new Registry(kept, STORE), ({ isOnline }) => expect(isOnline).to.equal(false))
    return reasons
  }

  it('ends after three signs of life that are missing, and not before', () => {
    expect(lost({ keptAliveMs: Date.now() - 2.9 * MINUTE_MS })).to.eql([])
    expect(lost({ keptAliveMs: Date.now() - 3.1 * MINUTE_MS })).to.eql(['a device is offline: it is silent'])
  })

  it('lasts longer where signs of life come less often', () => {
    expect(lost({ keptAliveMs: Date.now() - 8 * MINUTE_MS, keepaliveMs: 3 * MINUTE_MS })).to.eql([])
    expect(lost({ keptAliveMs: Date.now() - 10 * MINUTE_MS, keepaliveMs: 3 * MINUTE_MS })).to.have.length(1)
    expect(lost({ keptAliveMs: Date.now() - 2 * MINUTE_MS, keepaliveMs: 1000 })).to.eql([])
  })

  it('ends with the registration', () => {
    expect(lost({ expiresMs: Date.now() - 1 })).to.eql(['a device is offline: its registration has ended'])
  })

  it('is not looked for where a device has left', () => {
    expect(lost({ isOnline: false, expiresMs: 0 })).to.eql([])
  })
})
