import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import type { ServerLogRecord } from '../support/server.ts'
import { inTurn } from '../support/soak.ts'

/** A plugin whose routes hold the event loop up; `spin` also has CPU time for half of that, however busy the machine is. */
const PLUGIN = `
import { definePlugin } from 'sluice/sdk'

function cpuMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
function spin(ms: number) {
  const [endMs, endCpuMs] = [performance.now() + ms, cpuMs() + ms / 2]
  while (performance.now() < endMs || cpuMs() < endCpuMs);
}
export default definePlugin({
  name: 'looper',
  version: '1.0.0',
  setup({ http }) {
    http.get('/spin', ({ query }) => {
      const { ms } = query as { ms: string }
      setTimeout(() => spin(Number(ms)))
      return {}
    })
    http.get('/regexp', () => {
      setTimeout(() => /^(a+)+$/.test('a'.repeat(60) + 'b'))
      return {}
    })
  },
})
`

/** Plugin code that never ends, with the route that runs it. */
const ENDLESS = [
  ['a regular expression', 'regexp'],
  ['an endless loop', 'spin?ms=Infinity'],
] as const

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

  /** What is said of blocks by the plugin. A busy machine holds the server's own turns up, too, which is said in other lines. */
  const told = (): ServerLogRecord[] => {
    return server.records.filter((record) => record.msg.includes('event loop') && record['plugin'] === 'looper')
  }
  const ask = async (name: string) => expect((await fetch(server.http(`/looper/${name}`))).status).to.equal(200)

  it('is told when it is over, in one line that names the plugin and the code', async () => {
    // Long after the two seconds from which on the watchdog looks at it, which a busy machine gives little time.
    await ask('spin?ms=6000')
    // Where the machine is so busy that the turn takes longer than five seconds, it is told before it is over, too.
    const over = () => told().filter(({ level }) => level === 'warn')
    await waitFor(() => over().length > 0, { what: 'the line' })
    expect((await fetch(server.http('/healthz'))).status).to.equal(200)
    expect(over()).to.have.length(1)
    expect(over()[0]?.msg).to.match(/was blocked for \d+\.\d s$/u)
    expect(over()[0]?.['at']).to.match(/^(?:cpuMs|spin) \(.*looper\.ts:\d+:\d+\)$/u)
  })

  // It takes five seconds of a core before it is told. The test above looks into a loop, too.
  for (const [what, name] of inTurn(ENDLESS, 0)) {
    it(`is told while it lasts, for ${what}, and Ctrl-C ends the process`, async () => {
      await ask(name)
      await waitFor(() => told().length > 0, { what: 'the line' })
      expect(told()[0]).to.include({ level: 'error' })
      expect(told()[0]?.['at']).to.include('looper.ts')
      const interrupt = () => {
        server.process.signal('SIGINT')
        return server.process.exited
      }
      expect(await waitFor(interrupt, { what: 'the end of the process' })).to.include({ signal: 'SIGINT' })
      expect(told()).to.have.length(1)
    })
  }
})
