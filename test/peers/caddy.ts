import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'
import { waitFor } from './wait-for.ts'

/** A running Caddy. It ends with the test that started it, at the latest. */
export class Caddy {
  readonly port: number

  private constructor(port: number) {
    this.port = port
  }

  /**
   * Starts it with the sites of a Caddyfile, made for the address that one of them is to have.
   * @throws {Error} with what it says of its config
   */
  static async start(sites: (address: string) => string): Promise<Caddy> {
    const folder = await mkdtemp(path.join(tmpdir(), 'caddy-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const port = await freePort()
    const file = path.join(folder, 'Caddyfile')
    await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${sites(`http://127.0.0.1:${port}`)}`)
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const peer = new PeerProcess('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env })
    const url = `http://127.0.0.1:${port}/`
    const answers = () => peer.exited !== undefined || fetch(url).then(({ body }) => body?.cancel().then(() => true))
    await waitFor(answers, { what: 'Caddy to answer' })
    if (peer.exited !== undefined) throw peer.error('ended')
    return new Caddy(port)
  }

  http(urlPath: string): string {
    return `http://127.0.0.1:${this.port}${urlPath}`
  }
}
