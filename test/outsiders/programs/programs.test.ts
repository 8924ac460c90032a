import { appendFile, cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { children } from '../../../core/host/processes/fixtures/running.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { blocksOf } from '../../support/doc-blocks.ts'
import { makeFlvFile, type FlvFile } from '../../support/flv-file.ts'
import { RtmpClient } from '../../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const FILES = ['index.ts', 'primes.ts', 'fragile.ts'] as const
const RELOADS = 20

describe('a plugin with programs, threads and forks', () => {
  let source: FlvFile
  let server: RunningServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({
      config: 'global: { plugins_dir: plugins, draintimeout: 20s }\n',
      prepare: async (place) => {
        source = await makeFlvFile(path.join(place, 'source.flv'), { video: { gopFrames: 20 } })
        await mkdir(path.join(place, 'plugins', 'programs'), { recursive: true })
        for (const file of FILES) {
          await cp(path.join(import.meta.dirname, file), path.join(place, 'plugins', 'programs', file))
        }
      },
    })
  })
  after(() => server.stop())

  const told = (msg: string) => server.records.filter((record) => record.msg === msg)
  const forks = () => children().filter((command) => command.includes('fork-main'))

  async function publish(streamPath: string): Promise<RtmpClient> {
    const publisher = await RtmpClient.publish({ url: server.rtmp(streamPath) })
    for (const tag of source.tags) publisher.send(tag)
    return publisher
  }

  it('computes in a thread that begins with it', async () => {
    const [primes] = await waitFor(() => told('primes').length > 0 && told('primes'), { what: 'the number of primes' })
    expect(primes).to.include({ count: 78_498, plugin: 'programs' })
  })

  it('has ffmpeg read a stream by a pipe, every picture of it', async () => {
    const publisher = await publish('live/a')
    await waitFor(() => server.server.streams.subscribers('live/a').length === 1)
    publisher.close()
    const [pictures] = await waitFor(() => told('pictures').length > 0 && told('pictures'), { what: 'the count' })
    const expected = source.frames.filter(({ kind }) => kind === 'video').length
    expect(pictures).to.deep.include({ streamPath: 'live/a', pictures: expected, by: 'input', code: 0 })
  })

  it('is told of a fork that dies, and has another', async () => {
    await waitFor(() => told('fragile').length === 1, { what: 'the fork' })
    const publisher = await publish('live/crash')
    await waitFor(() => told('fragile').length === 2, { what: 'the next fork' })
    expect(told('fragile has crashed')[0])
      .to.include({ plugin: 'programs' })
      .and.to.have.nested.property('err.message')
      .that.includes('SIGKILL')
    publisher.close()
  })

  it(`leaves nothing behind that ${RELOADS} reloads have ended`, async () => {
    const generation = () => server.server.host.list().find(({ name }) => name === 'programs')?.generation ?? 0
    const publisher = await publish('live/b')
    const before = generation()
    for (let reload = 1; reload <= RELOADS; reload++) {
      await appendFile(path.join(server.folder, 'plugins', 'programs', 'index.ts'), `// ${reload}\n`)
      await waitFor(() => generation() === before + reload, { what: `reload ${reload}` })
    }
    publisher.close()
    if (process.platform === 'linux') {
      await waitFor(() => forks().length === 1, { what: 'the forks of all generations but the last to end' })
      await waitFor(() => !children().some((command) => command.startsWith('ffmpeg')), { what: 'ffmpeg to end' })
    }
    await server.server.stop('the test is over')
    if (process.platform === 'linux') expect(forks()).to.eql([])
    // The fork that died; and on a busy machine, programs may take longer to end than their generation waits for them.
    const expected = ['the process has failed', 'end of its tasks failed']
    expect(server.problems.filter(({ msg }) => !expected.includes(msg))).to.eql([])
  })
})

describe('docs/plugins/programs.md', () => {
  it('shows that plugin as it is', async () => {
    const page = await blocksOf('docs/plugins/programs.md', 'ts')
    for (const [file, part] of [
      ['index.ts', 'definePlugin({'],
      ['primes.ts', 'function primes('],
      ['fragile.ts', 'function fragile('],
    ] as const) {
      expect(page(part)).to.equal(await readFile(path.join(import.meta.dirname, file), 'utf8'))
    }
  })
})
