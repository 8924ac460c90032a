import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { ALLOW, ControlServer } from './control-server.ts'
import { fakeProtocolFolder } from './plugin-folder.ts'

const SESSIONS = 1000
const FRAME_MS = 40
const MAX_GROWTH_BYTES = 2 * 1024 * 1024

describe('many sessions at once', function () {
  // Thousands of requests, on a machine that may have much else to do.
  this.timeout(300_000)

  async function start(control: ControlServer, timeoutMs: number): Promise<RunningServer> {
    const webhook = `{ enable: true, url: ${control.url}, timeout_ms: ${timeoutMs}, secret: s3cret-webhook }`
    return startServer({
      config: `
global: { plugins_dir: ${JSON.stringify(await fakeProtocolFolder())} }
flv: { admission_webhook: ${webhook} }`,
      // What the test keeps of the log would count as growth.
      env: { SLUICE_GLOBAL_LOGLEVEL: 'warn' },
    })
  }

  /** Asks for the stream; gives the status, after how long it came, and how to leave. */
  async function view(url: string): Promise<{ status: number; afterMs: number; leave: () => void }> {
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    const startMs = performance.now()
    const request = http.get(url, { agent: false }, resolve).on('error', reject)
    const letGo = keep({ close: () => void request.destroy() })
    const response = await promise
    response.on('error', () => {}).resume()
    const leave = () => {
      request.destroy()
      letGo()
    }
    return { status: response.statusCode ?? 0, afterMs: performance.now() - startMs, leave }
  }

  it('are all admitted by a control server that takes 500 ms, and a running stream loses no frame', async () => {
    const control = await ControlServer.start()
    const server = await start(control, 5000)
    const url = server.http('/flv/live/source.flv')
    const first = new FlvViewer(url)
    await first.received.wait(10)
    control.rule = () => delay(500, ALLOW)
    const viewers = await Promise.all(Array.from({ length: SESSIONS }, () => view(url)))
    expect(viewers.filter(({ status }) => status === 200)).to.have.length(SESSIONS)
    expect(Math.min(...viewers.map(({ afterMs }) => afterMs))).to.be.greaterThan(490)
    expect(server.server.streams.subscribers('live/source')).to.have.length(SESSIONS + 1)

    await first.received.wait(first.received.frames.length + 25)
    const times = first.received.frames.filter(({ kind }) => kind === 'video').map(({ dtsMs }) => dtsMs)
    const gaps = times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? 0))
    expect(gaps.filter((gapMs) => gapMs !== FRAME_MS)).to.eql([])
    expect(server.server.streams.subscribers('live/source')[0]?.queue?.dropped).to.equal(0)
    for (const { leave } of viewers) leave()
    await waitFor(() => server.server.streams.subscribers('live/source').length === 1)
    expect(server.problems).to.eql([])
  })

  it('are each denied at timeout_ms by one that never answers, and leave nothing behind', async () => {
    const timeoutMs = 1500
    const control = await ControlServer.start(() => 'never')
    const server = await start(control, timeoutMs)
    const url = server.http('/flv/live/source.flv')
    const heapBytes: number[] = []
    for (let round = 0; round < 4; round++) {
      const viewers = await Promise.all(Array.from({ length: SESSIONS }, () => view(url)))
      expect(viewers.every(({ status }) => status === 401)).to.equal(true)
      const times = viewers.map(({ afterMs }) => afterMs)
      expect(Math.min(...times)).to.be.greaterThan(timeoutMs - 20)
      for (const { leave } of viewers) leave()
      await waitFor(() => control.openConnections === 0, { what: 'the connections to the control server to close' })
      control.requests.length = 0
      heapBytes.push(await settledHeapBytes())
    }
    const [warmedUp = 0] = heapBytes.slice(1)
    // What was in use a moment ago may not be garbage yet; what stays is a leak.
    const isFlat = async () => (await settledHeapBytes()) < warmedUp + MAX_GROWTH_BYTES
    await waitFor(isFlat, { what: 'the memory to be what it was', intervalMs: 250 })
    expect(server.server.streams.subscribers()).to.eql([])
    control.rule = () => ALLOW
    const after = await view(url)
    expect(after.status).to.equal(200)
  })
})

/** The heap in use when garbage is gone, which takes more than one turn. */
async function settledHeapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}
