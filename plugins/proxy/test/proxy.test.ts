import { expect } from 'chai'
import type { Recordings, RecordingSource } from 'sluice/sdk'
import { createFakeHost, FakePlugins, type FakeHost, type FakeHostOptions } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import proxy from '../index.ts'

/** An address that no connection can check, so its server is assumed to be there. */
const SOURCE = 'srt://camera:6000'
const SRT = { name: 'srt', protocol: { number: 3, schemes: { srt: {} } } }

/** The part of a recorder that proxies use. */
class Recorder {
  readonly sources = new Set<RecordingSource>()

  addSource(source: RecordingSource): () => void {
    this.sources.add(source)
    return () => void this.sources.delete(source)
  }

  /** Returns the recordings that the sources want of a stream. */
  wanted(streamPath: string) {
    return [...this.sources].flatMap((source) => source(streamPath) ?? [])
  }
}

describe('proxy', () => {
  let plugins: FakePlugins
  const hosts: FakeHost<unknown>[] = []

  beforeEach(() => {
    plugins = new FakePlugins()
    plugins.set([SRT])
  })
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.dispose()
  })

  async function start(options: FakeHostOptions = {}): Promise<FakeHost<unknown>> {
    const host = await createFakeHost(proxy, { plugins, ...options })
    hosts.push(host)
    return host
  }
  async function add(host: FakeHost<unknown>, fields: object = {}): Promise<void> {
    const body = JSON.stringify({ pullURL: SOURCE, streamPath: 'a', pullOnStart: true, ...fields })
    const answer = await fetch(`${host.http.origin}/api/proxy/pull/add`, { method: 'POST', body })
    expect(answer.status).to.equal(200)
  }
  const pulled = ({ jobs }: FakeHost<unknown>) => jobs.pulls.all.map(({ wish }) => wish.streamPath)

  it('begins with what is stored, and with the entries of the config, when it takes over', async () => {
    const first = await start()
    await add(first)
    await first.dispose()
    const entry = { id: 7, streampath: 'b', pull: { url: SOURCE }, pullonstart: true }
    const unknown = { id: 8, streampath: 'c', pull: { url: 'gopher://host' }, pullonstart: true }
    const second = await start({ store: first.store, global: { pullproxy: [entry, unknown] } })
    expect(pulled(second)).to.have.members(['a', 'b'])
    expect(second.log.problems.map(({ msg }) => msg)).to.eql([
      'global.pullproxy[1] is left out: the address does not tell its type; give it as type',
    ])
  })

  it('begins with what is stored as soon as the database is there', async () => {
    const first = await start()
    await add(first)
    await first.dispose()
    first.store!.isAway = true
    const second = await start({ store: first.store })
    expect([pulled(second), second.log.problems]).to.eql([[], []])
    second.store!.isAway = false
    await waitFor(() => pulled(second).length === 1, { what: 'the stored proxy' })
  })

  it('knows its proxies from the start where it is reloaded, also without a database', async () => {
    const first = await start()
    await add(first)
    first.store!.isAway = true
    const second = await start({ store: first.store, kept: first.kept })
    expect([...second.jobs.pulls.sources].map((source) => source.match('a')?.plugin)).to.eql(['srt'])
    const list = (await (await fetch(`${second.http.origin}/api/proxy/pull/list`)).json()) as {
      readonly data: unknown[]
    }
    expect(list.data).to.have.length(1)
  })

  it('has its streams recorded by the recorder that there is, one after another', async () => {
    const services: { recordings?: Recordings } = {}
    const host = await start({ services })
    await add(host, { recordPath: 'gate', recordFragment: '60s' })
    const [one, other] = [new Recorder(), new Recorder()]
    for (const recorder of [one, other]) {
      // The plugin uses nothing else of the service.
      services.recordings = recorder as unknown as Recordings
      plugins.set([SRT])
    }
    expect(one.sources.size).to.equal(0)
    expect(other.wanted('a')).to.eql([{ folder: 'gate', fragmentMs: 60_000 }])
    expect(other.wanted('b')).to.eql([])
    host.drain()
    expect(other.sources.size).to.equal(0)
  })

  it('are found by what the list shows of them, and by their state', async () => {
    const host = await start()
    await add(host, { name: 'Gate', pullURL: 'srt://user:s3cret@camera:6000?passphrase=hidden', streamPath: 'gate' })
    await add(host, { description: 'at the YARD', streamPath: 'b', status: 3 })
    const found = async (query: string) => {
      const answer = await fetch(`${host.http.origin}/api/proxy/pull/list?${query}`)
      return ((await answer.json()) as { data: { streamPath: string }[] }).data.map(({ streamPath }) => streamPath)
    }
    expect(await found('search=gaTE')).to.eql(['gate'])
    expect(await found('search=yard')).to.eql(['b'])
    expect(await found('search=camera')).to.eql(['gate', 'b'])
    expect([await found('search=s3cret'), await found('search=hidden')]).to.eql([[], []])
    expect([await found('status=3'), await found('search=gate&status=3')]).to.eql([['b'], []])
  })
})
