import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { ServerCommand } from '../support/command.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { addressesIn, watch } from '../support/hls-client.ts'
import { RtmpClient } from '../support/rtmp-client.ts'

const ROUNDS = 1000
const PUSHES = 200
/** A file that was replaced is read when it has been still for a moment, so these take longer. */
const REPLACEMENTS = 200
/** Restarts of each plugin. */
const RESTARTS = 30
const REWRITES = 60
/** The share of the rounds that comes before the first look: for what is compiled, cached and pooled. */
const WARM_UP = 0.3
const AT_ONCE = 12
const PUSHES_AT_ONCE = 5
const PICTURES = 3
const MEBIBYTE = 1024 * 1024
const MAX_GROWTH_BYTES = 10 * MEBIBYTE
/** The limit for objects, which are counted exactly; code that V8 compiles as it gets hot is part of them. */
const MAX_HEAP_GROWTH_BYTES = 3 * MEBIBYTE
/** V8 gives pages back to the system eight seconds after a collection. */
const STILL_LOOKS = 9
const LOOK_MS = 1000
const SHIPPED_CONFIG = fileURLToPath(new URL('../../config/config.yaml', import.meta.url))
const SOURCE = { fps: 10, sizeBytes: 5000 } as const

/** A plugin of the operator's that frees what can be freed, tells what is left, and counts the reads of the config file. */
const PROBE = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { definePlugin, Type } from 'sluice/sdk'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const { readFile } = fs.promises
let configReads = 0
fs.promises.readFile = (file, ...others) => {
  if (String(file).endsWith('config.yaml')) configReads++
  return readFile(file, ...others)
}
syncBuiltinESMExports()

