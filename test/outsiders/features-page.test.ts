import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { CLIENT_LEFT, definePlugin, type CloseReason } from 'sluice/sdk'
import { ScriptedPublisher, ScriptedSubscriber, sessionInit } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import keyframes from './keyframes.ts'
import lobby from './lobby.ts'
import recentEnds from './recent-ends.ts'
import shelf from './shelf.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

async function publish(server: Pick<TestServer<unknown>, 'streams'>, streamPath: string) {
  const publisher = await server.streams.publish(sessionInit(streamPath))
  const script = new ScriptedPublisher(publisher, { audio: false, gopFrames: 2 })
  publisher.tracksComplete()
  script.write(1)
  return { publisher, script }
}

describe('docs/plugins/features.md', () => {
  for (const name of ['lobby', 'keyframes', 'shelf', 'studio', 'court', 'recent-ends']) {
    it(`shows the ${name} plugin as it is tested`, async () => {
      const block = (await blocksOf('docs/plugins/features.md', 'ts'))(`name: '${name}'`)
      expect(block).to.equal(await readFile(new URL(`${name}.ts`, import.meta.url), 'utf8'))
    })
  }
})

describe('a plugin that leads viewers', () => {
  const start = async () => {
    const server = await createTestServer(lobby)
    keep({ close: () => server.stop() })
    const open = (path: string) =>
      fetch(`${server.origin}/lobby/open/${path}`, { method: 'POST', headers: JSON_TYPE, body: '{}' })
    return { server, open }
  }

  it('has them watch a lobby until the show opens, over a reload, and then the show', async () => {
    const { server, open } = await start()
    const loop = await publish(server, 'lobby/loop')
    const show = await publish(server, 'show/one')
    const viewer = await server.streams.subscribe(sessionInit('show/one'))
    const reader = new ScriptedSubscriber(viewer)
    expect(viewer).to.include({ streamPath: 'show/one', sourcePath: 'lobby/loop' })
    await server.replace()
    loop.script.write(2)
    expect((await open('show/one')).status).to.equal(200)
    show.script.write(2)
    expect(viewer.sourcePath).to.equal('show/one')
    await waitFor(() => reader.units.length >= 4, { what: 'the show' })
    expect(reader.closeReason).to.equal(undefined)
    expect((await server.streams.subscribe(sessionInit('show/one'))).sourcePath).to.equal('show/one')
    expect(server.problems).to.eql([])
  })

  it('has those wait for the show who waited for the lobby', async () => {
    const { server, open } = await start()
    const waiting = server.streams.subscribe(sessionInit('show/two'))
    await waitFor(() => server.streams.subscribers('lobby/loop').length === 1, { what: 'the one who waits' })
    await open('show/two')
    await publish(server, 'show/two')
    expect(await waiting).to.include({ sourcePath: 'show/two' })
  })
})

describe('a plugin whose work is tried again', () => {
  const textOf = async (server: TestServer<unknown>, file: string) => {
    const bytes = await server.ctx.files.read(file)
    try {
      return (await bytes.read(0, bytes.sizeBytes)).toString()
    } finally {
      await bytes.close()
    }
  }

  it('takes streams by the section of another, writes files, and goes on in the next over a reload', async () => {
    const told: string[] = []
    const listener = definePlugin({
      name: 'listener',
      version: '1.0.0',
      setup({ hooks }) {
        hooks.on('taskBegan', ({ streamPath }) => void told.push(`${streamPath} began`))
        hooks.on('taskEnded', ({ streamPath }) => void told.push(`${streamPath} ended`))
      },
    })
    const server = await createTestServer(keyframes, {
      beside: [listener],
      config: { section: 'test-client' },
      global: { subscribe: { waittimeout: '100ms' } },
    })
    keep({ close: () => server.stop() })
    const { publisher, script } = await publish(server, 'live/a')
    const taken = () => server.streams.subscribers('live/a')
    await waitFor(() => taken().length === 1, { what: 'who takes the stream' })
    expect(taken()[0]).to.include({ pluginName: 'test-client', type: 'transform' })
    const sizeOf = (file: string) => server.ctx.files.sizeOf(file)
    await waitFor(async () => (await sizeOf('keyframes/live/a.txt')) !== undefined, { what: 'the first file' })
    script.write(4)
    await server.replace()
    await waitFor(async () => (await sizeOf('keyframes/live/a-2.txt')) !== undefined, { what: 'the second file' })
    expect((await textOf(server, 'keyframes/live/a.txt')).split('\n').length).to.be.greaterThan(2)
    script.write(4)
    publisher.close()
    await waitFor(() => taken().length === 0, { what: 'the end' })
    await waitFor(async () => (await textOf(server, 'keyframes/live/a-2.txt')) !== '', { what: 'its lines' })
    await waitFor(() => told.length > 1, { what: 'the notice of the end' })
    expect(told).to.eql(['live/a began', 'live/a ended'])
    const ready = await fetch(`${server.origin}/readyz`)
    expect([ready.status, server.problems]).to.eql([200, []])
  })
})

describe('a plugin that knows what else to pull', () => {
  it('is asked for the paths that viewers wait for', async () => {
    const server = await createTestServer(shelf)
    keep({ close: () => server.stop() })
    const { pulls } = server.ctx.jobs
    expect(pulls.demand('shelf/0', {})).to.equal(false)
    const waiting = server.streams.subscribe(sessionInit('shelf/3')).catch(() => 'none')
    await waitFor(() => pulls.get('shelf/3') !== undefined, { what: 'the pull' })
    expect(pulls.get('shelf/3')?.wish).to.include({ plugin: 'mp4', tag: '3' })
    await server.stop()
    expect(await waiting).to.equal('none')
  })
})

describe('a plugin that hears what has ended', () => {
  it('lists tasks and sessions with the reason, over a reload, and leaves out what was simply over', async () => {
    const server = await createTestServer(recentEnds)
    keep({ close: () => server.stop() })
    const end = async (name: string, reason: CloseReason | string) => {
      const { publisher } = await publish(server, name)
      const viewer = await server.streams.subscribe(sessionInit(name))
      viewer.close(reason)
      publisher.close(reason)
    }
    await end('live/a', 'it was cut off')
    await server.replace()
    await end('live/b', CLIENT_LEFT)
    await server.ctx.tasks.start({ owner: 'a folder', run: async () => {} }).done
    await server.ctx.tasks.start({ owner: 'a disk', run: () => Promise.reject(new Error('it is full')) }).done
    const answer = await fetch(`${server.origin}/recent-ends/api/list`)
    const { data } = (await answer.json()) as { data: readonly string[] }
    expect(data.map((line) => line.replace(/after \d+ s$/u, 'after a while'))).to.eql([
      'subscriber live/a 192.0.2.1:40000: it was cut off, after a while',
      'publisher live/a 192.0.2.1:40000: it was cut off, after a while',
      'task a disk : it is full, after a while',
    ])
  })
})
