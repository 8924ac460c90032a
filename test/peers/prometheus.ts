import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { keep } from './lifetime.ts'
import { PeerProcess, runPeer } from './process.ts'
import { waitFor } from './wait-for.ts'

/** How often another port is tried, where somebody else was quicker. */
const ATTEMPTS = 3

type Answer = {
  readonly status: string
  readonly error?: string
  readonly data?: { readonly result: readonly { readonly metric: object; readonly value: [number, string] }[] }
}

/** A Prometheus that scrapes one address each second. It ends with the test that started it, at the latest. */
export class Prometheus {
  readonly #port: number

  private constructor(port: number) {
    this.#port = port
  }

  /** @param config a scrape config, as `scrape_configs` of its config file has them, in JSON */
  static async start(config: object): Promise<Prometheus> {
    const folder = await mkdtemp(path.join(tmpdir(), 'prometheus-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const file = path.join(folder, 'prometheus.yml')
    await writeFile(file, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [config] }))
    for (let attempt = 1; ; attempt++) {
      const port = await freePort()
      const args = [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`]
      const peer = new PeerProcess('prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`])
      const isReady = () => fetch(`http://127.0.0.1:${port}/-/ready`).then(({ ok }) => ok)
      await waitFor(() => peer.exited !== undefined || isReady(), { what: 'Prometheus to be ready' })
      if (peer.exited === undefined) return new Prometheus(port)
      if (attempt === ATTEMPTS || !peer.stderr.includes('address already in use')) throw peer.error('ended')
    }
  }

  /**
   * Asks an expression; returns the values of the series that there are.
   * @throws {Error} with what is wrong with the expression
   */
  async query(expression: string): Promise<number[]> {
    const query = new URLSearchParams({ query: expression })
    const response = await fetch(`http://127.0.0.1:${this.#port}/api/v1/query?${query.toString()}`)
    const { status, error, data } = (await response.json()) as Answer
    if (status !== 'success') throw new Error(`${expression}: ${error}`)
    return (data?.result ?? []).map(({ value }) => Number(value[1]))
  }
}

/** Has promtool check metrics in the text format: that they can be read, and are named as they should be. */
export async function checkMetrics(text: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'promtool-'))
  try {
    const file = path.join(folder, 'metrics')
    await writeFile(file, text)
    await runPeer('sh', ['-c', 'promtool check metrics < "$1" 1>&2', 'sh', file])
  } finally {
    await rm(folder, { recursive: true })
  }
}