export default definePlugin({
  name: 'probe',
  version: '1.0.0',
  setup({ operations }) {
    operations.add({
      method: 'GET', path: 'api/reads', summary: 'Reads of the config file', answer: Type.Integer(),
      handle: () => configReads,
    })
    operations.add({
      method: 'GET', path: 'api/memory', summary: 'What is left', answer: Type.Record(Type.String(), Type.Number()),
      async handle() {
        // A collection frees the objects that the former one finalized.
        for (let round = 0; round < 3; round++) {
          collect()
          await setImmediate()
        }
        const { heapUsed, external, rss } = process.memoryUsage()
        const status = process.platform === 'linux' ? fs.readFileSync('/proc/self/status', 'utf8') : ''
        const anonymous = Number(/^RssAnon:\\s+(\\d+)/m.exec(status)?.[1] ?? rss / 1024) * 1024
        return { heap: heapUsed, live: heapUsed + external, anonymous }
      },
    })
  },
})
`

/** The memory of a process after a collection, in bytes. */
type Memory = {
  /** Objects and code. */
  readonly heap: number
  /** Objects, code and buffers. */
  readonly live: number
  /** Resident memory that is of no file. */
  readonly anonymous: number
}

type Plugin = { readonly name: string; readonly description: { readonly generation: string } }

/** Does `rounds` rounds; a further call goes on with other streams. */
type Work = (rounds: number) => Promise<void>

describe('the memory of a server from its build is the same', function () {
  this.timeout(600_000)
  let folder: string
  let file: string
  let server: ServerCommand

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    file = path.join(folder, 'config.yaml')
    await mkdir(path.join(folder, 'own'))
    await writeFile(path.join(folder, 'own', 'probe.ts'), PROBE)
    await copyFile(SHIPPED_CONFIG, file)
    // Segments of streams that are gone are kept for a while.
    const env = { SLUICE_GLOBAL_PLUGINS_DIR: '[own]', SLUICE_HLS_IDLETIMEOUT: '1s' }
    server = await ServerCommand.start(['-c', file], { cwd: folder, env })
  })

  afterEach(async () => {
    await server.process.close()
    await rm(folder, { recursive: true })
  })

  async function ask<Answer>(route: string, init?: RequestInit): Promise<Answer> {
    const answer = await fetch(server.http(route), init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${text}`)
    return (JSON.parse(text) as { data: Answer }).data
  }

  function post(route: string, body: object = {}): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return ask(route, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  const plugins = async () => (await ask<{ readonly plugins: readonly Plugin[] }>('/api/sysinfo')).plugins

  /** The least memory of several looks, the last of which found no less. */
  async function leastMemory(): Promise<Memory> {
    let least: Memory = { heap: Infinity, live: Infinity, anonymous: Infinity }
    let stillLooks = 0
    const isStill = async () => {
      const { heap, live, anonymous } = await ask<Memory>('/probe/api/memory')
      const isLess = least.live - live > MEBIBYTE || least.anonymous - anonymous > MEBIBYTE
      least = {
        heap: Math.min(heap, least.heap),
        live: Math.min(live, least.live),
        anonymous: Math.min(anonymous, least.anonymous),
      }
      stillLooks = isLess ? 0 : stillLooks + 1
      return stillLooks >= STILL_LOOKS
    }
    await waitFor(isStill, { intervalMs: LOOK_MS, what: 'the memory to be still' })
    return least
  }

  async function expectFlat(rounds: number, work: Work): Promise<void> {
    await work(Math.round(rounds * WARM_UP))
    const before = await leastMemory()
    await work(rounds / 2)
    const halfway = await leastMemory()
    await work(rounds / 2)
    const after = await leastMemory()
    const figures = (Object.keys(before) as (keyof Memory)[]).map((key) => {
      return `${key} ${[before, halfway, after].map((memory) => inMebibytes(memory[key])).join(', ')} MB`
    })
    process.stdout.write(`    ${figures.join('; ')}\n`)
    expect(after.heap - before.heap, 'heap').to.be.below(MAX_HEAP_GROWTH_BYTES)
    expect(after.live - before.live, 'live').to.be.below(MAX_GROWTH_BYTES)
    // The allocator keeps what it needed at its busiest, which one half may reach first; a leak grows in both.
    const growths = [halfway.anonymous - before.anonymous, after.anonymous - halfway.anonymous]
    expect(Math.min(...growths), 'anonymous').to.be.below(MAX_GROWTH_BYTES)
  }

  /** Work that calls `task` with ascending numbers, `atOnce` at a time, and is done when `settled` resolves. */
  function numbered(atOnce: number, task: (number: number) => Promise<void>, settled: () => Promise<unknown>): Work {
    let next = 0
    return async (rounds) => {
      const end = next + rounds
      const takeTurns = async () => {
        while (next < end) await task(next++)
      }
      await Promise.all(Array.from({ length: atOnce }, takeTurns))
      await settled()
    }
  }

  const untilStreams = (count: number) =>
    waitFor(async () => (await ask<readonly unknown[]>('/api/stream/list')).length === count, {
      what: 'the streams to be gone',
    })

  const publisherOf = (name: string) => NumberedPublisher.start({ port: server.rtmpPort, name, ...SOURCE })

  async function playFlv(target: string): Promise<void> {
    const viewer = new FlvViewer(server.http(`/flv/${target}.flv`))
    await viewer.received.wait(PICTURES)
    viewer.close()
  }

  async function playRtmp(target: string): Promise<void> {
    const viewer = await RtmpClient.play({ url: server.rtmp(target) })
    await viewer.received.wait(PICTURES)
    viewer.close()
  }

  async function playHls(target: string): Promise<void> {
    const { media } = await watch(server.http(`/hls/${target}/index.m3u8`))
    const parts = addressesIn(media, /\.(?:m4s|mp4)/u)
    expect(parts).not.to.eql([])
    for (const part of parts) expect((await (await fetch(part)).arrayBuffer()).byteLength).to.be.above(0)
  }

  it('after a thousand publishes and plays', async () => {
    const players = [playFlv, playRtmp, playHls]
    const visit = async (number: number) => {
      const publisher = await publisherOf(`p${number}`)
      await players[number % players.length]?.(`live/p${number}`)
      publisher.close()
    }
    await expectFlat(
      ROUNDS,
      numbered(AT_ONCE, visit, () => untilStreams(0)),
    )
    expect(server.complaints).to.eql([])
  })

  it('after pushes to itself by RTSP, SRT and WHIP', async () => {
    const publisher = await publisherOf('source')
    const srtPort = Number(server.records.find(({ owner }) => owner === 'srt')?.['port'])
    const targets = [
      `rtsp://127.0.0.1:${server.rtspPort}/live/`,
      `srt://127.0.0.1:${srtPort}?streamid=publish:/live/`,
      `whip://127.0.0.1:${server.httpPort}/webrtc/push/live/`,
    ]
    const push = async (number: number) => {
      const name = `p${number}`
      await post('/api/stream/push', {
        streamPath: 'live/source',
        remoteURL: `${targets[number % targets.length]}${name}`,
      })
      await playFlv(`live/${name}`)
      await post(`/api/stream/stop/live/${name}`)
    }
    await expectFlat(
      PUSHES,
      numbered(PUSHES_AT_ONCE, push, () => untilStreams(1)),
    )
    publisher.close()
  })

  it('after a thousand reloads of its config', async () => {
    await expectFlat(ROUNDS, async (rounds) => {
      for (let round = 0; round < rounds; round++) await post('/api/config/global/reload')
    })
    expect(server.complaints).to.eql([])
  })

  it('after its config file was replaced by the same', async () => {
    const reads = () => ask<number>('/probe/api/reads')
    await expectFlat(REPLACEMENTS, async (rounds) => {
      for (let round = 0; round < rounds; round++) {
        const before = await reads()
        await copyFile(SHIPPED_CONFIG, `${file}.new`)
        await rename(`${file}.new`, file)
        await waitFor(async () => (await reads()) > before, { what: 'the file to be read' })
      }
    })
    expect(server.complaints).to.eql([])
  })

  it('after restarts of its plugins', async () => {
    const names = (await plugins()).map(({ name }) => name)
    expect(names).to.include.members(['rtmp', 'rtsp', 'srt', 'webrtc', 'hls', 'flv', 'mp4'])
    await expectFlat(RESTARTS, async (rounds) => {
      for (let round = 0; round < rounds; round++) for (const name of names) await post(`/api/config/${name}/reload`)
    })
    expect(server.complaints).to.eql([])
  })

  it('after a plugin was saved as it was', async () => {
    const generation = async () => (await plugins()).find(({ name }) => name === 'probe')?.description.generation
    await expectFlat(REWRITES, async (rounds) => {
      for (let round = 0; round < rounds; round++) {
        const before = await generation()
        await writeFile(path.join(folder, 'own', 'probe.ts'), PROBE)
        await waitFor(async () => (await generation()) !== before, { what: 'the plugin to be started anew' })
      }
    })
    expect(server.complaints).to.eql([])
  })
})

function inMebibytes(bytes: number): string {
  return (bytes / MEBIBYTE).toFixed(1)
}
