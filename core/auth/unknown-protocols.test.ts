import { expect } from 'chai'
import { definePlugin, Type } from 'sluice/sdk'
import { Config } from '../config/config.ts'
import { TempConfig } from '../config/fixtures/temp-config.ts'
import { unknownProtocols } from './unknown-protocols.ts'

const RELAY = definePlugin({ name: 'relay', version: '1.0.0', config: Type.Object({}), setup() {} })

describe('unknownProtocols', () => {
  it('warns where a gate’s filter names no protocol, once', async () => {
    await using temp = await TempConfig.create(`
      global: {signed_policy: {protocols: [rtpm, srt, relay]}}
      relay: {admission_webhook: {protocols: [hls, smoke-signals]}}
    `)
    const config = await Config.load({ file: temp.file, env: {}, inspect: unknownProtocols })
    config.declare(RELAY)
    expect(config.warnings()).to.deep.equal([
      "global.signed_policy.protocols: there is neither a protocol nor a plugin 'rtpm', did you mean 'rtmp'?",
      "relay.admission_webhook.protocols: there is neither a protocol nor a plugin 'smoke-signals'",
    ])
  })
})
