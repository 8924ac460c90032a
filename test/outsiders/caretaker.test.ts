import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { definePlugin, StreamNotFound } from 'sluice/sdk'
import { sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { ControlServer } from '../gates/control-server.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { rejectionOf } from '../support/rejection.ts'
import caretaker from './caretaker.ts'

/** The time that the end of the other plugin takes. */
const ENDING_MS = 300

/** Starts the plugin beside another one, whose end takes a while and is noted among what the web service was told. */
async function start(url: string, heard: string[] = []) {
  const other = definePlugin({
    name: 'other',
    version: '1.0.0',
    setup: (ctx) =>
      ctx.onDispose(async () => {
        await delay(ENDING_MS)
        heard.push('the other plugin has ended')
      }),
  })
  const server = await createTestServer(caretaker, {
    beside: [other],
    config: { url },
    // Nobody stops waiting for a stream of their own accord.
    global: { subscribe: { waittimeout: '10m' } },
  })
  keep({ close: () => server.stop() })
  return server
}

describe('a plugin that tells of the server, and ends who waits', () => {
  it('tells once that it is up, and that it ends, after all others', async () => {
    const heard: string[] = []
    const service = await ControlServer.start(({ body }) => {
      heard.push((JSON.parse(body) as { event: string }).event)
      return {}
    })
    const server = await start(service.url, heard)
    await waitFor(() => heard.length > 0, { what: 'the notice of the start' })
    await server.stop()
    expect(heard).to.eql(['up', 'the other plugin has ended', 'down'])
    expect(server.problems).to.eql([])
  })

  it('says without secrets that nobody was told', async () => {
    const server = await start('http://caretaker:pa55word@127.0.0.1:1/events?key=s3cret')
    await waitFor(() => server.problems.length > 0, { what: 'a warning' })
    expect(server.problems[0]).to.include({ msg: "nobody was told of 'up'" })
    expect(JSON.stringify(server.problems)).not.to.match(/pa55word|s3cret/u)
  })

  it('ends those who wait for a stream that does not come', async () => {
    const service = await ControlServer.start(() => ({}))
    const server = await start(service.url)
    const refused = rejectionOf(server.streams.subscribe(sessionInit('live/a')))
    await waitFor(() => server.streams.subscribers('live/a').length === 1, { what: 'the one who waits' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect((await fetch(`${server.origin}/caretaker/send-home/live/a`, init)).status).to.equal(200)
    expect(await refused).to.be.instanceOf(StreamNotFound)
    expect(server.streams.subscribers('live/a')).to.eql([])
  })
})
