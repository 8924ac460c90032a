import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import type { ServerLogRecord } from '../support/server.ts'

/** A plugin whose route holds the event loop up, in a function of that name. */
const PLUGIN = `
import { definePlugin } from 'sluice/sdk'

function spin(endMs: number) {
  while (performance.now() < endMs);
}
export default definePlugin({
  name: 'looper',
  version: '1.0.0',
  setup({ http }) {
    http.get('/spin', ({ query }) => {
      const { ms } = query as { ms: string }
      setTimeout(() => spin(performance.now() + Number(ms)))
      return {}
    })
    http.get('/regexp', () => {
      setTimeout(() => /^(a+)+$/.test('a'.repeat(60) + 'b'))
      return {}
    })
  },
})
`

describe('an event loop that a plugin blocks', () => {
  let server: ServerCommand

  beforeEach(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    await writeFile(path.join(folder, 'looper.ts'), PLUGIN)
    const configFile = path.join(folder, 'config.yaml')
    await writeFile(configFile, 'global:\n  plugins_dir: .\n')
    server = await ServerCommand.start(['-c', configFile])
  })

  const told = (): ServerLogRecord[] => server.records.filter(({ msg }) => msg.includes('event loop'))
  const ask = async (name: string) => expect((await fetch(server.http(`/looper/${name}`))).status).to.equal(200)

  it('is told when it is over, in one line that names the plugin and the code', async () => {
    await ask('spin?ms=3000')
    await waitFor(() => told().length > 0, { what: 'the line' })
    await waitFor(async () => (await fetch(server.http('/healthz'))).ok)
    expect(told()).to.have.length(1)
    expect(told()[0]).to.include({ level: 'warn', plugin: 'looper' })
    expect(told()[0]?.msg).to.match(/was blocked for \d+\.\d s$/u)
    expect(told()[0]?.['at']).to.match(/^spin \(.*looper\.ts:5:\d+\)$/u)
  })

  for (const [what, name, at] of [
    ['an endless loop', 'spin?ms=Infinity', 'spin'],
    ['a regular expression', 'regexp', 'looper.ts'],
  ] as const) {
    it(`is told while it lasts, for ${what}, and Ctrl-C ends the process`, async () => {
      await ask(name)
      await waitFor(() => told().length > 0, { what: 'the line' })
      expect(told()[0]).to.include({ level: 'error', plugin: 'looper' })
      expect(told()[0]?.['at']).to.include(at)
      const interrupt = () => {
        server.process.signal('SIGINT')
        return server.process.exited
      }
      expect(await waitFor(interrupt, { what: 'the end of the process' })).to.include({ signal: 'SIGINT' })
      expect(told()).to.have.length(1)
    })
  }
})
