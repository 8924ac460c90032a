/**
 * A table of 1,000 cameras of which 900 are dead: what looking after them costs, and how soon the others play.
 *
 *     node --conditions=source test/scale/dead-cameras.ts
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterFile } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerProcess } from '../robustness/support/server-process.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { ScriptedSource } from '../support/rtsp/scripted-source.ts'

const LIVE = 100
const DEAD = 900
const WINDOW_MS = 30_000
const TICKS_PER_SECOND = 100
/** More than the kernel lets wait for a program that does not accept. */
const FILLERS = 8
const BLACK_HOLE = 'a port that takes no connection'

/** Seconds of the processor that a process has used, all its threads together. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Starts a process that stops to accept, and lets as many wait there as the kernel allows: who comes next is not answered. */
async function startBlackHole(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(fileURLToPath(import.meta.url), [BLACK_HOLE])
  const [port] = (await once(child, 'message')) as [number]
  child.kill('SIGSTOP')
  for (let filler = 0; filler < FILLERS; filler++) connect(port, '127.0.0.1').on('error', () => {})
  await delay(500)
  return { child, port }
}

function becomeBlackHole(): void {
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () =>
    process.send?.((server.address() as AddressInfo).port),
  )
}

async function add(server: ServerProcess, proxy: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/proxy/pull/add`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ audio: true, ...proxy }),
  })
  if (response.status !== 200) throw new Error(await response.text())
}

/** How many proxies have each value of `status`. */
async function statuses(server: ServerProcess): Promise<Record<string, number>> {
  const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/proxy/pull/list`)
  const { data } = (await response.json()) as { readonly data: readonly { readonly status: number }[] }
  return Object.fromEntries([0, 1, 2, 3].map((status) => [status, data.filter((one) => one.status === status).length]))
}

/** Milliseconds from the request to the first media, of the fastest viewer, the middle one and the slowest. */
async function play(server: ServerProcess, streamPaths: readonly string[]): Promise<string> {
  const timesMs = await Promise.all(
    streamPaths.map(async (streamPath) => {
      const startMs = performance.now()
      const viewer = new FlvViewer(`http://127.0.0.1:${server.ports.http}/flv/${streamPath}.flv`)
      await viewer.received.wait(1)
      const tookMs = Math.round(performance.now() - startMs)
      viewer.close()
      return tookMs
    }),
  )
  const sorted = timesMs.toSorted((a, b) => a - b)
  return `${sorted[0]} / ${sorted[sorted.length >> 1]} / ${sorted.at(-1)} ms (${sorted.length} viewers)`
}

async function measure(server: ServerProcess, what: string): Promise<void> {
  const before = cpuSeconds(server.pid)
  await delay(WINDOW_MS)
  const percent = ((cpuSeconds(server.pid) - before) * 100_000) / WINDOW_MS
  console.log(`${what}: ${percent.toFixed(2)} % of a core over ${WINDOW_MS / 1000} s`)
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-'))
  const global = { datadir: folder, subscribe: { waittrack: 'audio' } }
  const start = () => ServerProcess.start(JSON.stringify({ global, rtsp: { transport: 'tcp' } }))
  const source = await ScriptedSource.start()
  const hole = await startBlackHole()
  let server = await start()
  await measure(server, 'without a proxy')
  const addedMs = performance.now()
  for (let index = 0; index < DEAD; index++) {
    const address = index % 2 === 0 ? `127.0.0.1:${hole.port}` : '127.0.0.2:9'
    await add(server, { pullURL: `rtsp://${address}/dead${index}`, streamPath: `dead/${index}`, pullOnStart: true })
  }
  for (let index = 0; index < LIVE; index++) {
    await add(server, { pullURL: source.url(), streamPath: `live/${index}`, stopOnIdle: true })
  }
  console.log(`adding ${DEAD + LIVE} proxies: ${Math.round(performance.now() - addedMs)} ms`)
  await server.stop()
  const livePaths = Array.from({ length: LIVE }, (_, index) => `live/${index}`)

  server = await start()
  await measure(server, `${DEAD} dead of ${DEAD + LIVE}, from the start of the server`)
  console.log('by status', await statuses(server))
  console.log('first media, all at once', await play(server, livePaths))
  await waitFor(async () => (await statuses(server))['2'] === 0, { what: 'the pulls to be over' })
  await measure(server, `${DEAD} dead of ${DEAD + LIVE}, later`)
  await server.stop()

  server = await start()
  console.log('first media, all at once, as soon as the server is up', await play(server, livePaths))
  const startMs = performance.now()
  await waitFor(async () => (await statuses(server))['0'] === DEAD, { what: 'all live ones to be online' })
  console.log(`all live ones online within another ${Math.round(performance.now() - startMs)} ms`)
  await server.stop()

  hole.child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
  await afterFile()
}

if (process.argv[2] === BLACK_HOLE) becomeBlackHole()
else await main()
