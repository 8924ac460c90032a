import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { UdpClient } from '../support/udp-client.ts'

const WARM_UP = 20
const RELOADS = 100
/** Of the plugin that does nothing. */
const IDLE_RELOADS = 40
/** Of the numbers that each generation of the plugin has, 8 bytes each. */
const BALLAST_BYTES = 800_000
/** More than the code of the plugin takes, which stays for good. */
const MAX_GROWTH_BYTES = BALLAST_BYTES / 4

const IDLE = "export default { name: 'idle', version: '1.0.0', setup() {} }\n"
/** For the handler and the hooks of the plugin to be asked. */
const CONFIG = `
global: { plugins_dir: plugins, enableauth: true, publish: { key: a }, subscribe: { key: b }, loglevel: info }
`

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('a hundred reloads', () => {
  let running: RunningServer

  async function start(name: string, code: string): Promise<void> {
    running = await startServer({
      config: CONFIG,
      prepare: async (folder) => {
        await mkdir(path.join(folder, 'plugins'))
        await writeFile(path.join(folder, 'plugins', `${name}.ts`), code)
      },
    })
  }

  /** Saves the plugin's file again; resolves when the next generation has taken over, or the one before has ended. */
  async function reload(name: string, code: string, count: number, until: 'begun' | 'ended' = 'begun'): Promise<void> {
    const text = until === 'begun' ? `generation ${count + 1} took over` : `generation ${count} has ended`
    await writeFile(path.join(running.folder, 'plugins', `${name}.ts`), `${code}// ${count}\n`)
    await waitFor(() => running.records.some(({ plugin, msg }) => plugin === name && msg.startsWith(text)), {
      what: text,
    })
  }

  /** Reloads a plugin; gives by how many bytes the heap has grown for each reload after the first ones. */
  async function growth(name: string, code: string, reloads: number, visit = async () => {}): Promise<number> {
    let before = 0
    for (let count = 1; count <= reloads; count++) {
      await visit()
      const measures = count === WARM_UP || count === reloads
      await reload(name, code, count, measures ? 'ended' : 'begun')
      if (count === WARM_UP) before = await heapBytes()
    }
    return ((await heapBytes()) - before) / (reloads - WARM_UP)
  }

  it('of a plugin that uses all it is given leave no more than those of one that does nothing', async () => {
    const code = await readFile(path.join(import.meta.dirname, 'all-seams.ts'), 'utf8')
    await start('all-seams', code)
    const viewer = new AbortController()
    keep({ close: () => viewer.abort() })
    const played = await fetch(running.http('/flv/all-seams/tone.flv'), { signal: viewer.signal })
    const media = played.body?.getReader()
    const udp = await UdpClient.open(udpPort(running))
    const used = await growth('all-seams', code, RELOADS, async () => {
      expect((await media?.read())?.value?.length).to.be.greaterThan(0)
      await visit(running, udp)
    })
    viewer.abort()
    const alive = async () => Number(await (await fetch(running.http('/all-seams/alive'))).text())
    await waitFor(
      async () => {
        await heapBytes()
        return (await alive()) === 1
      },
      { what: 'all generations but the newest to be gone' },
    )
    await running.stop()
    await start('idle', IDLE)
    const idle = await growth('idle', IDLE, IDLE_RELOADS)
    expect(used - idle).to.be.below(MAX_GROWTH_BYTES)
  }).timeout(600_000)
})

/** Uses all that the plugin offers. */
async function visit(server: RunningServer, udp: UdpClient): Promise<void> {
  const socket = connect(server.pluginPort('all-seams'), '127.0.0.1')
  await once(socket, 'data')
  const token = await (await fetch(server.http('/all-seams/session'), { method: 'POST' })).text()
  const path = `/all-seams/session/${token}`
  expect(await (await fetch(server.http(path))).text()).to.equal('100000')
  for (const target of ['/all-seams/api/size', '/api/all-seams/size']) {
    const headers = { 'content-type': 'application/json' }
    const size = await server.api(target, { method: 'POST', headers, body: '{"more":1}' })
    expect(size.body.data).to.equal(100_001)
  }
  for (const target of [path, '/all-seams/api/talk']) {
    const client = new WebSocket(server.ws(target))
    const [, refused] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
    expect(refused.statusCode, target).to.equal(403)
  }
  await udp.ask('one')
  await udp.ask('two')
  socket.destroy()
}

function udpPort({ server }: RunningServer): number {
  const [listener] = server.host.list().find(({ name }) => name === 'all-seams')?.udpListeners ?? []
  if (listener === undefined) throw new Error('there is no listener for UDP')
  return listener.port
}

/** The heap in use, after what nobody holds was collected. */
async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect()
    // What one collection finalizes, the next one frees.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}
