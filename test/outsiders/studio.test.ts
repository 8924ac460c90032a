import { expect } from 'chai'
import { definePlugin, untilAborted } from 'sluice/sdk'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import studio from './studio.ts'

/** Pulls a stream from each address but those that end with `none`. */
const PROBE = definePlugin({
  name: 'probe',
  version: '1.0.0',
  provides: ['pull:probe'],
  setup({ services, streams }) {
    services.provide('pull:probe', {
      schemes: ['probe'],
      async pull({ url, session, options, signal }) {
        if (url.endsWith('none')) throw new Error('nobody is there')
        const publisher = await streams.publish(session, options)
        const closed = Promise.withResolvers<void>()
        publisher.onClose(() => closed.resolve())
        new ScriptedPublisher(publisher).write(1)
        await Promise.race([untilAborted(signal).catch(() => {}), closed.promise])
        publisher.close()
        return { by: 'source' }
      },
    })
  },
})

async function start() {
  const server = await createTestServer(studio, { beside: [PROBE] })
  keep({ close: () => server.stop() })
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${server.origin}/studio/${path}`, init)
    return { status: answer.status, body: (await answer.json()) as { message: string; data?: unknown } }
  }
  return { server, post }
}

describe('a plugin that pulls for operators, and keeps viewers from pulling', () => {
  it('answers when the stream is there, or why it is not, and reads keys as the config has them', async () => {
    const { server, post } = await start()
    const fetched = await post('fetch/cam/a', { url: 'probe://host/a', pauseTimeout: '7s' })
    expect([fetched.status, fetched.body.data]).to.eql([200, { steps: ['connect'] }])
    expect(server.ctx.jobs.pulls.get('cam/a')?.wish.publish).to.eql({ pausetimeout: 7000 })
    expect((await post('fetch/cam/a', { url: 'probe://host/a' })).status).to.equal(409)
    expect((await post('fetch/cam/b', { url: 'probe://host/none' })).status).to.equal(500)
    const wrong = await post('fetch/cam/b', { url: 'probe://host/b', pauseTimeout: 'soon' })
    expect([wrong.status, wrong.body.message]).to.eql([
      400,
      "pauseTimeout: expected a duration such as '500ms', '10s' or '1h30m' (at most 24 days)",
    ])
  })

  it('leaves paths as they are while it is closed, before all other sources', async () => {
    const { server, post } = await start()
    const { pulls } = server.ctx.jobs
    await post('fetch/cam/a', { url: 'probe://host/a' })
    const { wish } = pulls.get('cam/a')!
    const remove = pulls.addSource({ match: (streamPath) => ({ ...wish, streamPath }) })
    await post('open', { isOpen: false })
    const waiting = server.streams.subscribe(sessionInit('cam/b')).catch(() => 'none')
    await waitFor(() => server.streams.subscribers('cam/b').length === 1, { what: 'a viewer who waits' })
    expect([pulls.demand('cam/b', {}), pulls.get('cam/b')]).to.eql([false, undefined])
    remove()
    expect(pulls.get('cam/a')?.ending).to.equal(false)
    await post('open', { isOpen: true })
    expect(pulls.demand('cam/b', {})).to.equal(false)
    await server.replace()
    expect(server.ctx.jobs.pulls.get('cam/a')).to.include({ ending: false, isPublishing: true })
    await server.stop()
    expect(await waiting).to.equal('none')
  })
})
