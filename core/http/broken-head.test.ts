import { expect } from 'chai'
import type { PluginContext, Subscriber } from 'sluice/sdk'
import { serveLive, type LiveOutput } from 'sluice/sdk/http'
import { HttpFixture } from './testing/http-fixture.ts'

describe('a live output whose head can not be sent', () => {
  it('leaves neither a session nor a connection behind', async () => {
    const fixture = new HttpFixture()
    const plugin = await fixture.plugin('flv')
    const closed: unknown[] = []
    const subscriber = { close: (reason: unknown) => void closed.push(reason) } as Partial<Subscriber>
    const ctx = { http: plugin.instance, streams: { subscribe: async () => subscriber }, log: fixture.log }
    const output = { extension: 'flv', contentType: () => 'video/\nx' } as Partial<LiveOutput>
    serveLive(ctx as unknown as PluginContext<unknown>, output as LiveOutput)
    await plugin.activate()
    await fixture.host.start()
    expect(await fixture.exchange('GET /flv/live/a HTTP/1.1\r\nHost: x\r\n\r\n')).to.equal('')
    expect(closed).to.eql(['failed'])
    await fixture.close()
  })
})
